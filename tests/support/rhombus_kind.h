/* A kind of elements that is not the library's, "rhombus": a bending energy on hinges, E = 1/2 k |x_a + x_b - x_c -
 * x_d|^2. All that a new kind takes: this file, and its row in the list, which this program has instead of the
 * library's. */
#ifndef VV_TESTS_RHOMBUS_KIND_H
#define VV_TESTS_RHOMBUS_KIND_H

#include "base/error.h"
#include "base/memory.h"
#include "energy/batch/rayleigh.h"

extern const vv_element_kind rhombus;
#define VV_MORE_ELEMENT_KINDS &rhombus,
#include "energy/elements.c"

typedef struct rhombi {
    vv_batch_energy e;
    double *stiffness; /* of each part */
} rhombi;

static const double rhombus_sign[4] = { 1, 1, -1, -1 };

/* The vector of a lane into d; false in lanes that only fill up. */
static bool rhombus_vector(const vv_batch *b, int lane, const double *x, int nodes[4], double d[3])
{
    for (int k = 0; k < 3; k++)
        d[k] = 0;
    for (int a = 0; a < 4; a++) {
        nodes[a] = b->nodes[(lane / VV_LANES * 4 + a) * VV_LANES + lane % VV_LANES];
        for (int k = 0; k < 3; k++)
            d[k] += rhombus_sign[a] * x[3 * nodes[a] + k];
    }
    return b->source[lane] >= 0;
}

static double rhombus_value(const vv_energy *e, const vv_parallel *par, const double *x, double *per_body)
{
    (void)par;
    const rhombi *s = (const rhombi *)e;
    const vv_batch *b = &s->e.batch;
    int nodes[4];
    for (int j = 0; j < b->block_count; j++) {
        b->partial[j] = 0;
        for (int lane = VV_LANES * b->block_group[j]; lane < VV_LANES * b->block_group[j + 1]; lane++) {
            double d[3];
            if (rhombus_vector(b, lane, x, nodes, d))
                b->partial[j] += 0.5 * s->stiffness[b->block_part[j]] * (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        }
    }
    return vv_batch_sum(b, s->e.body, per_body);
}

static void rhombus_add(const vv_batch_energy *e, const vv_parallel *par, const vv_batch_sum_of *what)
{
    (void)par; /* semidefinite as it is */
    const vv_batch *b = &e->batch;
    const int *slots = what->slots;
    for (int j = 0; j < b->block_count; j++)
        for (int lane = VV_LANES * b->block_group[j]; lane < VV_LANES * b->block_group[j + 1]; lane++) {
            vv_sample sample = what->sample[0];
            int nodes[4], part = b->block_part[j];
            double d[3], k = ((const rhombi *)e)->stiffness[part];
            if (!vv_samples_scale(&sample, 1, what->part_scale, part) || !rhombus_vector(b, lane, sample.x, nodes, d))
                continue;
            for (int i = 0; what->g && i < 12; i++)
                what->g[3 * nodes[i / 3] + i % 3] += sample.force * k * rhombus_sign[i / 3] * d[i % 3];
            for (int i = 0; what->values && i < 48; i++)
                if (slots[16 * lane + i / 3] >= 0)
                    what->values[9 * slots[16 * lane + i / 3] + 4 * (i % 3)] +=
                        sample.stiffness * k * rhombus_sign[i / 12] * rhombus_sign[i / 3 % 4];
        }
}

static void rhombus_destroy(vv_energy *e)
{
    vv_batch_energy_free(&((rhombi *)e)->e);
    vv_free(((rhombi *)e)->stiffness);
    vv_free(e);
}

static const vv_energy_ops rhombus_ops = { .info = { "rhombus", "" },
                                           .row = VV_ROW_ELASTIC,
                                           .value = rhombus_value,
                                           .derivatives = vv_batch_energy_derivatives,
                                           .pattern = vv_batch_energy_pattern,
                                           .slots = vv_batch_energy_slots,
                                           .destroy = rhombus_destroy };

static vvStatus rhombus_create(const vv_element_kind *kind, const vv_element_input *in, vv_energy **out, vvError *error)
{
    assert_ptr_equal(kind, &rhombus);
    rhombi *s = vv_alloc(1, sizeof *s);
    int start[3] = { 0 }, elements[4 * 400];
    s->e = (vv_batch_energy){ .base.ops = &rhombus_ops,
                              .part_count = in->part_count,
                              .add = rhombus_add,
                              .body = vv_alloc((size_t)in->part_count, sizeof(int)) };
    s->stiffness = vv_alloc((size_t)in->part_count, sizeof(double));
    for (int p = 0; p < in->part_count; p++) {
        const vv_element_part *part = in->parts + p;
        s->e.body[p] = part->body;
        s->stiffness[p] = part->material->def.bendStiffness;
        memcpy(elements + 4 * start[p], part->hinges, 4 * (size_t)part->hinge_count * sizeof *elements);
        start[p + 1] = start[p] + part->hinge_count;
    }
    *out = &s->e.base;
    return vv_batch_create(&s->e.batch, 4, in->node_count, in->rest, in->part_count, start, elements, error);
}

static vvStatus rhombus_check(const vvMaterialDef *m, vvError *error)
{
    return m->bendStiffness > 0 ? VV_OK : vv_fail(error, VV_ERROR_INPUT, "bend_stiffness is 0; rhombi need one");
}

const vv_element_kind rhombus = { { "rhombus", "bending" }, VV_CELL_HINGES,      false, rhombus_check,
                                  rhombus_create,           vv_rayleigh_of_parts };

#endif
