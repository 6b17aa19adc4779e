/* A kind of elements that is not the library's, "rhombus": a bending energy on hinges, E = 1/2 k |x_a + x_b - x_c -
 * x_d|^2, eight at once. All that a new kind takes: this file, and its row in the list, which this program has instead
 * of the library's. */
#ifndef VV_TESTS_RHOMBUS_KIND_H
#define VV_TESTS_RHOMBUS_KIND_H

#include "base/error.h"
#include "base/simd/svd8.h"
#include "energy/batch/lanes.h"
#include "energy/batch/rayleigh.h"

extern const vv_element_kind rhombus;
#define VV_MORE_ELEMENT_KINDS &rhombus,
#include "energy/elements.c"

/* ---- kernels: a group has one number, k ---- */

static const double rhombus_sign[4] = { 1, 1, -1, -1 };

static vv_d8 rhombus_load(const vv_block *b, int group, const double *x, vv_d8 d[3])
{
    const int *nodes = b->nodes + group * 4 * VV_LANES;
    for (int k = 0; k < 3; k++)
        d[k] = vv8_gather(x, nodes, k) + vv8_gather(x, nodes + VV_LANES, k) - vv8_gather(x, nodes + 2 * VV_LANES, k) -
               vv8_gather(x, nodes + 3 * VV_LANES, k);
    return vv8_load(b->shape + group * VV_LANES);
}

static void rhombus_push(const vv_block *b, int group, vv_d8 k, const vv_d8 d[3])
{
    for (int a = 0; a < 4; a++) {
        const vv_d8 scale = k * rhombus_sign[a], f[3] = { scale * d[0], scale * d[1], scale * d[2] };
        vv8_add_vectors(b->g, b->nodes + (group * 4 + a) * VV_LANES, f);
    }
}

static double rhombus_value(const vv_block *b)
{
    vv_d8 sum = vv8_zero();
    for (int g = 0; g < b->groups; g++) {
        vv_d8 d[3], k = rhombus_load(b, g, b->x, d);
        sum += 0.5 * k * vv8_dot(d, d);
        if (b->g)
            rhombus_push(b, g, b->scale * k, d);
    }
    return vv8_sum(sum);
}

/* The Hessian is semidefinite as it is. */
static void rhombus_derivatives(const vv_block *b)
{
    for (int g = 0; g < b->groups; g++) {
        vv_d8 d[3], k, h[10][9] = { { vv8_zero() } };
        for (int i = 0; i < b->samples; i++) {
            k = rhombus_load(b, g, b->sample[i].x, d);
            if (b->g)
                rhombus_push(b, g, b->sample[i].force * k, d);
            for (int p = 0; p < 4; p++)
                for (int q = p; q < 4; q++)
                    for (int c = 0; c < 9; c += 4)
                        h[vv_block_of[p][q]][c] += b->sample[i].stiffness * rhombus_sign[p] * rhombus_sign[q] * k;
        }
        if (b->values)
            vv8_add_blocks4(b->slots + g * 16 * VV_LANES, h, b->values);
    }
}

static const vv_block_kernels rhombus_kernels = { .value = rhombus_value,
                                                  .value_gradient = rhombus_value,
                                                  .derivatives = rhombus_derivatives };

/* ---- the frame ---- */

static void rhombus_constant(const vv_elements *s, int lane, int part, vv_quadratic_kind kind, double *pair)
{
    (void)part, (void)kind;
    for (int a = 0; a < 4; a++)
        for (int b = a; b < 4; b++)
            *pair++ = rhombus_sign[a] * rhombus_sign[b] * *vv_shape_of_lane(s, lane);
}

static const vv_element_frame rhombus_frame = {
    .what = "rhombi", .nodes = 4, .shape = 1, .forces = 5, .hessians = 50, .constant = rhombus_constant
};
static const vv_energy_ops rhombus_ops = { VV_ELEMENTS_OPS, .info = { "rhombus", "" } };

static vvStatus rhombus_fill(const void *arg, const vv_lane *lane, vvError *error)
{
    (void)error;
    const vv_element_input *in = arg;
    lane->shape[0] = lane->real ? in->parts[lane->part].material->def.bendStiffness : 0;
    return VV_OK;
}

static vvStatus rhombus_create(const vv_element_kind *kind, const vv_element_input *in, vv_energy **out, vvError *error)
{
    vv_elements *s;
    assert_ptr_equal(kind, &rhombus);
    *out = NULL;
    vvStatus status =
        vv_elements_of_parts(&rhombus_frame, &rhombus_ops, &rhombus_kernels, kind->cell, in, NULL, &s, error);
    return s ? vv_elements_finish(s, rhombus_fill, in, out, error) : status;
}

static vvStatus rhombus_check(const vvMaterialDef *m, vvError *error)
{
    return m->bendStiffness > 0 ? VV_OK : vv_fail(error, VV_ERROR_INPUT, "bend_stiffness is 0; rhombi need one");
}

const vv_element_kind rhombus = { .info = { "rhombus", "bending" },
                                  .cell = VV_CELL_HINGES,
                                  .check = rhombus_check,
                                  .create = rhombus_create,
                                  .rayleigh = vv_rayleigh_of_parts };

#endif
