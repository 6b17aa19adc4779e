/* FEPR's iteration for groups of bodies: the 7x7 Schur complement, and the step of a group (theory §3.10).
 *
 * An iteration is the paper's, to first order. It is corrected to second order where the curvature of H along the
 * last direction is known, and in a chain of directions that do not reach T each is conjugate to the last one.
 * Velocities alone have a closed form. */
#include "step/projection/projection.h"

#include "base/eigen.h"
#include "base/vec.h"

#include <string.h>

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

/* grad c^T D^-1 grad c, D = (M, h^2 M, epsilon, epsilon), without the first where nodes do not move, and the last; in
 * SI units */
static void schur(const vv_projection_group *g, double h, bool move, double weight,
                  double a[VV_CONSTRAINTS * VV_CONSTRAINTS])
{
    const vv_projection_sums *t = &g->sums;
    const double ih2 = 1 / (h * h), q = move ? 1 : 0;
    double r[3], w[3], p[3], l[3], centre[3], turned[3], arms[3], with_drift[3],
        e[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    vv_projection_means(g, r, w);
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
    if (weight > 0) {
        add_outer_at(1 / weight, g->free_p, a + VV_CONSTRAINTS + 1);
        add_outer_at(1 / weight, g->free_l, a + VV_CONSTRAINTS * 4 + 4);
    }
}

/* In units of c, of H and the momenta that are kept: (1 + kept)^2. */
static void scale_and_reduce(const vv_projection_group *g, const double unit[VV_CONSTRAINTS], const double *a,
                             double *out)
{
    const int rows = 1 + g->kept;
    double scaled[VV_CONSTRAINTS][VV_CONSTRAINTS], half[VV_CONSTRAINTS][VV_CONSTRAINTS];
    for (int i = 0; i < VV_CONSTRAINTS; i++)
        for (int j = 0; j < VV_CONSTRAINTS; j++)
            scaled[i][j] = a[VV_CONSTRAINTS * i + j] * unit[i] * unit[j];
    for (int i = 0; i < VV_CONSTRAINTS; i++) { /* columns first; the matrix is symmetric */
        half[0][i] = scaled[i][0];
        double column[VV_MOMENTA];
        vv_projection_reduce(g, scaled[i] + 1, column);
        for (int k = 0; k < g->kept; k++)
            half[1 + k][i] = column[k];
    }
    for (int k = 0; k < rows; k++) {
        out[rows * k] = half[k][0];
        vv_projection_reduce(g, half[k] + 1, out + rows * k + 1);
    }
}

/* Eigenvalues below this part of the largest, with all diagonal entries 1, are directions that do not exist: rigid
 * turns of a line, the energy where it is stationary at these momenta. */
static const double RANK = 1e-11;
/* H is stationary where its row has that much of such a direction. */
static const double LOST = 1e-3;

typedef struct inverse {
    int rows;
    double root[VV_CONSTRAINTS], value[VV_CONSTRAINTS], vector[VV_CONSTRAINTS * VV_CONSTRAINTS];
    double least, lost; /* eigenvalues below are 0; what of the first row is in their vectors */
} inverse;

/* Of a, rows^2, without rows that are nothing but rounding, and without that of H where it does not count. */
static void invert(int rows, const double *a, bool energy, inverse *v)
{
    double scaled[VV_CONSTRAINTS * VV_CONSTRAINTS], momenta = 0, most = 0;
    v->rows = rows;
    v->lost = 0;
    for (int i = 1; i < rows; i++)
        momenta = fmax(momenta, a[(rows + 1) * i]);
    for (int i = 0; i < rows; i++) {
        const double diagonal = a[(rows + 1) * i];
        v->root[i] = (i == 0 ? energy && diagonal > 0 : diagonal > 1e-13 * momenta) ? 1 / sqrt(diagonal) : 0;
    }
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < rows; j++)
            scaled[rows * i + j] = v->root[i] * a[rows * i + j] * v->root[j];
    vv_eigen_small(rows, scaled, v->value, v->vector);
    for (int k = 0; k < rows; k++)
        most = fmax(most, v->value[k]);
    v->least = RANK * most;
    for (int k = 0; k < rows; k++)
        if (!(v->value[k] > v->least))
            v->lost += v->vector[rows * k] * v->vector[rows * k];
}

/* x = A^+ c. False: x = 0. */
static bool solve(const inverse *v, const double *c, double x[VV_CONSTRAINTS])
{
    bool any = false;
    for (int i = 0; i < v->rows; i++)
        x[i] = 0;
    for (int k = 0; k < v->rows; k++) {
        double along = 0;
        if (!(v->value[k] > v->least))
            continue;
        for (int i = 0; i < v->rows; i++)
            along += v->vector[v->rows * k + i] * v->root[i] * c[i];
        for (int i = 0; i < v->rows; i++)
            x[i] += v->root[i] * v->vector[v->rows * k + i] * along / v->value[k];
        any = any || along != 0;
    }
    return any;
}

static double product(int rows, const double *x, const double *y)
{
    double sum = 0;
    for (int i = 0; i < rows; i++)
        sum += x[i] * y[i];
    return sum;
}

