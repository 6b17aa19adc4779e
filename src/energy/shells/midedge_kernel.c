/* Bending by mid-edge normals, eight triangles at once (theory §4.11).
 *
 * Bending: E = 1/2 a^T M a. a_i is the angle of the half-plane of edge i's director against the triangle
 * (dihedral.h), less that at rest, by the shorter way round.
 *   dE = sum_i s_i da_i,   d2E = J^T M J + sum_i s_i d2a_i,   s = M a, J = da
 * Projected, each s_i d2a_i is made semidefinite in closed form (dihedral.h); J^T M J is as it is. A degenerate edge
 * has the angle 0 and no derivatives.
 *
 * Holding each director, w from the edge's middle to it, e along the edge, d its distance at rest: E = 1/2 k (s^2 +
 * u^2), s = w.e/d, u = (w.w - d^2)/(2d).
 *   ds = (e, w)/d, du = (w, 0)/d in (w, e),   d2s = [0 I; I 0]/d, du = [I 0; 0 0]/d
 * Projected: k s d2s becomes k |s|/(2d) [I I; I I] or with minus signs, as s has one; k (u/d I + w w^T/d^2) has the
 * eigenvalues k u/d, across w, and k (u/d + w.w/d^2), each cut off at 0. */
#include "energy/shells/dihedral.h"
#include "energy/batch/lanes.h"
#include "energy/shells/midedge_kernels.h"

#include <math.h>

enum { NODES = VV_MIDEDGE_NODES, PAIRS = VV_MIDEDGE_PAIRS };

typedef struct midedge8 {
    vv_d8 x[NODES][3];
    vv_dihedral8 d[3];
    vv_d8 m[3][3], away[3], moment[3]; /* M, a, M a */
    vv_d8 distance[3], hold;
} midedge8;

/* The vector of edge i, and from its middle to its director. */
VV_INLINE void director_of(const midedge8 *s, int i, vv_d8 w[3], vv_d8 e[3])
{
    const vv_d8 *a = s->x[i], *b = s->x[(i + 1) % 3], *g = s->x[3 + i];
    for (int k = 0; k < 3; k++) {
        e[k] = b[k] - a[k];
        w[k] = g[k] - 0.5 * (a[k] + b[k]);
    }
}

VV_INLINE void load_edge(midedge8 *s, int i)
{
    vv_d8 corner[4][3];
    for (int k = 0; k < 3; k++) {
        corner[0][k] = s->x[i][k];
        corner[1][k] = s->x[(i + 1) % 3][k];
        corner[2][k] = s->x[(i + 2) % 3][k];
        corner[3][k] = s->x[3 + i][k];
    }
    vv8_dihedral((const vv_d8(*)[3])corner, s->d + i);
}

VV_INLINE void load_triangles(const vv_block *b, int group, const double *x, midedge8 *s)
{
    const double *shape = b->shape + (ptrdiff_t)group * VV_MIDEDGE_SHAPE * VV_LANES;
    for (int p = 0; p < NODES; p++)
        vv8_gather_vectors(x, b->nodes + ((ptrdiff_t)group * NODES + p) * VV_LANES, s->x[p]);
    for (int i = 0, at = 0; i < 3; i++)
        for (int j = i; j < 3; j++)
            s->m[i][j] = s->m[j][i] = vv8_load(shape + VV_LANES * at++);
    for (int i = 0; i < 3; i++) {
        load_edge(s, i);
        s->away[i] =
            vv8_select(s->d[i].is, vv8_angle_between(s->d[i].angle, vv8_load(shape + VV_LANES * (6 + i))), vv8_zero());
        s->distance[i] = vv8_load(shape + VV_LANES * (9 + i));
    }
    for (int i = 0; i < 3; i++)
        s->moment[i] = s->m[i][0] * s->away[0] + s->m[i][1] * s->away[1] + s->m[i][2] * s->away[2];
    s->hold = vv8_load(shape + VV_LANES * 12);
}

