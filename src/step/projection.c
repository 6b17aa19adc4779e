/* FEPR's iteration for groups of bodies: sums over nodes, the 7x7 Schur complement, its direction. */
#include "step/projection.h"

#include "base/eigen.h"
#include "base/vec.h"

#include <string.h>

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

/* mean r and mean w: what arms and velocities are counted from besides the reference */
static void means(const vv_projection_group *g, double r[3], double w[3])
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
    means(g, r, w);
    vv_cross(r, t->w, orbital);
    for (int k = 0; k < 3; k++) {
        p[k] = t->w[k] + t->mass * g->drift[k];
        l[k] = t->rw[k] - orbital[k];
        centre[k] = g->origin[k] + (t->mass > 0 ? t->r[k] / t->mass : 0);
    }
}

/* 1 / unit of a row: with energies of `scale`, momenta are sqrt(2 m scale), angular momenta that times the radius. */
static void units(const vv_projection_group *g, double out[VV_CONSTRAINTS])
{
    const double p = sqrt(2 * g->sums.mass * g->scale), l = p * g->radius;
    out[0] = g->scale > 0 ? 1 / g->scale : 0;
    for (int k = 1; k < 4; k++) {
        out[k] = p > 0 ? 1 / p : 0;
        out[k + 3] = l > 0 ? 1 / l : 0;
    }
}

/* The momenta that are kept, of all six; and back. */
static void reduce(const vv_projection_group *g, const double six[VV_MOMENTA], double *out)
{
    for (int k = 0; k < g->kept; k++)
        out[k] = vv_dot(g->basis[k], six) + vv_dot(g->basis[k] + 3, six + 3);
}

static void expand(const vv_projection_group *g, const double *kept, double six[VV_MOMENTA])
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
    units(g, unit);
    vv_projection_momenta(g, p, l, centre);
    for (int k = 0; k < 3; k++) {
        momenta[k] = unit[k + 1] * (p[k] - g->p[k] - g->s * g->free_p[k]);
        momenta[k + 3] = unit[k + 4] * (l[k] - g->l[k] - g->t * g->free_l[k]);
    }
    g->c[0] = unit[0] * g->excess;
    reduce(g, momenta, g->c + 1);
    expand(g, g->c + 1, left);
    g->off = !g->energy ? 0 : absolute ? fabs(g->excess) : fabs(g->c[0]);
    for (int k = 0; k < VV_MOMENTA; k++)
        g->off += absolute ? unit[k + 1] > 0 ? fabs(left[k]) / unit[k + 1] : 0 : fabs(left[k]);
    for (int k = 0; k < 3; k++) {
        g->shift[k] = g->placed && g->move ? g->centre[k] - centre[k] : 0;
        if (g->radius > 0) /* what it would change of L about a point at rest */
            g->off += fabs(g->shift[k]) / g->radius * (absolute && unit[k + 4] > 0 ? 1 / unit[k + 4] : 1);
    }
}

/* ---- the Schur complement ---- */

static double entry(const double six[6], int i, int j)
{
    static const int place[3][3] = { { 0, 1, 2 }, { 1, 3, 4 }, { 2, 4, 5 } };
    return six[place[i][j]];
}

/* out += scale sum m (|x|^2 1 - x x^T) from the sums, x counted from its mean */
static void add_inertia(const double xx[6], const double sum[3], const double mean[3], double scale, double *out)
{
    double trace = 0, about[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            about[3 * i + j] = entry(xx, i, j) - sum[i] * mean[j];
    trace = about[0] + about[4] + about[8];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out[VV_CONSTRAINTS * i + j] += scale * ((i == j ? trace : 0) - about[3 * i + j]);
}

static void add_outer_at(double scale, const double x[3], double *out)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out[VV_CONSTRAINTS * i + j] += scale * x[i] * x[j];
}

