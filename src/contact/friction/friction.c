/* Smoothed Coulomb friction with lagged normal forces and normals (IPC, Li et al. 2020 §5; theory §5.7), as a
 * dissipation potential of the velocity:
 *   R(v) = sum_c mu lambda f0(|u|),  u = (I - n n^T) (v_c - v_o),  f0' = f1(y) = 2y - y^2 for y = |u| / eps_v < 1,
 *       else 1.
 * v_o is the velocity of an obstacle that moves, at the contact. lambda, n and the place on the obstacle come from
 * the positions of the last `lag` (normally q_n), of a barrier or of another contact force (contact/springs/presses.h).
 */
#include "base/error.h"
#include "base/memory.h"
#include "base/vec.h"
#include "contact/barrier/barrier.h"
#include "contact/springs/presses.h"
#include "contact/friction/slip.h"
#include "contact/barrier/vertex_nodes.h"

#include <string.h>

typedef struct slide {
    int vertex;
    double n[3];
    double limit;    /* mu lambda, N */
    double eps;      /* m/s */
    double shift[3]; /* m/s: what it has given way by already, over a step */
    int node;        /* the obstacle's frame (contact/obstacles/frame.h); below 0: it stands still */
    double w[4];     /* of the frame's nodes, at the contact */
    vv_slip slip;
} slide;

typedef struct friction {
    vv_energy base;
    vv_barrier_def def;
    const vv_presses *presses; /* what presses, where no barrier does; NULL: a barrier */
    slide *slides;             /* room for every vertex against every obstacle at every place: a step never allocates */
    size_t *order;             /* of slides, by vertices, ascending */
    size_t *first;             /* in that order, of each vertex, and their number */
    size_t count, capacity;
} friction;

static double coefficient(const vv_barrier_def *def, int v, const vv_obstacle *obstacle)
{
    return vv_obstacle_friction(obstacle, def->vertices->friction[v], def->friction);
}

/* Where on the obstacle the contact is. */
static void take_place(slide *c, const vv_frame *frame, const double x[3])
{
    c->node = frame ? frame->node : -1;
    if (frame)
        vv_frame_weights(frame, x, c->w);
}

/* A contact of vertex v more. */
static slide *next(friction *s, int v, double limit, const double n[3])
{
    const vv_barrier_def *def = &s->def;
    slide *c = s->slides + s->count++;
    *c = (slide){ .vertex = v, .limit = limit, .eps = vv_barrier_slow(def, def->vertices->body[v]) };
    s->first[v + 1]++;
    memcpy(c->n, n, sizeof c->n);
    if (vv_stick_is_on(def->stick))
        vv_stick_add(def->stick, v, 1, c->shift);
    return c;
}

/* Appends the contacts at q, with that part of their normal forces. */
static void append(friction *s, const double *q, double weight)
{
    const vv_barrier_def *def = &s->def;
    vv_contact_place(def, q);
    vv_reach near = vv_reach_of(def, q, NULL, def->distance);
    while (s->count < s->capacity && vv_reach_pair(&near)) {
        const int v = near.vertex;
        const vv_frame *frame = vv_contact_frame(def, near.obstacle);
        const double mu = coefficient(def, v, def->obstacles + near.obstacle);
        vv_barrier_sum b;
        if (mu <= 0 || !vv_barrier_at(def, v, near.obstacle, frame, near.x, VV_SUM_SLOPE, &b))
            continue;
        slide *c = next(s, v, weight * mu * vv_contact_stiffness(def, v) * def->vertices->area[v] * b.press, b.n);
        take_place(c, frame, near.x);
    }
}

/* The same of what presses there: springs, or constraints with the forces that stand. */
static void append_presses(friction *s, const double *q, double weight)
{
    const vv_presses *p = s->presses;
    if (p->count == 0 || !vv_contact_place(&s->def, q))
        return;
    for (int i = 0; i < p->count && s->count < s->capacity; i++) {
        double x[3], n[3];
        const double mu = vv_presses_coefficient(p, i), limit = mu > 0 ? mu * vv_presses_normal(p, i, q, x, n) : 0;
        if (!(limit > 0))
            continue;
        slide *c = next(s, p->pair[i].vertex, weight * limit, n);
        take_place(c, vv_contact_frame(&s->def, p->pair[i].obstacle), x);
    }
}

/* By vertices, within each in the order in which they were appended. */
static void sort(friction *s)
{
    const int n = s->def.vertices->count;
    for (int v = 0; v < n; v++)
        s->first[v + 1] += s->first[v];
    for (size_t i = 0; i < s->count; i++)
        s->order[s->first[s->slides[i].vertex]++] = i;
    for (int v = n; v > 0; v--) /* each has moved on to where the next begins */
        s->first[v] = s->first[v - 1];
    s->first[0] = 0;
}

