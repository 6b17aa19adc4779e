/* Smoothed Coulomb friction between surfaces, lagged (IPC, Li et al. 2020 §5; theory §5.7), as a dissipation potential:
 *   R(v) = sum over pairs of mu lambda f0(|u|),  u = (I - n n^T) sum_i w_i v_i,  f0' = f1(y) = 2y - y^2 for y = |u| /
 *       eps_v < 1, else 1.
 * Normal force lambda, normal n and weights w come from the positions of the last `lag`.
 *
 * In the convergent sum, and over flat parts, some pairs have negative weight, to correct double counting. Their
 * terms would make R unbounded below; so they have no friction of their own, but reduce the limits of the pairs at
 * their vertices: the sum of all limits is mu times that of all signed forces. */
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/vec.h"
#include "contact/barrier/barrier.h"
#include "contact/pairs/body_sums.h"
#include "contact/pairs/collisions.h"
#include "contact/pairs/node_model.h"
#include "contact/pairs/potential.h"
#include "contact/pairs/scatter.h"
#include "contact/friction/slip.h"

#include <string.h>

typedef struct slide {
    int vertex[4], points, near; /* near: of the points, those of the first feature */
    double w[4], n[3];
    double limit;    /* mu lambda, N */
    double eps;      /* m/s */
    double shift[3]; /* m/s: what it has given way by already, over a step */
    vv_slip slip;
} slide;

enum { BATCH = 1024 };

typedef struct pair_friction {
    vv_energy base;
    vv_pair_friction_def def;
    struct batch *batch; /* work space */
    vv_body_sums *sums;
    slide *slides;
    size_t count, capacity;
    /* N, per contact vertex: of pairs that push, and of those to subtract; NULL: there are none of the latter */
    double (*pushed)[2];
} pair_friction;

static const vv_vertices *vertices_of(const pair_friction *s) { return s->def.collisions->def.surface->vertices; }

/* Each side's points get half of a force. */
static void share_out(pair_friction *s, const vv_pair *p, const double w[4], double force)
{
    for (int i = 0; s->pushed && i < vv_stencil_points(p->kind); i++)
        s->pushed[p->vertex[i]][force < 0] += 0.5 * fabs(w[i] * force);
}

static void take_off(pair_friction *s)
{
    for (size_t at = 0; s->pushed && at < s->count; at++) {
        slide *k = s->slides + at;
        double left = 0;
        for (int i = 0; i < k->points; i++) {
            const double *pushed = s->pushed[k->vertex[i]];
            if (pushed[0] > pushed[1])
                left += 0.5 * fabs(k->w[i]) * (1 - pushed[1] / pushed[0]);
        }
        k->limit *= left;
    }
}

static double slow(const vv_pair_friction_def *d, int a, int b)
{
    return d->speeds ? fmin(d->speeds[a], d->speeds[b]) : d->speed;
}

/* Appends the pairs at q, with that part of their normal forces; false: out of memory, which is in c->failed. */
static bool append(pair_friction *s, const vv_parallel *par, const double *q, double weight)
{
    vv_collisions *c = s->def.collisions;
    const vv_vertices *vs = c->def.surface->vertices;
    if (!vv_collisions_update(c, par, q))
        return false;
    if (!vv_grow((void **)&s->slides, &s->capacity, s->count + c->count, sizeof *s->slides)) {
        c->failed = true;
        return false;
    }
    for (size_t i = 0; i < c->count; i++) {
        const vv_pair *p = c->pairs + i;
        vv_pair_state state;
        slide *k = s->slides + s->count;
        int n = vv_stencil_points(p->kind);
        double mu = s->def.coefficient(s->def.user, vs->body[p->vertex[0]], vs->body[p->vertex[n - 1]]);
        if (mu <= 0 || (c->penetration && p->inner))
            continue;
        vv_pair_state_at(c, p, &state);
        double force = (c->penetration ? -weight : weight) * vv_pair_force(&state, k->n);
        share_out(s, p, state.w, force);
        k->limit = mu * force;
        if (!(k->limit > 0))
            continue;
        k->eps = slow(&s->def, vs->body[p->vertex[0]], vs->body[p->vertex[n - 1]]);
        k->points = n;
        k->near = p->kind == VV_STENCIL_EE ? 2 : 1;
        k->slip = (vv_slip){ .known = false };
        memcpy(k->vertex, p->vertex, sizeof k->vertex);
        memcpy(k->w, state.w, sizeof k->w);
        memset(k->shift, 0, sizeof k->shift);
        for (int v = 0; v < n && vv_stick_is_on(s->def.stick); v++) /* each side says it of the other */
            vv_stick_add(s->def.stick, k->vertex[v], 0.5 * k->w[v], k->shift);
        s->count++;
    }
    return true;
}

