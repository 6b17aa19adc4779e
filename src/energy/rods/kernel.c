/* Joints of rods, eight at once (theory §4.12): from the mechanics of the two frames (rod_joint.h) to nodes.
 *
 * An edge from a to b with its director e, which stands at z along the edge from its middle and rho beside it, moves
 * by two vectors,
 *   D = (db - da)/|b - a|,   V = (de - (1/2 - s) da - (1/2 + s) db)/rho,  s = z/|b - a|
 * of which, in the frame (t, m1, m2), D = (x, alpha, beta) stretches and turns the edge and V = (eta, psi, phi) turns
 * the director, as seen from the edge, or moves it along and off. Without directors phi is 0: frames go along without
 * twist. Up to second order the frame turns by
 *   w = t x D + phi t + (x beta + phi alpha / 2) m1 + (phi beta / 2 - x alpha) m2 - (phi psi + beta eta + alpha beta
 *   / 2) t.
 * With g = dE/dw (h of the second edge, -h of the first) the second line gives the part S of the Hessian; it is
 * traceless.
 *
 * Of a director's springs, k/2 (z^2 + (rho - r)^2), and rho:
 *   d|u|^2/2 = u.(rho V + z D),  d(rho) = rho psi,  d2(rho) = rho (phi^2 - 2 alpha eta - alpha^2)
 *
 * Projected: H is, at 3x3, made semidefinite, S and -1/2 h.(w_0 x w_1) are left out; of the directors' springs the
 * squares of dz and d(rho) stay. All that is left out is proportional to the forces. In a rod at rest, or straight
 * without twist, nothing is. */
#include "energy/rods/rod_joint.h"

#include "energy/batch/lanes.h"
#include "energy/batch/node_lanes.h"

enum { BLOCKS = 15 }; /* pairs of nodes */

/* Coordinates: D and V of the first edge, D and V of the second. How each moves with the nodes. */
static const unsigned char moved_by[VV_ROD_NODES][4] = {
    { 1, 1, 0, 0 }, { 1, 1, 1, 1 }, { 0, 0, 1, 1 }, { 0, 1, 0, 0 }, { 0, 0, 0, 1 }
};

typedef struct joint {
    const double *shape;
    const int *nodes;
    vv_rod_side8 side[2];
    vv_rod_joint8 j;
    vv_d8 weight[VV_ROD_NODES][4];
} joint;

typedef struct rod_sum {
    vv_d8 force[VV_ROD_NODES][3], k[BLOCKS][9];
} rod_sum;

VV_INLINE vv_d8 number(const joint *a, int which) { return vv8_load(a->shape + which * VV_LANES); }

VV_INLINE void make_sides(joint *a, bool twist, vv_d8 at[VV_ROD_NODES][3])
{
    for (int i = 0; i < 2; i++)
        vv8_rod_side(at[i], at[i + 1], twist ? at[3 + i] : NULL, number(a, VV_ROD_LENGTH + i),
                     twist ? number(a, VV_ROD_RADIUS + i) : vv8_zero(), a->side + i);
}

VV_INLINE void load_joint(const vv_block *b, int group, const double *x, bool twist, joint *a)
{
    vv_d8 at[VV_ROD_NODES][3];
    const int count = twist ? VV_ROD_NODES : VV_PLAIN_NODES;
    a->shape = b->shape + (ptrdiff_t)group * (twist ? VV_ROD_SHAPE : VV_ROD_PLAIN_SHAPE) * VV_LANES;
    a->nodes = b->nodes + (ptrdiff_t)group * count * VV_LANES;
    for (int i = 0; i < count; i++)
        vv8_gather_vectors(x, a->nodes + i * VV_LANES, at[i]);
    make_sides(a, twist, at);
}

VV_INLINE void find_mechanics(joint *a, bool twist, bool first, bool second)
{
    if (twist)
        vv8_rod_twisting(a->shape, a->side, first, second, &a->j);
    else
        vv8_rod_plain(a->shape, a->side, first, second, &a->j);
}

VV_INLINE void find_joint(const vv_block *b, int group, const double *x, bool twist, bool first, bool second, joint *a)
{
    load_joint(b, group, x, twist, a);
    find_mechanics(a, twist, first, second);
}

VV_INLINE void find_weights(joint *a, bool twist)
{
    for (int i = 0; i < 2; i++) {
        const vv_rod_side8 *s = a->side + i;
        a->weight[i][2 * i] = -s->inverse_length;
        a->weight[i + 1][2 * i] = s->inverse_length;
        if (!twist)
            continue;
        vv_d8 along = s->z * s->inverse_length;
        a->weight[i][2 * i + 1] = (along - 0.5) * s->inverse_rho;
        a->weight[i + 1][2 * i + 1] = (-along - 0.5) * s->inverse_rho;
        a->weight[3 + i][2 * i + 1] = s->inverse_rho;
    }
}

