/* Lays out the elements around each node for block descent: see nodes.h. */
#include "energy/nodes.h"

#include "base/error.h"
#include "base/memory.h"
#include "energy/batch/batch.h"

#include <string.h>

/* One piece of memory: a head, and arrays behind it at multiples of 64 bytes. */
static size_t padded(size_t bytes) { return (bytes + 63) / 64 * 64; }

typedef struct builder {
    const vv_node_order *order;
    const vv_batch *batch;
    int numbers, weights;
    vv_incidence_fn *fill;
    const void *arg;
    int *count; /* elements of each place so far */
    int *start, *other;
    double *number;
} builder;

/* Counts the elements of each place. */
static void count_elements(builder *b)
{
    const vv_batch *batch = b->batch;
    const size_t k = (size_t)batch->k;
    for (size_t lane = 0; lane < (size_t)batch->group_count * VV_LANES; lane++)
        for (size_t a = 0; batch->source[lane] >= 0 && a < k; a++) {
            int place = b->order->place[batch->nodes[(lane / VV_LANES * k + a) * VV_LANES + lane % VV_LANES]];
            if (place >= 0)
                b->count[place]++;
        }
}

/* Element `lane` around its corner. */
static void put(builder *b, size_t lane, size_t corner)
{
    const size_t k = (size_t)b->batch->k;
    const int *nodes = b->batch->nodes + lane / VV_LANES * k * VV_LANES + lane % VV_LANES;
    int place = b->order->place[nodes[corner * VV_LANES]];
    if (place < 0)
        return;
    size_t row = (size_t)b->start[place / VV_LANES] + (size_t)b->count[place]++, l = (size_t)(place % VV_LANES), at = 0;
    for (size_t a = 0; a < k; a++)
        if (a != corner)
            b->other[(row * (k - 1) + at++) * VV_LANES + l] = nodes[a * VV_LANES];
    b->fill(b->arg, (int)lane, (int)corner, b->number + row * (size_t)b->numbers * VV_LANES + l);
}

/* Rows that a lane does not fill repeat an element of its node, without weight: finite, and not far from what is
 * usual. */
static void pad(builder *b, size_t group, size_t lane)
{
    const size_t k = (size_t)b->batch->k, numbers = (size_t)b->numbers;
    const size_t from = lane < (size_t)b->order->lanes[group] ? lane : 0; /* whose node this lane has */
    const int own = lane == from ? b->count[group * VV_LANES + lane] : 0, has = b->count[group * VV_LANES + from];
    const size_t first = (size_t)b->start[group], rows = (size_t)(b->start[group + 1] - b->start[group]);
    for (size_t r = (size_t)own; r < rows; r++) {
        size_t to = first + r, source = first + (r < (size_t)has ? r : 0);
        for (size_t a = 0; a < k - 1; a++)
            b->other[(to * (k - 1) + a) * VV_LANES + lane] =
                has ? b->other[(source * (k - 1) + a) * VV_LANES + from] : b->order->node[group * VV_LANES + lane];
        for (size_t i = 0; i < numbers; i++)
            b->number[(to * numbers + i) * VV_LANES + lane] =
                has && i < (size_t)b->weights ? b->number[(source * numbers + i) * VV_LANES + from] : 0;
    }
}

static vv_incidence *allocate(builder *b, size_t rows)
{
    const size_t groups = (size_t)b->order->groups, others = (size_t)b->batch->k - 1;
    const size_t head = padded(sizeof(vv_incidence)), starts = padded((groups + 1) * sizeof(int));
    const size_t indices = padded(rows * others * VV_LANES * sizeof(int));
    char *memory = vv_alloc(1, head + starts + indices + rows * (size_t)b->numbers * VV_LANES * sizeof(double));
    if (!memory)
        return NULL;
    b->start = (int *)(memory + head);
    b->other = (int *)(memory + head + starts);
    b->number = (double *)(memory + head + starts + indices);
    vv_incidence *to = (vv_incidence *)memory;
    *to = (vv_incidence){ b->start, b->other, b->number };
    return to;
}

vvStatus vv_incidence_create(const vv_node_order *order, const vv_batch *batch, int numbers, int weights,
                             vv_incidence_fn *fill, const void *arg, void **data, vvError *error)
{
    const size_t groups = (size_t)order->groups, places = groups * VV_LANES;
    builder b = { .order = order, .batch = batch, .numbers = numbers, .weights = weights, .fill = fill, .arg = arg };
    size_t rows = 0;
    *data = NULL;
    b.count = vv_alloc(places, sizeof *b.count);
    int *most = vv_alloc(groups, sizeof *most);
    if (b.count && most) {
        count_elements(&b);
        for (size_t i = 0; i < places; i++)
            most[i / VV_LANES] = b.count[i] > most[i / VV_LANES] ? b.count[i] : most[i / VV_LANES];
        for (size_t j = 0; j < groups; j++)
            rows += (size_t)most[j];
        *data = allocate(&b, rows);
    }
    if (*data) {
        for (size_t j = 0; j < groups; j++)
            b.start[j + 1] = b.start[j] + most[j];
        memset(b.count, 0, places * sizeof *b.count);
        for (size_t lane = 0; lane < (size_t)batch->group_count * VV_LANES; lane++)
            for (size_t a = 0; batch->source[lane] >= 0 && a < (size_t)batch->k; a++)
                put(&b, lane, a);
        for (size_t j = 0; j < groups; j++)
            for (size_t l = 0; l < VV_LANES; l++)
                pad(&b, j, l);
    }
    vv_free(b.count);
    vv_free(most);
    return *data ? VV_OK : vv_fail_memory(error, "the elements around each node");
}

vvStatus vv_node_items_create(const vv_node_order *order, int count, const int *nodes, void **data, vvError *error)
{
    const size_t groups = (size_t)order->groups, head = padded(sizeof(vv_node_items)),
                 starts = padded((groups + 2) * sizeof(int));
    char *memory = vv_alloc(1, head + starts + 2 * (size_t)count * sizeof(int));
    *data = memory;
    if (!memory)
        return vv_fail_memory(error, "what holds each node");
    int *start = (int *)(memory + head), *item = (int *)(memory + head + starts), *lane = item + count;
    for (int i = 0; i < count; i++)
        if (order->place[nodes[i]] >= 0)
            start[order->place[nodes[i]] / VV_LANES + 2]++;
    for (size_t j = 0; j < groups; j++)
        start[j + 2] += start[j + 1];
    for (int i = 0; i < count; i++) {
        int place = order->place[nodes[i]];
        if (place < 0)
            continue;
        int to = start[place / VV_LANES + 1]++;
        item[to] = i;
        lane[to] = place % VV_LANES;
    }
    *(vv_node_items *)memory = (vv_node_items){ start, item, lane };
    return VV_OK;
}
