/* Tets of order 2, eight at once (theory §4.19): energy, gradient, (projected) Hessian, determinant, step to inversion.
 *
 * At each of its points an element is a linear tet (mesh/tet10.h) of the corners y_a = sum_n c_an x_n, with
 *   c_aa = 4 l_a - 1,   c_a,ab = 4 l_b
 * at nodes a and ab. So forces and blocks are those of linear tets at y, times c: dE/dx_n = sum_a c_an dE/dy_a, and
 * d2E/dx_n dx_m = sum_ab c_an c_bm d2E/dy_a dy_b. Materials come in by the functions that linear tets have. */
#include "energy/tets/tet10.h"
#include "energy/tets/blocks.h"

#include <string.h>

/* Which corners y a node has a part in, at most two, and the other end of its edge. */
static const signed char ends[10][2] = { { 0, 0 }, { 1, 1 }, { 2, 2 }, { 3, 3 }, { 0, 1 },
                                         { 1, 2 }, { 0, 2 }, { 0, 3 }, { 1, 3 }, { 2, 3 } };

/* c of node n and its corner ends[n][i], at a point. */
typedef struct weights {
    double c[10][2];
} weights;

VV_INLINE void weights_at(const double l[4], weights *w)
{
    for (int n = 0; n < 4; n++)
        w->c[n][0] = 4 * l[n] - 1, w->c[n][1] = 0;
    for (int n = 4; n < 10; n++)
        for (int i = 0; i < 2; i++)
            w->c[n][i] = 4 * l[(int)ends[n][1 - i]];
}

VV_INLINE const int *nodes_of(const vv_block *b, int group) { return b->nodes + (ptrdiff_t)group * 10 * VV_LANES; }

VV_INLINE const double *point_of(const vv_block *b, const vv_tet10_rule *rule, int group, int q)
{
    return b->shape + ((ptrdiff_t)group * rule->points + q) * VV_TET_SHAPE * VV_LANES;
}

/* d[n - 1] = x_n - x_0 of the field x. */
VV_INLINE void gather(const vv_block *b, int group, const double *x, vv_d8 d[9][3])
{
    const int *nodes = nodes_of(b, group);
    vv_d8 origin[3];
    vv8_gather_vectors(x, nodes, origin);
    for (int n = 1; n < 10; n++) {
        vv8_gather_vectors(x, nodes + n * VV_LANES, d[n - 1]);
        for (int k = 0; k < 3; k++)
            d[n - 1][k] -= origin[k];
    }
}

/* F of the field at a point: sum over a = 1..3 of (y_a - y_0) (x) G_a. */
VV_INLINE void gradient_at(const double *shape, const weights *w, const vv_d8 d[9][3], vv_d8 f[9])
{
    for (int i = 0; i < 3; i++) {
        vv_d8 y[4] = { vv8_zero(), vv8_zero(), vv8_zero(), vv8_zero() };
        for (int n = 1; n < 4; n++)
            y[n] = w->c[n][0] * d[n - 1][i];
        for (int n = 4; n < 10; n++)
            for (int k = 0; k < 2; k++)
                y[ends[n][k]] += w->c[n][k] * d[n - 1][i];
        for (int a = 1; a < 4; a++)
            y[a] -= y[0];
        for (int j = 0; j < 3; j++)
            f[3 * i + j] = y[1] * vv8_load(shape + j * VV_LANES) + y[2] * vv8_load(shape + (3 + j) * VV_LANES) +
                           y[3] * vv8_load(shape + (6 + j) * VV_LANES);
    }
}

/* What acts on y, at nodes 1 to 9; that of node 0 follows from the sum, which is zero. */
VV_INLINE void spread_forces(const weights *w, const vv_d8 at[4][3], vv_d8 force[10][3])
{
    for (int n = 1; n < 10; n++)
        for (int i = 0; i < (n < 4 ? 1 : 2); i++)
            for (int k = 0; k < 3; k++)
                force[n][k] += w->c[n][i] * at[ends[n][i]][k];
}

