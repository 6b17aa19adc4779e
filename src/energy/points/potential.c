/* Analytic potentials of single points: the table of them, and their sum over nodes (theory §4.8).
 *
 * With f the row's function, wells have E = f(r), r = |x - c|, u = (x - c) / r, and walls E = f(s), s = n . (x - p):
 *   well   dE/dx = (f'/r) (x - c)   d2E = (f'/r) (I - u u^T) + f'' u u^T
 *   wall   dE/dx = f' n             d2E = f'' n n^T
 * So the eigenvalues are f'' and, of wells, f'/r twice; projected, each is at least 0. At r = 0 a well has no
 * direction: its force is 0, and f'/r is what the row says. */
#include "energy/points/potential.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text/param.h"
#include "base/vec.h"

#include <math.h>
#include <string.h>

/* ---- the table ---- */

struct vv_potential_ops {
    /* the first parameter is a point: the centre, or one of the plane; a wall's second is its normal */
    vvPotential type;
    bool wall;
    /* v: the values behind these points and directions. f: E; f'/r of wells, f' of walls; f''. */
    void (*profile)(const double *v, double r, double f[3]);
    /* NULL: 0. A constant that the second derivatives are near, of wells in every direction, of walls along the
     * normal: for VV_HESSIAN_REST. */
    double (*rest)(const double *v);
    bool barrier; /* of a wall: E is infinite at s <= 0 */
    bool bounded; /* second derivatives are nowhere above that constant */
    /* E = k/2 (r - L)^2, of walls k/2 s^2 behind them; its numbers are k and, if there is a second one, L */
    bool springy;
};

static void harmonic(const double *v, double r, double f[3])
{
    f[0] = 0.5 * v[0] * r * r;
    f[1] = f[2] = v[0];
}

static void spring(const double *v, double r, double f[3])
{
    double e = r - v[1], divisor = fmax(r, 1e-12 * v[1] + 1e-100); /* as springs between nodes do */
    f[0] = 0.5 * v[0] * e * e;
    f[1] = v[1] == 0 ? v[0] : v[0] * (1 - v[1] / divisor);
    f[2] = v[0];
}

static void squared_spring(const double *v, double r, double f[3])
{
    double e = r * r - v[1] * v[1];
    f[0] = 0.5 * v[0] * e * e;
    f[1] = 2 * v[0] * e;
    f[2] = f[1] + 4 * v[0] * r * r;
}

static void quartic(const double *v, double r, double f[3])
{
    f[0] = v[0] * r * r * r * r;
    f[1] = 4 * v[0] * r * r;
    f[2] = 12 * v[0] * r * r;
}

static void quadratic_wall(const double *v, double s, double f[3])
{
    f[0] = s < 0 ? 0.5 * v[0] * s * s : 0;
    f[1] = s < 0 ? v[0] * s : 0;
    f[2] = s < 0 ? v[0] : 0;
}

static void cubic_wall(const double *v, double s, double f[3])
{
    double d = s < 0 ? -s : 0;
    f[0] = v[0] * d * d * d;
    f[1] = -3 * v[0] * d * d;
    f[2] = 6 * v[0] * d;
}

/* -k (t - 1)^2 ln t, t = s / d: contact's barrier, with k as an energy. */
static void barrier_wall(const double *v, double s, double f[3])
{
    double t = s / v[1], u = t - 1, l = t > 0 ? log(t) : -INFINITY;
    bool near = t < 1;
    f[0] = near ? -v[0] * u * u * l : 0;
    f[1] = near ? -v[0] / v[1] * (2 * u * l + u * u / t) : 0;
    f[2] = near ? -v[0] / (v[1] * v[1]) * (2 * l + 4 * u / t - u * u / (t * t)) : 0;
}

static double stiffness_of(const double *v) { return v[0]; }
static double squared_stiffness(const double *v) { return 4 * v[0] * v[1] * v[1]; }

/* clang-format off */
#define CENTER { "center", "where it is", "m", 3, false, { 0, 0, 0 }, -1e6, 1e6, 0, NULL }
#define WALL \
    { "point", "a point of the plane", "m", 3, false, { 0, 0, 0 }, -1e6, 1e6, 0, NULL }, \
    { "normal", "towards the free side, any length", "", 3, false, { 0, 1, 0 }, -1e6, 1e6, 0, NULL }
#define STIFFNESS(unit, usual) { "stiffness", "k", unit, 1, false, { usual }, 0, 1e15, 0, NULL }
#define LENGTH { "length", "L", "m", 1, false, { 1 }, 0, 1e6, 0, NULL }
/* clang-format on */

