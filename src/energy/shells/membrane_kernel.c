/* Membranes, eight triangles at once: energy, gradient and (projected) Hessian, and the step allowed by a strain limit
 * (theory §4.9).
 *
 * F = sum_a x_a (x) G_a with G_1, G_2 the rows of D_m^-1, G_0 = -(G_1 + G_2): 3x2. dE/dx_a = w F S G_a. With ghat_a =
 * V^T G_a, in the frame of u1, u2 and n,
 *   d2E/dx_a dx_b = w U Khat_ab U^T,
 *   Khat[p][p] = h_pp ghat_a[p] ghat_b[p] + (minus + plus)/2 ghat_a[q] ghat_b[q]                        p, q = 1, 2
 *       or 2, 1
 *   Khat[p][q] = h_pq ghat_a[p] ghat_b[q] + (minus - plus)/2 ghat_a[q] ghat_b[p]
 *   Khat[n][n] = out_1 ghat_a[1] ghat_b[1] + out_2 ghat_a[2] ghat_b[2]
 * so the six eigenvalues of d2psi/dF2 are those of h, minus, plus, out_1, out_2: the projection keeps the positive
 * ones. Rows of node 0 follow from the sum over the nodes, which is zero. */
#include "energy/shells/membrane_group.h"

#include <math.h>

/* ---- a group
 * ------------------------------------------------------------------------------------------------------- */

typedef struct group8 {
    vv_d8 a, b, c, weight; /* of the shape */
    vv_law8 law;
    triangle8 at;
} group8;

VV_INLINE const vv_membrane_law *law_of(const vv_block *b) { return (const vv_membrane_law *)b->law; }

VV_INLINE void load_shape(const vv_block *b, int group, group8 *t)
{
    const double *shape = b->shape + (ptrdiff_t)group * VV_MEMBRANE_SHAPE * VV_LANES;
    t->a = vv8_load(shape), t->b = vv8_load(shape + VV_LANES);
    t->c = vv8_load(shape + 2 * VV_LANES), t->weight = vv8_load(shape + 3 * VV_LANES);
}

/* The columns of F of a field. */
VV_INLINE void columns_of(const vv_block *b, int group, const group8 *t, const double *x, vv_d8 f[2][3])
{
    const int *nodes = b->nodes + (ptrdiff_t)group * 3 * VV_LANES;
    vv_d8 at[3][3];
    for (int n = 0; n < 3; n++)
        vv8_gather_vectors(x, nodes + n * VV_LANES, at[n]);
    for (int i = 0; i < 3; i++) {
        vv_d8 d = at[1][i] - at[0][i], e = at[2][i] - at[0][i];
        f[0][i] = d * t->a;
        f[1][i] = d * t->b + e * t->c;
    }
}

VV_INLINE void load_group(const vv_block *b, int group, const double *x, group8 *t)
{
    load_shape(b, group, t);
    t->law = (vv_law8){ vv8_set(law_of(b)->mu), vv8_set(law_of(b)->lambda), vv8_set(law_of(b)->limit),
                        vv8_set(law_of(b)->width) };
    columns_of(b, group, t, x, t->at.f);
    stretch_of(t->at.f, &t->at.e);
}

/* ---- energy and gradient
 * ------------------------------------------------------------------------------------------- */

/* Forces at nodes 1 and 2. */
VV_INLINE void add_forces(const group8 *t, const vv_plane8 *s, vv_d8 scale, bool first, vv_d8 force[3][3])
{
    vv_d8 weight = scale * t->weight;
    for (int i = 0; i < 3; i++) {
        vv_d8 x = weight * (t->at.f[0][i] * s->xx + t->at.f[1][i] * s->xy),
              y = weight * (t->at.f[0][i] * s->xy + t->at.f[1][i] * s->yy);
        vv8_accumulate(first, x * t->a + y * t->b, force[1] + i);
        vv8_accumulate(first, y * t->c, force[2] + i);
    }
}

VV_INLINE void scatter_forces(const vv_block *b, int group, vv_d8 force[3][3])
{
    const int *nodes = b->nodes + (ptrdiff_t)group * 3 * VV_LANES;
    for (int i = 0; i < 3; i++)
        force[0][i] = -(force[1][i] + force[2][i]);
    for (int a = 0; a < 3; a++)
        vv8_add_vectors(b->g, nodes + a * VV_LANES, force[a]);
}

