/* FEPR's iteration for groups of bodies: sums over nodes, and the constraints that follow from them. */
#include "step/projection/projection.h"

#include "base/vec.h"

/* ---- sums ---- */

typedef struct sum_job {
    const vv_stepper *s;
    vv_projection *p;
    const vv_projection_state *at;
} sum_job;

static void add_outer(double m, const double a[3], double out[6])
{
    out[0] += m * a[0] * a[0], out[1] += m * a[0] * a[1], out[2] += m * a[0] * a[2];
    out[3] += m * a[1] * a[1], out[4] += m * a[1] * a[2], out[5] += m * a[2] * a[2];
}

static void add_gradient(double m, const double *g, const double w[3], vv_projection_sums *t)
{
    t->gg += vv_dot(g, g) / m;
    t->gw[0] += g[1] * w[2] - g[2] * w[1];
    t->gw[1] += g[2] * w[0] - g[0] * w[2];
    t->gw[2] += g[0] * w[1] - g[1] * w[0];
    for (int k = 0; k < 3; k++)
        t->g[k] += g[k];
}

static void sum_piece(void *arg, int i)
{
    const sum_job *job = arg;
    const vv_system *y = job->s->system;
    const vv_projection_piece *piece = job->p->piece + i;
    const int group = job->p->group_of[piece->body];
    const vv_projection_group *g = job->p->groups + (group < 0 ? 0 : group);
    vv_projection_sums t = { 0 };
    for (int n = piece->begin; group >= 0 && n < piece->end; n++) {
        const size_t j = 3 * (size_t)n;
        const double m = y->mass[n], *q = job->at->q + j, *v = job->at->v + j, square = m * vv_dot(v, v);
        t.square += square;
        if (y->unknown[n] < 0)
            continue;
        const double r[3] = { q[0] - g->origin[0], q[1] - g->origin[1], q[2] - g->origin[2] };
        const double w[3] = { v[0] - g->drift[0], v[1] - g->drift[1], v[2] - g->drift[2] };
        t.mass += m;
        t.vv += square;
        t.rw[0] += m * (r[1] * w[2] - r[2] * w[1]);
        t.rw[1] += m * (r[2] * w[0] - r[0] * w[2]);
        t.rw[2] += m * (r[0] * w[1] - r[1] * w[0]);
        for (int k = 0; k < 3; k++) {
            t.r[k] += m * r[k];
            t.w[k] += m * w[k];
        }
        add_outer(m, r, t.rr);
        add_outer(m, w, t.ww);
        if (job->at->gradient)
            add_gradient(m, job->at->gradient + j, w, &t);
        if (job->at->dq)
            t.along += vv_dot(job->at->gradient + j, job->at->dq + j) + m * vv_dot(v, job->at->dv + j);
    }
    job->p->partial[i] = t;
}

void vv_projection_sum(const vv_stepper *s, vv_projection *p, const vv_projection_state *at)
{
    sum_job job = { s, p, at };
    vv_for(&s->system->par, p->pieces, sum_piece, &job);
    for (int b = 0; b < s->bodies; b++)
        p->groups[b].sums = (vv_projection_sums){ 0 };
    for (int i = 0; i < p->pieces; i++) { /* in their order: the same bits for any number of threads */
        const int group = p->group_of[p->piece[i].body];
        double *to = (double *)&p->groups[group < 0 ? 0 : group].sums;
        const double *from = (const double *)(p->partial + i);
        for (size_t k = 0; group >= 0 && k < sizeof *p->partial / sizeof *to; k++)
            to[k] += from[k];
    }
}

/* ---- constraints ---- */

void vv_projection_means(const vv_projection_group *g, double r[3], double w[3])
{
    const double part = g->held || !(g->sums.mass > 0) ? 0 : 1 / g->sums.mass;
    for (int k = 0; k < 3; k++) {
        r[k] = part * g->sums.r[k];
        w[k] = part * g->sums.w[k];
    }
}

void vv_projection_momenta(const vv_projection_group *g, double p[3], double l[3], double centre[3])
{
    const vv_projection_sums *t = &g->sums;
    double r[3], w[3], orbital[3];
    vv_projection_means(g, r, w);
    vv_cross(r, t->w, orbital);
    for (int k = 0; k < 3; k++) {
        p[k] = t->w[k] + t->mass * g->drift[k];
        l[k] = t->rw[k] - orbital[k];
        centre[k] = g->origin[k] + (t->mass > 0 ? t->r[k] / t->mass : 0);
    }
}

void vv_projection_units(const vv_projection_group *g, double out[VV_CONSTRAINTS])
{
    const double p = sqrt(2 * g->sums.mass * g->scale), l = p * g->radius;
    out[0] = g->scale > 0 ? 1 / g->scale : 0;
    for (int k = 1; k < 4; k++) {
        out[k] = p > 0 ? 1 / p : 0;
        out[k + 3] = l > 0 ? 1 / l : 0;
    }
}

void vv_projection_reduce(const vv_projection_group *g, const double six[VV_MOMENTA], double *out)
{
    for (int k = 0; k < g->kept; k++)
        out[k] = vv_dot(g->basis[k], six) + vv_dot(g->basis[k] + 3, six + 3);
}

void vv_projection_expand(const vv_projection_group *g, const double *kept, double six[VV_MOMENTA])
{
    for (int i = 0; i < VV_MOMENTA; i++) {
        six[i] = 0;
        for (int k = 0; k < g->kept; k++)
            six[i] += g->basis[k][i] * kept[k];
    }
}

void vv_projection_constraints(vv_projection_group *g, bool absolute)
{
    double p[3], l[3], centre[3], unit[VV_CONSTRAINTS], momenta[VV_MOMENTA], left[VV_MOMENTA];
    vv_projection_units(g, unit);
    vv_projection_momenta(g, p, l, centre);
    for (int k = 0; k < 3; k++) {
        momenta[k] = unit[k + 1] * (p[k] - g->p[k] - g->s * g->free_p[k]);
        momenta[k + 3] = unit[k + 4] * (l[k] - g->l[k] - g->t * g->free_l[k]);
    }
    g->c[0] = unit[0] * g->excess;
    vv_projection_reduce(g, momenta, g->c + 1);
    vv_projection_expand(g, g->c + 1, left);
    g->off = !g->energy ? 0 : absolute ? fabs(g->excess) : fabs(g->c[0]);
    for (int k = 0; k < VV_MOMENTA; k++)
        g->off += absolute ? unit[k + 1] > 0 ? fabs(left[k]) / unit[k + 1] : 0 : fabs(left[k]);
    for (int k = 0; k < 3; k++) {
        g->shift[k] = g->placed && g->move ? g->centre[k] - centre[k] : 0;
        if (g->radius > 0) /* what it would change of L about a point at rest */
            g->off += fabs(g->shift[k]) / g->radius * (absolute && unit[k + 4] > 0 ? 1 / unit[k + 4] : 1);
    }
}