static const vvParam harmonic_params[] = { CENTER, STIFFNESS("N/m", 100) };
static const vvParam spring_params[] = { CENTER, STIFFNESS("N/m", 100), LENGTH };
static const vvParam squared_params[] = { CENTER, STIFFNESS("N/m3", 100), LENGTH };
static const vvParam quartic_params[] = { CENTER, STIFFNESS("N/m3", 100) };
static const vvParam quadratic_wall_params[] = { WALL, STIFFNESS("N/m", 1e4) };
static const vvParam cubic_wall_params[] = { WALL, STIFFNESS("N/m2", 1e6) };
static const vvParam barrier_wall_params[] = {
    WALL,
    { "stiffness", "k", "J", 1, false, { 1 }, 1e-30, 1e15, 0, NULL }, /* 0 would be a wall without force, at which steps
                                                                         get stuck */
    { "distance", "d, the distance below which it acts", "m", 1, false, { 0.01 }, 1e-9, 1e6, 0, NULL },
};

#define PARAMS(list) sizeof(list) / sizeof *(list), list
static const vv_potential_ops table[] = {
    { { { "harmonic", "k/2 r^2, r the distance from the centre" }, PARAMS(harmonic_params) },
      false,
      harmonic,
      stiffness_of,
      false,
      true,
      true },
    { { { "spring", "k/2 (r - L)^2" }, PARAMS(spring_params) }, false, spring, stiffness_of, false, true, true },
    { { { "squared-spring", "k/2 (r^2 - L^2)^2: quartic in the position" }, PARAMS(squared_params) },
      false,
      squared_spring,
      squared_stiffness,
      false },
    { { { "quartic", "k r^4" }, PARAMS(quartic_params) }, false, quartic, NULL, false },
    { { { "quadratic-wall", "k/2 s^2 behind the plane, s the depth" }, PARAMS(quadratic_wall_params) },
      true,
      quadratic_wall,
      stiffness_of,
      false,
      true,
      true },
    { { { "cubic-wall", "k s^3 behind the plane, s the depth" }, PARAMS(cubic_wall_params) },
      true,
      cubic_wall,
      NULL,
      false },
    { { { "barrier-wall", "-k (s/d - 1)^2 ln(s/d) in front of the plane where the height s < d; impassable" },
        PARAMS(barrier_wall_params) },
      true,
      barrier_wall,
      NULL,
      true },
};
enum { COUNT = sizeof table / sizeof *table };

const vvPotential *vvPotentialInfo(int index) { return index >= 0 && index < COUNT ? &table[index].type : NULL; }

const vvInfo *vv_potential_info(int index) { return index >= 0 && index < COUNT ? &table[index].type.info : NULL; }

const char *vv_potential_name(const vv_potential *p) { return p->ops ? p->ops->type.info.name : ""; }

bool vv_potential_is_wall(const vv_potential *p) { return p->ops && p->ops->wall; }

int vv_potential_value_count(const vv_potential *p)
{
    int count = 0;
    for (int i = 0; p->ops && i < p->ops->type.paramCount; i++)
        count += p->ops->type.params[i].size;
    return count;
}

vvStatus vv_potential_make(const char *name, const vvSetting *settings, int count, vv_potential *p, vvError *error)
{
    *p = (vv_potential){ NULL, { 0 }, { 0 } };
    for (int i = 0; name && i < COUNT; i++)
        if (strcmp(table[i].type.info.name, name) == 0)
            p->ops = table + i;
    if (!p->ops)
        return vv_fail_unknown(error, "potential", name, vv_potential_info);
    const vv_params params = { p->ops->type.paramCount, p->ops->type.params };
    vvStatus status = vv_params_complete(params, settings, count, name, p->values, error);
    if (status != VV_OK || !p->ops->wall)
        return status;
    double length = vv_norm(p->values + 3);
    if (!(length > 1e-12))
        return vv_fail(error, VV_ERROR_INPUT, "%s.normal is (%g, %g, %g); it must not be zero", name, p->values[3],
                       p->values[4], p->values[5]);
    for (int k = 0; k < 3; k++)
        p->normal[k] = p->values[3 + k] / length;
    return VV_OK;
}

/* ---- of one point ---- */

static const double *numbers_of(const vv_potential *p) { return p->values + (p->ops->wall ? 6 : 3); }

