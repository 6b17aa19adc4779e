/* The neighbourhood of a vertex in its own body: its tets, and which of their sides are surface (penetration.h). */
#include "contact/penetration/penetration.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

static bool collides_with_itself(const vv_surface *s, int body) { return vv_surface_touches(s, body, body); }

/* Contact vertices of nodes; -1: none. */
static void name_nodes(const vv_vertices *vs, int nodes, int *vertex_of)
{
    memset(vertex_of, 0xff, (size_t)nodes * sizeof *vertex_of);
    for (int v = 0; v < vs->count + vs->inner; v++)
        if (vs->start[v + 1] == vs->start[v] + 1)
            vertex_of[vs->node[vs->start[v]]] = v;
}

/* star: the tets of each vertex. */
static bool list_stars(vv_penetration *p, const vv_surface *s)
{
    const int count = s->vertices->count;
    int total = 0;
    for (int t = 0; t < p->tet_count; t++)
        for (int k = 0; k < 4 && collides_with_itself(s, p->tet_body[t]); k++) {
            const int v = p->vertex_of[p->tet[t][k]];
            if (v >= 0 && v < count)
                p->star_first[v + 1]++, total++;
        }
    for (int v = 0; v < count; v++)
        p->star_first[v + 1] += p->star_first[v];
    p->star = vv_alloc((size_t)total, sizeof *p->star);
    int *at = vv_alloc_copy(p->star_first, (size_t)count, sizeof *at);
    for (int t = 0; p->star && at && t < p->tet_count; t++)
        for (int k = 0; k < 4 && collides_with_itself(s, p->tet_body[t]); k++) {
            const int v = p->vertex_of[p->tet[t][k]];
            if (v >= 0 && v < count)
                p->star[at[v]++] = t;
        }
    const bool ok = p->star && at;
    vv_free(at);
    return ok;
}

/* Which corner of tet t the triangle lies opposite to; -1: it is no side of it. */
static int opposite(const vv_penetration *p, int t, const int triangle[3])
{
    int met = 0, corner = -1;
    for (int k = 0; k < 4; k++) {
        const int v = p->vertex_of[p->tet[t][k]];
        if (v == triangle[0] || v == triangle[1] || v == triangle[2])
            met++;
        else
            corner = k;
    }
    return met == 3 ? corner : -1;
}

/* apex: per triangle the vertex across its tet; outer: per tet, bits of the corners opposite to which it has a side
 * in the surface. */
static void mark_outer(vv_penetration *p, const vv_surface *s)
{
    for (int i = 0; i < s->triangle_count; i++) {
        const int *v = s->triangle[i];
        int tets = 0, tet = 0, at = 0;
        for (int k = p->star_first[v[0]]; k < p->star_first[v[0] + 1]; k++) {
            const int corner = opposite(p, p->star[k], v);
            if (corner >= 0)
                tets++, tet = p->star[k], at = corner;
        }
        p->apex[i] = -1;
        if (tets != 1) /* within the body */
            continue;
        p->outer[tet] |= (unsigned char)(1 << at);
        p->apex[i] = p->vertex_of[p->tet[tet][at]];
    }
}

vvStatus vv_penetration_star(vv_penetration *p, const vv_surface *s, vvError *error)
{
    p->vertex_of = vv_alloc((size_t)p->node_count, sizeof *p->vertex_of);
    p->star_first = vv_alloc((size_t)s->vertices->count + 1, sizeof *p->star_first);
    p->apex = vv_alloc((size_t)s->triangle_count, sizeof *p->apex);
    p->outer = vv_alloc((size_t)p->tet_count, 1);
    if (!p->vertex_of || !p->star_first || !p->apex || !p->outer)
        return vv_fail_memory(error, "contact between bodies");
    name_nodes(s->vertices, p->node_count, p->vertex_of);
    if (!list_stars(p, s))
        return vv_fail_memory(error, "contact between bodies");
    mark_outer(p, s);
    return VV_OK;
}

int vv_penetration_sides(const vv_penetration *p, int vertex, int at, int side[3])
{
    for (; at < p->star_first[vertex + 1]; at++) {
        const int t = p->star[at];
        int corner = 0, count = 0;
        while (p->vertex_of[p->tet[t][corner]] != vertex)
            corner++;
        if (p->outer[t] >> corner & 1)
            continue;
        for (int k = 0; k < 4; k++)
            if (k != corner)
                side[count++] = p->vertex_of[p->tet[t][k]];
        return at + 1;
    }
    return 0;
}
