/* Forces of the host and of loads, constant over a step: E = -sum f_i . (x_i - x_i^n), so that every scheme treats them
 * like any energy. Not part of H: -E at the end of the step is their work. Prescribed nodes do not feel them.
 *
 * And pressures that follow their surfaces, E = -p (V(x) - V(x^n)) (theory §4.18). V is the volume between a patch of
 * triangles and an apex c; of a closed patch it does not depend on c. For an open one the excess at its rim, the
 * pressure on the cone between rim and apex, is subtracted by constant forces. With a, b, d the corners seen from c, V
 * = sum 1/6 a . (b x d),   dV/da = 1/6 b x d,   d2V/(da db) = -1/6 [d]x. Differences of V are taken corner by corner,
 * without cancellation. Second derivatives are indefinite: the projected Hessian is without them. */
#include "energy/points/external.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/vec.h"

#include <string.h>

typedef struct patch {
    int first, end; /* triangles */
    double pressure, apex[3];
} patch;

typedef struct external {
    vv_energy base;
    int n;
    const int *unknown, *body; /* body: NULL: not asked for by body */
    const double *force, *from;
    int patches;
    patch *patch;
    int *triangle; /* 3 nodes each */
} external;

/* ---- pressures that follow ---- */

/* 6 (V(x) - V(from)) of a triangle. */
static double gain_of(const external *s, const patch *p, int triangle, const double *x)
{
    const int *v = s->triangle + 3 * (size_t)triangle;
    double old[3][3], now[3][3], way[3][3], c[3];
    for (int k = 0; k < 3; k++) {
        vv_sub(s->from + 3 * (size_t)v[k], p->apex, old[k]);
        vv_sub(x + 3 * (size_t)v[k], p->apex, now[k]);
        vv_sub(x + 3 * (size_t)v[k], s->from + 3 * (size_t)v[k], way[k]);
    }
    vv_cross(now[1], now[2], c);
    double sum = vv_dot(way[0], c);
    vv_cross(way[1], now[2], c);
    sum += vv_dot(old[0], c);
    vv_cross(old[1], way[2], c);
    return sum + vv_dot(old[0], c);
}

double vv_external_gain(const vv_energy *e, int index, const double *x)
{
    const external *s = (const external *)e;
    const patch *p = s->patch + index;
    double sum = 0;
    for (int t = p->first; s->from && t < p->end; t++)
        sum += gain_of(s, p, t, x);
    return sum / 6;
}

static double pressure_value(const external *s, const double *x, double *per_body)
{
    double sum = 0;
    for (int i = 0; s->force && i < s->patches; i++) {
        const double term = -s->patch[i].pressure * vv_external_gain(&s->base, i, x);
        sum += term;
        if (per_body && s->patch[i].end > s->patch[i].first)
            per_body[s->body[s->triangle[3 * (size_t)s->patch[i].first]]] += term;
    }
    return sum;
}

/* The corners of a triangle seen from the apex. */
static void see(const external *s, const patch *p, int triangle, const double *x, double at[3][3])
{
    for (int k = 0; k < 3; k++)
        vv_sub(x + 3 * (size_t)s->triangle[3 * (size_t)triangle + (size_t)k], p->apex, at[k]);
}

static void pressure_gradient(const external *s, const patch *p, const double *x, double scale, double *g)
{
    double at[3][3], c[3];
    for (int t = p->first; t < p->end; t++) {
        see(s, p, t, x, at);
        for (int k = 0; k < 3; k++) {
            double *to = g + 3 * (size_t)s->triangle[3 * (size_t)t + (size_t)k];
            vv_cross(at[(k + 1) % 3], at[(k + 2) % 3], c);
            for (int j = 0; j < 3; j++)
                to[j] += scale * p->pressure / 6 * c[j];
        }
    }
}

