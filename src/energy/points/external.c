/* Forces of the host and of loads, constant over a step: E = -sum f_i . (x_i - x_i^n), so that every scheme treats them
 * like any energy. Not part of H: -E at the end of the step is their work. Prescribed nodes do not feel them.
 *
 * And pressures that follow their surfaces, E = -p (V(x) - V(x^n)) (theory §4.18). V is the volume between a patch of
 * faces and an apex c; of a closed patch it does not depend on c. For an open one the excess at its rim, the pressure
 * on the cone between rim and apex, is subtracted by constant forces. With a, b, d three nodes of a face seen from c, V
 * = sum w/6 a . (b x d),   dV/da = w/6 b x d,   d2V/(da db) = -w/6 [d]x. Differences of V are taken node by node,
 * without cancellation. Second derivatives are indefinite: the projected Hessian is without them. */
#include "energy/points/external.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/vec.h"
#include "energy/points/face.h"

#include <string.h>

/* Its faces of order 2, then triangles. */
typedef struct patch {
    int order2, flat;
    int first, end; /* of nodes: six of each face of order 2, three of each triangle */
    double pressure, before, apex[3];
} patch;

typedef struct external {
    vv_energy base;
    int n;
    const int *unknown, *body; /* body: NULL: not asked for by body */
    const double *force, *from;
    const double *before; /* forces where the step begins; NULL: they are constant in it */
    int patches;
    patch *patch;
    int *node;
} external;

/* ---- pressures that follow ---- */

static int face_count(const patch *p) { return p->order2 + p->flat; }

/* A face's nodes, and its kind. */
static const int *face_of(const external *s, const patch *p, int i, const vv_face **face)
{
    const int flat = i - p->order2;
    *face = flat < 0 ? &vv_face_order2 : &vv_face_flat;
    return s->node + p->first +
           (flat < 0 ? VV_FACE_NODES * (size_t)i : VV_FACE_NODES * (size_t)p->order2 + 3 * (size_t)flat);
}

/* The determinant of three nodes seen from the apex, less what it was before they went their ways. */
static double gain_of_three(double (*old)[3], double (*now)[3], double (*way)[3], const signed char v[3])
{
    double c[3];
    vv_cross(now[v[1]], now[v[2]], c);
    double sum = vv_dot(way[v[0]], c);
    vv_cross(way[v[1]], now[v[2]], c);
    sum += vv_dot(old[v[0]], c);
    vv_cross(old[v[1]], way[v[2]], c);
    return sum + vv_dot(old[v[0]], c);
}

/* 6 (V(x) - V(from)) of a face. */
static double gain_of(const external *s, const patch *p, int i, const double *x)
{
    const vv_face *face;
    const int *v = face_of(s, p, i, &face);
    double old[VV_FACE_NODES][3], now[VV_FACE_NODES][3], way[VV_FACE_NODES][3], sum = 0;
    for (int k = 0; k < face->nodes; k++) {
        vv_sub(s->from + 3 * (size_t)v[k], p->apex, old[k]);
        vv_sub(x + 3 * (size_t)v[k], p->apex, now[k]);
        vv_sub(x + 3 * (size_t)v[k], s->from + 3 * (size_t)v[k], way[k]);
    }
    for (int k = 0; k < face->triples; k++)
        sum += face->weight[k] * gain_of_three(old, now, way, face->triple[k]);
    return sum;
}

double vv_external_gain(const vv_energy *e, int index, const double *x)
{
    const external *s = (const external *)e;
    const patch *p = s->patch + index;
    double sum = 0;
    for (int i = 0; s->from && i < face_count(p); i++)
        sum += gain_of(s, p, i, x);
    return sum / 6;
}

static double pressure_value(const external *s, const double *x, double *per_body)
{
    double sum = 0;
    for (int i = 0; s->force && i < s->patches; i++) {
        const double term = -s->patch[i].pressure * vv_external_gain(&s->base, i, x);
        sum += term;
        if (per_body && face_count(s->patch + i) > 0)
            per_body[s->body[s->node[s->patch[i].first]]] += term;
    }
    return sum;
}

/* The nodes of a face, and these seen from the apex. */
static const int *see(const external *s, const patch *p, int i, const double *x, const vv_face **face,
                      double at[VV_FACE_NODES][3])
{
    const int *v = face_of(s, p, i, face);
    for (int k = 0; k < (*face)->nodes; k++)
        vv_sub(x + 3 * (size_t)v[k], p->apex, at[k]);
    return v;
}

static void pressure_gradient(const external *s, const patch *p, const double *x, double scale, double *g)
{
    const vv_face *face;
    double at[VV_FACE_NODES][3];
    for (int i = 0; i < face_count(p); i++) {
        double out[VV_FACE_NODES][3] = { 0 };
        const int *v = see(s, p, i, x, &face, at);
        vv_face_gradient(face, at, scale * p->pressure / 6, out);
        for (int k = 0; k < face->nodes; k++)
            for (int j = 0; j < 3; j++)
                g[3 * (size_t)v[k] + (size_t)j] += out[k][j];
    }
}