static void lag_sum(vv_energy *e, const vv_parallel *par, const vv_lag_place *place, int places)
{
    pair_friction *s = (pair_friction *)e;
    bool done = true;
    s->count = 0;
    if (s->pushed)
        memset(s->pushed, 0, (size_t)vertices_of(s)->count * sizeof *s->pushed);
    for (int i = 0; done && i < places; i++)
        done = append(s, par, place[i].x, place[i].weight);
    if (done)
        take_off(s);
    else
        s->count = 0;
}

static void lag(vv_energy *e, const vv_parallel *par, const double *q, const double *velocity, double h)
{
    (void)velocity, (void)h;
    lag_sum(e, par, &(vv_lag_place){ q, 1 }, 1);
}

/* Tangential velocity of the pair's sides relative to each other; returns its length. */
static double tangential(const vv_vertices *vs, const slide *k, const double *v, double u[3])
{
    u[0] = u[1] = u[2] = 0;
    for (int i = 0; i < k->points; i++) {
        double at[3];
        vv_vertex_position(vs, k->vertex[i], v, at);
        for (int c = 0; c < 3; c++)
            u[c] += k->w[i] * at[c];
    }
    return vv_slip_of(k->n, k->shift, u);
}

/* ---- value ---- */

enum { CHUNK = 64 };

struct sum {
    const pair_friction *s;
    const double *v;
    double *part; /* per chunk */
};

static void value_chunk(void *arg, int chunk)
{
    const struct sum *of = arg;
    size_t begin = (size_t)chunk * CHUNK, end = begin + CHUNK < of->s->count ? begin + CHUNK : of->s->count;
    double sum = 0, u[3];
    for (size_t i = begin; i < end; i++) {
        slide *k = of->s->slides + i;
        sum += k->limit * vv_slip_potential(tangential(vertices_of(of->s), k, of->v, u), k->eps);
        vv_slip_try(&k->slip, k->eps, u);
    }
    of->part[chunk] = sum;
}

static double value(const vv_energy *e, const vv_parallel *par, const double *v, double *per_body)
{
    (void)per_body;
    const pair_friction *s = (const pair_friction *)e;
    vv_collisions *c = s->def.collisions;
    double begin = vv_seconds(), sum = 0;
    int chunks = (int)((s->count + CHUNK - 1) / CHUNK);
    if (!vv_grow((void **)&c->slot, &c->slot_capacity, (size_t)chunks, sizeof *c->slot)) {
        c->failed = true;
        return INFINITY;
    }
    vv_for(par, chunks, value_chunk, &(struct sum){ s, v, c->slot });
    for (int k = 0; k < chunks; k++)
        sum += c->slot[k];
    c->seconds += vv_seconds() - begin;
    return sum;
}

/* ---- derivatives ---- */

/* A slide's share, per weight of its points: force and block. */
typedef struct share {
    double force[3], block[9];
} share;

struct batch {
    const pair_friction *s;
    size_t first;
    int count;
    const double *v;
    double scale;
    vv_hessian_mode mode;
    bool hessian;
    share shares[BATCH];
};