VV_INLINE void scatter_ten(const vv_block *b, int group, vv_d8 force[10][3])
{
    const int *nodes = nodes_of(b, group);
    for (int k = 0; k < 3; k++) {
        force[0][k] = vv8_zero();
        for (int n = 1; n < 10; n++)
            force[0][k] -= force[n][k];
    }
    for (int n = 0; n < 10; n++)
        vv8_add_vectors(b->g, nodes + n * VV_LANES, force[n]);
}

/* ---- energy and gradient --------------------------------------------------------------------------------------- */

/* The forces of P = p at the corners y of a point. */
VV_INLINE void forces_at(const double *shape, const vv_d8 p[9], vv_d8 at[4][3])
{
    for (int i = 0; i < 3; i++) {
        for (int a = 0; a < 3; a++)
            at[a + 1][i] = p[3 * i] * vv8_load(shape + 3 * a * VV_LANES) +
                           p[3 * i + 1] * vv8_load(shape + (3 * a + 1) * VV_LANES) +
                           p[3 * i + 2] * vv8_load(shape + (3 * a + 2) * VV_LANES);
        at[0][i] = -(at[1][i] + at[2][i] + at[3][i]);
    }
}

/* The energy of the block; b->g += scale dE/dx if `forces`. +infinity where a point of an inversion-free material has
 * no positive volume: then b->g is not to be used. Points are processed in pairs. All but b and the rule are constants
 * after inlining. */
VV_INLINE double energy_of_block(const vv_block *b, const vv_tet10_rule *rule, int material, bool inversion_free,
                                 bool rotation, bool forces)
{
    vv_d8 sum = vv8_zero();
    vv_i8 outside = { 0 };
    for (int g = 0; g < b->groups; g++) {
        vv_d8 d[9][3], force[10][3] = { { vv8_zero() } };
        gather(b, g, b->x, d);
        for (int q = 0; q < rule->points; q += 2) {
            vv_strain8 e[2];
            weights w[2];
            for (int n = 0; n < 2; n++) {
                weights_at(rule->l[q + n], w + n);
                gradient_at(point_of(b, rule, g, q + n), w + n, (const vv_d8(*)[3])d, e[n].f);
                vv8_strain(e + n);
            }
            if (inversion_free) {
                outside |= ~(vv8_above(e[0].j, 0) & vv8_above(e[1].j, 0));
                if (!forces && vv8_any(outside))
                    return INFINITY;
            }
            if (rotation)
                vv8_polar_two(e[0].f, e[1].f, e[0].r, e[1].r);
            for (int n = 0; n < 2; n++) {
                const double *shape = point_of(b, rule, g, q + n);
                vv_d8 psi = vv8_zero(), p[9], at[4][3], volume = vv8_load(shape + 9 * VV_LANES);
                stress_of(material, e + n, b->law[0], b->law[1], &psi, p);
                sum += volume * psi;
                if (!forces)
                    continue;
                for (int i = 0; i < 9; i++)
                    p[i] *= volume * b->scale;
                forces_at(shape, p, at);
                spread_forces(w + n, (const vv_d8(*)[3])at, force);
            }
        }
        if (forces)
            scatter_ten(b, g, force);
    }
    return inversion_free && vv8_any(outside) ? INFINITY : vv8_sum(sum);
}

/* ---- Hessian --------------------------------------------------------------------------------------------------- */

enum { PAIRS = 55 };

typedef struct ten_sum {
    vv_d8 force[10][3], k[PAIRS][9]; /* pairs (n, m), n <= m, row by row; column-major */
} ten_sum;

/* rows[b] = sum_a c_an K_ab of node n, for the four corners b. */
static VV_ONE_INSTANCE void row_of_node(const vv_d8 k[10][9], const weights *w, int n, vv_d8 rows[4][9])
{
    for (int b = 0; b < 4; b++)
        for (int i = 0; i < (n < 4 ? 1 : 2); i++) {
            const int a = ends[n][i];
            const vv_d8 *from = k[vv_block_of[a][b]];
            const double c = w->c[n][i];
            for (int e = 0; e < 9; e++) { /* below the diagonal: the transpose */
                const vv_d8 term = c * from[a <= b ? e : 3 * (e % 3) + e / 3];
                vv8_accumulate(i == 0, term, rows[b] + e);
            }
        }
}

