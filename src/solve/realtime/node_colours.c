/* Colours nodes greedily, those with most neighbours first, each with the first colour that no neighbour has. Clumps
 * have colours of their own, given in their order. */
#include "solve/realtime/node_colours.h"

#include "base/error.h"

#include <string.h>

enum { LANES = 8, WINDOW = 64 };

typedef struct work {
    const vv_bsr *graph;
    int *order;  /* unknowns */
    int *color;  /* per unknown; of a clump that of its first */
    int *clump;  /* per unknown: the first of its clump, -1: it is in none */
    int *bucket; /* n + 2: for sorting */
    int *taken;  /* n + 1: per colour */
} work;

static int degree(const work *w, int i) { return w->graph->row_start[i + 1] - w->graph->row_start[i]; }

/* w->order = 0 .. n-1 by descending degree; equal ones stay in order. */
static void by_degree(work *w)
{
    const int n = w->graph->n;
    memset(w->bucket, 0, ((size_t)n + 2) * sizeof *w->bucket);
    for (int i = 0; i < n; i++)
        w->bucket[n - degree(w, i) + 1]++;
    for (int k = 0; k <= n; k++)
        w->bucket[k + 1] += w->bucket[k];
    for (int i = 0; i < n; i++)
        w->order[w->bucket[n - degree(w, i)]++] = i;
}

static int colour_nodes(work *w)
{
    const int n = w->graph->n;
    int colours = 0;
    for (int i = 0; i < n; i++)
        w->color[i] = w->taken[i] = -1;
    by_degree(w);
    for (int k = 0; k < n; k++) {
        int i = w->order[k], c = 0;
        if (w->clump[i] >= 0)
            continue;
        for (int m = w->graph->row_start[i]; m < w->graph->row_start[i + 1]; m++)
            if (w->color[w->graph->col[m]] >= 0)
                w->taken[w->color[w->graph->col[m]]] = i;
        while (c < colours && w->taken[c] == i)
            c++;
        w->color[i] = c;
        colours = c == colours ? c + 1 : colours;
    }
    return colours;
}

/* After the nodes. Returns the number of their colours. */
static int colour_clumps(work *w, const vv_system *s)
{
    int colours = 0;
    for (int i = 0; i < w->graph->n; i++)
        w->taken[i] = -1;
    for (int k = 0; k < s->clumps; k++) {
        const int first = s->clump[k];
        int c = 0;
        for (int m = w->graph->row_start[first]; m < w->graph->row_start[first + VV_CLUMP_NODES]; m++) {
            const int other = w->clump[w->graph->col[m]];
            if (other >= 0 && w->color[other] >= 0)
                w->taken[w->color[other]] = first;
        }
        while (c < colours && w->taken[c] == first)
            c++;
        w->color[first] = c;
        colours = c == colours ? c + 1 : colours;
    }
    return colours;
}

/* w->order = the unknowns of no clump by colour, in their own order, start[c] the first of colour c; within windows by
 * descending degree, so that groups have nodes with like numbers of elements. */
static void by_colour(work *w, int colours, int *start)
{
    const int n = w->graph->n;
    for (int i = 0; i < n; i++)
        if (w->clump[i] < 0)
            start[w->color[i] + 1]++;
    for (int c = 0; c < colours; c++)
        start[c + 1] += start[c];
    for (int c = 0; c < colours; c++)
        w->bucket[c] = start[c];
    for (int i = 0; i < n; i++)
        if (w->clump[i] < 0)
            w->order[w->bucket[w->color[i]]++] = i;
    for (int c = 0; c < colours; c++)
        for (int first = start[c]; first < start[c + 1]; first += WINDOW)
            for (int k = first + 1; k < first + WINDOW && k < start[c + 1]; k++) {
                int i = w->order[k], at = k;
                for (; at > first && degree(w, w->order[at - 1]) < degree(w, i); at--)
                    w->order[at] = w->order[at - 1];
                w->order[at] = i;
            }
}

static vvStatus allocate(vv_node_colours *out, const vv_system *s, vvError *error)
{
    vv_node_order *o = &out->order;
    o->nodes = s->nodes;
    o->node = vv_alloc(LANES * (size_t)o->groups, sizeof *o->node);
    o->lanes = vv_alloc((size_t)o->groups, sizeof *o->lanes);
    o->place = vv_alloc((size_t)s->nodes, sizeof *o->place);
    out->start = vv_alloc((size_t)out->colours + 1, sizeof *out->start);
    if (!o->node || !o->lanes || !o->place || !out->start)
        return vv_fail_memory(error, "the colours of nodes");
    for (int i = 0; i < s->nodes; i++)
        o->place[i] = -1;
    return VV_OK;
}

static void put(vv_node_order *o, int group, int lane, int node, bool again)
{
    o->node[LANES * group + lane] = node;
    if (!again)
        o->place[node] = LANES * group + lane;
}