static void derivatives_chunk(void *arg, int chunk)
{
    struct batch *b = arg;
    double u[3];
    for (int at = chunk * CHUNK; at < b->count && at < (chunk + 1) * CHUNK; at++) {
        slide *k = b->s->slides + b->first + (size_t)at;
        share *to = b->shares + at;
        double speed = tangential(vertices_of(b->s), k, b->v, u), limit = b->scale * k->limit;
        for (int c = 0; c < 3; c++)
            to->force[c] = limit * vv_slip_pull(speed, k->eps) * u[c];
        if (!b->hessian)
            continue;
        vv_slip_hessian(&k->slip, k->eps, u, k->n, b->mode, to->block);
        for (int m = 0; m < 9; m++)
            to->block[m] *= limit;
    }
}

static void scatter(const struct batch *b, double *g, const vv_block_target *to)
{
    const vv_surface *surface = b->s->def.collisions->def.surface;
    const vv_vertices *vs = surface->vertices;
    for (int at = 0; at < b->count; at++) {
        const slide *k = b->s->slides + b->first + (size_t)at;
        const share *from = b->shares + at;
        bool summed = to && vv_body_sums_take(surface, vs->body[k->vertex[0]], vs->body[k->vertex[k->points - 1]]) &&
                      vv_body_sums_add_even(b->s->sums, surface, k->vertex, k->points, k->near, k->w, from->block, to);
        for (int i = 0; i < k->points; i++) {
            double part[9];
            for (int c = 0; c < 3; c++)
                part[c] = k->w[i] * from->force[c];
            if (g)
                vv_scatter_force(vs, k->vertex[i], part, g);
            for (int j = i; to && !summed && j < k->points; j++) {
                double w = k->w[i] * k->w[j];
                for (int m = 0; m < 9; m++)
                    part[m] = w * from->block[m];
                if (w != 0)
                    vv_scatter_block(vs, k->vertex[i], k->vertex[j], part, to);
            }
        }
    }
}

/* In batches, side by side; what they add, in order. */
static void derivatives(const vv_energy *e, const vv_parallel *par, const double *v, double scale, vv_hessian_mode mode,
                        double *g, const vv_block_target *to)
{
    const pair_friction *s = (const pair_friction *)e;
    if (mode == VV_HESSIAN_REST)
        return;
    double begin = vv_seconds();
    struct batch *b = s->batch;
    for (b->first = 0; b->first < s->count; b->first += BATCH) {
        size_t left = s->count - b->first;
        b->s = s, b->count = left < BATCH ? (int)left : BATCH;
        b->v = v, b->scale = scale, b->mode = mode, b->hessian = to != NULL;
        vv_for(par, (b->count + CHUNK - 1) / CHUNK, derivatives_chunk, b);
        scatter(b, g, to);
    }
    if (to)
        vv_body_sums_flush(s->sums, s->def.collisions->def.surface, to);
    s->def.collisions->seconds += vv_seconds() - begin;
}

/* ---- one node at a time, for block descent ---- */

static vvStatus prepare_nodes(const vv_energy *e, const vv_node_order *order, void **data, vvError *error)
{
    (void)e;
    return vv_node_models_create(order, 1, 0, data, error);
}

/* Two tangents to n. */
static void tangents(const double n[3], double t[2][3])
{
    const int least = fabs(n[0]) < fabs(n[1]) ? (fabs(n[0]) < fabs(n[2]) ? 0 : 2) : (fabs(n[1]) < fabs(n[2]) ? 1 : 2);
    double axis[3] = { 0 };
    axis[least] = 1;
    vv_cross(n, axis, t[0]);
    const double length = vv_norm(t[0]);
    for (int c = 0; c < 3; c++)
        t[0][c] /= length;
    vv_cross(n, t[0], t[1]);
}

/* With the parabola that touches f0 from above, a(|u0|) |u|^2 / 2: f0 is concave in |u|^2. So the model bounds R
 * wherever the nodes go. */
