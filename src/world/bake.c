/* Baking: from what the user described to what a step needs. Unknowns in a space-filling order, the batches of energies, the
 * stepper with its solvers. */
#include "base/error.h"
#include "base/vec.h"
#include "energy/simple.h"
#include "energy/springs.h"
#include "energy/tets.h"
#include "world/world.h"

#include <stdlib.h>
#include <string.h>

/* ---- unknowns: free nodes, body by body, along a Morton curve of their rest positions ---- */

typedef struct keyed {
    uint64_t key;
    int node;
} keyed;

static int compare_keyed(const void *a, const void *b)
{
    const keyed *p = a, *q = b;
    if (p->key != q->key)
        return p->key < q->key ? -1 : 1;
    return (p->node > q->node) - (p->node < q->node);
}

static uint64_t spread_bits(uint64_t x)
{
    x &= 0x1fffff;
    x = (x | x << 32) & 0x1f00000000ffffu;
    x = (x | x << 16) & 0x1f0000ff0000ffu;
    x = (x | x << 8) & 0x100f00f00f00f00fu;
    x = (x | x << 4) & 0x10c30c30c30c30c3u;
    return (x | x << 2) & 0x1249249249249249u;
}

static void body_keys(const vvWorld *w, const vv_body *b, keyed *keys)
{
    double lo[3] = { INFINITY, INFINITY, INFINITY }, size = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = b->first; i < b->first + b->count; i++)
            for (int k = 0; k < 3; k++) {
                double x = w->rest[3 * (size_t)i + k];
                if (pass == 0)
                    lo[k] = fmin(lo[k], x);
                else
                    size = fmax(size, x - lo[k]);
            }
    for (int i = b->first; i < b->first + b->count; i++) {
        uint64_t key = 0;
        for (int k = 0; k < 3; k++) {
            double s = size > 0 ? (w->rest[3 * (size_t)i + k] - lo[k]) / size : 0;
            key |= spread_bits((uint64_t)(s * 2097151)) << k;
        }
        keys[i - b->first] = (keyed){ key, i };
    }
    qsort(keys, (size_t)b->count, sizeof *keys, compare_keyed);
}

static vvStatus number_unknowns(vvWorld *w, vvError *error)
{
    size_t n = (size_t)w->nodes;
    w->unknown = vv_alloc(n, sizeof *w->unknown);
    w->node = vv_alloc(n, sizeof *w->node);
    keyed *keys = vv_alloc(n, sizeof *keys);
    if (!w->unknown || !w->node || !keys) {
        vv_free(keys);
        return vv_fail_memory(error, "the unknowns");
    }
    for (size_t i = 0; i < n; i++)
        w->unknown[i] = w->fixed[i] ? -1 : 0;
    int count = 0;
    for (size_t b = 0; b < w->body_count; b++) {
        if (w->bodies[b].kinematic)
            continue;
        body_keys(w, w->bodies + b, keys);
        for (int i = 0; i < w->bodies[b].count; i++)
            if (w->unknown[keys[i].node] >= 0) {
                w->node[count] = keys[i].node;
                w->unknown[keys[i].node] = count++;
            }
    }
    vv_free(keys);
    vv_system *s = &w->system;
    s->nodes = w->nodes;
    s->unknowns = count;
    s->unknown = w->unknown;
    s->node = w->node;
    s->mass = w->mass;
    s->par = w->par;
    return VV_OK;
}

/* ---- energies ---- */

static vvStatus add_energy(vvWorld *w, vv_energy *e, vvError *error) { return vv_system_add_energy(&w->system, e, error); }

static vvStatus add_dissipation(vvWorld *w, vv_energy *e, vvError *error)
{
    return vv_system_add_dissipation(&w->system, e, error);
}

static vvStatus add_gravity(vvWorld *w, vvError *error)
{
    vv_energy *e;
    if (vv_norm(w->def.gravity) == 0)
        return VV_OK;
    vvStatus s = vv_gravity_create(w->nodes, w->mass, w->rest, w->def.gravity, &e, error);
    return s == VV_OK ? add_energy(w, e, error) : s;
}

