/* Warns once of bodies that contact holds at the start like a press fit although they have some play, because a given
 * activation distance does not follow their gaps (contact/surfaces/gaps.h), and names a distance that fits.
 *
 * Most starts have pressed bodies: bodies that rest, lean or are carried. A press fit is pressed from opposite sides by
 * bodies that do not carry it. So forces across gravity count if they nearly cancel, and forces downwards from fixed
 * objects. Friction may hold up to mu times these forces; a body sticks if that exceeds its load: its weight, the force
 * that stops it at its velocity, and the bodies it carries. A body pressed much harder than by any load does not rest
 * at all. These are forces at the start: soft bodies yield, and then stick a little less. */
#include "base/error.h"
#include "base/memory.h"
#include "base/text/text.h"
#include "base/vec.h"
#include "world/world.h"

#include <stdio.h>

static const double OPPOSITE = 0.5; /* of all that presses across: more in sum than this comes from one side */
static const double LEVEL = 0.25;   /* of a force, along gravity: what has more carries, or lies on top */
static const double TIGHT = 2;      /* times the load: pressed so even without friction */
static const double THROWN = 10;    /* times the load, by all that presses, */
static const double NEAR = 0.95;    /* and nearer than this part of the distance: cloth lies by its weight at 0.99 */

typedef struct nearest {
    double gap;  /* m */
    int partner; /* a body, or the number of bodies and an obstacle */
} nearest;

typedef struct squeeze { /* of a body, N */
    double all, across, down, up, sum[3], rubs, rubs_down, load;
    nearest to, between; /* of all, of what may squeeze it */
} squeeze;

static void come_near(nearest *n, double gap, int partner)
{
    if (gap < n->gap)
        *n = (nearest){ gap, partner };
}

/* A force on a body, of a partner that stands fast or moves freely. down: the direction of gravity, or 0. */
static void add(squeeze *s, const double force[3], const double down[3], double mu, bool fast, double gap, int partner)
{
    const double along = vv_dot(force, down), all = vv_norm(force);
    const bool across = fabs(along) <= LEVEL * all;
    for (int k = 0; k < 3 && across; k++)
        s->sum[k] += force[k] - along * down[k];
    s->all += all;
    s->across += across ? all : 0;
    s->rubs += across ? mu * all : 0;
    s->up += fmax(-along, 0);
    if (along > 0 && fast)
        s->down += along, s->rubs_down += mu * along;
    else if (along > 0)
        s->load += along; /* it carries that */
    come_near(&s->to, gap, partner);
    if (across || (along > 0 && fast))
        come_near(&s->between, gap, partner);
}

static void add_point(const vvWorld *w, const vvContactPoint *p, const double down[3], squeeze *of)
{
    const int body = vv_body_index(w, p->side.body), other = p->other.count ? vv_body_index(w, p->other.body) : -1;
    const int o = other < 0 ? vv_obstacle_index(w, p->obstacle) : -1;
    if (body == other || (other < 0 && o < 0))
        return;
    const vv_body *b = w->bodies + body;
    const double mu = other >= 0 ? vv_world_friction(w, body, other)
                                 : vv_obstacle_friction(w->obstacles + o, b->friction, w->def.contact.friction);
    double force[3], back[3];
    for (int k = 0; k < 3; k++)
        force[k] = p->force * p->normal[k], back[k] = -force[k];
    add(of + body, force, down, mu, other < 0 || w->bodies[other].kinematic, p->gap,
        other >= 0 ? other : (int)w->body_count + o);
    if (other >= 0)
        add(of + other, back, down, mu, b->kinematic, p->gap, body);
}