static void pressure_hessian(const external *s, const patch *p, const double *x, double scale,
                             const vv_block_target *to)
{
    const vv_face *face;
    double at[VV_FACE_NODES][3];
    for (int i = 0; i < face_count(p); i++) {
        const int *v = see(s, p, i, x, &face, at);
        for (int k = 0; k < 3 * face->triples; k++) {
            /* of the triple's second node by its third: as [a]x of the first, its rows side by side; and so around */
            const signed char *three = face->triple[k / 3];
            const double *a = at[three[k % 3]], f = scale * p->pressure / 6 * face->weight[k / 3];
            vv_bsr_add(to->matrix, to->unknown[v[three[(k + 1) % 3]]], to->unknown[v[three[(k + 2) % 3]]],
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
    vv_free(s->node);
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
    size_t nodes = 0;
    for (int i = 0; i < def->patches; i++)
        nodes += 3 * (size_t)def->patch[i].count;
    s->patch = vv_alloc((size_t)def->patches, sizeof *s->patch);
    s->node = vv_alloc(nodes, sizeof *s->node);
    if (!s->patch || !s->node)
        return false;
    for (int i = 0, at = 0; i < def->patches; i++) {
        const vv_external_patch *from = def->patch + i;
        s->patch[i] = (patch){ .order2 = from->order2, .flat = from->count - 4 * from->order2, .first = at };
        for (int k = 0; k < VV_FACE_NODES * from->order2; k++)
            s->node[at++] = from->nodes[from->corners[12 * (size_t)(k / VV_FACE_NODES) +
                                                      (size_t)vv_face_within[k % VV_FACE_NODES]]];
        for (int k = 12 * from->order2; k < 3 * from->count; k++)
            s->node[at++] = from->nodes[from->corners[k]];
        s->patch[i].end = at;
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
    if (!force)
        s->before = NULL;
}

void vv_external_remember(vv_energy *e, const double *force)
{
    external *s = (external *)e;
    s->before = force;
    for (int i = 0; i < s->patches; i++)
        s->patch[i].before = s->patch[i].pressure;
}

double vv_external_way_work(const vv_energy *e, const double *x, double *per_body)
{
    const external *s = (const external *)e;
    double sum = 0;
    for (size_t i = 0; s->force && s->before && i < (size_t)s->n; i++) {
        double more = 0;
        for (size_t k = 3 * i; k < 3 * i + 3 && s->unknown[i] >= 0; k++)
            more += 0.5 * (s->before[k] - s->force[k]) * (x[k] - s->from[k]);
        sum += more;
        if (per_body)
            per_body[s->body[i]] += more;
    }
    for (int i = 0; s->force && s->before && i < s->patches; i++) {
        const patch *p = s->patch + i;
        const double more = 0.5 * (p->before - p->pressure) * vv_external_gain(e, i, x);
        sum += more;
        if (per_body && p->end > p->first)
            per_body[s->body[s->node[p->first]]] += more;
    }
    return sum;
}

void vv_external_change(const vv_energy *e, const double *x, double *g)
{
    const external *s = (const external *)e;
    for (size_t i = 0; s->before && i < (size_t)s->n; i++)
        for (size_t k = 3 * i; k < 3 * i + 3 && s->unknown[i] >= 0; k++)
            g[k] += s->force[k] - s->before[k];
    for (int i = 0; s->before && i < s->patches; i++) {
        patch p = s->patch[i];
        p.pressure -= p.before;
        pressure_gradient(s, &p, x, 1, g);
    }
}

void vv_external_begin(vv_energy *e, const double *from)
{
    external *s = (external *)e;
    s->from = from;
    for (int i = 0; i < s->patches; i++) {
        patch *p = s->patch + i;
        memset(p->apex, 0, sizeof p->apex);
        p->pressure = p->before = 0;
        for (int k = p->first; k < p->end; k++)
            for (int j = 0; j < 3; j++)
                p->apex[j] += from[3 * (size_t)s->node[k] + (size_t)j] / (p->end - p->first);
    }
}

void vv_external_mark(const vv_energy *e, const int *body, unsigned char *acted)
{
    const external *s = (const external *)e;
    for (size_t i = 0; s->force && i < (size_t)s->n; i++)
        if (s->force[3 * i] != 0 || s->force[3 * i + 1] != 0 || s->force[3 * i + 2] != 0)
            acted[body[i]] = 1;
    for (int i = 0; presses(s) && i < s->patches; i++)
        for (int k = s->patch[i].first; s->patch[i].pressure != 0 && k < s->patch[i].end; k++)
            acted[body[s->node[k]]] = 1;
}

void vv_external_press(vv_energy *e, int index, double pressure) { ((external *)e)->patch[index].pressure = pressure; }

void vv_external_rim(const vv_energy *e, int index, const vv_face *face, double (*x)[3], double (*force)[3])
{
    const patch *p = ((const external *)e)->patch + index;
    vv_face_rim(face, x, p->apex, p->pressure, force);
}