static void lag_sum(vv_energy *e, const vv_parallel *par, const vv_lag_place *place, int places)
{
    (void)par;
    friction *s = (friction *)e;
    s->count = 0;
    memset(s->first, 0, ((size_t)s->def.vertices->count + 1) * sizeof *s->first);
    for (int i = 0; i < places; i++)
        (s->presses ? append_presses : append)(s, place[i].x, place[i].weight);
    sort(s);
}

static void lag(vv_energy *e, const vv_parallel *par, const double *q, const double *velocity, double h)
{
    (void)velocity, (void)h;
    const vv_presses *p = ((friction *)e)->presses;
    /* what constraints press with is not known before the solve: the forces of the last step are not state */
    lag_sum(e, par, &(vv_lag_place){ q, 1 }, !p || p->law ? 1 : 0);
}

/* Tangential velocity of a contact; returns its length. */
static double tangential(const friction *s, const slide *c, const double *v, double u[3])
{
    vv_vertex_position(s->def.vertices, c->vertex, v, u);
    for (size_t i = 0; c->node >= 0 && i < 4; i++)
        for (size_t k = 0; k < 3; k++)
            u[k] -= c->w[i] * v[3 * ((size_t)c->node + i) + k];
    return vv_slip_of(c->n, c->shift, u);
}

static double value(const vv_energy *e, const vv_parallel *par, const double *v, double *per_body)
{
    (void)par;
    (void)per_body;
    const friction *s = (const friction *)e;
    double sum = 0, u[3];
    for (size_t i = 0; i < s->count; i++) {
        slide *c = s->slides + i;
        sum += c->limit * vv_slip_potential(tangential(s, c, v, u), c->eps);
        vv_slip_try(&c->slip, c->eps, u);
    }
    return sum;
}

static void derivatives(const vv_energy *e, const vv_parallel *par, const double *v, double scale, vv_hessian_mode mode,
                        double *g, const vv_block_target *to)
{
    (void)par;
    const friction *s = (const friction *)e;
    const vv_vertices *vs = s->def.vertices;
    double u[3];
    if (mode == VV_HESSIAN_REST)
        return;
    for (size_t i = 0; i < s->count; i++) {
        slide *c = s->slides + i;
        double pull = vv_slip_pull(tangential(s, c, v, u), c->eps);
        if (g)
            for (int k = vs->start[c->vertex]; k < vs->start[c->vertex + 1]; k++)
                for (int r = 0; r < 3; r++)
                    g[3 * (size_t)vs->node[k] + r] += scale * vs->weight[k] * c->limit * pull * u[r];
        for (size_t k = 0; g && c->node >= 0 && k < 4; k++)
            for (size_t r = 0; r < 3; r++)
                g[3 * ((size_t)c->node + k) + r] -= scale * c->w[k] * c->limit * pull * u[r];
        if (!to)
            continue;
        double block[9];
        vv_slip_hessian(&c->slip, c->eps, u, c->n, mode, block);
        for (int k = vs->start[c->vertex]; k < vs->start[c->vertex + 1]; k++)
            for (int l = k; l < vs->start[c->vertex + 1]; l++) {
                double w = scale * c->limit * vs->weight[k] * vs->weight[l], weighted[9];
                for (int m = 0; m < 9; m++)
                    weighted[m] = w * block[m];
                vv_bsr_add(to->matrix, to->unknown[vs->node[k]], to->unknown[vs->node[l]], weighted);
            }
    }
}

/* ---- one node at a time, for block descent ---- */

static vvStatus prepare_nodes(const vv_energy *e, const vv_node_order *order, void **data, vvError *error)
{
    return vv_vertex_items_create(((const friction *)e)->def.vertices, order, data, error);
}

/* As `tangential`, at a place of a batch. */
static double slides_at(const slide *c, const vv_vertex_place *p, const double *v, double u[3])
{
    memcpy(u, p->x, sizeof p->x);
    for (size_t i = 0; c->node >= 0 && i < 4; i++)
        for (size_t k = 0; k < 3; k++)
            u[k] -= c->w[i] * v[4 * ((size_t)c->node + i) + k];
    return vv_slip_of(c->n, c->shift, u);
}