/* ---- value and forces ---- */

VV_INLINE vv_d8 value_of(const joint *a, bool twist)
{
    vv_d8 value = a->j.value;
    for (int i = 0; twist && i < 2; i++) {
        const vv_rod_side8 *s = a->side + i;
        vv_d8 off = s->rho - number(a, VV_ROD_RADIUS + i);
        value += 0.5 * number(a, VV_ROD_HOLD + i) * (s->z * s->z + off * off);
    }
    return value;
}

/* dE by the four coordinates. */
VV_INLINE void slopes_of(const joint *a, bool twist, vv_d8 slope[4][3])
{
    for (int i = 0; i < 2; i++) {
        const vv_rod_side8 *s = a->side + i;
        vv_d8 g[3];
        for (int k = 0; k < 3; k++)
            g[k] = i ? a->j.h[k] : -a->j.h[k];
        vv8_cross(g, s->t, slope[2 * i]);
        if (!twist)
            continue;
        vv_d8 spin = vv8_dot(g, s->t), hold = number(a, VV_ROD_HOLD + i), radius = number(a, VV_ROD_RADIUS + i);
        for (int k = 0; k < 3; k++) {
            slope[2 * i][k] += hold * s->z * s->u[k];
            slope[2 * i + 1][k] = spin * s->m2[k] + hold * s->rho * (s->u[k] - radius * s->m1[k]);
        }
    }
}

VV_INLINE void add_forces(const joint *a, bool twist, vv_d8 scale, bool first, rod_sum *sum)
{
    vv_d8 slope[4][3];
    slopes_of(a, twist, slope);
    for (int n = 0; n < (twist ? VV_ROD_NODES : VV_PLAIN_NODES); n++)
        for (int k = 0; k < 3; k++) {
            vv_d8 f = vv8_zero();
            for (int c = 0; c < 4; c += twist ? 1 : 2)
                if (moved_by[n][c])
                    f += a->weight[n][c] * slope[c][k];
            vv8_accumulate(first, scale * f, &sum->force[n][k]);
        }
}

VV_INLINE void scatter_forces(const joint *a, bool twist, const rod_sum *sum, double *g)
{
    for (int n = 0; n < (twist ? VV_ROD_NODES : VV_PLAIN_NODES); n++)
        vv8_add_vectors(g, a->nodes + n * VV_LANES, sum->force[n]);
}

/* ---- Hessian ---- */

/* out += w v r^T */
VV_INLINE void add_outer(vv_d8 w, const vv_d8 v[3], const vv_d8 r[3], vv_d8 out[9])
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            out[3 * i + k] += w * (v[i] * r[k]);
}

/* Blocks of the coordinates of two edges p, q from K, the second derivatives by w_p and w_q: w = t x D + (m2.V) t. */
VV_INLINE void add_turns(const vv_rod_side8 *p, const vv_rod_side8 *q, const vv_d8 k[9], bool twist, vv_d8 dd[9],
                         vv_d8 dv[9], vv_d8 vd[9], vv_d8 vv[9])
{
    vv_d8 right[9], kt[3], tk[3], turned[3];
    for (int i = 0; i < 3; i++) {
        vv8_cross(k + 3 * i, q->t, right + 3 * i);
        kt[i] = vv8_dot(k + 3 * i, q->t);
        tk[i] = k[i] * p->t[0] + k[3 + i] * p->t[1] + k[6 + i] * p->t[2];
    }
    for (int c = 0; c < 3; c++) {
        const vv_d8 column[3] = { right[c], right[3 + c], right[6 + c] };
        vv8_cross(column, p->t, turned);
        for (int i = 0; i < 3; i++)
            dd[3 * i + c] += turned[i];
    }
    if (!twist)
        return;
    vv8_cross(kt, p->t, turned);
    add_outer(vv8_set(1), turned, q->m2, dv);
    vv8_cross(tk, q->t, turned);
    add_outer(vv8_set(1), p->m2, turned, vd);
    add_outer(vv8_dot(tk, q->t), p->m2, q->m2, vv);
}

