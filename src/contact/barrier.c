/* Barrier energy of vertices against analytic obstacles, with its conservative step filter (theory §5.1, §5.2, §5.9).
 *
 * E = kappa d-hat A b(s), s = d / d-hat;  dE/dx = kappa A b' n;  d2E/dx2 = kappa A (b''/d-hat n n^T + b' D2d).
 * For convex obstacles D2d is semidefinite and b' <= 0: projecting drops the second term. */
#include "base/error.h"
#include "base/memory.h"
#include "base/vec.h"
#include "contact/barrier.h"

#include <string.h>

typedef struct barrier {
    vv_energy base;
    vv_barrier_def def;
} barrier;

void vv_barrier(double s, double b[3])
{
    if (s >= 1) {
        b[0] = b[1] = b[2] = 0;
        return;
    }
    double l = log(s), u = s - 1;
    b[0] = -u * u * l;
    b[1] = -2 * u * l - u * u / s;
    b[2] = -2 * l - 4 * u / s + u * u / (s * s);
}

static double value(const vv_energy *e, const vv_parallel *par, const double *q, double *per_body)
{
    (void)par;
    const vv_barrier_def *def = &((const barrier *)e)->def;
    double sum = 0;
    for (int v = 0; v < def->vertices->count; v++) {
        double x[3], b[3];
        vv_vertex_position(def->vertices, v, q, x);
        for (int o = 0; o < def->obstacle_count; o++) {
            if (!vv_contact_touches(def, v, o))
                continue;
            double d = vv_contact_gap(def, v, o, x, NULL, NULL);
            if (d <= 0)
                return INFINITY;
            if (d < def->distance) {
                vv_barrier(d / def->distance, b);
                double term = def->stiffness * def->distance * def->vertices->area[v] * b[0];
                sum += term;
                if (per_body)
                    per_body[def->vertices->body[v]] += term;
            }
        }
    }
    return sum;
}

/* Adds scale * block (3x3, symmetric) to all pairs of the vertex's nodes. */
static void add_block(const barrier *s, int v, double scale, const double block[9], const vv_block_target *to)
{
    const vv_vertices *vs = s->def.vertices;
    for (int i = vs->start[v]; i < vs->start[v + 1]; i++)
        for (int j = i; j < vs->start[v + 1]; j++) {
            double w = scale * vs->weight[i] * vs->weight[j], weighted[9];
            for (int k = 0; k < 9; k++)
                weighted[k] = w * block[k];
            vv_bsr_add(to->matrix, to->unknown[vs->node[i]], to->unknown[vs->node[j]], weighted);
        }
}

static void derivatives(const vv_energy *e, const vv_parallel *par, const double *q, double scale, vv_hessian_mode mode,
                        double *g, const vv_block_target *to)
{
    (void)par;
    const barrier *s = (const barrier *)e;
    const vv_barrier_def *def = &s->def;
    const vv_vertices *vs = def->vertices;
    if (mode == VV_HESSIAN_REST)
        return;
    for (int v = 0; v < vs->count; v++) {
        double x[3], n[3], c[9], b[3], block[9];
        vv_vertex_position(vs, v, q, x);
        for (int o = 0; o < def->obstacle_count; o++) {
            if (!vv_contact_touches(def, v, o))
                continue;
            double d = vv_contact_gap(def, v, o, x, NULL, NULL);
            if (d >= def->distance)
                continue;
            vv_contact_gap(def, v, o, x, n, to && mode == VV_HESSIAN_EXACT ? c : NULL);
            vv_barrier(d / def->distance, b);
            double force = def->stiffness * vs->area[v];
            if (g)
                for (int i = vs->start[v]; i < vs->start[v + 1]; i++)
                    for (int k = 0; k < 3; k++)
                        g[3 * (size_t)vs->node[i] + k] += scale * vs->weight[i] * force * b[1] * n[k];
            if (!to)
                continue;
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    block[3 * i + j] = b[2] / def->distance * n[i] * n[j] +
                                       (mode == VV_HESSIAN_EXACT ? b[1] * c[3 * i + j] : 0);
            add_block(s, v, scale * force, block, to);
        }
    }
}

