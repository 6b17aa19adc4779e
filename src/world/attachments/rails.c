/* The directions in which rollers hold nodes: supports along axes, rollers on planes, planes of symmetry (theory
 * §4.17).
 *
 * A node may be held by several: their directions n are orthonormalised to e one after the other, so that n . x = n . p
 * becomes e . x = b. A direction that is held already adds nothing; nor do rollers on fixed nodes. */
#include "base/error.h"
#include "base/vec.h"
#include "step/policies/policy.h"
#include "step/schemes/scheme.h"
#include "world/world.h"

#include <string.h>

static const double DEPENDENT = 1e-6; /* what a direction has of its own beside others: less is nothing */

/* The part of n across the first `ways` directions of e, of unit length, in `own`; its length before, 0: it has none.
 * part[j] = n . e_j. */
static double part_of_its_own(const double *e, int ways, const double n[3], double part[3], double own[3])
{
    memcpy(own, n, 3 * sizeof *own);
    for (int j = 0; j < ways; j++)
        part[j] = vv_dot(n, e + 3 * j);
    for (int j = 0; j < ways; j++)
        for (int k = 0; k < 3; k++)
            own[k] -= part[j] * e[3 * j + k];
    const double rest = vv_norm(own);
    if (ways == 3 || !(rest > DEPENDENT))
        return 0;
    for (int k = 0; k < 3; k++)
        own[k] /= rest;
    return rest;
}

/* ---- making ---- */

static bool holds(const vvWorld *w, const vv_attach *a, int i)
{
    return vv_attach_is(a, VV_ATTACH_ROLLER) && !w->fixed[a->nodes[i]];
}

/* of[node] = the node's rail; returns how many there are. */
static int number(const vvWorld *w, int *of)
{
    int count = 0;
    for (int i = 0; i < w->nodes; i++)
        of[i] = -1;
    for (size_t a = 0; a < w->attach_count; a++)
        for (int i = 0; i < w->attaches[a].count; i++)
            if (holds(w, w->attaches + a, i))
                of[w->attaches[a].nodes[i]] = 0;
    for (int i = 0; i < w->nodes; i++)
        of[i] = of[i] < 0 ? -1 : count++;
    return count;
}

static void add_ways(vv_world_rails *r, const vv_attach *a, int rail)
{
    double part[3], own[3], *e = r->way + 9 * (size_t)rail;
    for (int k = 0; k < a->ways; k++)
        if (part_of_its_own(e, r->ways[rail], a->way[k], part, own) > 0)
            memcpy(e + 3 * r->ways[rail]++, own, sizeof own);
}

static void find_along(const vv_world_rails *r, int rail)
{
    double *t = r->rails.along + 9 * (size_t)rail;
    for (int k = 0; k < 9; k++) {
        t[k] = k % 4 == 0 && r->ways[rail] < 3;
        for (int j = 0; r->ways[rail] < 3 && j < r->ways[rail]; j++)
            t[k] -= r->way[9 * (size_t)rail + 3 * (size_t)j + (size_t)k / 3] *
                    r->way[9 * (size_t)rail + 3 * (size_t)j + (size_t)k % 3];
    }
}

static void fill(vvWorld *w, vv_world_rails *r)
{
    for (size_t a = 0; a < w->attach_count; a++)
        for (int i = 0; i < w->attaches[a].count; i++)
            if (holds(w, w->attaches + a, i))
                add_ways(r, w->attaches + a, r->rails.of[w->attaches[a].nodes[i]]);
    for (int i = 0; i < w->nodes; i++)
        if (r->rails.of[i] >= 0)
            r->rails.node[r->rails.of[i]] = i;
    for (int k = 0; k < r->rails.count; k++)
        find_along(r, k);
}

