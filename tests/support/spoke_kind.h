/* A kind of elements that is not the library's, "spoke": on each edge, springs from its director to both of its ends.
 * It holds the director at its distance, and lets it turn about the edge. In a program with this row in place of the
 * library's list. */
#ifndef VV_TESTS_SPOKE_KIND_H
#define VV_TESTS_SPOKE_KIND_H

#include "base/error.h"
#include "base/memory.h"
#include "base/vec.h"
#include "energy/springs/springs.h"

extern const vv_element_kind spoke;
#define VV_MORE_ELEMENT_KINDS &spoke,
#include "energy/elements.c"

static vvStatus spoke_create(const vv_element_kind *kind, const vv_element_input *in, vv_energy **out, vvError *error)
{
    enum { MOST = 2000 };
    int ends[2 * MOST], body[MOST], count = 0;
    double stiffness[MOST], length[MOST];
    assert_ptr_equal(kind, &spoke);
    for (int p = 0; p < in->part_count; p++) {
        const vv_element_part *part = in->parts + p;
        assert_true(part->director >= 0);
        for (int i = 0; i < 2 * part->edge_count && count < MOST; i++, count++) {
            ends[2 * count] = part->edges[i];
            ends[2 * count + 1] = part->director + i / 2;
            length[count] = vv_edge_length(in->rest, part->edges[i], part->director + i / 2);
            stiffness[count] = part->material->def.springStiffness;
            body[count] = part->body;
        }
    }
    return vv_springs_create(VV_SPRING_HOOKE, in->node_count, count, ends, stiffness, length, body, out, error);
}

const vv_element_kind spoke = {
    .info = { "spoke", "directors" }, .cell = VV_CELL_EDGES, .create = spoke_create, .thick = true, .directors = true
};

#endif