static void pressure_hessian(const external *s, const patch *p, const double *x, double scale,
                             const vv_block_target *to)
{
    const double f = scale * p->pressure / 6;
    double at[3][3];
    for (int t = p->first; t < p->end; t++) {
        const int *v = s->triangle + 3 * (size_t)t;
        see(s, p, t, x, at);
        for (int k = 0; k < 3; k++) { /* of corner k + 1 by corner k + 2: as [a]x of the third, its rows side by side */
            const double *a = at[k];
            vv_bsr_add(to->matrix, to->unknown[v[(k + 1) % 3]], to->unknown[v[(k + 2) % 3]],
                       (double[9]){ 0, -f * a[2], f * a[1], f * a[2], 0, -f * a[0], -f * a[1], f * a[0], 0 });
        }
    }
}

static bool presses(const external *s) { return s->force && s->patches > 0; }

/* ---- all of it ---- */

static double value(const vv_energy *e, const vv_parallel *par, const double *x, double *per_body)
{
    (void)par;
    const external *s = (const external *)e;
    double sum = 0;
    if (!s->force)
        return 0;
    for (size_t i = 0; i < (size_t)s->n; i++)
        for (size_t k = 3 * i; k < 3 * i + 3 && s->unknown[i] >= 0; k++) {
            double term = s->force[k] * (x[k] - s->from[k]);
            sum -= term;
            if (per_body)
                per_body[s->body[i]] -= term;
        }
    return s->patches ? sum + pressure_value(s, x, per_body) : sum;
}

static void derivatives(const vv_energy *e, const vv_parallel *par, const double *x, double scale, vv_hessian_mode mode,
                        double *g, const vv_block_target *to)
{
    (void)par;
    const external *s = (const external *)e;
    if (!s->force || mode == VV_HESSIAN_REST)
        return;
    for (size_t i = 0; g && i < (size_t)s->n; i++)
        for (size_t k = 3 * i; k < 3 * i + 3 && s->unknown[i] >= 0; k++)
            g[k] -= scale * s->force[k];
    for (int i = 0; presses(s) && i < s->patches; i++) {
        if (g)
            pressure_gradient(s, s->patch + i, x, -scale, g);
        if (to && mode == VV_HESSIAN_EXACT)
            pressure_hessian(s, s->patch + i, x, -scale, to);
    }
}

/* ---- one node at a time, for block descent ---- */

static void node_blocks(const vv_energy *e, const void *data, const vv_node_batch *b)
{
    (void)data;
    const external *s = (const external *)e;
    for (int j = b->begin; s->force && j < b->end; j++)
        for (int lane = 0; lane < 8; lane++) {
            const double *f = s->force + 3 * (size_t)b->node[8 * (size_t)j + (size_t)lane];
            vv_node_add(b, j, lane, (double[3]){ -f[0], -f[1], -f[2] }, NULL);
        }
}

static void node_values(const vv_energy *e, const void *data, const vv_node_batch *b)
{
    (void)data;
    const external *s = (const external *)e;
    for (int j = b->begin; s->force && j < b->end; j++)
        for (int lane = 0; lane < 8; lane++) {
            size_t i = 3 * (size_t)b->node[8 * (size_t)j + (size_t)lane];
            for (size_t k = 0; k < 3; k++)
                b->values[8 * (j - b->begin) + lane] -=
                    b->value * s->force[i + k] * (vv_node_position(b, j, lane)[k] - s->from[i + k]);
        }
}

static const vv_node_ops node_ops = { NULL, NULL, node_blocks, node_values, NULL };

static void destroy(vv_energy *e)
{
    external *s = (external *)e;
    vv_free(s->patch);
    vv_free(s->triangle);
    vv_free(s);
}

static const vv_energy_ops ops = { .info = { "external", "forces of the host during a step" },
                                   .row = VV_ROW_EXTERNAL,
                                   .value = value,
                                   .derivatives = derivatives,
                                   .destroy = destroy,
                                   .quadratic = vv_quadratic_none,
                                   .diagonal = vv_diagonal_none,
                                   .nodes = &node_ops };

