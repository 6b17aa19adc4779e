/* Smoothed Coulomb friction with lagged normal forces and normals (IPC, Li et al. 2020 §5; theory §5.7), as a dissipation
 * potential of the velocity:
 *   R(v) = sum_c mu lambda f0(|u|),  u = (I - n n^T) v_c,  f0' = f1(y) = 2y - y^2 for y = |u| / eps_v < 1, else 1.
 * lambda and n come from the positions of the last `lag` (normally q_n). */
#include "base/error.h"
#include "base/memory.h"
#include "base/vec.h"
#include "contact/barrier.h"

typedef struct slide {
    int vertex;
    double n[3];
    double limit; /* mu lambda, N */
} slide;

typedef struct friction {
    vv_energy base;
    vv_barrier_def def;
    slide *slides; /* room for every vertex against every obstacle: a step never allocates */
    size_t count, capacity;
} friction;

static double coefficient(const vv_barrier_def *def, int v, const vv_obstacle *obstacle)
{
    return vv_obstacle_friction(obstacle, def->vertices->friction[v], def->friction);
}

static void lag(vv_energy *e, const vv_parallel *par, const double *q, const double *velocity, double h)
{
    (void)par;
    (void)velocity;
    (void)h;
    friction *s = (friction *)e;
    const vv_barrier_def *def = &s->def;
    s->count = 0;
    for (int v = 0; v < def->vertices->count; v++) {
        double x[3], b[3];
        vv_vertex_position(def->vertices, v, q, x);
        for (int o = 0; o < def->obstacle_count; o++) {
            const vv_obstacle *obstacle = def->obstacles + o;
            if (!vv_contact_touches(def, v, o))
                continue;
            double mu = coefficient(def, v, obstacle);
            double d = vv_contact_gap(def, v, o, x, NULL, NULL);
            if (mu <= 0 || d >= def->distance || s->count >= s->capacity)
                continue;
            slide *c = s->slides + s->count++;
            c->vertex = v;
            vv_contact_gap(def, v, o, x, c->n, NULL);
            vv_barrier(d / def->distance, b);
            c->limit = mu * def->stiffness * def->vertices->area[v] * -b[1];
        }
    }
}

/* Tangential velocity of a contact; returns its length. */
static double tangential(const friction *s, const slide *c, const double *v, double u[3])
{
    vv_vertex_position(s->def.vertices, c->vertex, v, u);
    double normal = vv_dot(u, c->n);
    for (int k = 0; k < 3; k++)
        u[k] -= normal * c->n[k];
    return vv_norm(u);
}

static double value(const vv_energy *e, const vv_parallel *par, const double *v, double *per_body)
{
    (void)par;
    (void)per_body;
    const friction *s = (const friction *)e;
    double sum = 0, eps = s->def.friction_speed, u[3];
    for (size_t i = 0; i < s->count; i++) {
        double speed = tangential(s, s->slides + i, v, u), y = speed / eps;
        sum += s->slides[i].limit * (y < 1 ? eps * y * y * (1 - y / 3) : speed - eps / 3);
    }
    return sum;
}

static void derivatives(const vv_energy *e, const vv_parallel *par, const double *v, double scale, vv_hessian_mode mode,
                        double *g, const vv_block_target *to)
{
    (void)par;
    const friction *s = (const friction *)e;
    const vv_vertices *vs = s->def.vertices;
    double eps = s->def.friction_speed, u[3];
    if (mode == VV_HESSIAN_REST)
        return;
    for (size_t i = 0; i < s->count; i++) {
        const slide *c = s->slides + i;
        double speed = tangential(s, c, v, u), y = speed / eps;
        double over = y < 1 ? (2 - y) / eps : 1 / speed; /* f1 / |u| */
        double slope = mode == VV_HESSIAN_MAJORIZER ? over : y < 1 ? (2 - 2 * y) / eps : 0; /* f1' */
        if (g)
            for (int k = vs->start[c->vertex]; k < vs->start[c->vertex + 1]; k++)
                for (int r = 0; r < 3; r++)
                    g[3 * (size_t)vs->node[k] + r] += scale * vs->weight[k] * c->limit * over * u[r];
        if (!to)
            continue;
        double block[9];
        for (int r = 0; r < 3; r++)
            for (int q = 0; q < 3; q++) {
                double along = speed > 0 ? u[r] * u[q] / (speed * speed) : 0;
                block[3 * r + q] = over * ((r == q) - c->n[r] * c->n[q]) + (slope - over) * along;
            }
        for (int k = vs->start[c->vertex]; k < vs->start[c->vertex + 1]; k++)
            for (int l = k; l < vs->start[c->vertex + 1]; l++) {
                double w = scale * c->limit * vs->weight[k] * vs->weight[l], weighted[9];
                for (int m = 0; m < 9; m++)
                    weighted[m] = w * block[m];
                vv_bsr_add(to->matrix, to->unknown[vs->node[k]], to->unknown[vs->node[l]], weighted);
            }
    }
}

static void destroy(vv_energy *e)
{
    vv_free(((friction *)e)->slides);
    vv_free(e);
}

/* no pattern: the barrier announces the same couplings */
static const vv_energy_ops ops = { .info = { "friction", "lagged smoothed Coulomb friction against analytic obstacles" },
                                   .row = VV_ROW_CONTACT, .value = value, .derivatives = derivatives, .lag = lag,
                                   .destroy = destroy };

vvStatus vv_friction_create(const vv_barrier_def *def, vv_energy **out, vvError *error)
{
    friction *s = vv_alloc(1, sizeof *s);
    if (!s)
        return vv_fail_memory(error, "friction");
    s->base.ops = &ops;
    /* a vertex embedded in several nodes may push one of them on while it holds back others */
    s->base.mutual = def->vertices->start[def->vertices->count] > def->vertices->count;
    s->def = *def;
    s->capacity = (size_t)def->vertices->count * (size_t)def->obstacle_count;
    s->slides = vv_alloc(s->capacity, sizeof *s->slides);
    if (!s->slides) {
        vv_free(s);
        return vv_fail_memory(error, "friction");
    }
    *out = &s->base;
    return VV_OK;
}
