/* Slabs: level sets of the elements' graph, as in reverse Cuthill-McKee (George and Liu 1981, "Computer Solution of
 * Large Sparse Positive Definite Systems", §4.3).
 *
 * A node's level is its distance in elements from one end of its part. The levels of an element's nodes differ by one
 * at most; its own is the lowest of them. Elements of levels [a, b) have nodes of levels a to b, so that of slabs
 * which follow each other only neighbours share nodes: two colours do for any mesh, and threads are woken twice, not
 * once for each of the dozen colours that blocks of all sides need. */
#include "energy/batch/slabs.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { MOST = 64 }; /* slabs that are aimed at in a large batch */

typedef struct maker {
    const vv_slabs_input *in;
    vv_slabs *out;
    int *around_start, *around; /* node: its elements */
    int *level;                 /* node: -1 outside the walk */
    int *queue;                 /* nodes in the order in which they were reached */
    int *of_element;            /* element: its level */
    int *count;                 /* per level; for sorting */
    int least;
} maker;

static const int *nodes_of(const vv_slabs_input *in, int element)
{
    return in->elements + (size_t)element * (size_t)in->k;
}

static void fill_around(maker *m)
{
    const vv_slabs_input *in = m->in;
    const int elements = in->part_start[in->part_count];
    for (size_t i = 0; i < (size_t)elements * (size_t)in->k; i++)
        m->around_start[in->elements[i] + 2]++;
    for (int n = 0; n < in->node_count; n++)
        m->around_start[n + 2] += m->around_start[n + 1];
    for (int e = 0; e < elements; e++)
        for (int a = 0; a < in->k; a++)
            m->around[m->around_start[nodes_of(in, e)[a] + 1]++] = e;
}

/* Reaches an element's nodes, at a level. */
static int reach(maker *m, int element, int level, int reached)
{
    for (int a = 0; a < m->in->k; a++) {
        int node = nodes_of(m->in, element)[a];
        if (m->level[node] >= 0)
            continue;
        m->level[node] = level;
        m->queue[reached++] = node;
    }
    return reached;
}

/* From the nodes of the queue on, through the elements [begin, end). */
static int walk(maker *m, int begin, int end, int from, int reached)
{
    for (; from < reached; from++) {
        int node = m->queue[from];
        for (int i = m->around_start[node]; i < m->around_start[node + 1]; i++)
            if (m->around[i] >= begin && m->around[i] < end)
                reached = reach(m, m->around[i], m->level[node] + 1, reached);
    }
    return reached;
}

/* The side on which the centres' box is longest. */
static int longest_side(const double *center, int begin, int end)
{
    double side[3];
    for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (int e = begin; e < end; e++) {
            low = fmin(low, center[3 * (size_t)e + (size_t)k]);
            high = fmax(high, center[3 * (size_t)e + (size_t)k]);
        }
        side[k] = high - low;
    }
    return side[0] >= side[1] && side[0] >= side[2] ? 0 : side[1] >= side[2] ? 1 : 2;
}

/* A coordinate below which about 1 of `share` elements lie, at least one: by halving. */
static double low_end(const maker *m, int begin, int end, int axis, int share)
{
    double low = INFINITY, high = -INFINITY, least = INFINITY;
    for (int e = begin; e < end; e++) {
        double c = m->in->center[3 * (size_t)e + (size_t)axis];
        least = low = fmin(low, c), high = fmax(high, c);
    }
    for (int i = 0; i < 12; i++) {
        double middle = 0.5 * (low + high);
        int below = 0;
        for (int e = begin; e < end; e++)
            below += m->in->center[3 * (size_t)e + (size_t)axis] <= middle;
        if (below > (end - begin) / share)
            high = middle;
        else
            low = middle;
    }
    return fmax(low, least);
}

