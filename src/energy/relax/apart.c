/* Groups of eight elements that share no node. Within a block each element, in the order of the other batch, goes to
 * the first group that has a lane left and none of its nodes. */
#include "energy/relax/apart.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

/* Elements in a block, at most. A node of a tet mesh has about 24 tets and needs as many groups: in smaller blocks
 * most lanes are idle. */
enum { MOST = 512, WORDS = MOST / 64 };

typedef struct maker {
    const vv_batch *from;
    vv_apart *to;
    uint64_t (*taken)[WORDS]; /* per node: the groups of the present block that have it */
    int *group, *lane;        /* per lane of `from`: where it goes */
} maker;

static const int *nodes_of(const vv_batch *b, int lane)
{
    return b->nodes + (size_t)(lane / VV_LANES) * (size_t)b->k * VV_LANES + lane % VV_LANES;
}

/* The number of the first bit that is 0; MOST: none. */
static int first_free(const uint64_t *bits)
{
    for (int w = 0; w < WORDS; w++)
        if (~bits[w])
            return 64 * w + __builtin_ctzll(~bits[w]);
    return MOST;
}

/* Gives the real lanes [begin, end) of `from` their places in the groups from `first` on; returns how many groups
 * that makes. */
static int place(maker *m, int begin, int end, int first)
{
    const int k = m->from->k;
    uint64_t full[WORDS] = { 0 };
    int count[MOST] = { 0 }, groups = 0;
    for (int lane = begin; lane < end; lane++)
        for (int a = 0; a < k; a++)
            memset(m->taken[nodes_of(m->from, lane)[a * VV_LANES]], 0, sizeof *m->taken);
    for (int lane = begin; lane < end; lane++) {
        const int *nodes = nodes_of(m->from, lane);
        uint64_t bits[WORDS];
        if (m->from->source[lane] < 0)
            continue;
        memcpy(bits, full, sizeof bits);
        for (int a = 0; a < k; a++)
            for (int w = 0; w < WORDS; w++)
                bits[w] |= m->taken[nodes[a * VV_LANES]][w];
        int g = first_free(bits);
        m->group[lane] = first + g, m->lane[lane] = count[g]++;
        groups = g >= groups ? g + 1 : groups;
        if (count[g] == VV_LANES)
            full[g / 64] |= (uint64_t)1 << g % 64;
        for (int a = 0; a < k; a++)
            m->taken[nodes[a * VV_LANES]][g / 64] |= (uint64_t)1 << g % 64;
    }
    return groups;
}

/* Joins blocks [begin, end) of `from`, of one slab, as far as may be. */
static void place_slab(maker *m, int begin, int end)
{
    const vv_batch *from = m->from;
    vv_batch *to = &m->to->batch;
    for (int j = begin; j < end;) {
        int next = j + 1;
        while (next < end && VV_LANES * (from->block_group[next + 1] - from->block_group[j]) <= MOST)
            next++;
        to->block_group[to->block_count] = to->group_count;
        to->block_part[to->block_count++] = from->block_part[j];
        to->group_count +=
            place(m, VV_LANES * from->block_group[j], VV_LANES * from->block_group[next], to->group_count);
        j = next;
    }
}

/* The slabs are those of `from`; the new blocks' arrays have room for as many as it has. */
static void place_all(maker *m)
{
    const vv_batch *from = m->from;
    vv_batch *to = &m->to->batch;
    to->slab_count = from->slab_count;
    for (int i = 0; i < from->slab_count; i++) {
        to->slab_block[i] = to->block_count;
        place_slab(m, from->slab_block[i], from->slab_block[i + 1]);
    }
    to->slab_block[to->slab_count] = to->block_count;
    to->block_group[to->block_count] = to->group_count;
}