/* grad c^T D^-1 grad c, D = (M, h^2 M, epsilon, epsilon); in SI units */
static void schur(const vv_projection_group *g, double h, double a[VV_CONSTRAINTS * VV_CONSTRAINTS])
{
    const vv_projection_sums *t = &g->sums;
    const double ih2 = 1 / (h * h), q = g->move ? 1 : 0;
    double r[3], w[3], p[3], l[3], centre[3], turned[3], arms[3], with_drift[3], e[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    means(g, r, w);
    vv_projection_momenta(g, p, l, centre);
    memset(a, 0, VV_CONSTRAINTS * VV_CONSTRAINTS * sizeof *a);
    a[0] = q * t->gg + ih2 * t->vv;
    vv_cross(t->g, w, turned);
    for (int k = 0; k < 3; k++)
        arms[k] = t->r[k] - t->mass * r[k]; /* sum m rho */
    vv_cross(arms, g->drift, with_drift);
    for (int k = 0; k < 3; k++) {
        a[1 + k] = a[VV_CONSTRAINTS * (1 + k)] = ih2 * p[k];
        a[4 + k] = a[VV_CONSTRAINTS * (4 + k)] = q * (t->gw[k] - turned[k]) + ih2 * (l[k] + with_drift[k]);
        a[(VV_CONSTRAINTS + 1) * (1 + k)] = ih2 * t->mass;
        double column[3];
        vv_cross(e[k], arms, column); /* of dP/dL: e_k x sum m rho */
        for (int j = 0; j < 3; j++)
            a[VV_CONSTRAINTS * (1 + j) + 4 + k] = a[VV_CONSTRAINTS * (4 + k) + 1 + j] = ih2 * column[j];
    }
    add_inertia(t->ww, t->w, w, q, a + VV_CONSTRAINTS * 4 + 4);
    add_inertia(t->rr, t->r, r, ih2, a + VV_CONSTRAINTS * 4 + 4);
    if (g->weight > 0) {
        add_outer_at(1 / g->weight, g->free_p, a + VV_CONSTRAINTS + 1);
        add_outer_at(1 / g->weight, g->free_l, a + VV_CONSTRAINTS * 4 + 4);
    }
}

/* In units of c, of H and the momenta that are kept: (1 + kept)^2. */
static void scale_and_reduce(const vv_projection_group *g, const double unit[VV_CONSTRAINTS], const double *a, double *out)
{
    const int rows = 1 + g->kept;
    double scaled[VV_CONSTRAINTS][VV_CONSTRAINTS], half[VV_CONSTRAINTS][VV_CONSTRAINTS];
    for (int i = 0; i < VV_CONSTRAINTS; i++)
        for (int j = 0; j < VV_CONSTRAINTS; j++)
            scaled[i][j] = a[VV_CONSTRAINTS * i + j] * unit[i] * unit[j];
    for (int i = 0; i < VV_CONSTRAINTS; i++) { /* columns first; the matrix is symmetric */
        half[0][i] = scaled[i][0];
        double column[VV_MOMENTA];
        reduce(g, scaled[i] + 1, column);
        for (int k = 0; k < g->kept; k++)
            half[1 + k][i] = column[k];
    }
    for (int k = 0; k < rows; k++) {
        out[rows * k] = half[k][0];
        reduce(g, half[k] + 1, out + rows * k + 1);
    }
}

/* Eigenvalues below this part of the largest, with all diagonal entries 1, are directions that do not exist: rigid turns of a line, the
 * energy where it is stationary at these momenta. */
static const double RANK = 1e-11;

/* x = A^+ c, rows^2, without rows that are nothing but rounding, and without that of H where it does not count. False: x = 0. */
static bool solve(int rows, const double *a, const double *c, bool energy, double x[VV_CONSTRAINTS])
{
    double scaled[VV_CONSTRAINTS * VV_CONSTRAINTS], root[VV_CONSTRAINTS], value[VV_CONSTRAINTS], vector[VV_CONSTRAINTS * VV_CONSTRAINTS];
    double most = 0, momenta = 0;
    bool any = false;
    for (int i = 1; i < rows; i++)
        momenta = fmax(momenta, a[(rows + 1) * i]);
    for (int i = 0; i < rows; i++) {
        const double diagonal = a[(rows + 1) * i];
        root[i] = (i == 0 ? energy && diagonal > 0 : diagonal > 1e-13 * momenta) ? 1 / sqrt(diagonal) : 0;
        x[i] = 0;
    }
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < rows; j++)
            scaled[rows * i + j] = root[i] * a[rows * i + j] * root[j];
    vv_eigen_small(rows, scaled, value, vector);
    for (int k = 0; k < rows; k++)
        most = fmax(most, value[k]);
    for (int k = 0; k < rows; k++) {
        double along = 0;
        if (!(value[k] > RANK * most))
            continue;
        for (int i = 0; i < rows; i++)
            along += vector[rows * k + i] * root[i] * c[i];
        for (int i = 0; i < rows; i++)
            x[i] += root[i] * vector[rows * k + i] * along / value[k];
        any = any || along != 0;
    }
    return any;
}

/* ---- the direction ---- */

bool vv_projection_direct(vv_projection_group *g, double h)
{
    double full[VV_CONSTRAINTS * VV_CONSTRAINTS], a[VV_CONSTRAINTS * VV_CONSTRAINTS], unit[VV_CONSTRAINTS], x[VV_CONSTRAINTS];
    double c[VV_CONSTRAINTS], kept[VV_MOMENTA];
    units(g, unit);
    schur(g, h, full);
    scale_and_reduce(g, unit, full, a);
    memcpy(c, g->c, sizeof c);
    c[0] += unit[0] * vv_dot(g->sums.g, g->shift); /* what putting the centre in its place does to H */
    bool any = solve(1 + g->kept, a, c, g->energy, x);
    expand(g, x + 1, kept);
    g->lambda[0] = unit[0] * x[0];
    for (int k = 0; k < VV_MOMENTA; k++)
        g->lambda[k + 1] = unit[k + 1] * kept[k];
    g->ds = g->weight > 0 ? vv_dot(g->free_p, g->lambda + 1) / g->weight : 0;
    g->dt = g->weight > 0 ? vv_dot(g->free_l, g->lambda + 4) / g->weight : 0;
    return any || vv_dot(g->shift, g->shift) > 0;
}

void vv_projection_at(const vv_projection_group *g, double h, double mass, const double *q, const double *v, const double *gradient,
                      double dq[3], double dv[3])
{
    const double ih2 = 1 / (h * h), *l = g->lambda + 4;
    double r[3], w[3], turn_q[3], turn_v[3];
    means(g, r, w);
    for (int k = 0; k < 3; k++) {
        r[k] = q[k] - g->origin[k] - r[k];
        w[k] = v[k] - g->drift[k] - w[k];
    }
    vv_cross(w, l, turn_q);
    vv_cross(l, r, turn_v);
    for (int k = 0; k < 3; k++) {
        dq[k] = g->move ? g->shift[k] - g->lambda[0] * gradient[k] / mass - turn_q[k] : 0;
        dv[k] = -ih2 * (g->lambda[0] * v[k] + g->lambda[1 + k] + turn_v[k]);
    }
}