VV_INLINE vv_d8 value_of(const midedge8 *s)
{
    vv_d8 bend = vv8_zero(), held = vv8_zero();
    for (int i = 0; i < 3; i++) {
        vv_d8 w[3], e[3], d = s->distance[i];
        director_of(s, i, w, e);
        vv_d8 along = vv8_dot3(w, e) / d, far = 0.5 * (vv8_dot3(w, w) / d - d);
        bend += s->moment[i] * s->away[i];
        held += along * along + far * far;
    }
    return 0.5 * (bend + s->hold * held);
}

/* f: 3 numbers a node. */
VV_INLINE void add_forces(const midedge8 *s, vv_d8 scale, vv_d8 f[3 * NODES])
{
    for (int i = 0; i < 3; i++) {
        const int at[4] = { i, (i + 1) % 3, (i + 2) % 3, 3 + i };
        vv_d8 g[12], w[3], e[3], d = s->distance[i], k = scale * s->hold / d, moment = scale * s->moment[i];
        vv8_dihedral_gradient(s->d + i, g);
        for (int c = 0; c < 4; c++)
            for (int r = 0; r < 3; r++)
                f[3 * at[c] + r] += moment * g[3 * c + r];
        director_of(s, i, w, e);
        vv_d8 along = vv8_dot3(w, e) / d, far = 0.5 * (vv8_dot3(w, w) / d - d);
        for (int r = 0; r < 3; r++) {
            vv_d8 of_w = k * (along * e[r] + far * w[r]), of_e = k * along * w[r];
            f[3 * at[0] + r] -= 0.5 * of_w + of_e;
            f[3 * at[1] + r] -= 0.5 * of_w - of_e;
            f[3 * at[3] + r] += of_w;
        }
    }
}

/* ---- Hessian: blocks of pairs of nodes p <= q, entry (r, c) at [3 c + r] ---- */

VV_INLINE void add_block(vv_d8 h[PAIRS][9], int p, int q, const vv_d8 m[9])
{
    vv_d8 *to = h[p <= q ? vv_node_pair(NODES, p, q) : vv_node_pair(NODES, q, p)];
    for (int c = 0; c < 3; c++)
        for (int r = 0; r < 3; r++)
            to[3 * c + r] += p <= q ? m[3 * c + r] : m[3 * r + c];
}

/* s_i d2a_i */
VV_INLINE void add_turning(const midedge8 *s, int i, vv_d8 scale, int project, vv_d8 h[PAIRS][9])
{
    const int at[4] = { i, (i + 1) % 3, (i + 2) % 3, 3 + i };
    vv_d8 own[VV_DIHEDRAL_BLOCKS][9];
    vv8_dihedral_hessian(s->d + i, scale * s->moment[i], vv8_zero(), project, own);
    for (int p = 0, pair = 0; p < 4; p++)
        for (int q = p; q < 4; q++)
            add_block(h, at[p], at[q], own[pair++]);
}

/* J^T M J */
VV_INLINE void add_bending(const midedge8 *s, vv_d8 scale, vv_d8 h[PAIRS][9])
{
    vv_d8 j[3][3 * NODES], mj[3][3 * NODES];
    for (int i = 0; i < 3; i++) {
        const int at[4] = { i, (i + 1) % 3, (i + 2) % 3, 3 + i };
        vv_d8 g[12];
        for (int r = 0; r < 3 * NODES; r++)
            j[i][r] = vv8_zero();
        vv8_dihedral_gradient(s->d + i, g);
        for (int c = 0; c < 4; c++)
            for (int r = 0; r < 3; r++)
                j[i][3 * at[c] + r] = g[3 * c + r];
    }
    for (int i = 0; i < 3; i++)
        for (int r = 0; r < 3 * NODES; r++)
            mj[i][r] = scale * (s->m[i][0] * j[0][r] + s->m[i][1] * j[1][r] + s->m[i][2] * j[2][r]);
    for (int p = 0; p < NODES; p++)
        for (int q = p; q < NODES; q++) {
            vv_d8 *to = h[vv_node_pair(NODES, p, q)];
            for (int c = 0; c < 3; c++)
                for (int r = 0; r < 3; r++)
                    to[3 * c + r] += mj[0][3 * p + r] * j[0][3 * q + c] + mj[1][3 * p + r] * j[1][3 * q + c] +
                                     mj[2][3 * p + r] * j[2][3 * q + c];
        }
}