static void fill(const maker *m)
{
    const vv_batch *from = m->from;
    vv_batch *to = &m->to->batch;
    for (int lane = 0; lane < VV_LANES * from->group_count; lane++)
        if (from->source[lane] >= 0) {
            to->source[VV_LANES * m->group[lane] + m->lane[lane]] = lane;
            m->to->lanes[m->group[lane]]++;
        }
    for (int lane = 0; lane < VV_LANES * to->group_count; lane++) {
        int first = to->source[lane / VV_LANES * VV_LANES];
        int *nodes = to->nodes + (size_t)(lane / VV_LANES * to->k) * VV_LANES + lane % VV_LANES;
        if (lane % VV_LANES >= m->to->lanes[lane / VV_LANES])
            to->source[lane] = ~first;
        int source = to->source[lane] < 0 ? first : to->source[lane];
        for (int a = 0; a < to->k; a++)
            nodes[a * VV_LANES] = nodes_of(from, source)[a * VV_LANES];
    }
}

static vvStatus make(maker *m, int node_count, vvError *error)
{
    vv_batch *to = &m->to->batch;
    size_t blocks = (size_t)m->from->block_count, slabs = (size_t)m->from->slab_count,
           lanes = (size_t)m->from->group_count * VV_LANES;
    to->block_group = vv_alloc(blocks + 1, sizeof *to->block_group);
    to->block_part = vv_alloc(blocks, sizeof *to->block_part);
    to->slab_block = vv_alloc(slabs + 1, sizeof *to->slab_block);
    to->color_start = vv_alloc(slabs + 1, sizeof *to->color_start);
    to->color_slab = vv_alloc(slabs, sizeof *to->color_slab);
    m->taken = vv_alloc((size_t)node_count, sizeof *m->taken);
    m->group = vv_alloc(lanes, sizeof *m->group);
    m->lane = vv_alloc(lanes, sizeof *m->lane);
    if (!to->block_group || !to->block_part || !to->slab_block || !to->color_start || !to->color_slab || !m->taken ||
        !m->group || !m->lane)
        return vv_fail_memory(error, "the order of constraints");
    place_all(m);
    size_t groups = (size_t)to->group_count;
    to->source = vv_alloc(groups * VV_LANES, sizeof *to->source);
    to->nodes = vv_alloc(groups * VV_LANES * (size_t)to->k, sizeof *to->nodes);
    m->to->lanes = vv_alloc(groups, sizeof *m->to->lanes);
    if (!to->source || !to->nodes || !m->to->lanes)
        return vv_fail_memory(error, "the order of constraints");
    fill(m);
    return vv_batch_color(to, node_count, error);
}

vvStatus vv_apart_create(vv_apart *a, const vv_batch *from, int node_count, vvError *error)
{
    *a = (vv_apart){ .batch = { .k = from->k, .element_count = from->element_count } };
    maker m = { .from = from, .to = a };
    vvStatus status = make(&m, node_count, error);
    vv_free(m.taken);
    vv_free(m.group);
    vv_free(m.lane);
    if (status != VV_OK)
        vv_apart_free(a);
    return status;
}

void vv_apart_free(vv_apart *a)
{
    vv_batch_free(&a->batch);
    vv_free(a->lanes);
    *a = (vv_apart){ 0 };
}

double *vv_apart_shape(const vv_apart *a, const double *shape, int rows)
{
    const int lanes = VV_LANES * a->batch.group_count;
    double *out = vv_alloc((size_t)lanes * (size_t)rows, sizeof *out);
    for (int lane = 0; out && lane < lanes; lane++) {
        int source = a->batch.source[lane] < 0 ? ~a->batch.source[lane] : a->batch.source[lane];
        const double *from = shape + (size_t)(source / VV_LANES * rows) * VV_LANES + source % VV_LANES;
        double *to = out + (size_t)(lane / VV_LANES * rows) * VV_LANES + lane % VV_LANES;
        for (int i = 0; i < rows; i++)
            to[i * VV_LANES] = from[i * VV_LANES];
    }
    return out;
}