/* S, of the edge whose moment is g. */
VV_INLINE void add_curving(const vv_rod_side8 *s, const vv_d8 g[3], bool twist, vv_d8 dd[9], vv_d8 dv[9], vv_d8 vv[9])
{
    vv_d8 turned[3], across[3], spin = vv8_dot(g, s->t);
    vv8_cross(s->t, g, turned);
    add_outer(vv8_set(1), s->t, turned, dd);
    add_outer(vv8_set(1), turned, s->t, dd);
    if (!twist)
        return;
    for (int k = 0; k < 3; k++)
        across[k] = g[k] - spin * s->t[k];
    add_outer(-0.5 * spin, s->m1, s->m2, dd);
    add_outer(-0.5 * spin, s->m2, s->m1, dd);
    add_outer(vv8_set(0.5), across, s->m2, dv);
    add_outer(-spin, s->m2, s->t, dv);
    add_outer(-spin, s->m1, s->m2, vv);
    add_outer(-spin, s->m2, s->m1, vv);
}

/* Of the springs that hold a director. */
VV_INLINE void add_hold(const vv_rod_side8 *s, vv_d8 hold, vv_d8 radius, bool project, vv_d8 dd[9], vv_d8 dv[9],
                        vv_d8 vv[9])
{
    vv_d8 z = s->z, rho = s->rho;
    if (project) { /* dz = z t.D + rho (m1.D + t.V), d(rho) = rho m1.V */
        vv_d8 by_d[3];
        for (int k = 0; k < 3; k++)
            by_d[k] = z * s->t[k] + rho * s->m1[k];
        add_outer(hold, by_d, by_d, dd);
        add_outer(hold * rho, by_d, s->t, dv);
        add_outer(hold * rho * rho, s->t, s->t, vv);
        add_outer(hold * rho * rho, s->m1, s->m1, vv);
        return;
    }
    vv_d8 curving = hold * radius * rho;
    for (int i = 0; i < 9; i += 4) {
        dd[i] += hold * z * z;
        dv[i] += hold * z * rho;
        vv[i] += hold * rho * rho;
    }
    add_outer(curving, s->m1, s->m1, dd);
    add_outer(curving, s->m1, s->t, dv);
    add_outer(-curving, s->m2, s->m2, vv);
}

VV_INLINE void full(const vv_sym8 *a, vv_d8 sign, vv_d8 out[9])
{
    for (int k = 0; k < 3; k++) {
        int i = k == 0 ? 1 : 0, j = k == 2 ? 1 : 2;
        out[4 * k] = sign * a->d[k];
        out[3 * i + j] = out[3 * j + i] = sign * a->o[k];
    }
}

VV_INLINE void transpose(const vv_d8 in[9], vv_d8 out[9])
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            out[3 * k + i] = in[3 * i + k];
}

/* All second derivatives by the coordinates; without twist only those of D are written. */
VV_INLINE void second_derivatives(joint *a, bool twist, bool project, vv_d8 c[4][4][9])
{
    vv_d8 own[9], cross[9];
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++)
            for (int l = 0; l < 9; l++)
                c[i][k][l] = vv8_zero();
    if (project)
        vv8_project_semidefinite(&a->j.H);
    full(&a->j.H, vv8_set(1), own);
    full(&a->j.H, vv8_set(-1), cross);
    for (int k = 0; !project && k < 3; k++) { /* + 1/2 [h]x */
        int i = (k + 1) % 3, l = (k + 2) % 3;
        cross[3 * i + l] -= 0.5 * a->j.h[k];
        cross[3 * l + i] += 0.5 * a->j.h[k];
    }
    for (int i = 0; i < 2; i++) {
        const vv_rod_side8 *s = a->side + i;
        const int d = 2 * i, v = d + 1;
        vv_d8 g[3];
        for (int k = 0; k < 3; k++)
            g[k] = i ? a->j.h[k] : -a->j.h[k];
        add_turns(s, s, own, twist, c[d][d], c[d][v], c[v][d], c[v][v]);
        if (!project)
            add_curving(s, g, twist, c[d][d], c[d][v], c[v][v]);
        if (twist) {
            add_hold(s, number(a, VV_ROD_HOLD + i), number(a, VV_ROD_RADIUS + i), project, c[d][d], c[d][v], c[v][v]);
            transpose(c[d][v], c[v][d]);
        }
    }
    add_turns(a->side, a->side + 1, cross, twist, c[0][2], c[0][3], c[1][2], c[1][3]);
    for (int i = 0; i < 2; i++)
        for (int k = 2; k < 4; k++)
            transpose(c[i][k], c[k][i]);
}