static bool gather_nodes(vv_energy *e, void *data, const vv_parallel *par, const double *v, int view)
{
    (void)par, (void)view;
    const pair_friction *s = (const pair_friction *)e;
    const vv_vertices *vs = vertices_of(s);
    vv_node_model_start(data, v);
    for (size_t at = 0; at < s->count; at++) {
        const slide *k = s->slides + at;
        double u[3], g[12], squares[2][12] = { { 0 } }, t[2][3];
        const double pull = k->limit * vv_slip_pull(tangential(vs, k, v, u), k->eps), root = sqrt(pull);
        tangents(k->n, t);
        for (int i = 0; i < k->points; i++)
            for (int c = 0; c < 3; c++) {
                g[3 * i + c] = k->w[i] * pull * u[c];
                for (int m = 0; m < 2; m++)
                    squares[m][3 * i + c] = k->w[i] * root * t[m][c];
            }
        vv_node_model_add(data, vs, k->vertex, k->points, g, squares, 2);
    }
    return true;
}

static void node_blocks(const vv_energy *e, const void *data, const vv_node_batch *b)
{
    (void)e;
    vv_node_model_blocks(data, b);
}

static void node_values(const vv_energy *e, const void *data, const vv_node_batch *b)
{
    (void)e;
    vv_node_model_values(data, b);
}

static const vv_node_ops node_ops = { prepare_nodes, gather_nodes, node_blocks, node_values, NULL };

/* ---- what sticks ---- */

static void give(vv_energy *e, const double *before, const double *after)
{
    const pair_friction *s = (const pair_friction *)e;
    const vv_vertices *vs = vertices_of(s);
    vv_stick *stick = s->def.stick;
    for (size_t at = 0; at < s->count; at++) {
        const slide *k = s->slides + at;
        double d[3] = { 0 };
        for (int i = 0; i < k->points; i++) {
            double from[3], to[3];
            vv_vertex_position(vs, k->vertex[i], before, from);
            vv_vertex_position(vs, k->vertex[i], after, to);
            for (int c = 0; c < 3; c++)
                d[c] += k->w[i] * (to[c] - from[c]) / stick->h;
        }
        vv_stick_shorten(vv_slip_of(k->n, k->shift, d), k->eps, stick->h, d);
        for (int i = 0; i < k->points; i++) {
            const double side = i < k->near ? 1 : -1, own[3] = { side * d[0], side * d[1], side * d[2] };
            vv_stick_give(stick, k->vertex[i], k->limit * fabs(k->w[i]), own);
        }
    }
}

static void destroy(vv_energy *e)
{
    vv_free(((pair_friction *)e)->slides);
    vv_free(((pair_friction *)e)->pushed);
    vv_free(((pair_friction *)e)->batch);
    if (((pair_friction *)e)->sums)
        vv_body_sums_free(((pair_friction *)e)->sums);
    vv_free(((pair_friction *)e)->sums);
    vv_free(e);
}

/* no pattern: its couplings come and go, outside the matrix's pattern */
static const vv_energy_ops ops = { .info = { "surface-friction", "lagged smoothed Coulomb friction between surfaces" },
                                   .row = VV_ROW_CONTACT,
                                   .instead = "let friction act after the solve (contact.friction_when after)",
                                   .value = value,
                                   .derivatives = derivatives,
                                   .give = give,
                                   .lag = lag,
                                   .lag_sum = lag_sum,
                                   .nodes = &node_ops,
                                   .destroy = destroy };

vvStatus vv_pair_friction_create(const vv_pair_friction_def *def, vv_energy **out, vvError *error)
{
    const vv_collisions_def *c = &def->collisions->def;
    bool corrected = c->convergent || c->surface->flat;
    pair_friction *s = vv_alloc(1, sizeof *s);
    if (s) {
        s->batch = vv_alloc(1, sizeof *s->batch);
        s->sums = vv_alloc(1, sizeof *s->sums);
        s->pushed = corrected ? vv_alloc((size_t)c->surface->vertices->count, sizeof *s->pushed) : NULL;
    }
    if (!s || !s->batch || !s->sums || (corrected && !s->pushed)) {
        if (s)
            destroy(&s->base);
        return vv_fail_memory(error, "friction between bodies");
    }
    s->base.ops = &ops;
    s->base.mutual = true;
    s->def = *def;
    *out = &s->base;
    return VV_OK;
}
