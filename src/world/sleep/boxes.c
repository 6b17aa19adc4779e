/* What sleeping bodies may be touched by: boxes, obstacles that move, and what acts on them. */
#include "base/memory.h"
#include "base/vec.h"
#include "contact/obstacles/frame.h"
#include "world/attachments/attach.h"
#include "world/sleep/sleep.h"

#include <string.h>

bool vv_sleep_reserve(vvWorld *w)
{
    vv_sleep_room *r = &w->sleep;
    const size_t n = w->body_count;
    return vv_grow((void **)&r->ahead, &r->node_capacity, 3 * (size_t)w->nodes + 1, sizeof *r->ahead) &&
           vv_grow((void **)&r->box, &r->box_capacity, n + 1, sizeof *r->box) &&
           vv_grow((void **)&r->share, &r->share_capacity, n + 1, sizeof *r->share) &&
           vv_grow((void **)&r->group, &r->group_capacity, n + 1, sizeof *r->group) &&
           vv_grow((void **)&r->mark, &r->mark_capacity, n + 1, sizeof *r->mark);
}

void vv_sleep_free(vvWorld *w)
{
    vv_sleep_room *r = &w->sleep;
    vv_free(r->ahead);
    vv_free(r->box);
    vv_free(r->share);
    vv_free(r->group);
    vv_free(r->mark);
    *r = (vv_sleep_room){ 0 };
}

/* m: how far from its surface contact acts on the body; between two each adds its own. */
static double reach_of(const vvWorld *w, const vv_body *b)
{
    const double distance = w->def.contact.distance;
    return fmax(distance, vv_body_distance(w, b, distance)) + b->thickness / 2;
}

void vv_sleep_box(const vvWorld *w, int body, const double *q, const double *to, double wider, double box[6])
{
    double low[3], high[3];
    const double more = reach_of(w, w->bodies + body) + wider;
    vv_body_bounds(w, body, q, box, box + 3);
    if (to) {
        vv_body_bounds(w, body, to, low, high);
        for (int k = 0; k < 3; k++)
            box[k] = fmin(box[k], low[k]), box[3 + k] = fmax(box[3 + k], high[k]);
    }
    for (int k = 0; k < 3; k++)
        box[k] -= more, box[3 + k] += more;
}

/* m: how far the obstacle's material at a corner of the box goes, at most. */
static double goes(const vv_frame *frame, const double *q, const double *to, const double box[6])
{
    double most = 0;
    for (int c = 0; c < 8; c++) {
        const double x[3] = { box[c & 1 ? 3 : 0], box[c & 2 ? 4 : 1], box[c & 4 ? 5 : 2] };
        double weights[4], path[3] = { 0 };
        vv_frame_weights(frame, x, weights);
        for (size_t i = 0; i < 4; i++)
            for (size_t k = 0; k < 3; k++) {
                const size_t at = 3 * ((size_t)frame->node + i) + k;
                path[k] += weights[i] * (to[at] - q[at]);
            }
        most = fmax(most, vv_norm(path));
    }
    return most;
}

bool vv_sleep_reaches(const vvWorld *w, const vv_obstacle *o, const double *q, const double *to, const double box[6])
{
    double middle[3], half[3], far = 0;
    for (int k = 0; k < 3; k++)
        middle[k] = 0.5 * (box[k] + box[3 + k]), half[k] = 0.5 * (box[3 + k] - box[k]);
    const double radius = vv_norm(half);
    if (o->body1 == 0)
        return vv_obstacle_distance_below(o, middle, INFINITY) <= vv_obstacle_steepness(o) * radius;
    vv_frame frame = vv_frame_make(w->bodies[o->body1 - 1].first, w->rest);
    if (!vv_frame_place(&frame, q))
        return true;
    far = to ? goes(&frame, q, to, box) : 0;
    return vv_frame_distance(&frame, o, middle, NULL, NULL) <= vv_obstacle_steepness(o) * (radius + far);
}

bool vv_sleep_moves(const vvWorld *w, int body, const double *to)
{
    const vv_body *b = w->bodies + body;
    const size_t at = 3 * (size_t)b->first;
    return memcmp(w->state.q + at, to + at, 3 * (size_t)b->count * sizeof *to) != 0;
}

void vv_sleep_look_ahead(vvWorld *w)
{
    double *ahead = w->sleep.ahead;
    for (size_t i = 0; i < 3 * (size_t)w->nodes; i++)
        ahead[i] = w->state.q[i] + w->def.timeStep * w->state.v[i];
    for (size_t b = 0; b < w->body_count; b++) /* of what is held all over, the motion alone counts */
        if (w->bodies[b].kinematic)
            memcpy(ahead + 3 * (size_t)w->bodies[b].first, w->state.q + 3 * (size_t)w->bodies[b].first,
                   3 * (size_t)w->bodies[b].count * sizeof *ahead);
    vv_world_prescribed(w, vv_clock_time(&w->state.clock, w->def.timeStep, 1), ahead);
}

/* Whether it leads what it holds elsewhere in the step to come. */
static bool leads(const vvWorld *w, const vv_attach *a)
{
    const double now = vv_world_time(w), next = vv_clock_time(&w->state.clock, w->def.timeStep, 1);
    for (int i = 0; i < vv_attach_places(a); i++) {
        double from[3], to[3];
        vv_attach_position(w, a, i, now, from);
        vv_attach_position(w, a, i, next, to);
        if (memcmp(from, to, sizeof to) != 0)
            return true;
    }
    return false;
}

static bool acts(const vvWorld *w, const vv_attach *a)
{
    if (a->released)
        return false;
    if (a->dragged || a->driven || a->kind == VV_ATTACH_ROLLER || vv_attach_loads(a))
        return true;
    return a->kind != VV_ATTACH_POTENTIAL && leads(w, a);
}

bool vv_sleep_is_stirred(const vvWorld *w, int body)
{
    const vv_body *b = w->bodies + body;
    for (size_t a = 0; a < w->attach_count; a++)
        if (w->attaches[a].body == body && acts(w, w->attaches + a))
            return true;
    for (size_t j = 0; j < w->joint_count; j++) {
        const vv_joint *joint = w->joints + j;
        const int other = joint->body[0] == body ? joint->body[1] : joint->body[0];
        if ((joint->body[0] != body && joint->body[1] != body) || joint->state.broken != 0)
            continue;
        if (joint->state.most > 0 ||
            (other >= 0 && w->bodies[other].kinematic && vv_sleep_moves(w, other, w->sleep.ahead)))
            return true;
    }
    const double *force = w->state.force + 3 * (size_t)b->first;
    for (size_t i = 0; w->state.forced && i < 3 * (size_t)b->count; i++)
        if (force[i] != 0)
            return true;
    return false;
}