VV_INLINE void add_hessian(joint *a, bool twist, bool project, vv_d8 scale, bool first, rod_sum *sum)
{
    const int count = twist ? VV_ROD_NODES : VV_PLAIN_NODES, step = twist ? 1 : 2;
    vv_d8 c[4][4][9], row[4][9];
    second_derivatives(a, twist, project, c);
    for (int m = 0, block = 0; m < count; m++) {
        for (int i = 0; i < 4; i += step)
            for (int l = 0; l < 9; l++) {
                row[i][l] = vv8_zero();
                for (int k = 0; k < 4; k += step)
                    if (moved_by[m][k])
                        row[i][l] += a->weight[m][k] * c[i][k][l];
            }
        for (int n = 0; n <= m; n++, block++)
            for (int l = 0; l < 9; l++) {
                vv_d8 k = vv8_zero();
                for (int i = 0; i < 4; i += step)
                    if (moved_by[n][i])
                        k += a->weight[n][i] * row[i][l];
                vv8_accumulate(first, scale * k, &sum->k[block][l]);
            }
    }
}

VV_INLINE void add_blocks(const int *slots, int at, int all, const vv_d8 k[9], double *values)
{
    vv_d8 lane[VV_LANES];
    double nowhere[9] = { 0 };
    vv8_transpose(k, lane);
    for (int l = 0; l < VV_LANES; l++) {
        int slot = slots[all * l + at];
        vv8_add_block(slot < 0 ? nowhere : values + 9 * (ptrdiff_t)slot, lane[l], k[8][l]);
    }
}

/* Block (n, m) of a pair, and its transpose at (m, n). In the matrix a block's columns follow each other. */
VV_INLINE void scatter_hessian(const int *slots, bool twist, const rod_sum *sum, double *values)
{
    const int count = twist ? VV_ROD_NODES : VV_PLAIN_NODES;
    for (int m = 0, block = 0; m < count; m++)
        for (int n = 0; n <= m; n++, block++) {
            add_blocks(slots, count * m + n, count * count, sum->k[block], values);
            if (n < m) {
                vv_d8 back[9];
                transpose(sum->k[block], back);
                add_blocks(slots, count * n + m, count * count, back, values);
            }
        }
}

/* ---- blocks ---- */

VV_INLINE double value_of_block(const vv_block *b, bool twist)
{
    vv_d8 sum = vv8_zero();
    for (int g = 0; g < b->groups; g++) {
        joint a;
        find_joint(b, g, b->x, twist, false, false, &a);
        sum += value_of(&a, twist);
    }
    return vv8_sum(sum);
}

VV_INLINE void each_of_block(const vv_block *b, bool twist, double *values)
{
    for (int g = 0; g < b->groups; g++) {
        joint a;
        find_joint(b, g, b->x, twist, false, false, &a);
        vv8_store(values + (ptrdiff_t)g * VV_LANES, value_of(&a, twist));
    }
}

VV_INLINE double value_gradient_of_block(const vv_block *b, bool twist)
{
    vv_d8 value = vv8_zero();
    for (int g = 0; g < b->groups; g++) {
        joint a;
        rod_sum sum;
        find_joint(b, g, b->x, twist, true, false, &a);
        find_weights(&a, twist);
        value += value_of(&a, twist);
        add_forces(&a, twist, vv8_set(b->scale), true, &sum);
        scatter_forces(&a, twist, &sum, b->g);
    }
    return vv8_sum(value);
}

VV_INLINE void derivatives_of_block(const vv_block *b, bool twist)
{
    const int all = twist ? VV_ROD_NODES * VV_ROD_NODES : VV_PLAIN_NODES * VV_PLAIN_NODES;
    for (int g = 0; g < b->groups; g++) {
        joint a;
        rod_sum sum;
        for (int i = 0; i < b->samples; i++) {
            find_joint(b, g, b->sample[i].x, twist, true, b->values, &a);
            find_weights(&a, twist);
            if (b->g)
                add_forces(&a, twist, vv8_set(b->sample[i].force), i == 0, &sum);
            if (b->values)
                add_hessian(&a, twist, b->project, vv8_set(b->sample[i].stiffness), i == 0, &sum);
        }
        if (b->g)
            scatter_forces(&a, twist, &sum, b->g);
        if (b->values)
            scatter_hessian(b->slots + (ptrdiff_t)g * all * VV_LANES, twist, &sum, b->values);
    }
}

/* ---- one node at a time, for block descent ---- */

/* Row `row`: joints around the nodes of group j, in each lane another one of theirs. corner_is: 1 for which of the
 * joint's nodes the lane's is, else 0. */