/* What the direction counts arms and velocities from. */
static void set_middle(vv_projection_group *g)
{
    double r[3], w[3];
    vv_projection_means(g, r, w);
    for (int k = 0; k < 3; k++) {
        g->middle[k] = g->origin[k] + r[k];
        g->flow[k] = g->drift[k] + w[k];
    }
}

/* ---- velocities alone ---- */

/* With G = A M^-1 A^T of the momenta A v: what moves with them, and what the wanted ones need at least. Row 0 is H's,
 * and 0. */
typedef struct kinetic {
    double now[VV_CONSTRAINTS], wanted[VV_CONSTRAINTS]; /* G^-1 A v, G^-1 of the wanted ones */
    /* J: beyond 1/2 (A v) G^-1 (A v); 1/2 of the wanted ones likewise */
    double vibrates, least;
} kinetic;

static void find_kinetic(const vv_projection_group *g, const double unit[VV_CONSTRAINTS], kinetic *k)
{
    const int rows = 1 + g->kept;
    double full[VV_CONSTRAINTS * VV_CONSTRAINTS], a[VV_CONSTRAINTS * VV_CONSTRAINTS], have[VV_CONSTRAINTS] = { 0 },
                                                                                      want[VV_CONSTRAINTS] = { 0 };
    double momenta[VV_MOMENTA], centre[3];
    inverse v;
    schur(g, 1, false, 0, full);
    scale_and_reduce(g, unit, full, a);
    invert(rows, a, false, &v);
    vv_projection_momenta(g, momenta, momenta + 3, centre);
    for (int i = 0; i < VV_MOMENTA; i++)
        momenta[i] *= unit[i + 1];
    vv_projection_reduce(g, momenta, have + 1);
    for (int i = 1; i < rows; i++)
        want[i] = have[i] - g->c[i];
    solve(&v, have, k->now);
    solve(&v, want, k->wanted);
    k->vibrates = fmax(0.5 * (g->sums.vv - product(rows, have, k->now)), 0);
    k->least = 0.5 * product(rows, want, k->wanted);
}

/* The direction to v = faster (v - R v) + what moves with the wanted momenta. */
static void set_velocities(vv_projection_group *g, double h, const double unit[VV_CONSTRAINTS], const kinetic *k,
                           double faster)
{
    double kept[VV_MOMENTA], momenta[VV_MOMENTA];
    for (int i = 0; i < g->kept; i++)
        kept[i] = h * h * (faster * k->now[i + 1] - k->wanted[i + 1]);
    vv_projection_expand(g, kept, momenta);
    g->lambda[0] = h * h * (1 - faster);
    for (int i = 0; i < VV_MOMENTA; i++)
        g->lambda[i + 1] = unit[i + 1] * momenta[i];
    g->ds = g->dt = g->along_last = 0;
    set_middle(g);
}

/* The turn of what is in contact answers to what pushes it: no more of it is made of lost energy than there is. Adds to
 * the momenta that are kept those of L that are not, as they are. */
static void keep_turn(vv_projection_group *g)
{
    static const double INDEPENDENT = 1e-6; /* what is left of a unit vector */
    for (int axis = 3; axis < VV_MOMENTA && g->kept < VV_MOMENTA; axis++) {
        double *row = g->basis[g->kept], size = 0;
        for (int i = 0; i < VV_MOMENTA; i++)
            row[i] = i == axis;
        for (int k = 0; k < g->kept; k++) {
            const double along = g->basis[k][axis];
            for (int i = 0; i < VV_MOMENTA; i++)
                row[i] -= along * g->basis[k][i];
        }
        for (int i = 0; i < VV_MOMENTA; i++)
            size += row[i] * row[i];
        for (int i = 0; i < VV_MOMENTA; i++)
            row[i] *= size > INDEPENDENT ? 1 / sqrt(size) : 0;
        if (size > INDEPENDENT)
            g->c[++g->kept] = 0;
    }
}

static bool scale(vv_projection_group *g, double h, double least, double most, double fastest)
{
    double unit[VV_CONSTRAINTS];
    kinetic k;
    vv_projection_units(g, unit);
    find_kinetic(g, unit, &k);
    const double left = 0.5 * g->sums.vv - g->excess - k.least;
    if (!(left >= 0 && k.vibrates > RANK * g->sums.vv && left <= fastest * fastest * k.vibrates))
        return false;
    const double faster = sqrt(left / k.vibrates);
    if (faster < least || fabs(faster - 1) > most)
        return false;
    set_velocities(g, h, unit, &k, faster);
    return true;
}

bool vv_projection_scale(vv_projection_group *g, double h, double most, double fastest)
{
    if (g->held || g->kept == VV_MOMENTA)
        return scale(g, h, 0, most, fastest);
    vv_projection_group turning = *g;
    keep_turn(&turning);
    if (scale(&turning, h, 1, most, fastest)) {
        memcpy(turning.basis, g->basis, sizeof g->basis);
        turning.kept = g->kept;
        memcpy(turning.c, g->c, sizeof g->c);
        *g = turning;
        return true;
    }
    return scale(g, h, 0, most, fastest);
}