VV_INLINE double energy_of_block(const vv_block *b, int model, bool limited, bool forces)
{
    vv_d8 sum = vv8_zero();
    vv_i8 any = { 0 };
    for (int g = 0; g < b->groups; g++) {
        group8 t;
        vv_d8 psi, force[3][3];
        vv_plane8 s;
        vv_i8 outside;
        load_group(b, g, b->x, &t);
        stress_of(&t.at, &t.law, model, limited, &psi, &s, &outside);
        any |= outside & vv8_above(t.weight, 0); /* not of padding */
        if (!forces && vv8_any(any))
            return INFINITY;
        sum += t.weight * psi;
        if (forces) {
            add_forces(&t, &s, vv8_set(b->scale), true, force);
            scatter_forces(b, g, force);
        }
    }
    return vv8_any(any) ? INFINITY : vv8_sum(sum);
}

/* ---- Hessian
 * ------------------------------------------------------------------------------------------------------- */

/* Derivatives of a group's elements, summed over the samples. Blocks (a, b), a <= b: upper[a][b] is an index into k. */
typedef struct element_sum {
    vv_d8 force[3][3], k[6][9];
} element_sum;
static const signed char upper[3][3] = { { 0, 1, 2 }, { 1, 3, 4 }, { 2, 4, 5 } };

VV_INLINE void add_hessian(const group8 *t, const vv_block *b, vv_d8 scale, int model, bool limited, bool first,
                           element_sum *sum)
{
    vv_principal8 p;
    vv_membrane_frame f;
    vv_d8 u[3][3], weight = scale * t->weight;
    curvature_of(&t->at, &t->law, model, limited, b->project, &p, u, &f);
    vv_d8 ghat[2][2] = { { p.cosine * t->a + p.sine * t->b, p.cosine * t->b - p.sine * t->a },
                         { p.sine * t->c, p.cosine * t->c } };
    for (int i = 0; i < 2; i++)
        for (int j = i; j < 2; j++)
            node_pair(&f, u, ghat[i], ghat[j], weight, first, sum->k[upper[i + 1][j + 1]]);
}

/* The blocks of node 0. */
VV_INLINE void complete_blocks(vv_d8 k[6][9])
{
    for (int r = 0; r < 3; r++)
        for (int s = 0; s < 3; s++) {
            int rs = 3 * s + r, sr = 3 * r + s; /* entries (r, s) and (s, r) */
            k[1][rs] = -(k[3][rs] + k[4][sr]);
            k[2][rs] = -(k[4][rs] + k[5][rs]);
        }
    for (int r = 0; r < 3; r++)
        for (int s = r; s < 3; s++) {
            k[0][3 * s + r] = -(k[1][3 * s + r] + k[2][3 * s + r]);
            k[0][3 * r + s] = k[0][3 * s + r];
        }
}

/* Adds the blocks of each lane to the matrix, both (a, b) and its transpose (b, a). */
VV_INLINE void scatter_blocks(const int *slots, vv_d8 k[6][9], double *values)
{
    vv_d8 lane[6][VV_LANES];
    double nowhere[9] = { 0 };
    complete_blocks(k);
    for (int i = 0; i < 6; i++)
        vv8_transpose(k[i], lane[i]);
    for (int l = 0; l < VV_LANES; l++)
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++) {
                int slot = slots[9 * l + 3 * a + b], i = upper[a][b];
                double *to = slot < 0 ? nowhere : values + 9 * (ptrdiff_t)slot;
                vv_d8 first = lane[i][l];
                if (a > b)
                    first = __builtin_shufflevector(first, first, 0, 3, 6, 1, 4, 7, 2, 5);
                vv8_add_block(to, first, k[i][8][l]);
            }
}

/* One sample of a group; the first one overwrites the sum. */
VV_INLINE void add_sample(const vv_block *b, int g, const vv_sample *sample, int model, bool limited, bool first,
                          element_sum *sum)
{
    group8 t;
    load_group(b, g, sample->x, &t);
    if (b->g) {
        vv_d8 psi;
        vv_plane8 s;
        vv_i8 outside;
        stress_of(&t.at, &t.law, model, limited, &psi, &s, &outside);
        add_forces(&t, &s, vv8_set(sample->force), first, sum->force);
    }
    if (b->values)
        add_hessian(&t, b, vv8_set(sample->stiffness), model, limited, first, sum);
}

static VV_ONE_INSTANCE void derivatives_of_block(const vv_block *b, int model, bool limited)
{
    for (int g = 0; g < b->groups; g++) {
        element_sum sum;
        add_sample(b, g, b->sample, model, limited, true, &sum);
        for (int i = 1; i < b->samples; i++)
            add_sample(b, g, b->sample + i, model, limited, false, &sum);
        if (b->g)
            scatter_forces(b, g, sum.force);
        if (b->values)
            scatter_blocks(b->slots + (ptrdiff_t)g * 9 * VV_LANES, sum.k, b->values);
    }
}

/* ---- how far the strain limit lets it go
 * ----------------------------------------------------------------------------- */