/* Levels of the elements of a part; pieces that hang together begin anew. Returns how many levels. */
static int find_levels(maker *m, int begin, int end)
{
    const vv_slabs_input *in = m->in;
    const int axis = longest_side(in->center, begin, end);
    const double first = low_end(m, begin, end, axis, MOST);
    int reached = 0, levels = 0;
    for (int e = begin; e < end; e++)
        if (in->center[3 * (size_t)e + (size_t)axis] <= first)
            reached = reach(m, e, 0, reached);
    reached = walk(m, begin, end, 0, reached);
    for (int e = begin; e < end; e++)
        if (m->level[nodes_of(in, e)[0]] < 0)
            reached = walk(m, begin, end, reached, reach(m, e, 0, reached));
    for (int e = begin; e < end; e++) {
        int level = m->level[nodes_of(in, e)[0]];
        for (int a = 1; a < in->k; a++)
            level = m->level[nodes_of(in, e)[a]] < level ? m->level[nodes_of(in, e)[a]] : level;
        m->of_element[e] = level;
        levels = level >= levels ? level + 1 : levels;
    }
    for (int i = 0; i < reached; i++)
        m->level[m->queue[i]] = -1;
    return levels;
}

static void add_slab(vv_slabs *out, int part, int end)
{
    out->part[out->count++] = part;
    out->start[out->count] = end;
}

/* Sorts a part's elements by level, keeping their order within one, and cuts where there are enough. */
static void cut(maker *m, int part)
{
    const int begin = m->in->part_start[part], end = m->in->part_start[part + 1];
    vv_slabs *out = m->out;
    if (end - begin < 2 * m->least) {
        for (int e = begin; e < end; e++)
            out->order[e] = e;
        if (end > begin)
            add_slab(out, part, end);
        return;
    }
    const int levels = find_levels(m, begin, end);
    memset(m->count, 0, ((size_t)levels + 1) * sizeof *m->count);
    for (int e = begin; e < end; e++)
        m->count[m->of_element[e] + 1]++;
    for (int l = 0, from = begin; l < levels; l++) {
        m->count[l + 1] += m->count[l];
        int to = begin + m->count[l + 1];
        if (l + 1 == levels || (to - from >= m->least && end - to >= m->least)) {
            add_slab(out, part, to);
            from = to;
        }
    }
    for (int e = begin; e < end; e++)
        out->order[begin + m->count[m->of_element[e]]++] = e;
}

static vvStatus allocate(maker *m, vvError *error)
{
    const size_t elements = (size_t)m->in->part_start[m->in->part_count], nodes = (size_t)m->in->node_count;
    const size_t most = elements / (size_t)m->least + (size_t)m->in->part_count;
    m->out->start = vv_alloc(most + 1, sizeof *m->out->start);
    m->out->part = vv_alloc(most, sizeof *m->out->part);
    m->out->order = vv_alloc(elements, sizeof *m->out->order);
    m->around_start = vv_alloc(nodes + 2, sizeof *m->around_start);
    m->around = vv_alloc(elements * (size_t)m->in->k, sizeof *m->around);
    m->level = vv_alloc(nodes, sizeof *m->level);
    m->queue = vv_alloc(nodes, sizeof *m->queue);
    m->of_element = vv_alloc(elements, sizeof *m->of_element);
    m->count = vv_alloc(elements + 2, sizeof *m->count);
    return m->out->start && m->out->part && m->out->order && m->around_start && m->around && m->level && m->queue &&
                   m->of_element && m->count
               ? VV_OK
               : vv_fail_memory(error, "the order of the elements");
}

vvStatus vv_slabs_create(const vv_slabs_input *in, int least, vv_slabs *out, vvError *error)
{
    const int share = in->part_start[in->part_count] / MOST;
    maker m = { .in = in, .out = out, .least = share > least ? share : least };
    *out = (vv_slabs){ 0 };
    vvStatus status = allocate(&m, error);
    if (status == VV_OK) {
        fill_around(&m);
        for (int n = 0; n < in->node_count; n++)
            m.level[n] = -1;
        for (int p = 0; p < in->part_count; p++)
            cut(&m, p);
    }
    vv_free(m.around_start);
    vv_free(m.around);
    vv_free(m.level);
    vv_free(m.queue);
    vv_free(m.of_element);
    vv_free(m.count);
    if (status != VV_OK)
        vv_slabs_free(out);
    return status;
}

void vv_slabs_free(vv_slabs *slabs)
{
    vv_free(slabs->start);
    vv_free(slabs->part);
    vv_free(slabs->order);
    *slabs = (vv_slabs){ 0 };
}