static const vv_energy_ops following = { .info = { "following pressure", "pressure that follows its surface" },
                                         .row = VV_ROW_EXTERNAL,
                                         .instead = "use a pressure that does not follow (follow: false)",
                                         .value = value,
                                         .derivatives = derivatives,
                                         .destroy = destroy };

static bool fill(const vv_external_def *def, external *s)
{
    int sum = 0;
    for (int i = 0; i < def->patches; i++)
        sum += def->patch[i].count;
    s->patch = vv_alloc((size_t)def->patches, sizeof *s->patch);
    s->triangle = vv_alloc(3 * (size_t)sum, sizeof *s->triangle);
    if (!s->patch || !s->triangle)
        return false;
    for (int i = 0, at = 0; i < def->patches; i++) {
        const vv_external_patch *from = def->patch + i;
        s->patch[i] = (patch){ .first = at, .end = at + from->count };
        for (int k = 0; k < 3 * from->count; k++)
            s->triangle[3 * (size_t)at + (size_t)k] = from->nodes[from->corners[k]];
        at += from->count;
    }
    s->patches = def->patches;
    return true;
}

vvStatus vv_external_create(const vv_external_def *def, vv_energy **out, vvError *error)
{
    external *s = vv_alloc(1, sizeof *s);
    if (!s)
        return vv_fail_memory(error, "external forces");
    *s = (external){ { .ops = def->patches ? &following : &ops }, def->nodes, def->unknown, def->body };
    if (def->patches && !fill(def, s)) {
        destroy(&s->base);
        return vv_fail_memory(error, "external forces");
    }
    *out = &s->base;
    return VV_OK;
}

void vv_external_set(vv_energy *e, const double *force, const double *from)
{
    external *s = (external *)e;
    s->force = force;
    s->from = from;
}

void vv_external_begin(vv_energy *e, const double *from)
{
    external *s = (external *)e;
    s->from = from;
    for (int i = 0; i < s->patches; i++) {
        patch *p = s->patch + i;
        memset(p->apex, 0, sizeof p->apex);
        p->pressure = 0;
        for (int k = 3 * p->first; k < 3 * p->end; k++)
            for (int j = 0; j < 3; j++)
                p->apex[j] += from[3 * (size_t)s->triangle[k] + (size_t)j] / (3 * (p->end - p->first));
    }
}

void vv_external_mark(const vv_energy *e, const int *body, unsigned char *acted)
{
    const external *s = (const external *)e;
    for (size_t i = 0; s->force && i < (size_t)s->n; i++)
        if (s->force[3 * i] != 0 || s->force[3 * i + 1] != 0 || s->force[3 * i + 2] != 0)
            acted[body[i]] = 1;
    for (int i = 0; presses(s) && i < s->patches; i++)
        for (int k = 3 * s->patch[i].first; s->patch[i].pressure != 0 && k < 3 * s->patch[i].end; k++)
            acted[body[s->triangle[k]]] = 1;
}

void vv_external_press(vv_energy *e, int index, double pressure) { ((external *)e)->patch[index].pressure = pressure; }

void vv_external_rim(const vv_energy *e, int index, const double (*x)[3], const int *corners, double *force)
{
    const patch *p = ((const external *)e)->patch + index;
    double at[3][3], n[3], c[3];
    vv_triangle_normal(x[0], (const int[]){ 0, 1, 2 }, n);
    for (int k = 0; k < 3; k++)
        vv_sub(x[k], p->apex, at[k]);
    for (int k = 0; k < 3; k++) {
        vv_cross(at[(k + 1) % 3], at[(k + 2) % 3], c);
        for (int j = 0; j < 3; j++)
            force[3 * (size_t)corners[k] + (size_t)j] += p->pressure / 6 * (n[j] - c[j]);
    }
}
