/* Batches of tets in macro-cells (mesh/macro.h): a group is a macro-cell, its lanes are the tets, and those left are
 * filled up with repetitions of the first. Order, slabs and colours are those of a batch whose elements are the
 * macro-cells. */
#include "energy/batch/batch.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

enum { TETS = VV_MACRO_TETS, NODES = VV_MACRO_NODES };

typedef struct macros {
    int *of_tet;     /* the macro-cell of each tet, counted over all parts */
    int *part_start; /* part_count + 1: the macro-cells of each part */
    int *tets;       /* macro-cells x 8, -1 past the last */
    int *nodes;      /* macro-cells x VV_MACRO_NODES, the first one again past the last */
    int *around;     /* the same, -1 past the last */
} macros;

static void free_macros(macros *m)
{
    vv_free(m->of_tet);
    vv_free(m->part_start);
    vv_free(m->tets);
    vv_free(m->nodes);
    vv_free(m->around);
}

static int place_of(const int *around, int node)
{
    int i = 0;
    while (i < NODES && around[i] >= 0 && around[i] != node)
        i++;
    return i;
}

static void add_tet(macros *m, int tet, const int nodes[4])
{
    int *tets = m->tets + TETS * (size_t)m->of_tet[tet], *around = m->around + NODES * (size_t)m->of_tet[tet];
    while (*tets >= 0)
        tets++;
    *tets = tet;
    for (int a = 0; a < 4; a++)
        around[place_of(around, nodes[a])] = nodes[a];
}

static vvStatus find_macros(macros *m, int part_count, const int *part_start, const int *tets, vvError *error)
{
    const size_t count = (size_t)part_start[part_count];
    vvStatus status = VV_OK;
    m->of_tet = vv_alloc(count, sizeof *m->of_tet);
    m->part_start = vv_alloc((size_t)part_count + 1, sizeof *m->part_start);
    if (!m->of_tet || !m->part_start)
        return vv_fail_memory(error, "macro-cells");
    for (int p = 0; status == VV_OK && p < part_count; p++) {
        int own = 0, first = m->part_start[p], begin = part_start[p], end = part_start[p + 1];
        status = vv_macro_cells(end - begin, tets + 4 * (size_t)begin, m->of_tet + begin, &own, error);
        for (int t = begin; t < end; t++)
            m->of_tet[t] += first;
        m->part_start[p + 1] = first + own;
    }
    if (status != VV_OK)
        return status;
    const size_t all = (size_t)m->part_start[part_count];
    m->tets = vv_alloc(TETS * all, sizeof *m->tets);
    m->nodes = vv_alloc(NODES * all, sizeof *m->nodes);
    m->around = vv_alloc(NODES * all, sizeof *m->around);
    if (!m->tets || !m->nodes || !m->around)
        return vv_fail_memory(error, "macro-cells");
    for (size_t i = 0; i < TETS * all; i++)
        m->tets[i] = -1;
    for (size_t i = 0; i < NODES * all; i++)
        m->around[i] = -1;
    for (size_t t = 0; t < count; t++)
        add_tet(m, (int)t, tets + 4 * t);
    for (size_t i = 0; i < NODES * all; i++)
        m->nodes[i] = m->around[i] >= 0 ? m->around[i] : m->around[i / NODES * NODES];
    return VV_OK;
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

static vvStatus allocate(vv_batch *b, const vv_batch *of, int part_count, const int *part_start, vvError *error)
{
    const size_t blocks = (size_t)of->block_count, slabs = (size_t)of->slab_count;
    *b = (vv_batch){ .k = 4,
                     .element_count = part_start[part_count],
                     .group_count = of->element_count,
                     .block_count = of->block_count,
                     .slab_count = of->slab_count,
                     .color_count = of->color_count };
    const size_t groups = (size_t)b->group_count;
    b->block_group = vv_alloc(blocks + 1, sizeof *b->block_group);
    b->block_part = vv_alloc_copy(of->block_part, blocks, sizeof *b->block_part);
    b->slab_block = vv_alloc_copy(of->slab_block, slabs + 1, sizeof *b->slab_block);
    b->color_start = vv_alloc_copy(of->color_start, slabs + 1, sizeof *b->color_start);
    b->color_slab = vv_alloc_copy(of->color_slab, slabs, sizeof *b->color_slab);
    b->partial = vv_alloc(blocks, sizeof *b->partial);
    b->source = vv_alloc(groups * VV_LANES, sizeof *b->source);
    b->nodes = vv_alloc(groups * 4 * VV_LANES, sizeof *b->nodes);
    b->place = vv_alloc(groups * 4 * VV_LANES, sizeof *b->place);
    b->around = vv_alloc(groups * NODES, sizeof *b->around);
    return b->block_group && b->block_part && b->slab_block && b->color_start && b->color_slab && b->partial &&
                   b->source && b->nodes && b->place && b->around
               ? VV_OK
               : vv_fail_memory(error, "macro-cells");
}

static void fill_group(vv_batch *b, int group, const macros *m, int macro, const int *tets)
{
    const int *own = m->tets + TETS * (size_t)macro, *around = m->around + NODES * (size_t)macro;
    memcpy(b->around + NODES * (size_t)group, around, NODES * sizeof *around);
    for (size_t l = 0; l < VV_LANES; l++) {
        const int real = l < TETS && own[l] >= 0, tet = real ? own[l] : own[0];
        b->source[VV_LANES * (size_t)group + l] = real ? tet : ~tet;
        for (size_t a = 0; a < 4; a++) {
            const size_t at = (4 * (size_t)group + a) * VV_LANES + l;
            b->nodes[at] = tets[4 * (size_t)tet + a];
            b->place[at] = (unsigned char)place_of(around, b->nodes[at]);
        }
    }
}

static void fill_groups(vv_batch *b, const vv_batch *of, const macros *m, const int *tets)
{
    int group = 0;
    for (int j = 0; j < of->block_count; j++) {
        b->block_group[j] = group;
        for (int lane = VV_LANES * of->block_group[j]; lane < VV_LANES * of->block_group[j + 1]; lane++)
            if (of->source[lane] >= 0)
                fill_group(b, group++, m, of->source[lane], tets);
    }
    b->block_group[of->block_count] = group;
}

vvStatus vv_batch_create_macros(vv_batch *b, int node_count, const double *position, int part_count,
                                const int *part_start, const int *tets, vvError *error)
{
    macros m = { 0 };
    vv_batch of = { 0 };
    *b = (vv_batch){ 0 };
    vvStatus status = vv_batch_check(4, node_count, part_count, part_start, tets, error);
    if (status == VV_OK)
        status = find_macros(&m, part_count, part_start, tets, error);
    if (status == VV_OK)
        status = vv_batch_create(&of, NODES, node_count, position, part_count, m.part_start, m.nodes, error);
    if (status == VV_OK)
        status = allocate(b, &of, part_count, part_start, error);
    if (status == VV_OK)
        fill_groups(b, &of, &m, tets);
    else
        vv_batch_free(b);
    vv_batch_free(&of);
    free_macros(&m);
    return status;
}
