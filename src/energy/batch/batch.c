/* Batches of elements: see batch.h. Bisection splits at multiples of the block size across the longest side of the
 * centres' box, down to groups of eight; colouring is greedy: each slab takes the least used of the colours it may
 * have, so that colours have similar numbers of slabs. */
#include "energy/batch/batch.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/stop.h"
#include "energy/batch/slabs.h"

#include <limits.h>
#include <string.h>

/* ---- order ----------------------------------------------------------------------------------------------------- */

typedef struct sorter {
    const double *center; /* element x 3 */
    int *order;
    int axis;
    bool stopped; /* the host wants no more */
} sorter;

static int before(const sorter *s, int a, int b)
{
    double x = s->center[3 * (size_t)a + (size_t)s->axis], y = s->center[3 * (size_t)b + (size_t)s->axis];
    return x < y || (x == y && a < b);
}

static void swap_int(int *a, int *b)
{
    int t = *a;
    *a = *b;
    *b = t;
}

/* Puts the nth of order[lo .. hi) where sorting would put it, the smaller ones before it (Hoare's selection). */
static void select_nth(const sorter *s, int lo, int hi, int nth)
{
    int *o = s->order;
    while (hi - lo > 1) {
        int mid = lo + (hi - lo) / 2, last = hi - 1;
        if (before(s, o[mid], o[lo]))
            swap_int(o + mid, o + lo);
        if (before(s, o[last], o[lo]))
            swap_int(o + last, o + lo);
        if (before(s, o[last], o[mid]))
            swap_int(o + last, o + mid);
        int pivot = o[mid], i = lo, j = last;
        while (i <= j) {
            while (before(s, o[i], pivot))
                i++;
            while (before(s, pivot, o[j]))
                j--;
            if (i <= j)
                swap_int(o + i++, o + j--);
        }
        if (nth <= j)
            hi = j + 1;
        else if (nth >= i)
            lo = i;
        else
            return;
    }
}

enum { MANY = 8192 }; /* elements: a millisecond */

static void bisect(sorter *s, int lo, int hi, int unit)
{
    int count = hi - lo;
    s->stopped = s->stopped || (count > MANY && vv_stopped());
    if (count <= VV_LANES || s->stopped)
        return;
    if (count <= unit)
        unit = VV_LANES;
    double low[3] = { 0 }, high[3] = { 0 };
    for (int i = lo; i < hi; i++)
        for (int k = 0; k < 3; k++) {
            double c = s->center[3 * (size_t)s->order[i] + (size_t)k];
            if (i == lo || c < low[k])
                low[k] = c;
            if (i == lo || c > high[k])
                high[k] = c;
        }
    s->axis = 0;
    for (int k = 1; k < 3; k++)
        if (high[k] - low[k] > high[s->axis] - low[s->axis])
            s->axis = k;
    int units = (count + unit - 1) / unit, middle = lo + (units + 1) / 2 * unit;
    select_nth(s, lo, hi, middle);
    bisect(s, lo, middle, unit);
    bisect(s, middle, hi, unit);
}

static double *element_centers(int k, int count, const int *elements, const double *position)
{
    double *center = vv_alloc(3 * (size_t)count, sizeof *center);
    if (center)
        for (size_t e = 0; e < (size_t)count; e++)
            for (int a = 0; a < k; a++) {
                size_t node = (size_t)elements[e * (size_t)k + (size_t)a];
                if (!position)
                    center[3 * e] += (double)node;
                for (size_t c = 0; position && c < 3; c++)
                    center[3 * e + c] += position[3 * node + c];
            }
    return center;
}

/* ---- blocks ---------------------------------------------------------------------------------------------------- */

/* Large enough to reuse shared nodes, small enough that there is work for several threads. */
static int block_size(int count)
{
    int size = count / 256 / VV_LANES * VV_LANES;
    return size < 32 ? 32 : size > 128 ? 128 : size;
}

enum { LEAST_SLAB = 256 }; /* elements: some microseconds */

static int ceil_div(int a, int b) { return (a + b - 1) / b; }