/* With the slope of the parabola that touches f0 from above: a step to its minimum never raises R. */
static void node_blocks(const vv_energy *e, const void *data, const vv_node_batch *b)
{
    const friction *s = (const friction *)e;
    const vv_node_items *items = data;
    for (int j = b->begin; j < b->end; j++)
        for (int i = items->start[j]; i < items->start[j + 1]; i++) {
            if (vv_vertex_again(b, items, i))
                continue;
            const vv_vertex_place p = vv_vertex_place_of(s->def.vertices, items, b, i);
            for (size_t k = s->first[p.vertex]; k < s->first[p.vertex + 1]; k++) {
                const slide *c = s->slides + s->order[k];
                double u[3], g[3], h[9];
                const double pull = p.weight * c->limit * vv_slip_pull(slides_at(c, &p, b->x, u), c->eps);
                for (int m = 0; m < 3; m++) {
                    g[m] = pull * u[m];
                    for (int n = 0; n < 3; n++)
                        h[3 * m + n] = p.weight * pull * ((m == n) - c->n[m] * c->n[n]);
                }
                vv_vertex_add(s->def.vertices, b, j, items->lane[i], p.vertex, g, h);
            }
        }
}

static void node_values(const vv_energy *e, const void *data, const vv_node_batch *b)
{
    const friction *s = (const friction *)e;
    const vv_node_items *items = data;
    for (int j = b->begin; j < b->end; j++)
        for (int i = items->start[j]; i < items->start[j + 1]; i++) {
            if (vv_vertex_again(b, items, i))
                continue;
            const vv_vertex_place p = vv_vertex_place_of(s->def.vertices, items, b, i);
            double u[3];
            for (size_t k = s->first[p.vertex]; k < s->first[p.vertex + 1]; k++)
                b->values[8 * (j - b->begin) + items->lane[i]] +=
                    b->value * s->slides[s->order[k]].limit *
                    vv_slip_potential(slides_at(s->slides + s->order[k], &p, b->x, u), s->slides[s->order[k]].eps);
        }
}

static const vv_node_ops node_ops = { prepare_nodes, NULL, node_blocks, node_values, NULL };

/* ---- what sticks ---- */

static void give(vv_energy *e, const double *before, const double *after)
{
    const friction *s = (const friction *)e;
    vv_stick *stick = s->def.stick;
    for (size_t i = 0; i < s->count; i++) {
        const slide *c = s->slides + i;
        double d[3], old[3];
        vv_vertex_position(s->def.vertices, c->vertex, after, d);
        vv_vertex_position(s->def.vertices, c->vertex, before, old);
        for (size_t k = 0; k < 3; k++) {
            d[k] -= old[k];
            for (size_t n = 0; c->node >= 0 && n < 4; n++) {
                const size_t at = 3 * ((size_t)c->node + n) + k;
                d[k] -= c->w[n] * (after[at] - before[at]);
            }
            d[k] /= stick->h;
        }
        vv_stick_shorten(vv_slip_of(c->n, c->shift, d), c->eps, stick->h, d);
        vv_stick_give(stick, c->vertex, c->limit, d);
    }
}

static void destroy(vv_energy *e)
{
    vv_free(((friction *)e)->slides);
    vv_free(((friction *)e)->order);
    vv_free(((friction *)e)->first);
    vv_free(e);
}

/* no pattern: the barrier announces the same couplings */
static const vv_energy_ops ops = { .info = { "friction",
                                             "lagged smoothed Coulomb friction against analytic obstacles" },
                                   .row = VV_ROW_CONTACT,
                                   .instead = "let friction act after the solve (contact.friction_when after)",
                                   .value = value,
                                   .derivatives = derivatives,
                                   .give = give,
                                   .lag = lag,
                                   .lag_sum = lag_sum,
                                   .nodes = &node_ops,
                                   .destroy = destroy };

vvStatus vv_friction_create(const vv_barrier_def *def, const vv_presses *presses, vv_energy **out, vvError *error)
{
    friction *s = vv_alloc(1, sizeof *s);
    if (!s)
        return vv_fail_memory(error, "friction");
    s->base.ops = &ops;
    /* a vertex embedded in several nodes may push one of them on while it holds back others; so does an obstacle that
     * moves */
    s->base.mutual = def->vertices->start[def->vertices->count] > def->vertices->count || def->frames;
    s->def = *def, s->presses = presses;
    s->capacity = (size_t)def->vertices->count * (size_t)def->obstacle_count * VV_MAX_SAMPLES;
    s->slides = vv_alloc(s->capacity, sizeof *s->slides);
    s->order = vv_alloc(s->capacity, sizeof *s->order);
    s->first = vv_alloc((size_t)def->vertices->count + 1, sizeof *s->first);
    if (!s->slides || !s->order || !s->first) {
        destroy(&s->base);
        return vv_fail_memory(error, "friction");
    }
    *out = &s->base;
    return VV_OK;
}

void vv_friction_set_stiffness(vv_energy *e, double stiffness) { ((friction *)e)->def.stiffness = stiffness; }