/* Two clumps a group; of each its nodes in ascending order. */
static void fill_clumps(vv_node_colours *out, const vv_system *s, const work *w, int group)
{
    vv_node_order *o = &out->order;
    for (int c = out->single; c < out->colours; c++) {
        int half = 0;
        for (int k = 0; k < s->clumps; k++) {
            const int *node = s->node + s->clump[k];
            if (w->color[s->clump[k]] != c - out->single)
                continue;
            for (int a = 0; a < VV_CLUMP_NODES; a++) {
                int rank = 0;
                for (int b = 0; b < VV_CLUMP_NODES; b++)
                    rank += node[b] < node[a];
                put(o, group, VV_CLUMP_NODES * half + rank, node[a], false);
                if (half == 0)
                    put(o, group, VV_CLUMP_NODES + rank, node[a], true);
            }
            o->lanes[group] = VV_CLUMP_NODES * (half + 1);
            group += half;
            half = !half;
        }
        group += half;
        out->start[c + 1] = group;
    }
}

static vvStatus fill(vv_node_colours *out, const vv_system *s, const work *w, const int *start, vvError *error)
{
    vv_node_order *o = &out->order;
    for (int c = 0; c < out->single; c++)
        o->groups += (start[c + 1] - start[c] + LANES - 1) / LANES;
    o->single = o->groups;
    for (int c = out->single; c < out->colours; c++) {
        int count = 0;
        for (int k = 0; k < s->clumps; k++)
            count += w->color[s->clump[k]] == c - out->single;
        o->groups += (count + 1) / 2;
    }
    vvStatus status = allocate(out, s, error);
    if (status != VV_OK)
        return status;
    for (int c = 0, group = 0; c < out->single; c++, out->start[c] = group)
        for (int k = start[c]; k < start[c + 1]; k += LANES, group++) {
            o->lanes[group] = start[c + 1] - k < LANES ? start[c + 1] - k : LANES;
            for (int l = 0; l < LANES; l++) {
                const bool again = l >= o->lanes[group];
                put(o, group, l, s->node[w->order[again ? k : k + l]], again);
            }
        }
    fill_clumps(out, s, w, o->single);
    return VV_OK;
}

/* The couplings as a matrix, of which only the pattern is used. */
static vvStatus couple(const vv_system *s, vv_bsr *graph, vvError *error)
{
    vv_pattern pattern = { .n = s->unknowns };
    for (int i = 0; i < s->energies; i++)
        if (s->energy[i]->ops->pattern)
            s->energy[i]->ops->pattern(s->energy[i], s->unknown, &pattern);
    for (int i = 0; i < s->dissipations; i++)
        if (s->dissipation[i]->ops->pattern)
            s->dissipation[i]->ops->pattern(s->dissipation[i], s->unknown, &pattern);
    vvStatus status = vv_bsr_build(graph, &pattern, error);
    vv_pattern_free(&pattern);
    return status;
}

vvStatus vv_node_colours_create(vv_node_colours *out, const vv_system *s, vvError *error)
{
    const size_t n = (size_t)s->unknowns;
    vv_bsr graph = { 0 };
    *out = (vv_node_colours){ 0 };
    vvStatus status = couple(s, &graph, error);
    if (status != VV_OK)
        return status;
    work w = { &graph,
               vv_alloc(n, sizeof(int)),
               vv_alloc(n, sizeof(int)),
               vv_alloc(n, sizeof(int)),
               vv_alloc(n + 2, sizeof(int)),
               vv_alloc(n + 1, sizeof(int)) };
    int *start = vv_alloc(n + 2, sizeof *start);
    if (w.order && w.color && w.clump && w.bucket && w.taken && start) {
        for (size_t i = 0; i < n; i++)
            w.clump[i] = -1;
        for (int k = 0; k < s->clumps * VV_CLUMP_NODES; k++)
            w.clump[s->clump[k / VV_CLUMP_NODES] + k % VV_CLUMP_NODES] = s->clump[k / VV_CLUMP_NODES];
        out->single = colour_nodes(&w);
        by_colour(&w, out->single, start);
        out->colours = out->single + colour_clumps(&w, s);
        status = fill(out, s, &w, start, error);
    } else {
        status = vv_fail_memory(error, "the colours of nodes");
    }
    void *arrays[] = { w.order, w.color, w.clump, w.bucket, w.taken, start };
    for (int i = 0; i < 6; i++)
        vv_free(arrays[i]);
    vv_bsr_free(&graph);
    if (status != VV_OK)
        vv_node_colours_free(out);
    return status;
}

void vv_node_colours_free(vv_node_colours *c)
{
    vv_free(c->order.node);
    vv_free(c->order.lanes);
    vv_free(c->order.place);
    vv_free(c->start);
    *c = (vv_node_colours){ 0 };
}