static vvStatus allocate(vv_batch *b, const vv_slabs *slabs, int size, vvError *error)
{
    for (int i = 0; i < slabs->count; i++) {
        int count = slabs->start[i + 1] - slabs->start[i];
        b->block_count += ceil_div(count, size);
        b->group_count += ceil_div(count, VV_LANES);
    }
    b->slab_count = slabs->count;
    size_t blocks = (size_t)b->block_count, groups = (size_t)b->group_count, count = (size_t)slabs->count;
    b->block_group = vv_alloc(blocks + 1, sizeof *b->block_group);
    b->block_part = vv_alloc(blocks, sizeof *b->block_part);
    b->slab_block = vv_alloc(count + 1, sizeof *b->slab_block);
    b->color_start = vv_alloc(count + 1, sizeof *b->color_start);
    b->color_slab = vv_alloc(count, sizeof *b->color_slab);
    b->partial = vv_alloc(blocks, sizeof *b->partial);
    b->source = vv_alloc(groups * VV_LANES, sizeof *b->source);
    b->nodes = vv_alloc(groups * VV_LANES * (size_t)b->k, sizeof *b->nodes);
    if (!b->block_group || !b->block_part || !b->slab_block || !b->color_start || !b->color_slab || !b->partial ||
        !b->source || !b->nodes)
        return vv_fail_memory(error, "the elements");
    return VV_OK;
}

/* Groups of eight from the order; the last group of a slab is padded with repetitions of its first element. */
static void fill_blocks(vv_batch *b, const vv_slabs *slabs, int size, const int *elements)
{
    int block = 0, group = 0;
    for (int i = 0; i < slabs->count; i++) {
        int begin = slabs->start[i], end = slabs->start[i + 1];
        b->slab_block[i] = block;
        for (int first = begin; first < end; first += VV_LANES, group++) {
            if ((first - begin) % size == 0) {
                b->block_group[block] = group;
                b->block_part[block++] = slabs->part[i];
            }
            for (int l = 0; l < VV_LANES; l++) {
                int real = first + l < end, e = slabs->order[real ? first + l : first];
                b->source[VV_LANES * group + l] = real ? e : ~e;
                for (int a = 0; a < b->k; a++)
                    b->nodes[((size_t)group * (size_t)b->k + (size_t)a) * VV_LANES + (size_t)l] =
                        elements[(size_t)e * (size_t)b->k + (size_t)a];
            }
        }
    }
    b->slab_block[slabs->count] = block;
    b->block_group[block] = group;
}

/* ---- colours --------------------------------------------------------------------------------------------------- */

static size_t first_node(const vv_batch *b, int slab)
{
    return (size_t)b->block_group[b->slab_block[slab]] * (size_t)b->k * VV_LANES;
}

/* The slabs around each node, once each, as rows start[node] .. start[node + 1]. */
static vvStatus slabs_of_nodes(const vv_batch *b, int node_count, int **start, int **slabs, vvError *error)
{
    int *last = vv_alloc((size_t)node_count, sizeof *last);
    *start = vv_alloc((size_t)node_count + 2, sizeof **start);
    *slabs = NULL;
    if (!last || !*start) {
        vv_free(last);
        return vv_fail_memory(error, "colouring of the elements");
    }
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < node_count; i++)
            last[i] = -1;
        for (int j = 0; j < b->slab_count; j++)
            for (size_t i = first_node(b, j); i < first_node(b, j + 1); i++) {
                int node = b->nodes[i];
                if (last[node] == j)
                    continue;
                last[node] = j;
                if (pass == 0)
                    (*start)[node + 2]++;
                else
                    (*slabs)[(*start)[node + 1]++] = j;
            }
        if (pass == 0) {
            for (int i = 0; i < node_count; i++)
                (*start)[i + 2] += (*start)[i + 1];
            *slabs = vv_alloc((size_t)(*start)[node_count + 1], sizeof **slabs);
            if (!*slabs) {
                vv_free(last);
                return vv_fail_memory(error, "colouring of the elements");
            }
        }
    }
    vv_free(last);
    return VV_OK;
}

/* The least used colour that no neighbour of slab j has; color_count when all are taken. */
static int free_color(const vv_batch *b, int j, const int *start, const int *slabs, const int *color, const int *used,
                      int *taken)
{
    for (size_t i = first_node(b, j); i < first_node(b, j + 1); i++)
        for (int m = start[b->nodes[i]]; m < start[b->nodes[i] + 1] && slabs[m] < j; m++)
            taken[color[slabs[m]]] = j + 1;
    int best = b->color_count;
    for (int c = 0; c < b->color_count; c++)
        if (taken[c] != j + 1 && (best == b->color_count || used[c] < used[best]))
            best = c;
    return best;
}