/* No singular value comes closer to the limit than a fifth of what it is away from it. */
static double max_step_of_block(const vv_block *b)
{
    double least = 1;
    for (int g = 0; law_of(b)->width > 0 && g < b->groups; g++) {
        group8 t;
        vv_d8 d[2][3];
        vv_principal8 now, end;
        load_group(b, g, b->x, &t);
        columns_of(b, g, &t, b->p, d);
        vv8_principal(&t.at.e, &now);
        vv_d8 most = law_of(b)->limit - 0.2 * (law_of(b)->limit - now.s[0]);
        vv_d8 first[3] = { 2 * vv8_dot(t.at.f[0], d[0]), 2 * vv8_dot(t.at.f[1], d[1]),
                           vv8_dot(t.at.f[0], d[1]) + vv8_dot(t.at.f[1], d[0]) };
        vv_d8 second[3] = { vv8_dot(d[0], d[0]), vv8_dot(d[1], d[1]), vv8_dot(d[0], d[1]) };
        vv_stretch2 there = { { t.at.e.c.xx + first[0] + second[0], t.at.e.c.yy + first[1] + second[1],
                                t.at.e.c.xy + first[2] + second[2] },
                              vv8_zero() };
        vv8_principal(&there, &end);
        vv_i8 check = ~vv8_less(end.s[0], most);
        for (int l = 0; l < VV_LANES && vv8_any(check); l++)
            if (check[l]) {
                double c[3][3] = { { t.at.e.c.xx[l], first[0][l], second[0][l] },
                                   { t.at.e.c.yy[l], first[1][l], second[1][l] },
                                   { t.at.e.c.xy[l], first[2][l], second[2][l] } };
                double part = part_below(c, most[l]);
                least = part < least ? part : least;
            }
    }
    return least;
}

/* Half of what is left of the stretch, shared by the nodes' moves against their mean, which stretches nothing. */
static void bounds_of_block(const vv_block *b)
{
    for (int g = 0; law_of(b)->width > 0 && g < b->groups; g++) {
        const int *nodes = b->nodes + (ptrdiff_t)g * 3 * VV_LANES;
        group8 t;
        vv_principal8 now;
        vv_d8 p[3][3], reach = vv8_zero();
        load_group(b, g, b->x, &t);
        vv8_principal(&t.at.e, &now);
        for (int a = 0; a < 3; a++)
            vv8_gather_vectors(b->p, nodes + a * VV_LANES, p[a]);
        vv_d8 x = t.a, y = t.b + t.c,
              slope[3] = { vv8_sqrt(x * x + y * y), vv8_sqrt(t.a * t.a + t.b * t.b), vv8_abs(t.c) };
        for (int a = 0; a < 3; a++) {
            vv_d8 own[3];
            for (int i = 0; i < 3; i++)
                own[i] = p[a][i] - (p[0][i] + p[1][i] + p[2][i]) / 3;
            reach += slope[a] * vv8_sqrt(vv8_dot(own, own));
        }
        vv_d8 room = 0.5 * (law_of(b)->limit - now.s[0]);
        for (int l = 0; l < VV_LANES; l++)
            for (int a = 0; a < 3; a++) {
                double *part = b->part + nodes[a * VV_LANES + l];
                if (*part * reach[l] > room[l])
                    *part = room[l] > 0 ? room[l] / reach[l] : 0;
            }
    }
}

/* ---- the table
 * ------------------------------------------------------------------------------------------------------- */

#define VV_INSTANCE(name, model, limited)                                                                       \
    static double name##_value(const vv_block *b) { return energy_of_block(b, model, limited, false); }         \
    static double name##_value_gradient(const vv_block *b) { return energy_of_block(b, model, limited, true); } \
    static void name##_derivatives(const vv_block *b) { derivatives_of_block(b, model, limited); }
VV_INSTANCE(stvk, VV_MEMBRANE_STVK, false)
VV_INSTANCE(stvk_limited, VV_MEMBRANE_STVK, true)
VV_INSTANCE(neo_hookean, VV_MEMBRANE_NEO_HOOKEAN, false)
VV_INSTANCE(neo_hookean_limited, VV_MEMBRANE_NEO_HOOKEAN, true)
#undef VV_INSTANCE

#define VV_TABLE(name)                                                                                     \
    {                                                                                                      \
        .value = name##_value, .value_gradient = name##_value_gradient, .derivatives = name##_derivatives, \
        .max_step = max_step_of_block, .bounds = bounds_of_block                                           \
    }
const vv_membrane_kernels VV_KERNEL(vv_membrane_kernels) = {
    { { VV_TABLE(stvk), VV_TABLE(stvk_limited) }, { VV_TABLE(neo_hookean), VV_TABLE(neo_hookean_limited) } },
};
