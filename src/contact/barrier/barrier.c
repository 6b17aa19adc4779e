/* Barrier energy of vertices against analytic obstacles (theory §5.1, §5.2); sum.c says what it is at one
 * vertex.
 *
 * E = kappa d-hat A b(s), s = d / d-hat;  dE/dx = kappa A b' n;  d2E/dx2 = kappa A (b''/d-hat n n^T + b' D2d).
 * For convex obstacles D2d is semidefinite and b' <= 0: projecting drops the second term. */
#include "base/error.h"
#include "base/memory.h"
#include "base/vec.h"
#include "contact/barrier/barrier.h"

typedef struct vv_barrier_energy barrier;

static double value(const vv_energy *e, const vv_parallel *par, const double *q, double *per_body)
{
    (void)par;
    const vv_barrier_def *def = &((const barrier *)e)->def;
    double sum = 0;
    if (!vv_contact_place(def, q))
        return INFINITY;
    vv_reach near = vv_reach_of(def, q, NULL, def->distance);
    while (vv_reach_pair(&near)) {
        const int v = near.vertex, o = near.obstacle;
        vv_barrier_sum b;
        if (!vv_barrier_at(def, v, o, vv_contact_frame(def, o), near.x, VV_SUM_VALUE, &b))
            continue;
        if (!(b.value < INFINITY))
            return INFINITY;
        double term = vv_contact_stiffness(def, v) * vv_contact_distance(def, v, o) * def->vertices->area[v] * b.value;
        sum += term;
        if (per_body)
            per_body[def->vertices->body[v]] += term;
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

/* Adds scale force slope n to the vertex's nodes, and what pushes back to those of the obstacle's frame. */
static void add_gradient(const vv_barrier_def *def, int v, int o, const double x[3], double scale, double force,
                         double slope, const double n[3], double *g)
{
    const vv_vertices *vs = def->vertices;
    const vv_frame *frame = vv_contact_frame(def, o);
    for (int i = vs->start[v]; i < vs->start[v + 1]; i++)
        for (int k = 0; k < 3; k++)
            g[3 * (size_t)vs->node[i] + k] += scale * vs->weight[i] * force * slope * n[k];
    double w[4];
    if (frame)
        vv_frame_weights(frame, x, w);
    for (size_t i = 0; frame && i < 4; i++)
        for (size_t k = 0; k < 3; k++)
            g[3 * ((size_t)frame->node + i) + k] -= scale * w[i] * force * slope * n[k];
}

static void derivatives(const vv_energy *e, const vv_parallel *par, const double *q, double scale, vv_hessian_mode mode,
                        double *g, const vv_block_target *to)
{
    (void)par;
    const barrier *s = (const barrier *)e;
    const vv_barrier_def *def = &s->def;
    const vv_vertices *vs = def->vertices;
    const vv_barrier_part part = !to ? VV_SUM_SLOPE : mode == VV_HESSIAN_EXACT ? VV_SUM_EXACT : VV_SUM_PROJECTED;
    if (mode == VV_HESSIAN_REST || !vv_contact_place(def, q))
        return;
    vv_reach near = vv_reach_of(def, q, NULL, def->distance);
    while (vv_reach_pair(&near)) {
        const int v = near.vertex, o = near.obstacle;
        vv_barrier_sum b;
        if (!vv_barrier_at(def, v, o, vv_contact_frame(def, o), near.x, part, &b))
            continue;
        double force = vv_contact_stiffness(def, v) * vs->area[v];
        if (g)
            add_gradient(def, v, o, near.x, scale, force, b.slope, b.n, g);
        if (to)
            add_block(s, v, scale * force, b.block, to);
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

static double max_step(const vv_energy *e, const vv_parallel *par, const double *q, const double *p)
{
    (void)par;
    return vv_barrier_max_step(&((const barrier *)e)->def, q, p);
}

static void bounds(const vv_energy *e, const vv_parallel *par, const double *q, const double *p, double *part)
{
    (void)par;
    vv_barrier_bounds(&((const barrier *)e)->def, q, p, part);
}

static void destroy(vv_energy *e) { vv_free(e); }

static const vv_energy_ops ops = { .info = { "barrier", "IPC barrier of vertices against analytic obstacles" },
                                   .row = VV_ROW_CONTACT,
                                   .instead =
                                       "take contact springs against obstacles (contact.springs), and keep bodies "
                                       "apart that could touch (contact.self false, and filters)",
                                   .value = value,
                                   .derivatives = derivatives,
                                   .pattern = pattern,
                                   .max_step = max_step,
                                   .bounds = bounds,
                                   .nodes = &vv_barrier_node_ops,
                                   .destroy = destroy };

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

void vv_barrier_set_stiffness(vv_energy *e, double stiffness) { ((barrier *)e)->def.stiffness = stiffness; }

/* ---- the work of obstacles that move ---- */

/* The motion dq = q_b - q_a of the obstacle's material at x. */
static void material_motion(const vv_frame *frame, const double x[3], const double *q_a, const double *q_b,
                            double dq[3])
{
    double w[4];
    vv_frame_weights(frame, x, w);
    for (size_t k = 0; k < 3; k++) {
        dq[k] = 0;
        for (size_t i = 0; i < 4; i++) {
            size_t j = 3 * ((size_t)frame->node + i) + k;
            dq[k] += w[i] * (q_b[j] - q_a[j]);
        }
    }
}

void vv_barrier_pushed(const vv_barrier_def *def, const int *frame_body, const double *q, const double *q_a,
                       const double *q_b, double part, double *work)
{
    if (!def->frames || !vv_contact_place(def, q))
        return;
    for (int v = 0; v < def->vertices->count; v++) {
        double x[3], dq[3];
        vv_barrier_sum b;
        vv_vertex_position(def->vertices, v, q, x);
        for (int o = 0; o < def->obstacle_count; o++) {
            const vv_frame *frame = vv_contact_frame(def, o);
            if (!frame || !vv_contact_touches(def, v, o) || !vv_barrier_at(def, v, o, frame, x, VV_SUM_SLOPE, &b))
                continue;
            material_motion(frame, x, q_a, q_b, dq);
            double done = -part * vv_contact_stiffness(def, v) * def->vertices->area[v] * b.slope * vv_dot(b.n, dq);
            work[frame_body[o]] -= done;
            work[def->vertices->body[v]] += done;
        }
    }
}