/* The numbers of a director's Hessian in (w, e): ww = ee e e^T + ww w w^T + (far + both) I, we = ee e w^T + cross I,
 * ee = ee w w^T + both I. */
typedef struct holding8 {
    vv_d8 ee, ww, far, both, cross;
} holding8;

VV_INLINE void find_holding(vv_d8 k, vv_d8 d, const vv_d8 w[3], const vv_d8 e[3], int project, holding8 *h)
{
    vv_d8 square = vv8_dot3(w, w), along = vv8_dot3(w, e) / d, far = 0.5 * (square / d - d), zero = vv8_zero();
    h->ee = h->ww = k / (d * d);
    h->far = k * far / d;
    h->cross = k * along / d;
    h->both = zero;
    if (project) {
        vv_i8 near = vv8_below(far, 0);
        vv_d8 left = vv8_max(h->far + h->ww * square, zero);
        /* left is 0 where less than a third of d^2 is there */
        h->ww = vv8_select(near, left / vv8_max(square, 1e-6 * d * d), h->ww);
        h->far = vv8_select(near, zero, h->far);
        h->cross *= 0.5;
        h->both = vv8_abs(h->cross);
    }
}

VV_INLINE void add_holding(const midedge8 *s, int i, vv_d8 scale, int project, vv_d8 h[PAIRS][9])
{
    static const double of_w[3] = { -0.5, -0.5, 1 }, of_e[3] = { -1, 1, 0 };
    const int at[3] = { i, (i + 1) % 3, 3 + i };
    vv_d8 w[3], e[3];
    holding8 n;
    director_of(s, i, w, e);
    find_holding(scale * s->hold, s->distance[i], w, e, project, &n);
    for (int p = 0; p < 3; p++)
        for (int q = 0; q < 3; q++) {
            vv_d8 m[9];
            if (at[p] > at[q])
                continue;
            for (int c = 0; c < 3; c++)
                for (int r = 0; r < 3; r++) {
                    vv_d8 ww = n.ee * e[r] * e[c] + n.ww * w[r] * w[c], ee = n.ee * w[r] * w[c];
                    vv_d8 we = n.ee * e[r] * w[c], ew = n.ee * w[r] * e[c];
                    if (r == c)
                        ww += n.far + n.both, ee += n.both, we += n.cross, ew += n.cross;
                    m[3 * c + r] = of_w[p] * of_w[q] * ww + of_w[p] * of_e[q] * we + of_e[p] * of_w[q] * ew +
                                   of_e[p] * of_e[q] * ee;
                }
            add_block(h, at[p], at[q], m);
        }
}

VV_INLINE void add_hessian(const midedge8 *s, vv_d8 scale, int project, vv_d8 h[PAIRS][9])
{
    for (int i = 0; i < 3; i++) {
        add_turning(s, i, scale, project, h);
        add_holding(s, i, scale, project, h);
    }
    add_bending(s, scale, h);
}

/* ---- into the world's arrays ---- */

VV_INLINE void scatter_forces(const vv_block *b, int group, const vv_d8 f[3 * NODES])
{
    for (int p = 0; p < NODES; p++)
        vv8_add_vectors(b->g, b->nodes + ((ptrdiff_t)group * NODES + p) * VV_LANES, f + 3 * p);
}