/* The blocks of the corners y at a point, to those of the ten nodes. */
VV_INLINE void spread_blocks(const vv_d8 k[10][9], const weights *w, vv_d8 to[PAIRS][9])
{
    vv_d8(*block)[9] = to;
    for (int n = 0; n < 10; n++) {
        vv_d8 rows[4][9];
        row_of_node(k, w, n, rows);
        for (int m = n; m < 10; m++, block++)
            for (int i = 0; i < (m < 4 ? 1 : 2); i++) {
                const double c = w->c[m][i];
                for (int e = 0; e < 9; e++)
                    vv8_accumulate(false, c * rows[ends[m][i]][e], *block + e);
            }
    }
}

/* Adds the blocks of eight elements to a matrix, both (n, m) and its transpose (m, n). */
VV_INLINE void scatter_blocks(const vv_block *b, int group, vv_d8 k[PAIRS][9])
{
    const int *slots = b->slots + (ptrdiff_t)group * 100 * VV_LANES;
    int pair = 0;
    for (int n = 0; n < 10; n++)
        for (int m = n; m < 10; m++, pair++) {
            vv_d8 lane[VV_LANES];
            vv8_transpose(k[pair], lane);
            for (int l = 0; l < VV_LANES; l++) {
                const int slot = slots[100 * l + 10 * n + m], other = slots[100 * l + 10 * m + n];
                if (slot >= 0)
                    vv8_add_block(b->values + 9 * (ptrdiff_t)slot, lane[l], k[pair][8][l]);
                if (m > n && other >= 0)
                    vv8_add_block(b->values + 9 * (ptrdiff_t)other,
                                  __builtin_shufflevector(lane[l], lane[l], 0, 3, 6, 1, 4, 7, 2, 5), k[pair][8][l]);
            }
        }
}

/* Two points of a group, all samples. */
VV_INLINE void add_points(const vv_block *b, const vv_tet10_rule *rule, int g, int q, int material, ten_sum *sum)
{
    element_sum at[2];
    weights w[2];
    for (int n = 0; n < 2; n++)
        weights_at(rule->l[q + n], w + n);
    for (int s = 0; s < b->samples; s++) {
        vv_d8 d[9][3], f[2][9];
        vv_svd8 svd[2];
        gather(b, g, b->sample[s].x, d);
        for (int n = 0; n < 2; n++)
            gradient_at(point_of(b, rule, g, q + n), w + n, (const vv_d8(*)[3])d, f[n]);
        vv8_svd_two(f, svd);
        for (int n = 0; n < 2; n++)
            if (s == 0)
                add_sample(b, point_of(b, rule, g, q + n), b->sample, material, svd + n, true, at + n);
            else
                add_sample(b, point_of(b, rule, g, q + n), b->sample + s, material, svd + n, false, at + n);
    }
    for (int n = 0; n < 2; n++) {
        if (b->g) {
            for (int k = 0; k < 3; k++)
                at[n].force[0][k] = -(at[n].force[1][k] + at[n].force[2][k] + at[n].force[3][k]);
            spread_forces(w + n, (const vv_d8(*)[3])at[n].force, sum->force);
        }
        complete_blocks(at[n].k);
        spread_blocks((const vv_d8(*)[9])at[n].k, w + n, sum->k);
    }
}

static VV_ONE_INSTANCE void derivatives_of_block(const vv_block *b, const vv_tet10_rule *rule, int material)
{
    for (int g = 0; g < b->groups; g++) {
        ten_sum sum;
        memset(&sum, 0, sizeof sum);
        for (int q = 0; q < rule->points; q += 2)
            add_points(b, rule, g, q, material, &sum);
        if (b->g)
            scatter_ten(b, g, sum.force);
        scatter_blocks(b, g, sum.k);
    }
}

/* ---- determinant ----------------------------------------------------------------------------------------------- */

/* The smallest at the points. */
static double min_j_of_block(const vv_block *b, const vv_tet10_rule *rule)
{
    vv_d8 least = vv8_set(INFINITY);
    for (int g = 0; g < b->groups; g++) {
        vv_d8 d[9][3], f[9];
        gather(b, g, b->x, d);
        for (int q = 0; q < rule->points; q++) {
            weights w;
            weights_at(rule->l[q], &w);
            gradient_at(point_of(b, rule, g, q), &w, (const vv_d8(*)[3])d, f);
            vv_d8 j = vv8_det(f);
            least = vv8_min(least, j);
            if (vv8_any(~vv8_at_most(j, j)))
                return NAN;
        }
    }
    return vv8_least(least);
}