/* d = x - c, and r; or d = n, and s. */
static double place(const vv_potential *p, const double x[3], double d[3])
{
    vv_sub(x, p->values, d);
    if (!p->ops->wall)
        return vv_norm(d);
    double s = vv_dot(p->normal, d);
    memcpy(d, p->normal, 3 * sizeof *d);
    return s;
}

double vv_potential_at(const vv_potential *p, const double x[3])
{
    double d[3], f[3], r = place(p, x, d);
    if (p->ops->barrier && !(r > 0)) /* NaN, too */
        return INFINITY;
    p->ops->profile(numbers_of(p), r, f);
    return f[0];
}

/* block = across I + along u u^T, times scale. */
static void fill_block(double across, double along, const double u[3], double scale, double block[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            block[3 * i + j] = scale * ((i == j ? across : 0) + along * u[i] * u[j]);
}

static void hessian(const vv_potential *p, double r, const double d[3], const double f[3], bool project, double scale,
                    double block[9])
{
    double u[3] = { d[0], d[1], d[2] }, across = p->ops->wall ? 0 : f[1], along = f[2];
    if (project) {
        across = fmax(across, 0);
        along = fmax(along, 0);
    }
    for (int k = 0; k < 3 && !p->ops->wall; k++)
        u[k] = r > 0 ? d[k] / r : 0;
    fill_block(across, along - across, u, scale, block);
}

static void rest_hessian(const vv_potential *p, double scale, double block[9])
{
    double k = p->ops->rest ? p->ops->rest(numbers_of(p)) : 0;
    fill_block(p->ops->wall ? 0 : k, p->ops->wall ? k : 0, p->normal, scale, block);
}

/* ---- the energy ---- */

typedef struct potentials {
    vv_energy base;
    int part_count, count;
    vv_potential *potential; /* per part */
    int *start;              /* part_count + 1 */
    int *nodes;              /* count */
    const int *body;
} potentials;

static double value(const vv_energy *e, const vv_parallel *par, const double *x, double *per_body)
{
    (void)par;
    const potentials *s = (const potentials *)e;
    double sum = 0;
    for (int p = 0; p < s->part_count; p++)
        for (int i = s->start[p]; i < s->start[p + 1]; i++) {
            double term = vv_potential_at(s->potential + p, x + 3 * (size_t)s->nodes[i]);
            sum += term;
            if (per_body)
                per_body[s->body[s->nodes[i]]] += term;
        }
    return sum;
}

static void derivatives_of(const potentials *s, int p, int i, const double *x, double scale, vv_hessian_mode mode,
                           double *g, const vv_block_target *to)
{
    const vv_potential *potential = s->potential + p;
    size_t node = 3 * (size_t)s->nodes[i];
    double d[3], f[3], block[9], r = place(potential, x + node, d);
    potential->ops->profile(numbers_of(potential), r, f);
    for (size_t k = 0; g && k < 3; k++)
        g[node + k] += scale * (f[1] * d[k]);
    if (!to)
        return;
    hessian(potential, r, d, f, mode == VV_HESSIAN_PROJECTED, scale, block);
    for (size_t k = 0; k < 9; k++)
        to->matrix->val[9 * (size_t)to->slots[i] + k] += block[k];
}

static void derivatives(const vv_energy *e, const vv_parallel *par, const double *x, double scale, vv_hessian_mode mode,
                        double *g, const vv_block_target *to)
{
    (void)par;
    const potentials *s = (const potentials *)e;
    for (int p = 0; p < s->part_count; p++)
        for (int i = s->start[p]; i < s->start[p + 1]; i++) {
            double block[9];
            if (mode != VV_HESSIAN_REST) {
                derivatives_of(s, p, i, x, scale, mode, g, to);
            } else if (to) {
                rest_hessian(s->potential + p, scale, block);
                for (size_t k = 0; k < 9; k++)
                    to->matrix->val[9 * (size_t)to->slots[i] + k] += block[k];
            }
        }
}

static bool quadratic(const vv_energy *e, vv_quadratic_kind kind, vv_quadratic *to)
{
    const potentials *s = (const potentials *)e;
    for (int p = 0; p < s->part_count; p++)
        if (kind == VV_QUADRATIC_BOUND && !s->potential[p].ops->bounded)
            return false;
    for (int p = 0; to && p < s->part_count; p++)
        for (int i = s->start[p]; i < s->start[p + 1] && s->potential[p].ops->rest; i++)
            vv_quadratic_add_diagonal(to, s->nodes[i], s->potential[p].ops->rest(numbers_of(s->potential + p)));
    return true;
}

/* ---- as constraints ---- */

typedef struct held {
    vv_constraints base;
    const potentials *s;
} held;

static size_t held_room(const vv_constraints *c, bool exact)
{
    (void)exact;
    return (3 * (size_t)((const held *)c)->s->count + 7) / 8 * 8;
}

/* The node without its impulse p, then with the one that the potential gives it: both are on a line with the centre,
 * or across the wall. */
static void relax(const vv_potential *potential, const vv_sweep *s, size_t node, double p[3])
{
    double *q = s->x + 4 * node, x[3], d[3], w = q[3],
           length = potential->ops->type.paramCount > 2 && !potential->ops->wall ? numbers_of(potential)[1] : 0;
    for (int k = 0; k < 3; k++) {
        q[k] -= w * p[k];
        x[k] = s->beta * q[k] + (s->z ? s->z[3 * node + (size_t)k] : 0);
    }
    const double stiffness = s->scale * numbers_of(potential)[0], r = place(potential, x, d);
    const double off = potential->ops->wall ? fmin(r, 0) : r - length, norm = potential->ops->wall ? 1 : r;
    const double impulse = norm > 0 ? -s->beta * stiffness * off / (1 + s->beta * s->beta * w * stiffness) / norm : 0;
    for (int k = 0; k < 3; k++) {
        p[k] = impulse * d[k];
        q[k] += w * p[k];
    }
}

static void held_sweep(const vv_constraints *c, const vv_sweep *sweep)
{
    const potentials *s = ((const held *)c)->s;
    for (int p = 0; p < s->part_count; p++)
        for (int i = s->start[p]; i < s->start[p + 1]; i++)
            relax(s->potential + p, sweep, (size_t)s->nodes[i], sweep->memory + 3 * (size_t)i);
}

static void held_destroy(vv_constraints *c) { vv_free(c); }

static vvStatus constraints(const vv_energy *e, vv_constraints **out, vvError *error)
{
    static const vv_constraints_ops held_ops = { held_room, held_sweep, held_destroy, true };
    const potentials *s = (const potentials *)e;
    *out = NULL;
    for (int p = 0; p < s->part_count; p++)
        if (!s->potential[p].ops->springy)
            return VV_OK;
    held *h = vv_alloc(1, sizeof *h);
    if (!h)
        return vv_fail_memory(error, "constraints");
    *h = (held){ { &held_ops }, s };
    *out = &h->base;
    return VV_OK;
}

static vvStatus slots(const vv_energy *e, const int *unknown, const vv_bsr *a, int **out, vvError *error)
{
    const potentials *s = (const potentials *)e;
    *out = vv_alloc((size_t)s->count, sizeof **out);
    if (!*out)
        return vv_fail_memory(error, "potentials");
    for (int i = 0; i < s->count; i++)
        (*out)[i] = vv_bsr_slot(a, unknown[s->nodes[i]], unknown[s->nodes[i]]);
    return VV_OK;
}

/* A barrier's height changes linearly along the path: a tenth of it is left. */
static double max_step(const vv_energy *e, const vv_parallel *par, const double *x, const double *p)
{
    (void)par;
    const potentials *s = (const potentials *)e;
    double t = 1;
    for (int j = 0; j < s->part_count; j++)
        for (int i = s->start[j]; s->potential[j].ops->barrier && i < s->start[j + 1]; i++) {
            size_t node = 3 * (size_t)s->nodes[i];
            double d[3], height = place(s->potential + j, x + node, d),
                         sinks = -vv_dot(s->potential[j].normal, p + node);
            if (sinks * t > 0.9 * height)
                t = 0.9 * height / sinks;
        }
    return t;
}

/* ---- one node at a time, for block descent ---- */

static vvStatus prepare_nodes(const vv_energy *e, const vv_node_order *order, void **data, vvError *error)
{
    return vv_node_items_create(order, ((const potentials *)e)->count, ((const potentials *)e)->nodes, data, error);
}

static const vv_potential *potential_of(const potentials *s, int item)
{
    int part = 0;
    while (item >= s->start[part + 1])
        part++;
    return s->potential + part;
}

static void node_blocks(const vv_energy *e, const void *data, const vv_node_batch *b)
{
    const vv_node_items *items = data;
    for (int j = b->begin; j < b->end; j++)
        for (int i = items->start[j]; i < items->start[j + 1]; i++) {
            const vv_potential *p = potential_of((const potentials *)e, items->item[i]);
            double d[3], f[3], block[9], r = place(p, vv_node_position(b, j, items->lane[i]), d);
            p->ops->profile(numbers_of(p), r, f);
            hessian(p, r, d, f, true, 1, block);
            vv_node_add(b, j, items->lane[i], (double[3]){ f[1] * d[0], f[1] * d[1], f[1] * d[2] }, block);
        }
}

static void node_values(const vv_energy *e, const void *data, const vv_node_batch *b)
{
    const vv_node_items *items = data;
    for (int j = b->begin; j < b->end; j++)
        for (int i = items->start[j]; i < items->start[j + 1]; i++)
            b->values[8 * (j - b->begin) + items->lane[i]] +=
                b->value * vv_potential_at(potential_of((const potentials *)e, items->item[i]),
                                           vv_node_position(b, j, items->lane[i]));
}

/* As max_step. */
static void node_limits(const vv_energy *e, const void *data, const vv_node_batch *b)
{
    const vv_node_items *items = data;
    for (int j = b->begin; j < b->end; j++)
        for (int i = items->start[j]; i < items->start[j + 1]; i++) {
            const vv_potential *p = potential_of((const potentials *)e, items->item[i]);
            const double *move = b->moves + 24 * (j - b->begin) + items->lane[i];
            double d[3], height = place(p, vv_node_position(b, j, items->lane[i]), d),
                         *limit = b->limits + 8 * (j - b->begin) + items->lane[i];
            double sinks = -b->reach * (p->normal[0] * move[0] + p->normal[1] * move[8] + p->normal[2] * move[16]);
            if (p->ops->barrier && sinks * *limit > 0.9 * height)
                *limit = 0.9 * fmax(height, 0) / sinks;
        }
}

static const vv_node_ops node_ops = { prepare_nodes, NULL, node_blocks, node_values, node_limits };

static void destroy(vv_energy *e)
{
    potentials *s = (potentials *)e;
    vv_free(s->potential);
    vv_free(s->start);
    vv_free(s->nodes);
    vv_free(s);
}

static const vv_energy_ops ops = { .info = { "potential", "analytic potentials of single nodes" },
                                   .row = VV_ROW_ATTACHMENT,
                                   .value = value,
                                   .derivatives = derivatives,
                                   .slots = slots,
                                   .max_step = max_step,
                                   .destroy = destroy,
                                   .quadratic = quadratic,
                                   .constraints = constraints,
                                   .nodes = &node_ops };

vvStatus vv_potentials_create(int part_count, const vv_potential_part *parts, const int *body, vv_energy **out,
                              vvError *error)
{
    size_t room = 0;
    *out = NULL;
    for (int p = 0; p < part_count; p++)
        room += (size_t)parts[p].count;
    potentials *s = vv_alloc(1, sizeof *s);
    if (!s)
        return vv_fail_memory(error, "potentials");
    s->base.ops = &ops;
    s->body = body;
    s->potential = vv_alloc((size_t)part_count, sizeof *s->potential);
    s->start = vv_alloc((size_t)part_count + 1, sizeof *s->start);
    s->nodes = vv_alloc(room, sizeof *s->nodes);
    if (!s->potential || !s->start || !s->nodes) {
        destroy(&s->base);
        return vv_fail_memory(error, "potentials");
    }
    s->part_count = part_count;
    for (int p = 0; p < part_count; p++) {
        s->potential[p] = *parts[p].potential;
        s->start[p] = s->count;
        if (parts[p].count > 0)
            memcpy(s->nodes + s->count, parts[p].nodes, (size_t)parts[p].count * sizeof *s->nodes);
        s->count += parts[p].count;
    }
    s->start[part_count] = s->count;
    *out = &s->base;
    return VV_OK;
}

const int *vv_potentials_nodes(const vv_energy *e, int *count)
{
    const potentials *s = (const potentials *)e;
    *count = e->ops == &ops ? s->count : 0;
    return *count ? s->nodes : NULL;
}

const double *vv_potentials_centre(const vv_energy *e, int index)
{
    const vv_potential *p = potential_of((const potentials *)e, index);
    return p->ops->wall ? NULL : p->values;
}

const double *vv_potentials_normal(const vv_energy *e, int index)
{
    const vv_potential *p = potential_of((const potentials *)e, index);
    return p->ops->wall ? p->normal : NULL;
}

bool vv_potentials_act(const vv_energy *e, int index, const double *x)
{
    const potentials *s = (const potentials *)e;
    const vv_potential *p = potential_of(s, index);
    return !p->ops->wall || vv_potential_at(p, x + 3 * (size_t)s->nodes[index]) != 0;
}