void vv_projection_kick(vv_projection_group *g, double h, bool least)
{
    double unit[VV_CONSTRAINTS];
    kinetic k;
    vv_projection_units(g, unit);
    find_kinetic(g, unit, &k);
    set_velocities(g, h, unit, &k, least ? 0 : 1);
}

/* ---- the direction ---- */

/* So much of the steepest descent, where H would be E - x steep + x^2 bend square / 2: a root, or the lowest or
 * highest point. */
static double length_of(double energy, double steep, double curve)
{
    const double first = energy / steep, square = steep * steep - 2 * curve * energy;
    if (square >= 0)
        return 2 * energy / (steep + sqrt(square));
    return fabs(steep / curve) < fabs(first) ? steep / curve : first;
}

/* How much of the steepest descent the direction takes, and what it goes on along the last one. */
static void choose_length(vv_projection_group *g, double h, double energy, double vibrates)
{
    const double last = g->steep_last > 0 ? g->steep / g->steep_last : 0;
    /* beta, of the last direction itself */
    const double ahead = g->along_last != 0 && g->length != 0 ? last / g->length : 0;
    const double square = g->steep + ahead * ahead * g->square;
    /* at least that of the velocities */
    const double bend = g->bend != 0 ? g->bend : 2 * vibrates / (h * h * h * h * g->steep);
    g->length = length_of(energy, g->steep, g->plain || (g->weight > 0 && g->bend == 0) ? 0 : bend * square);
    g->along_last = g->length * ahead;
}

vv_projection_reach vv_projection_direct(vv_projection_group *g, double h)
{
    const int rows = 1 + g->kept;
    double full[VV_CONSTRAINTS * VV_CONSTRAINTS], a[VV_CONSTRAINTS * VV_CONSTRAINTS], unit[VV_CONSTRAINTS],
        x[VV_CONSTRAINTS];
    double c[VV_CONSTRAINTS], kept[VV_MOMENTA], others = 0;
    /* what putting the centre in its place does to H */
    const double first[VV_CONSTRAINTS] = { 1 }, lifts = vv_dot(g->sums.g, g->shift);
    inverse v;
    kinetic k;
    vv_projection_units(g, unit);
    schur(g, h, g->move, g->weight, full);
    scale_and_reduce(g, unit, full, a);
    invert(rows, a, g->energy, &v);
    find_kinetic(g, unit, &k);
    const bool flat = g->energy && v.lost > LOST;
    if (flat)
        invert(rows, a, false, &v);
    g->steep = g->energy && solve(&v, first, x) && x[0] > 0 ? 1 / (unit[0] * unit[0] * x[0]) : 0;
    if (g->energy && g->move && !g->plain && g->weight == 0 && g->excess > k.vibrates + sqrt(g->steep) * g->near)
        return VV_REACH_FAR;
    for (int i = 1; i < rows; i++)
        others += fabs(g->c[i]);
    if (flat && fabs(g->c[0]) > 0.1 * (others + (g->radius > 0 ? vv_norm(g->shift) / g->radius : 0)))
        return VV_REACH_NONE;
    memcpy(c, g->c, sizeof c);
    if (g->steep > 0)
        choose_length(g, h, g->excess + lifts, k.vibrates);
    else
        g->length = g->along_last = 0;
    c[0] = unit[0] * g->length * g->steep;
    const bool any = solve(&v, c, x);
    vv_projection_expand(g, x + 1, kept);
    g->lambda[0] = unit[0] * x[0];
    for (int i = 0; i < VV_MOMENTA; i++)
        g->lambda[i + 1] = unit[i + 1] * kept[i];
    g->ds = g->weight > 0 ? vv_dot(g->free_p, g->lambda + 1) / g->weight : 0;
    g->dt = g->weight > 0 ? vv_dot(g->free_l, g->lambda + 4) / g->weight : 0;
    g->slope = lifts - g->length * g->steep;
    g->square =
        product(rows, x, c) + g->sums.mass * vv_dot(g->shift, g->shift) + g->along_last * g->along_last * g->square;
    g->steep_last = g->steep;
    set_middle(g);
    return any || vv_dot(g->shift, g->shift) > 0 ? VV_REACH_SOME : VV_REACH_NONE;
}

void vv_projection_at(const vv_projection_group *g, double h, double mass, const double *q, const double *v,
                      const double *gradient, double dq[3], double dv[3])
{
    const double ih2 = 1 / (h * h), *l = g->lambda + 4;
    double r[3], w[3], turn_q[3], turn_v[3];
    vv_sub(q, g->middle, r);
    vv_sub(v, g->flow, w);
    vv_cross(w, l, turn_q);
    vv_cross(l, r, turn_v);
    for (int k = 0; k < 3; k++) {
        dq[k] = g->move ? g->shift[k] - g->lambda[0] * gradient[k] / mass - turn_q[k] : 0;
        dv[k] = -ih2 * (g->lambda[0] * v[k] + g->lambda[1 + k] + turn_v[k]);
    }
}