/* Both (p, q) and its transpose (q, p). */
static void scatter_hessian(const int *slots, vv_d8 h[PAIRS][9], double *values)
{
    vv_d8 lane[PAIRS][VV_LANES];
    double nowhere[9] = { 0 };
    for (int i = 0; i < PAIRS; i++)
        vv8_transpose(h[i], lane[i]);
    for (int l = 0; l < VV_LANES; l++)
        for (int p = 0; p < NODES; p++)
            for (int q = 0; q < NODES; q++) {
                int slot = slots[(NODES * l + p) * NODES + q],
                    i = p <= q ? vv_node_pair(NODES, p, q) : vv_node_pair(NODES, q, p);
                double *to = slot < 0 ? nowhere : values + 9 * (ptrdiff_t)slot;
                vv_d8 first = lane[i][l];
                if (p > q)
                    first = __builtin_shufflevector(first, first, 0, 3, 6, 1, 4, 7, 2, 5);
                vv8_add_block(to, first, h[i][8][l]);
            }
}

static double value_of_block(const vv_block *b)
{
    vv_d8 sum = vv8_zero();
    for (int g = 0; g < b->groups; g++) {
        midedge8 s;
        load_triangles(b, g, b->x, &s);
        sum += value_of(&s);
    }
    return vv8_sum(sum);
}

static void each_of_block(const vv_block *b, double *values)
{
    for (int g = 0; g < b->groups; g++) {
        midedge8 s;
        load_triangles(b, g, b->x, &s);
        vv8_store(values + (ptrdiff_t)g * VV_LANES, value_of(&s));
    }
}

static double value_gradient_of_block(const vv_block *b)
{
    vv_d8 sum = vv8_zero();
    for (int g = 0; g < b->groups; g++) {
        midedge8 s;
        vv_d8 f[3 * NODES] = { vv8_zero() };
        load_triangles(b, g, b->x, &s);
        sum += value_of(&s);
        add_forces(&s, vv8_set(b->scale), f);
        scatter_forces(b, g, f);
    }
    return vv8_sum(sum);
}

static void derivatives_of_block(const vv_block *b)
{
    for (int g = 0; g < b->groups; g++) {
        vv_d8 f[3 * NODES] = { vv8_zero() }, h[PAIRS][9];
        for (int i = 0; b->values && i < 9 * PAIRS; i++)
            h[i / 9][i % 9] = vv8_zero();
        for (int i = 0; i < b->samples; i++) {
            midedge8 s;
            load_triangles(b, g, b->sample[i].x, &s);
            if (b->g)
                add_forces(&s, vv8_set(b->sample[i].force), f);
            if (b->values)
                add_hessian(&s, vv8_set(b->sample[i].stiffness), b->project, h);
        }
        if (b->g)
            scatter_forces(b, g, f);
        if (b->values)
            scatter_hessian(b->slots + (ptrdiff_t)g * NODES * NODES * VV_LANES, h, b->values);
    }
}

static void angles_of_block(const vv_block *b, double *angle)
{
    for (int g = 0; g < b->groups; g++) {
        midedge8 s;
        for (int p = 0; p < NODES; p++)
            vv8_gather_vectors(b->x, b->nodes + ((ptrdiff_t)g * NODES + p) * VV_LANES, s.x[p]);
        for (int i = 0; i < 3; i++) {
            load_edge(&s, i);
            for (int l = 0; l < VV_LANES; l++)
                angle[(3 * (ptrdiff_t)g + i) * VV_LANES + l] = s.d[i].is[l] ? s.d[i].angle[l] : NAN;
        }
    }
}

const vv_midedge_kernels VV_KERNEL(vv_midedge_kernels) = {
    .of = { .value = value_of_block,
            .value_gradient = value_gradient_of_block,
            .derivatives = derivatives_of_block,
            .each = each_of_block },
    .angles = angles_of_block,
};