static void pattern(const vv_energy *e, const int *unknown, vv_pattern *p)
{
    const vv_vertices *vs = ((const barrier *)e)->def.vertices;
    for (int v = 0; v < vs->count; v++) {
        int rows[VV_VERTEX_NODES], k = 0;
        for (int i = vs->start[v]; i < vs->start[v + 1]; i++)
            rows[k++] = unknown[vs->node[i]];
        if (k > 1)
            vv_pattern_clique(p, rows, k);
    }
}

/* Conservative advancement: d is 1-Lipschitz, so from a point at distance d a path of length up to d cannot touch; outside a convex
 * solid, neither can one whose approach -n . p is less than d. Goes on until less than 1.5 `keep` (m) is left. */
static double advance(const vv_barrier_def *def, int v, int o, const double x[3], const double p[3], double keep, double limit)
{
    double length = vv_norm(p), n[3], t = 0, d = vv_contact_gap(def, v, o, x, n, NULL);
    for (int k = 0; k < 200; k++) {
        double speed = def->obstacles[o].ops->convex ? -vv_dot(n, p) : length;
        if (speed <= 0)
            return limit;
        t += (d - keep) / speed;
        if (t >= limit)
            return limit;
        double y[3] = { x[0] + t * p[0], x[1] + t * p[1], x[2] + t * p[2] };
        d = vv_contact_gap(def, v, o, y, n, NULL);
        if (d <= 1.5 * keep)
            break;
    }
    return t;
}

static double max_step(const vv_energy *e, const vv_parallel *par, const double *q, const double *p)
{
    (void)par;
    const vv_barrier_def *def = &((const barrier *)e)->def;
    double t = 1;
    for (int v = 0; v < def->vertices->count; v++) {
        double x[3], dx[3];
        vv_vertex_position(def->vertices, v, q, x);
        vv_vertex_position(def->vertices, v, p, dx);
        for (int o = 0; o < def->obstacle_count; o++)
            if (vv_contact_touches(def, v, o))
                t = advance(def, v, o, x, dx, 0.1 * vv_contact_gap(def, v, o, x, NULL, NULL), t);
    }
    return t;
}

bool vv_barrier_crosses(const vv_barrier_def *def, const double *q, const double *p)
{
    for (int v = 0; v < def->vertices->count; v++) {
        double x[3], dx[3];
        vv_vertex_position(def->vertices, v, q, x);
        vv_vertex_position(def->vertices, v, p, dx);
        for (int o = 0; o < def->obstacle_count; o++)
            if (vv_contact_touches(def, v, o)) {
                double gap = vv_contact_gap(def, v, o, x, NULL, NULL);
                if (advance(def, v, o, x, dx, 1e-3 * fmin(gap, def->distance), 1) < 1)
                    return true;
            }
    }
    return false;
}

static void destroy(vv_energy *e) { vv_free(e); }

static const vv_energy_ops ops = { .info = { "barrier", "IPC barrier of vertices against analytic obstacles" },
                                   .row = VV_ROW_CONTACT, .value = value, .derivatives = derivatives, .pattern = pattern,
                                   .max_step = max_step, .destroy = destroy };

vvStatus vv_barrier_create(const vv_barrier_def *def, vv_energy **out, vvError *error)
{
    barrier *s = vv_alloc(1, sizeof *s);
    if (!s)
        return vv_fail_memory(error, "the contact barrier");
    s->base.ops = &ops;
    s->def = *def;
    *out = &s->base;
    return VV_OK;
}

double vv_contact_min_gap(const vv_barrier_def *def, const double *q, int *vertex, int *obstacle, unsigned char *near)
{
    double least = INFINITY;
    size_t obstacles = (size_t)def->obstacle_count;
    if (near)
        memset(near, 0, (size_t)def->body_count * obstacles);
    for (int v = 0; v < def->vertices->count; v++) {
        double x[3];
        vv_vertex_position(def->vertices, v, q, x);
        for (int o = 0; o < def->obstacle_count; o++) {
            if (!vv_contact_touches(def, v, o))
                continue;
            double d = vv_contact_gap(def, v, o, x, NULL, NULL);
            if (near && d < def->distance)
                near[(size_t)def->vertices->body[v] * obstacles + (size_t)o] = 1;
            if (d < least) {
                least = d;
                if (vertex)
                    *vertex = v;
                if (obstacle)
                    *obstacle = o;
            }
        }
    }
    return least;
}
