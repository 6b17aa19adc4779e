/* Baking: turns what the user described into what a step needs. Unknowns in a space-filling order, the batches of energies, the
 * stepper with its solvers. */
#include "base/error.h"
#include "base/vec.h"
#include "energy/simple.h"
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

static vvStatus find_starts(vvWorld *w, vvError *error)
{
    w->body_start = vv_alloc(w->body_count + 1, sizeof *w->body_start);
    if (!w->body_start)
        return vv_fail_memory(error, "where bodies start");
    for (size_t b = 0; b < w->body_count; b++)
        w->body_start[b] = w->bodies[b].first;
    w->body_start[w->body_count] = w->nodes;
    return VV_OK;
}

static vvStatus number_unknowns(vvWorld *w, vvError *error)
{
    size_t n = (size_t)w->nodes;
    w->unknown = vv_alloc(n, sizeof *w->unknown);
    w->node = vv_alloc(n, sizeof *w->node);
    w->body_of = vv_alloc(n, sizeof *w->body_of);
    keyed *keys = vv_alloc(n, sizeof *keys);
    if (!w->unknown || !w->node || !w->body_of || !keys) {
        vv_free(keys);
        return vv_fail_memory(error, "the unknowns");
    }
    for (size_t i = 0; i < n; i++)
        w->unknown[i] = w->fixed[i] ? -1 : 0;
    int count = 0;
    for (size_t b = 0; b < w->body_count; b++) {
        for (int i = w->bodies[b].first; i < w->bodies[b].first + w->bodies[b].count; i++)
            w->body_of[i] = (int)b;
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
    s->body = w->body_of;
    s->bodies = (int)w->body_count;
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
    vvStatus s = vv_gravity_create(w->nodes, w->body_of, w->mass, w->rest, w->def.gravity, &e, error);
    return s == VV_OK ? add_energy(w, e, error) : s;
}

/* One energy for all bodies that list this kind of element, with its lagged Rayleigh damping if a body has some. */
static vvStatus add_elements(vvWorld *w, const vv_element_kind *kind, vvError *error)
{
    vv_element_part *parts = vv_alloc(w->body_count, sizeof *parts);
    vv_element_input in = { w->nodes, w->rest, 0, parts };
    bool damped = false;
    if (!parts)
        return vv_fail_memory(error, "the elastic energy");
    for (size_t b = 0; b < w->body_count; b++)
        for (int m = 0; m < w->bodies[b].material_count; m++) {
            const vv_body *body = w->bodies + b;
            if (body->materials[m].kind != kind)
                continue;
            parts[in.part_count++] = (vv_element_part){
                (int)b, body->materials + m, body->tet_count, body->triangle_count, body->edge_count, body->hinge_count,
                body->point_count, body->tets, body->triangles, body->edges, body->hinges, body->points,
                body->thickness };
            damped = damped || body->materials[m].def.damping.rayleigh > 0;
        }
    vv_energy *e = NULL, *r = NULL;
    vvStatus s = in.part_count > 0 ? kind->create(kind, &in, &e, error) : VV_OK;
    if (s == VV_OK && e)
        s = add_energy(w, e, error);
    if (s == VV_OK && e && damped) {
        s = kind->rayleigh(e, &in, &r, error);
        if (s == VV_OK)
            s = add_dissipation(w, r, error);
    }
    vv_free(parts);
    return s;
}

/* The energy of all spring attachments in one batch; NULL without any. */
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
        s = vv_attachment_create(count, nodes, stiffness, w->body_of, out, error);
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
    vvStatus s = vv_external_create(w->nodes, w->unknown, w->body_of, &e, error);
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

/* The scene's scale: the diagonal of the rest positions of all that is not kinematic, or of everything if all is. For a single
 * point the largest thickness, or 1 m. */
static double scene_length(const vvWorld *w)
{
    double lo[3] = { INFINITY, INFINITY, INFINITY }, hi[3] = { -INFINITY, -INFINITY, -INFINITY }, d[3];
    if (w->nodes == 0) /* not known yet */
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

/* Contact of bodies with each other and themselves. */
static vvStatus add_collisions(vvWorld *w, vvError *error)
{
    vv_energy *e = NULL;
    vvStatus s = vv_pair_barrier_create(w->contact->collisions, &e, error);
    if (s == VV_OK)
        s = add_energy(w, e, error);
    if (s != VV_OK || !any_friction(w))
        return s;
    vv_pair_friction_def def = { w->contact->collisions, friction_between, w, w->def.contact.frictionSpeed };
    s = vv_pair_friction_create(&def, &e, error);
    return s == VV_OK ? add_dissipation(w, e, error) : s;
}

static vvStatus add_contact(vvWorld *w, vvError *error)
{
    vvContactDef *c = &w->def.contact;
    if (strcmp(c->model, "none") == 0)
        return VV_OK;
    if (!w->friction_given && any_friction(w) && (!w->started || c->frictionSpeed == 0))
        choose_friction_speed(w);
    vvStatus s = vv_world_make_contact(w, false, &w->contact, error);
    vv_energy *e = NULL;
    if (s == VV_OK)
        vv_world_advise_distance(w);
    if (s == VV_OK && w->obstacle_count) {
        s = vv_barrier_create(&w->contact->barrier, &e, error);
        if (s == VV_OK)
            s = add_energy(w, e, error);
        if (s == VV_OK && any_friction(w)) {
            s = vv_friction_create(&w->contact->barrier, &e, error);
            if (s == VV_OK)
                s = add_dissipation(w, e, error);
        }
    }
    return s == VV_OK && w->contact->collisions ? add_collisions(w, error) : s;
}

static vvStatus add_damping(vvWorld *w, vvError *error)
{
    bool drag = false;
    w->drag_rate = vv_alloc((size_t)w->nodes, sizeof *w->drag_rate);
    w->damping = vv_alloc(w->body_count, sizeof *w->damping);
    if (!w->drag_rate || !w->damping)
        return vv_fail_memory(error, "damping");
    for (size_t b = 0; b < w->body_count; b++) {
        const vv_body *body = w->bodies + b;
        if (body->material_count == 0)
            continue;
        const vvDampingDef *d = &body->materials[0].def.damping;
        drag = drag || d->drag > 0;
        for (int i = body->first; i < body->first + body->count; i++)
            w->drag_rate[i] = d->drag;
        if (d->momentumRate > 0 || d->momentumPerStep > 0)
            w->damping[w->damping_count++] = (vv_rigid_damping){ body->first, body->count, d->momentumRate, d->momentumPerStep };
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
    const vv_element_kind *kind;
    for (int k = 0; s == VV_OK && (kind = vv_element_kind_at(k)); k++)
        if (kind->create)
            s = add_elements(w, kind, error);
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

/* Energies that act between nodes of two bodies couple them. */
static vvStatus couple_bodies(vvWorld *w, vvError *error)
{
    const vv_system *s = &w->system;
    if (!w->contact || w->body_count < 2)
        return VV_OK;
    int *body = vv_alloc((size_t)w->nodes, sizeof *body);
    vv_pattern pattern = { .n = (int)w->body_count };
    if (!body)
        return vv_fail_memory(error, "what joins bodies");
    for (size_t b = 0; b < w->body_count; b++)
        for (int i = w->bodies[b].first; i < w->bodies[b].first + w->bodies[b].count; i++)
            body[i] = w->unknown[i] >= 0 ? (int)b : -1;
    for (int i = 0; i < s->energies; i++)
        if (s->energy[i]->ops->pattern)
            s->energy[i]->ops->pattern(s->energy[i], body, &pattern);
    for (size_t i = 0; i < pattern.count; i++)
        if (pattern.couplings[i][0] < pattern.couplings[i][1])
            vv_contact_couple(w->contact, pattern.couplings[i][0], pattern.couplings[i][1]);
    vvStatus status = pattern.failed ? vv_fail_memory(error, "what joins bodies") : VV_OK;
    vv_pattern_free(&pattern);
    vv_free(body);
    return status;
}

static vvStatus make_stepper(vvWorld *w, vvError *error)
{
    const vvSolverDef *d = &w->def.solver;
    vv_stepper_def def = { .system = &w->system, .state = &w->state, .hooks = vv_world_hooks(w), .contact = w->contact,
                           .integrator = &w->def.integrator, .solver = vv_solver_find(d->method), .linear = vv_linear_find(d->linear),
                           .friction_iterations = w->def.contact.frictionIterations,
                           .h = w->def.timeStep, .damping = w->damping, .damping_count = w->damping_count, .bodies = (int)w->body_count,
                           .body_start = w->body_start, .external = w->external };
    def.options = (vv_solve_options){
        .tolerance = d->tolerance, .gradient_tolerance = d->gradientTolerance, .contact_tolerance = d->contactTolerance,
        .velocity_tolerance = d->velocityTolerance, .max_iterations = d->maxIterations, .linear_tolerance = d->linearTolerance,
        .hessian = strcmp(d->hessian, "shifted") == 0 ? VV_HESSIAN_EXACT : VV_HESSIAN_PROJECTED,
        .line_search = vv_line_search_find(d->lineSearch), .cancel = vv_world_cancelled, .cancel_user = w };
    return vv_stepper_create(&def, &w->stepper, error);
}

vvStatus vv_world_build(vvWorld *w, vvError *error)
{
    vvStatus s = number_unknowns(w, error);
    if (s == VV_OK)
        s = find_starts(w, error);
    if (s == VV_OK)
        s = add_energies(w, error);
    if (s == VV_OK)
        s = couple_bodies(w, error);
    return s == VV_OK ? make_stepper(w, error) : s;
}