vvStatus vv_world_make_rails(vvWorld *w, vvError *error)
{
    vv_world_rails *r = &w->rails;
    bool any = false;
    for (size_t a = 0; a < w->attach_count; a++)
        any = any || vv_attach_is(w->attaches + a, VV_ATTACH_ROLLER);
    w->system.rails = NULL;
    if (!any)
        return VV_OK;
    if (!(r->rails.of = vv_alloc((size_t)w->nodes, sizeof *r->rails.of)))
        return vv_fail_memory(error, "what rollers hold");
    const size_t count = (size_t)(r->rails.count = number(w, r->rails.of));
    r->rails.node = vv_alloc(count, sizeof *r->rails.node);
    r->rails.along = vv_alloc(9 * count, sizeof *r->rails.along);
    r->ways = vv_alloc(count, sizeof *r->ways);
    r->way = vv_alloc(9 * count, sizeof *r->way);
    r->at = vv_alloc(8 * count, sizeof *r->at);
    if (!r->rails.node || !r->rails.along || !r->ways || !r->way || !r->at)
        return vv_fail_memory(error, "what rollers hold");
    fill(w, r);
    w->system.rails = count ? &r->rails : NULL;
    return VV_OK;
}

void vv_world_free_rails(vvWorld *w)
{
    vv_world_rails *r = &w->rails;
    vv_free(r->rails.of);
    vv_free(r->rails.node);
    vv_free(r->rails.along);
    vv_free(r->ways);
    vv_free(r->way);
    vv_free(r->at);
    *r = (vv_world_rails){ .ways = NULL };
}

/* ---- where they are ---- */

/* What node i of the attachment is told: b of the directions that are its own, behind the `reached` that came before.
 */
static void take_place(const vvWorld *w, const vv_attach *a, int i, double time)
{
    const vv_world_rails *r = &w->rails;
    const int rail = r->rails.of[a->nodes[i]];
    double part[3], own[3], x[3], *at = r->at + 4 * (size_t)rail;
    const double *e = r->way + 9 * (size_t)rail;
    vv_attach_position(w, a, i, time, x);
    for (int k = 0; k < a->ways; k++) {
        const int reached = (int)at[3];
        const double rest = part_of_its_own(e, reached, a->way[k], part, own);
        if (!(rest > 0))
            continue;
        double b = vv_dot(a->way[k], x);
        for (int j = 0; j < reached; j++)
            b -= part[j] * at[j];
        at[reached] = b / rest;
        at[3]++;
    }
}

/* at = where nodes are held at `time`. */
static void find_places(const vvWorld *w, double time)
{
    memset(w->rails.at, 0, 4 * (size_t)w->rails.rails.count * sizeof *w->rails.at);
    for (size_t a = 0; a < w->attach_count; a++)
        for (int i = 0; i < w->attaches[a].count; i++)
            if (holds(w, w->attaches + a, i))
                take_place(w, w->attaches + a, i, time);
}

/* x = T x + the sum of a_j e_j, of rail k. */
static void put(const vv_world_rails *r, size_t k, const double a[3], double x[3])
{
    vv_rail_keep(r->rails.along + 9 * k, x);
    for (size_t j = 0; j < (size_t)r->ways[k]; j++)
        for (size_t c = 0; c < 3; c++)
            x[c] += a[j] * r->way[9 * k + 3 * j + c];
}

void vv_world_put_on_rails(const vvWorld *w, double time, double *q)
{
    const vv_world_rails *r = &w->rails;
    if (!r->rails.count)
        return;
    find_places(w, time);
    for (size_t k = 0; k < (size_t)r->rails.count; k++)
        put(r, k, r->at + 4 * k, q + 3 * (size_t)r->rails.node[k]);
}

void vv_world_start_on_rails(vvWorld *w)
{
    const vv_world_rails *r = &w->rails;
    const double h = w->def.timeStep;
    double *before = r->at + 4 * (size_t)r->rails.count;
    if (!r->rails.count)
        return;
    vv_world_put_on_rails(w, vv_world_time(w), w->state.q);
    memcpy(before, r->at, 4 * (size_t)r->rails.count * sizeof *before);
    find_places(w, vv_clock_time(&w->state.clock, h, 1));
    for (size_t k = 0; k < (size_t)r->rails.count; k++) {
        const int node = r->rails.node[k];
        double speed[3];
        if (w->bodies[w->body_of[node]].stage & VV_BODY_STEPPED)
            continue;
        for (size_t j = 0; j < 3; j++)
            speed[j] = (r->at[4 * k + j] - before[4 * k + j]) / h;
        put(r, k, speed, w->state.v + 3 * (size_t)node);
    }
}