vvStatus vv_batch_color(vv_batch *b, int node_count, vvError *error)
{
    size_t n = (size_t)b->slab_count;
    int *start = NULL, *slabs = NULL;
    int *color = vv_alloc(n, sizeof *color), *used = vv_alloc(n, sizeof *used), *taken = vv_alloc(n, sizeof *taken);
    vvStatus status = VV_OK;
    if (!color || !used || !taken)
        status = vv_fail_memory(error, "colouring of the elements");
    if (status == VV_OK)
        status = slabs_of_nodes(b, node_count, &start, &slabs, error);
    if (status == VV_OK) {
        for (int j = 0; j < b->slab_count; j++) {
            color[j] = free_color(b, j, start, slabs, color, used, taken);
            if (color[j] == b->color_count)
                b->color_count++;
            used[color[j]]++;
        }
        for (int c = 0; c < b->color_count; c++) {
            b->color_start[c + 1] = b->color_start[c] + used[c];
            used[c] = b->color_start[c];
        }
        for (int j = 0; j < b->slab_count; j++)
            b->color_slab[used[color[j]]++] = j;
    }
    vv_free(start);
    vv_free(slabs);
    vv_free(color);
    vv_free(used);
    vv_free(taken);
    return status;
}

/* ---- create, destroy ------------------------------------------------------------------------------------------- */

vvStatus vv_batch_check(int k, int node_count, int part_count, const int *part_start, const int *elements,
                        vvError *error)
{
    for (int p = 0; p < part_count; p++)
        for (int e = part_start[p]; e < part_start[p + 1]; e++)
            for (int a = 0; a < k; a++) {
                int node = elements[(size_t)e * (size_t)k + (size_t)a];
                if (node < 0 || node >= node_count)
                    return vv_fail(error, VV_ERROR_INPUT, "element %d of body %d has node %d; allowed are 0 to %d",
                                   e - part_start[p], p, node, node_count - 1);
            }
    return VV_OK;
}

vvStatus vv_batch_create(vv_batch *b, int k, int node_count, const double *position, int part_count,
                         const int *part_start, const int *elements, vvError *error)
{
    *b = (vv_batch){ .k = k, .element_count = part_start[part_count] };
    vvStatus status = vv_batch_check(k, node_count, part_count, part_start, elements, error);
    if (status != VV_OK)
        return status;
    int size = block_size(b->element_count);
    vv_slabs slabs = { 0 };
    double *center = element_centers(k, b->element_count, elements, position);
    vv_slabs_input in = { k, node_count, elements, part_count, part_start, center };
    status = center ? vv_slabs_create(&in, LEAST_SLAB, &slabs, error) : vv_fail_memory(error, "the elements");
    if (status == VV_OK)
        status = allocate(b, &slabs, size, error);
    if (status == VV_OK) {
        sorter s = { center, slabs.order, 0, false };
        for (int i = 0; i < slabs.count; i++)
            bisect(&s, slabs.start[i], slabs.start[i + 1], size);
        if (s.stopped)
            status = vv_fail_cancelled(error);
        else
            fill_blocks(b, &slabs, size, elements);
    }
    if (status == VV_OK && vv_stopped())
        status = vv_fail_cancelled(error);
    if (status == VV_OK)
        status = vv_batch_color(b, node_count, error);
    vv_slabs_free(&slabs);
    vv_free(center);
    if (status != VV_OK)
        vv_batch_free(b);
    return status;
}

void vv_batch_free(vv_batch *b)
{
    vv_free(b->block_group);
    vv_free(b->block_part);
    vv_free(b->color_start);
    vv_free(b->slab_block);
    vv_free(b->color_slab);
    vv_free(b->source);
    vv_free(b->nodes);
    vv_free(b->around);
    vv_free(b->place);
    vv_free(b->partial);
    *b = (vv_batch){ 0 };
}

/* ---- matrix ---------------------------------------------------------------------------------------------------- */

/* How many nodes hang together: those of each lane, or of each group where it is a macro-cell. */
static int clique_size(const vv_batch *b) { return b->around ? VV_MACRO_NODES : b->k; }

