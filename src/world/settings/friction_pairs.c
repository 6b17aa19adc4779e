/* The user's settings for contact between bodies: friction of a pair (or the rule), and whether a body collides with
 * itself. */
#include "base/error.h"
#include "base/vec.h"
#include "world/settings/settings.h"

#include <string.h>

/* Where the pair is in the list, or would be inserted. */
static size_t place_of(const vvWorld *w, int a, int b)
{
    size_t low = 0, high = w->friction_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const vv_body_friction *p = w->frictions + middle;
        if (p->a < a || (p->a == a && p->b < b))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool stands_at(const vvWorld *w, size_t at, int a, int b)
{
    return at < w->friction_count && w->frictions[at].a == a && w->frictions[at].b == b;
}

double vv_world_friction(const vvWorld *w, int a, int b)
{
    if (a > b)
        return vv_world_friction(w, b, a);
    size_t at = place_of(w, a, b);
    if (stands_at(w, at, a, b))
        return w->frictions[at].mu;
    double p = w->bodies[a].friction, q = w->bodies[b].friction;
    if (p < 0 && q < 0)
        return w->def.contact.friction;
    if (p < 0 || q < 0) /* one coefficient that a user gives must not come to nothing because the other side has none */
        return fmax(p, q);
    return p == q ? p : sqrt(p * q); /* exact if they are equal */
}

void vv_friction_drop(vvWorld *w, int body)
{
    size_t kept = 0;
    for (size_t i = 0; i < w->friction_count; i++) {
        vv_body_friction p = w->frictions[i];
        if (p.a == body || p.b == body)
            continue;
        p.a -= p.a > body;
        p.b -= p.b > body;
        w->frictions[kept++] = p;
    }
    w->friction_count = kept;
}

static vvStatus set(vvWorld *w, int a, int b, double mu, vvError *error)
{
    size_t at = place_of(w, a, b);
    bool there = stands_at(w, at, a, b), rule = mu < 0;
    if (rule ? !there : there && w->frictions[at].mu == mu)
        return VV_OK;
    if (!there && !vv_grow((void **)&w->frictions, &w->friction_capacity, w->friction_count + 1, sizeof *w->frictions))
        return vv_fail_memory(error, "a pair's friction");
    if (!vv_world_remember_made(w, VV_SETTING_PAIRS, 0))
        return vv_fail_memory(error, "a pair's friction");
    vv_world_part_changed(w, VV_STALE_FRICTION);
    vv_world_note_setting(w, rule ? "%.60s, %.60s: friction by the rule" : "%.60s, %.60s: friction=%.6g",
                          w->bodies[a].name, w->bodies[b].name, mu);
    vv_body_friction *p = w->frictions + at;
    if (rule) {
        w->friction_count--;
        memmove(p, p + 1, (w->friction_count - at) * sizeof *p);
        return VV_OK;
    }
    if (!there) {
        memmove(p + 1, p, (w->friction_count - at) * sizeof *p);
        w->friction_count++;
    }
    *p = (vv_body_friction){ a, b, mu };
    return VV_OK;
}

static vvStatus set_friction(vvWorld *w, vvBodyId first, vvBodyId second, double mu, vvError *error)
{
    mu = isnan(mu) ? -1 : mu;
    int a = vv_body_index(w, first), b = vv_body_index(w, second);
    if (a < 0 || b < 0)
        return vv_fail(error, VV_ERROR_INPUT, "vvWorldSetFriction: no such body (the %s one); was it removed before?",
                       a < 0 ? "first" : "second");
    vvStatus status = vv_check_friction(&mu, "vvWorldSetFriction: the coefficient", error);
    if (status == VV_OK)
        status = vv_world_open(w, "set friction", error);
    if (status == VV_OK)
        status =
            vv_check_surface_owner(w, w->bodies[a].frame ? a : b, "vvWorldSetFriction", "vvObstacleSetFriction", error);
    if (status != VV_OK)
        return status;
    return a < b ? set(w, a, b, mu, error) : set(w, b, a, mu, error);
}

/* ---- what holds ---- */

static bool collides(const vvWorld *w) { return vv_contact_acts(vv_world_model(w)); }

/* A joint keeps its two bodies from colliding. */
static bool joined(const vvWorld *w, int a, int b)
{
    for (int j = w->bodies[a].joints_from; j < w->bodies[a].joints_to; j++) {
        const vv_joint *p = w->joints + j;
        if (!p->collide && ((p->body[0] == a && p->body[1] == b) || (p->body[0] == b && p->body[1] == a)))
            return true;
    }
    return false;
}

double vvWorldFriction(const vvWorld *w, vvBodyId first, vvBodyId second)
{
    if (!vv_world_readable(w))
        return NAN;
    int a = vv_body_index(w, first), b = vv_body_index(w, second);
    if (a < 0 || b < 0 || !collides(w))
        return NAN;
    const vv_body *p = w->bodies + a, *q = w->bodies + b;
    bool touch = a == b ? vvBodySelfContact(w, first)
                        : !(p->kinematic && q->kinematic) && !p->frame && !q->frame &&
                              vvFiltersTouch(&p->filter, &q->filter) && !joined(w, a, b);
    return touch ? vv_world_friction(w, a, b) : NAN;
}

double vvWorldFrictionSpeed(const vvWorld *w, vvBodyId id)
{
    if (!vv_world_readable(w))
        return 0;
    const int body = vv_body_index(w, id);
    return body >= 0 && collides(w) && vv_world_slides(w) ? vv_friction_speed_of(w, w->bodies + body) : 0;
}

double vvObstacleFriction(const vvWorld *w, vvObstacleId obstacle, vvBodyId body)
{
    if (!vv_world_readable(w))
        return NAN;
    int o = vv_ids_find(&w->obstacle_ids, obstacle.index1, obstacle.generation), b = vv_body_index(w, body);
    if (o < 0 || b < 0 || !collides(w))
        return NAN;
    const vv_obstacle *p = w->obstacles + o;
    const vv_body *q = w->bodies + b;
    return !q->kinematic && vvFiltersTouch(&p->filter, &q->filter)
               ? vv_obstacle_friction(p, q->friction, w->def.contact.friction)
               : NAN;
}

/* ---- settings ---- */

vvStatus vvWorldSetFriction(vvWorld *w, vvBodyId first, vvBodyId second, double mu, vvError *error)
{
    VV_WORLD_CALL(w, error, set_friction(w, first, second, mu, error));
}

static vvStatus set_self_contact(vvWorld *w, vvBodyId id, bool on, vvError *error)
{
    int body = vv_body_index(w, id);
    if (body < 0)
        return vv_fail(error, VV_ERROR_INPUT, "vvBodySetSelfContact: no such body");
    vvStatus status = vv_world_open(w, "set self contact", error);
    if (status != VV_OK || w->bodies[body].self_contact == on)
        return status;
    if (!vv_world_remember_made(w, VV_SETTING_SURFACE, body))
        return vv_fail_memory(error, "a body's self-contact");
    vv_body_put_filter(w, body, &w->bodies[body].filter, on);
    return VV_OK;
}

vvStatus vvBodySetSelfContact(vvWorld *w, vvBodyId id, bool on, vvError *error)
{
    VV_WORLD_CALL(w, error, set_self_contact(w, id, on, error));
}

bool vvBodySelfContact(const vvWorld *w, vvBodyId id)
{
    int body = vv_body_read(w, id);
    return body >= 0 && w->def.contact.self && w->bodies[body].self_contact && !w->bodies[body].kinematic;
}

vvFilter vvBodyFilter(const vvWorld *w, vvBodyId id)
{
    int body = vv_body_read(w, id);
    return body >= 0 ? w->bodies[body].filter : (vvFilter){ 0 };
}