/* One batch for each tet material that a body uses, with its lagged Rayleigh damping where a body has some. */
static vvStatus add_tets(vvWorld *w, int model, vvError *error)
{
    vv_tets_body *bodies = vv_alloc(w->body_count, sizeof *bodies);
    double *rayleigh = vv_alloc(w->body_count, sizeof *rayleigh);
    int count = 0;
    bool damped = false;
    for (size_t b = 0; bodies && rayleigh && b < w->body_count; b++) {
        const vv_body *body = w->bodies + b;
        if (body->model != model || body->tet_count == 0)
            continue;
        rayleigh[count] = body->material.damping.rayleigh;
        damped = damped || rayleigh[count] > 0;
        bodies[count++] = (vv_tets_body){ (int)b, body->tet_count, body->tets, body->mu, body->lambda };
    }
    vvStatus s = bodies && rayleigh ? VV_OK : vv_fail_memory(error, "the elastic energy");
    vv_energy *e = NULL, *r = NULL;
    if (s == VV_OK && count > 0) {
        s = vv_tets_create(model, w->nodes, w->rest, count, bodies, &e, error);
        if (s == VV_OK)
            s = add_energy(w, e, error);
        if (s == VV_OK)
            w->tets_at[w->tets_batches++] = w->system.energies - 1;
        if (s == VV_OK && damped) {
            s = vv_tets_rayleigh_create(e, rayleigh, &r, error);
            if (s == VV_OK)
                s = add_dissipation(w, r, error);
        }
    }
    vv_free(bodies);
    vv_free(rayleigh);
    return s;
}

typedef struct spring_list {
    int count, *edges, *body;
    double *stiffness, *length;
} spring_list;

static void push_spring(const vvWorld *w, spring_list *l, int a, int b, double stiffness, int body)
{
    double d[3];
    vv_sub(w->rest + 3 * (size_t)b, w->rest + 3 * (size_t)a, d);
    l->edges[2 * l->count] = a, l->edges[2 * l->count + 1] = b;
    l->stiffness[l->count] = stiffness;
    l->length[l->count] = vv_norm(d);
    l->body[l->count++] = body;
}

static bool has_springs(const vv_body *b) { return b->model < 0 && !b->kinematic; }

static vvStatus add_springs(vvWorld *w, int kind, vvError *error)
{
    size_t room = 0;
    bool damped = false;
    double *rayleigh = vv_alloc(w->body_count, sizeof *rayleigh);
    for (size_t b = 0; b < w->body_count; b++)
        if (has_springs(w->bodies + b) && vv_springs_kind(w->bodies[b].material.model) == kind)
            room += (size_t)(w->bodies[b].edge_count + w->bodies[b].bend_count);
    spring_list l = { 0, vv_alloc(2 * room, sizeof(int)), vv_alloc(room, sizeof(int)), vv_alloc(room, sizeof(double)),
                      vv_alloc(room, sizeof(double)) };
    vvStatus s = rayleigh && l.edges && l.body && l.stiffness && l.length ? VV_OK : vv_fail_memory(error, "the springs");
    for (size_t b = 0; s == VV_OK && room > 0 && b < w->body_count; b++) {
        const vv_body *body = w->bodies + b;
        if (!has_springs(body) || vv_springs_kind(body->material.model) != kind)
            continue;
        rayleigh[b] = body->material.damping.rayleigh;
        damped = damped || rayleigh[b] > 0;
        for (int i = 0; i < body->edge_count; i++)
            push_spring(w, &l, body->edges[2 * i], body->edges[2 * i + 1], body->material.springStiffness, (int)b);
        for (int i = 0; body->material.bendStiffness > 0 && i < body->bend_count; i++)
            push_spring(w, &l, body->bends[i][0], body->bends[i][1], body->material.bendStiffness, (int)b);
    }
    vv_energy *e = NULL, *r = NULL;
    if (s == VV_OK && l.count > 0) {
        s = vv_springs_create(kind, w->nodes, l.count, l.edges, l.stiffness, l.length, l.body, &e, error);
        if (s == VV_OK)
            s = add_energy(w, e, error);
        if (s == VV_OK && damped) {
            s = vv_springs_rayleigh_create(e, rayleigh, &r, error);
            if (s == VV_OK)
                s = add_dissipation(w, r, error);
        }
    }
    vv_free(l.edges);
    vv_free(l.body);
    vv_free(l.stiffness);
    vv_free(l.length);
    vv_free(rayleigh);
    return s;
}

