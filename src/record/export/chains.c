/* Edges joined to chains: starting at ends and forks, so that a rope is one chain; what is left are rings. */
#include "record/export/chains.h"

#include "base/error.h"
#include "base/memory.h"

typedef struct vv_links {
    int *start; /* where each vertex's edges begin in `edge`; one more at the end */
    int *next;  /* the first edge of each vertex not yet visited */
    int *edge;
    bool *used;
} vv_links;

static void link_edges(const vv_part *part, vv_links *l)
{
    for (int i = 0; i < 2 * part->edge_count; i++)
        l->start[part->edges[i] + 1]++;
    for (int v = 0; v < part->vertex_count; v++) {
        l->start[v + 1] += l->start[v];
        l->next[v] = l->start[v];
    }
    for (int i = 0; i < 2 * part->edge_count; i++)
        l->edge[l->next[part->edges[i]]++] = i / 2;
    for (int v = 0; v < part->vertex_count; v++)
        l->next[v] = l->start[v];
}

static int unused_edge(vv_links *l, int v)
{
    while (l->next[v] < l->start[v + 1]) {
        int e = l->edge[l->next[v]++];
        if (!l->used[e])
            return e;
    }
    return -1;
}

static void walk(const vv_part *part, vv_links *l, int v, vv_chains *out)
{
    int first = out->vertex_count;
    for (int e; (e = unused_edge(l, v)) >= 0;) {
        l->used[e] = true;
        if (out->vertex_count == first)
            out->vertices[out->vertex_count++] = v;
        const int *ends = part->edges + 2 * e;
        v = ends[0] == v ? ends[1] : ends[0];
        out->vertices[out->vertex_count++] = v;
    }
    if (out->vertex_count > first)
        out->lengths[out->count++] = out->vertex_count - first;
}

vvStatus vv_chains_build(const vv_part *part, vv_chains *chains, vvError *error)
{
    size_t vertices = (size_t)part->vertex_count, edges = (size_t)part->edge_count;
    vv_links l = { vv_alloc(vertices + 1, sizeof(int)), vv_alloc(vertices, sizeof(int)),
                   vv_alloc(2 * edges, sizeof(int)), vv_alloc(edges, sizeof(bool)) };
    *chains = (vv_chains){ .lengths = vv_alloc(edges, sizeof(int)), .vertices = vv_alloc(2 * edges, sizeof(int)) };
    bool ok = l.start && l.next && l.edge && l.used && chains->lengths && chains->vertices;
    if (ok) {
        link_edges(part, &l);
        for (int rings = 0; rings < 2; rings++)
            for (int v = 0; v < part->vertex_count; v++)
                for (int degree = l.start[v + 1] - l.start[v], i = 0; i < degree && (rings || degree != 2); i++)
                    walk(part, &l, v, chains);
    }
    vv_free(l.start);
    vv_free(l.next);
    vv_free(l.edge);
    vv_free(l.used);
    if (ok)
        return VV_OK;
    vv_chains_free(chains);
    return vv_fail_memory(error, "an export");
}

void vv_chains_free(vv_chains *chains)
{
    vv_free(chains->lengths);
    vv_free(chains->vertices);
    *chains = (vv_chains){ 0 };
}
