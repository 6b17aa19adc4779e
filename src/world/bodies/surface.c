/* Which nodes of a body are on its surface, and which on the rim: where a shell ends, or a line. */
#include "base/memory.h"
#include "energy/shells/edge_search.h"
#include "world/parts.h"

#include <string.h>

int vv_body_find_edge(const vv_body *body, int a, int b) { return vv_find_edge(body->edges, body->edge_count, a, b); }

/* of: per edge its triangles, up to 2. */
static void mark_edges_of_one(vv_body *b, unsigned char *of)
{
    for (int t = 0; t < b->triangle_count; t++)
        for (int k = 0; k < 3; k++) {
            const int *v = b->triangles + 3 * (size_t)t;
            unsigned char *count = of + vv_body_find_edge(b, v[k], v[(k + 1) % 3]);
            *count = (unsigned char)(*count < 2 ? *count + 1 : 2);
        }
    for (int e = 0; e < b->edge_count; e++)
        for (int k = 0; k < 2 && of[e] == 1; k++)
            b->surface[b->edges[2 * (size_t)e + (size_t)k]] |= VV_ON_RIM;
}

/* at: per vertex its edges, up to 2. */
static void mark_ends(vv_body *b, unsigned char *at)
{
    for (size_t i = 0; i < 2 * (size_t)b->edge_count; i++) {
        unsigned char *count = at + b->edges[i];
        *count = (unsigned char)(*count < 2 ? *count + 1 : 2);
    }
    for (int v = 0; v < b->vertex_count; v++)
        if (at[v] == 1)
            b->surface[v] |= VV_ON_RIM;
}

bool vv_body_mark_surface(vv_body *b)
{
    const bool lines = b->triangle_count == 0;
    b->surface = vv_alloc((size_t)b->count, 1);
    unsigned char *counts = vv_alloc((size_t)(lines ? b->vertex_count : b->edge_count), 1);
    if (b->surface && counts) {
        memset(b->surface, lines ? VV_ON_SURFACE : 0, (size_t)b->vertex_count);
        for (size_t i = 0; i < 3 * (size_t)b->triangle_count; i++)
            b->surface[b->triangles[i]] = VV_ON_SURFACE;
        for (int t = 0; t < b->tet10_count; t++)
            for (int n = 4; n < 10; n++) {
                unsigned char *to = b->surface + b->tets10[10 * (size_t)t + (size_t)n];
                *to |= *to ? VV_IN_MIDDLE : 0;
            }
        if (lines)
            mark_ends(b, counts);
        else if (b->tet_count == 0)
            mark_edges_of_one(b, counts);
    }
    vv_free(counts);
    return b->surface && counts;
}