/* The energy of all spring attachments in one batch; NULL where there are none. */
static vvStatus create_soft(const vvWorld *w, vv_energy **out, vvError *error)
{
    size_t room = 0;
    *out = NULL;
    for (size_t a = 0; a < w->attach_count; a++)
        room += w->attaches[a].kind == VV_ATTACH_SPRING ? (size_t)w->attaches[a].count : 0;
    if (room == 0)
        return VV_OK;
    int *nodes = vv_alloc(room, sizeof *nodes), count = 0;
    double *stiffness = vv_alloc(room, sizeof *stiffness);
    vvStatus s = nodes && stiffness ? VV_OK : vv_fail_memory(error, "attachments");
    for (size_t a = 0; s == VV_OK && a < w->attach_count; a++)
        for (int i = 0; w->attaches[a].kind == VV_ATTACH_SPRING && i < w->attaches[a].count; i++) {
            nodes[count] = w->attaches[a].nodes[i];
            stiffness[count++] = w->attaches[a].stiffness;
        }
    if (s == VV_OK)
        s = vv_attachment_create(count, nodes, stiffness, out, error);
    vv_free(nodes);
    vv_free(stiffness);
    return s;
}

static vvStatus add_soft_attachments(vvWorld *w, vvError *error)
{
    vv_energy *e;
    vvStatus s = create_soft(w, &e, error);
    w->soft_at = w->system.energies;
    if (s == VV_OK && e)
        s = add_energy(w, e, error);
    if (s == VV_OK)
        w->soft = e;
    return s;
}

vvStatus vv_world_renew_springs(vvWorld *w, vvError *error)
{
    vv_energy *e;
    vvStatus s = create_soft(w, &e, error);
    if (s == VV_OK)
        s = vv_system_exchange(&w->system, w->soft_at, w->soft != NULL, e, error);
    if (s == VV_OK)
        w->soft = e;
    else if (e)
        e->ops->destroy(e);
    return s;
}

static vvStatus add_external(vvWorld *w, vvError *error)
{
    vv_energy *e = NULL;
    vvStatus s = vv_external_create(w->nodes, w->unknown, &e, error);
    if (s == VV_OK)
        s = add_energy(w, e, error);
    if (s == VV_OK)
        w->external = e;
    return s;
}

static bool any_friction(const vvWorld *w)
{
    bool any = vv_world_any_friction(w);
    for (size_t o = 0; o < w->obstacle_count; o++)
        any = any || w->obstacles[o].friction > 0;
    return any;
}

/* Length of the diagonal of everything's rest positions, or (where there is any) of all that is not kinematic: the scene's own
 * scale. Of a single point the largest thickness, or 1 m. */
static double scene_length(const vvWorld *w)
{
    double lo[3] = { INFINITY, INFINITY, INFINITY }, hi[3] = { -INFINITY, -INFINITY, -INFINITY }, d[3];
    if (w->nodes == 0) /* not yet known */
        return 0;
    bool free = false;
    for (size_t b = 0; b < w->body_count; b++)
        free = free || !w->bodies[b].kinematic;
    for (size_t i = 0; i < (size_t)w->nodes; i++)
        for (int k = 0; k < 3 && (w->mass[i] > 0 || !free); k++) {
            lo[k] = fmin(lo[k], w->rest[3 * i + k]);
            hi[k] = fmax(hi[k], w->rest[3 * i + k]);
        }
    vv_sub(hi, lo, d);
    double length = vv_norm(d);
    for (size_t b = 0, alone = length == 0; alone && b < w->body_count; b++)
        length = fmax(length, w->bodies[b].thickness);
    return length > 0 ? length : 1;
}

static void choose_friction_speed(vvWorld *w)
{
    double speed = 1e-3 * scene_length(w);
    if (speed != w->def.contact.frictionSpeed)
        vv_world_log(w, VV_LOG_INFO, "friction is smoothed below %.3g m/s, a thousandth of the scene's length a second "
                     "(contact.friction_speed)", speed);
    w->def.contact.frictionSpeed = speed;
}

static double friction_between(void *user, int a, int b) { return vv_world_friction(user, a, b); }

/* Bodies with each other and themselves. */
static vvStatus add_collisions(vvWorld *w, vvError *error)
{
    vv_energy *e = NULL;
    vvStatus s = vv_pair_barrier_create(w->collisions, &e, error);
    if (s == VV_OK)
        s = add_energy(w, e, error);
    if (s != VV_OK || !any_friction(w))
        return s;
    vv_pair_friction_def def = { w->collisions, friction_between, w, w->def.contact.frictionSpeed };
    s = vv_pair_friction_create(&def, &e, error);
    return s == VV_OK ? add_dissipation(w, e, error) : s;
}