/* What holds the body as it should not, and by how much, N; NULL: nothing. */
static const nearest *held(const squeeze *s, double distance, double *by, double *friction)
{
    const bool opposite = vv_norm(s->sum) <= OPPOSITE * s->across;
    const double down = fmin(s->down, s->up), part = s->down > 0 ? down / s->down : 0;
    const double presses = (opposite ? s->across : 0) + down;
    const double rubs = (opposite ? s->rubs : 0) + part * s->rubs_down;
    if (presses > 0 && (rubs > s->load || presses > TIGHT * s->load)) {
        *by = presses, *friction = rubs;
        return &s->between;
    }
    *by = s->all, *friction = 0;
    return s->all > THROWN * s->load && s->to.gap < NEAR * distance ? &s->to : NULL;
}

static const char *name_of(const vvWorld *w, int partner)
{
    if (partner < (int)w->body_count)
        return w->bodies[partner].name;
    const vv_obstacle *o = w->obstacles + (partner - (int)w->body_count);
    return *o->name ? o->name : o->ops->type.info.name;
}

/* Names the body that has least room, and says how many others there are. */
static void say(vvWorld *w, const squeeze *of)
{
    const double distance = w->def.contact.distance;
    int tightest = -1, count = 0;
    nearest least = { INFINITY, 0 };
    double force = 0, friction = 0;
    for (size_t b = 0; b < w->body_count; b++) {
        double by, mu_by;
        const vv_body *body = w->bodies + b;
        const nearest *n =
            body->kinematic || body->stage & VV_BODY_STEPPED ? NULL : held(of + b, distance, &by, &mu_by);
        count += n != NULL;
        if (n && n->gap < least.gap)
            least = *n, tightest = (int)b, force = by, friction = mu_by;
    }
    if (tightest < 0)
        return;
    char more[64] = "", rubs[64] = "";
    if (count > 1)
        snprintf(more, sizeof more, "; %d other bod%s no more room", count - 1, count > 2 ? "ies have" : "y has");
    if (friction > 0)
        vv_print(rubs, sizeof rubs, ", and rubs with up to %.3g N", friction);
    w->gaps_told = true;
    vv_world_log(w, VV_LOG_WARNING,
                 "contact.distance, %g m, is more than the %.3g m between \"%s\" and \"%s\" at the start: "
                 "\"%s\" is pressed by %.3g N in all, where its load is %.3g N%s%s; %g m fits",
                 distance, least.gap, w->bodies[tightest].name, name_of(w, least.partner), w->bodies[tightest].name,
                 force, of[tightest].load, rubs, more, vv_rounded_down(0.5 * least.gap));
}

/* Whether any body is about to begin. */
static bool any_begins(const vvWorld *w)
{
    bool any = false;
    for (size_t b = 0; b < w->body_count; b++)
        any = any || !(w->bodies[b].kinematic || w->bodies[b].stage & VV_BODY_STEPPED);
    return any;
}

vvStatus vv_world_advise_fits(vvWorld *w, vvError *error)
{
    const double g = vv_norm(w->def.gravity);
    const vv_contact *c = w->contact;
    vvStartGap near;
    size_t count;
    if (w->gaps_told || !c || c->def.follow || !vv_contact_has_barrier(c->def.model) || !any_begins(w) ||
        !vvWorldGetStartGap(w, &near))
        return VV_OK;
    squeeze *of = vv_alloc(w->body_count, sizeof *of);
    double *load = vv_alloc(w->body_count, sizeof *load), down[3] = { 0 };
    vvStatus status = of && load ? vv_world_find_points(w, &count, error) : vv_fail_memory(error, "close fits");
    if (status == VV_OK) {
        vv_world_loads(w, load);
        for (int k = 0; k < 3 && g > 0; k++)
            down[k] = w->def.gravity[k] / g;
        for (size_t b = 0; b < w->body_count; b++)
            of[b].load = load[b], of[b].to.gap = of[b].between.gap = INFINITY;
        for (size_t i = 0; i < count; i++)
            add_point(w, w->events.points + i, down, of);
        say(w, of);
    }
    vv_free(of);
    vv_free(load);
    return status;
}