/* ---- what each of them bears ---- */

/* The directions that hold a node, and whether each is of `attach`. */
static int ways_of(const vvWorld *w, const vv_attach *attach, int node, double n[3][3], bool mine[3])
{
    double basis[9], part[3], own[3];
    int count = 0;
    for (size_t a = 0; a < w->attach_count; a++)
        for (int i = 0; i < w->attaches[a].count && vv_attach_is(w->attaches + a, VV_ATTACH_ROLLER); i++)
            for (int k = 0; w->attaches[a].nodes[i] == node && k < w->attaches[a].ways; k++) {
                if (!(part_of_its_own(basis, count, w->attaches[a].way[k], part, own) > 0))
                    continue;
                memcpy(basis + 3 * count, own, sizeof own);
                memcpy(n[count], w->attaches[a].way[k], sizeof own);
                mine[count++] = w->attaches + a == attach;
            }
    return count;
}

/* force = sum of lambda_j n_j: from the directions' scalar products with each other and with it. */
void vv_world_split_support(const vvWorld *w, const vv_attach *attach, int node, const double force[3], double part[3])
{
    double n[3][3], gram[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, right[3] = { 0 }, lambda[3];
    bool mine[3];
    const int count = w->fixed[node] ? 0 : ways_of(w, attach, node, n, mine);
    for (int i = 0; i < count; i++) {
        right[i] = vv_dot(n[i], force);
        for (int j = 0; j < count; j++)
            gram[3 * i + j] = vv_dot(n[i], n[j]);
    }
    vv_solve_semidefinite(gram, right, lambda);
    memset(part, 0, 3 * sizeof *part);
    for (int j = 0; j < count; j++)
        for (int k = 0; mine[j] && k < 3; k++)
            part[k] += lambda[j] * n[j][k];
}

/* ---- who takes them ---- */

const char *vv_world_on_rails(const vvWorld *w)
{
    return w->system.rails ? w->bodies[w->body_of[w->system.rails->node[0]]].name : NULL;
}

static vvStatus refuse(const vvWorld *w, const char *what, const char *name, const char *others, vvError *error)
{
    return vv_fail(error, VV_ERROR_UNSUPPORTED,
                   "body \"%s\" is held along some directions only (a roller), and %s \"%s\" does not take that; "
                   "choose %s, or fix the nodes as a whole",
                   vv_world_on_rails(w), what, name, others);
}

vvStatus vv_world_refuse_rails(const vvWorld *w, vvError *error)
{
    const vvIntegratorDef *d = &w->def.integrator;
    const char *const names[] = { w->def.solver.method, w->def.solver.fallback };
    const vv_scheme row = vv_scheme_made(d->scheme, d->settings, d->settingCount);
    char others[160] = "";
    const vv_solver_ops *solver;
    const vv_policy_ops *policy;
    if (!w->system.rails)
        return VV_OK;
    if (row.method)
        return refuse(w, "scheme", d->scheme, "one that minimises, such as \"backward-euler\" or \"trapezoidal\"",
                      error);
    for (int i = 0; (solver = vv_solver_table(i)); i++)
        if (solver->rails)
            vv_add_name(others, sizeof others, solver->info.name);
    for (int i = 0; i < 2; i++)
        if ((solver = vv_solver_find(names[i])) && !solver->rails)
            return refuse(w, i ? "solver.fallback" : "solver", names[i], others, error);
    if (vv_policy_find(d->policy)->rails)
        return VV_OK;
    *others = 0;
    for (int i = 0; (policy = vv_policy_table(i)); i++)
        if (policy->rails)
            vv_add_name(others, sizeof others, policy->info.name);
    return refuse(w, "policy", d->policy, others, error);
}