static vvStatus add_contact(vvWorld *w, vvError *error)
{
    vvContactDef *c = &w->def.contact;
    if (strcmp(c->model, "none") == 0)
        return VV_OK;
    vvStatus s = vv_build_vertices(w, error);
    if (s == VV_OK)
        s = vv_collide_bake(w, error);
    if (s == VV_OK && w->obstacle_count)
        s = vv_build_touches(w, error);
    if (s == VV_OK)
        s = vv_events_bake(w, error);
    if (s != VV_OK)
        return s;
    if (!w->friction_given && any_friction(w) && (!w->started || c->frictionSpeed == 0))
        choose_friction_speed(w);
    w->contact = (vv_barrier_def){ &w->vertices, w->obstacles, (int)w->obstacle_count, c->distance, c->stiffness, c->friction,
                                   c->frictionSpeed, (int)w->body_count, w->touches };
    vv_energy *e = NULL;
    if (w->obstacle_count) {
        s = vv_barrier_create(&w->contact, &e, error);
        if (s == VV_OK)
            s = add_energy(w, e, error);
        if (s == VV_OK && any_friction(w)) {
            s = vv_friction_create(&w->contact, &e, error);
            if (s == VV_OK)
                s = add_dissipation(w, e, error);
        }
    }
    return s == VV_OK && w->collisions ? add_collisions(w, error) : s;
}

static vvStatus add_damping(vvWorld *w, vvError *error)
{
    bool drag = false;
    w->drag_rate = vv_alloc((size_t)w->nodes, sizeof *w->drag_rate);
    w->after = vv_alloc(w->body_count, sizeof *w->after);
    if (!w->drag_rate || !w->after)
        return vv_fail_memory(error, "damping");
    for (size_t b = 0; b < w->body_count; b++) {
        const vv_body *body = w->bodies + b;
        const vvDampingDef *d = &body->material.damping;
        drag = drag || d->drag > 0;
        for (int i = body->first; i < body->first + body->count; i++)
            w->drag_rate[i] = d->drag;
        if (d->momentumRate > 0 || d->momentumPerStep > 0)
            w->after[w->after_count++] = (vv_after_damping){ body->first, body->count, d->momentumRate, d->momentumPerStep };
    }
    if (!drag)
        return VV_OK;
    vv_energy *e;
    vvStatus s = vv_drag_create(w->nodes, w->mass, w->drag_rate, &e, error);
    return s == VV_OK ? add_dissipation(w, e, error) : s;
}

static vvStatus add_energies(vvWorld *w, vvError *error)
{
    vvStatus s = add_gravity(w, error);
    for (int m = 0; s == VV_OK && vvMaterialInfo(m); m++)
        if (vv_tets_model(vvMaterialInfo(m)->name) >= 0)
            s = add_tets(w, vv_tets_model(vvMaterialInfo(m)->name), error);
    for (int k = 0; s == VV_OK && k < VV_SPRING_COUNT; k++)
        s = add_springs(w, k, error);
    if (s == VV_OK)
        s = add_soft_attachments(w, error);
    if (s == VV_OK)
        s = add_external(w, error);
    if (s == VV_OK)
        s = add_contact(w, error);
    if (s == VV_OK)
        s = add_damping(w, error);
    return s;
}

/* ---- the stepper ---- */

static double contact_clock(void *world)
{
    const vv_collisions *c = ((const vvWorld *)world)->collisions;
    return c ? c->seconds : 0;
}

static vvStatus make_stepper(vvWorld *w, vvError *error)
{
    const vvSolverDef *d = &w->def.solver;
    vv_stepper_def def = { .system = &w->system, .state = &w->state, .hooks = vv_world_hooks(w), .integrator = &w->def.integrator,
                           .solver = vv_solver_find(d->method), .linear = vv_linear_find(d->linear), .friction_iterations = w->def.contact.frictionIterations,
                           .h = w->def.timeStep, .after = w->after, .after_count = w->after_count, .bodies = (int)w->body_count,
                           .external = w->external };
    def.options = (vv_solve_options){
        .tolerance = d->tolerance, .gradient_tolerance = d->gradientTolerance, .contact_tolerance = d->contactTolerance,
        .max_iterations = d->maxIterations, .linear_tolerance = d->linearTolerance,
        .hessian = strcmp(d->hessian, "shifted") == 0 ? VV_HESSIAN_EXACT : VV_HESSIAN_PROJECTED,
        .line_search = vv_line_search_find(d->lineSearch), .cancel = vv_world_cancelled, .cancel_user = w,
        .contact_clock = contact_clock, .contact_user = w };
    return vv_stepper_create(&def, &w->stepper, error);
}

vvStatus vv_world_build(vvWorld *w, vvError *error)
{
    vvStatus s = number_unknowns(w, error);
    if (s == VV_OK)
        s = add_energies(w, error);
    return s == VV_OK ? make_stepper(w, error) : s;
}