static int clique_count(const vv_batch *b) { return b->around ? b->group_count : b->group_count * VV_LANES; }

static void clique_unknowns(const vv_batch *b, int clique, const int *unknown, int *u)
{
    const int *nodes = b->nodes + (size_t)(clique / VV_LANES * b->k) * VV_LANES + clique % VV_LANES;
    const int *around = b->around ? b->around + (size_t)clique * VV_MACRO_NODES : NULL;
    for (int a = 0; a < clique_size(b); a++)
        u[a] = !around ? unknown[nodes[VV_LANES * a]] : around[a] >= 0 ? unknown[around[a]] : -1;
}

enum { MOST_NODES = VV_BATCH_MOST > (int)VV_MACRO_NODES ? VV_BATCH_MOST : VV_MACRO_NODES };

void vv_batch_pattern(const vv_batch *b, const int *unknown, vv_pattern *pattern)
{
    int u[MOST_NODES];
    for (int i = 0; i < clique_count(b); i++) {
        if (vv_stopped_in((size_t)i)) {
            pattern->failed = true;
            return;
        }
        if (b->around || b->source[i] >= 0) {
            clique_unknowns(b, i, unknown, u);
            vv_pattern_clique(pattern, u, clique_size(b));
        }
    }
}

vvStatus vv_batch_slots(const vv_batch *b, const int *unknown, const vv_bsr *a, int **slots, vvError *error)
{
    const size_t k = (size_t)clique_size(b);
    int *s = vv_alloc((size_t)clique_count(b) * k * k, sizeof *s), u[MOST_NODES];
    if (!s)
        return vv_fail_memory(error, "matrix slots of the elements");
    for (int clique = 0; clique < clique_count(b); clique++) {
        if (vv_stopped_in((size_t)clique)) {
            vv_free(s);
            return vv_fail_cancelled(error);
        }
        clique_unknowns(b, clique, unknown, u);
        for (size_t i = 0; i < k; i++)
            for (size_t j = 0; j < k; j++) {
                int slot = vv_bsr_slot(a, u[i], u[j]);
                s[(size_t)clique * k * k + i * k + j] = slot == a->nnz ? -1 : slot;
            }
    }
    *slots = s;
    return VV_OK;
}

/* ---- loops ----------------------------------------------------------------------------------------------------- */

typedef struct block_loop {
    const vv_batch *batch;
    const int *slabs;
    vv_block_fn *fn;
    void *arg;
} block_loop;

static void run_slab(void *arg, int chunk)
{
    const block_loop *loop = arg;
    const int slab = loop->slabs[chunk], *block = loop->batch->slab_block;
    for (int j = block[slab]; j < block[slab + 1]; j++)
        loop->fn(loop->arg, j);
}

void vv_batch_each(const vv_batch *b, const vv_parallel *par, int work, vv_block_fn *fn, void *arg)
{
    vv_for(vv_helpers_for(par, (double)work * b->element_count), b->block_count, fn, arg);
}

void vv_batch_colored(const vv_batch *b, const vv_parallel *par, int work, vv_block_fn *fn, void *arg)
{
    par = vv_helpers_for(par, b->color_count > 0 ? (double)work * b->element_count / b->color_count : 0);
    for (int c = 0; c < b->color_count; c++) {
        block_loop loop = { b, b->color_slab + b->color_start[c], fn, arg };
        vv_for(par, b->color_start[c + 1] - b->color_start[c], run_slab, &loop);
    }
}

void vv_batch_group(const vv_batch *b, int group, const double *values, vv_element_fn *found, void *arg)
{
    for (int l = 0; l < VV_LANES; l++) {
        int nodes[VV_BATCH_MOST];
        for (int k = 0; k < b->k; k++)
            nodes[k] = b->nodes[((ptrdiff_t)group * b->k + k) * VV_LANES + l];
        if (b->source[(ptrdiff_t)group * VV_LANES + l] >= 0)
            found(arg, nodes, values[l]);
    }
}

double vv_batch_sum(const vv_batch *b, const int *body, double *per_body)
{
    double sum = 0;
    for (int j = 0; j < b->block_count; j++) {
        sum += b->partial[j];
        if (per_body)
            per_body[body[b->block_part[j]]] += b->partial[j];
    }
    return sum;
}