static double max_step_of_block(const vv_block *b, const vv_tet10_rule *rule)
{
    double least = 1;
    for (int g = 0; g < b->groups; g++) {
        vv_d8 x[9][3], p[9][3], f[9], d[9];
        gather(b, g, b->x, x);
        gather(b, g, b->p, p);
        for (int q = 0; q < rule->points; q++) {
            weights w;
            weights_at(rule->l[q], &w);
            gradient_at(point_of(b, rule, g, q), &w, (const vv_d8(*)[3])x, f);
            gradient_at(point_of(b, rule, g, q), &w, (const vv_d8(*)[3])p, d);
            double t = step_to_inversion(f, d);
            least = t < least ? t : least;
        }
    }
    return least;
}

/* ---- the table ------------------------------------------------------------------------------------------------- */

/* One instance of each material serves all rules. */
#define VV_INSTANCE(name, word, summary, inversion_free, rotation, sweeps, split)                        \
    static VV_ONE_INSTANCE double name##_value_by(const vv_block *b, const vv_tet10_rule *rule)          \
    {                                                                                                    \
        return energy_of_block(b, rule, VV_MATERIAL_##name, inversion_free, rotation, false);            \
    }                                                                                                    \
    static VV_ONE_INSTANCE double name##_value_gradient_by(const vv_block *b, const vv_tet10_rule *rule) \
    {                                                                                                    \
        return energy_of_block(b, rule, VV_MATERIAL_##name, inversion_free, rotation, true);             \
    }
VV_TET_MATERIALS(VV_INSTANCE)
#undef VV_INSTANCE

#define VV_OF_RULE(name, rule)                                                                                    \
    static double name##_value_##rule(const vv_block *b) { return name##_value_by(b, vv_tet10_rules + rule); }    \
    static double name##_value_gradient_##rule(const vv_block *b)                                                 \
    {                                                                                                             \
        return name##_value_gradient_by(b, vv_tet10_rules + rule);                                                \
    }                                                                                                             \
    static void name##_gradient_##rule(const vv_block *b) { gradient_of_block(b, name##_value_gradient_##rule); } \
    static void name##_derivatives_##rule(const vv_block *b)                                                      \
    {                                                                                                             \
        derivatives_of_block(b, vv_tet10_rules + rule, VV_MATERIAL_##name);                                       \
    }
#define VV_INSTANCE(name, word, summary, inversion_free, rotation, sweeps, split) \
    VV_OF_RULE(name, 0) VV_OF_RULE(name, 1)
VV_TET_MATERIALS(VV_INSTANCE)
#undef VV_INSTANCE

static double min_j_0(const vv_block *b) { return min_j_of_block(b, vv_tet10_rules); }
static double min_j_1(const vv_block *b) { return min_j_of_block(b, vv_tet10_rules + 1); }
static double max_step_0(const vv_block *b) { return max_step_of_block(b, vv_tet10_rules); }
static double max_step_1(const vv_block *b) { return max_step_of_block(b, vv_tet10_rules + 1); }

#define VV_ENTRY(name, rule)                                                 \
    [VV_MATERIAL_##name] = { .value = name##_value_##rule,                   \
                             .value_gradient = name##_value_gradient_##rule, \
                             .derivatives = name##_derivatives_##rule,       \
                             .gradient = name##_gradient_##rule,             \
                             .least_j = min_j_##rule,                        \
                             .max_step = max_step_##rule },
#define VV_ENTRY_0(name, word, summary, inversion_free, rotation, sweeps, split) VV_ENTRY(name, 0)
#define VV_ENTRY_1(name, word, summary, inversion_free, rotation, sweeps, split) VV_ENTRY(name, 1)
const vv_tet10_kernels VV_KERNEL(vv_tet10_all_kernels) = { { { { VV_TET_MATERIALS(VV_ENTRY_0) } },
                                                             { { VV_TET_MATERIALS(VV_ENTRY_1) } } } };