VV_INLINE void load_around(const vv_incidence *around, const vv_node_batch *b, int j, int row, bool twist, joint *a,
                           vv_d8 corner_is[VV_ROD_NODES])
{
    const int count = twist ? VV_ROD_NODES : VV_PLAIN_NODES, shape = twist ? VV_ROD_SHAPE : VV_ROD_PLAIN_SHAPE;
    const double *numbers = around->number + (ptrdiff_t)row * VV_ROD_AROUND(shape) * VV_LANES;
    const int *others = around->other + (ptrdiff_t)row * (count - 1) * VV_LANES;
    int nodes[VV_LANES];
    vv_d8 at[VV_ROD_NODES][3];
    for (int i = 0; i < count; i++) {
        for (int l = 0; l < VV_LANES; l++) {
            const int corner = (int)numbers[shape * VV_LANES + l];
            nodes[l] = i == corner ? b->node[j * VV_LANES + l] : others[(i < corner ? i : i - 1) * VV_LANES + l];
            corner_is[i][l] = i == corner;
        }
        vv8_gather4(b->x, nodes, at[i]);
    }
    a->shape = numbers;
    make_sides(a, twist, at);
}

VV_INLINE void node_blocks_of(const vv_incidence *around, const vv_node_batch *b, bool twist)
{
    const int step = twist ? 1 : 2;
    for (int j = b->begin; j < b->end; j++) {
        vv_d8 sum[VV_NODE_BLOCK] = { vv8_zero() };
        for (int row = around->start[j]; row < around->start[j + 1]; row++) {
            joint a;
            vv_d8 is[VV_ROD_NODES], own[4], slope[4][3], c[4][4][9];
            load_around(around, b, j, row, twist, &a, is);
            find_mechanics(&a, twist, true, true);
            find_weights(&a, twist);
            slopes_of(&a, twist, slope);
            second_derivatives(&a, twist, true, c);
            for (int p = 0; p < 4; p += step) {
                own[p] = vv8_zero();
                for (int n = 0; n < (twist ? VV_ROD_NODES : VV_PLAIN_NODES); n++)
                    if (moved_by[n][p])
                        own[p] += is[n] * a.weight[n][p];
                for (int k = 0; k < 3; k++)
                    sum[k] += own[p] * slope[p][k];
            }
            for (int p = 0; p < 4; p += step)
                for (int q = 0; q < 4; q += step)
                    for (int k = 0; k < 3; k++) {
                        int i = k == 0 ? 1 : 0, l = k == 2 ? 1 : 2;
                        sum[3 + k] += own[p] * own[q] * c[p][q][4 * k];
                        sum[6 + k] += own[p] * own[q] * c[p][q][3 * i + l];
                    }
        }
        vv8_add_block_sums(b, j, sum);
    }
}

VV_INLINE void node_values_of(const vv_incidence *around, const vv_node_batch *b, bool twist)
{
    for (int j = b->begin; j < b->end; j++) {
        vv_d8 sum = vv8_zero();
        for (int row = around->start[j]; row < around->start[j + 1]; row++) {
            joint a;
            vv_d8 is[VV_ROD_NODES];
            load_around(around, b, j, row, twist, &a, is);
            find_mechanics(&a, twist, false, false);
            sum += value_of(&a, twist);
        }
        ((vv_d8 *)b->values)[j - b->begin] += b->value * sum;
    }
}

#define VV_INSTANCE(name, twist)                                                                         \
    static double name##_value(const vv_block *b) { return value_of_block(b, twist); }                   \
    static double name##_value_gradient(const vv_block *b) { return value_gradient_of_block(b, twist); } \
    static void name##_derivatives(const vv_block *b) { derivatives_of_block(b, twist); }                \
    static void name##_each(const vv_block *b, double *values) { each_of_block(b, twist, values); }      \
    static void name##_node_blocks(const vv_incidence *around, const vv_node_batch *b)                   \
    {                                                                                                    \
        node_blocks_of(around, b, twist);                                                                \
    }                                                                                                    \
    static void name##_node_values(const vv_incidence *around, const vv_node_batch *b)                   \
    {                                                                                                    \
        node_values_of(around, b, twist);                                                                \
    }
VV_INSTANCE(plain, false)
VV_INSTANCE(twisting, true)
#undef VV_INSTANCE

#define VV_TABLE(name)                                                                                     \
    {                                                                                                      \
        .value = name##_value, .value_gradient = name##_value_gradient, .derivatives = name##_derivatives, \
        .each = name##_each, .node_blocks = name##_node_blocks, .node_values = name##_node_values,         \
    }
const vv_rod_kernels VV_KERNEL(vv_rod_kernels) = {
    { [VV_ROD_BENDING] = VV_TABLE(plain), [VV_ROD_TWISTING] = VV_TABLE(twisting) },
};
