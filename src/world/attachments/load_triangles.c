/* Which triangles a load acts on, and which four of a body of order 2 make one face of six nodes (theory §4.18). */
#include "world/attachments/load_triangles.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* The place of a node among the attachment's, or -1. */
static int place_of(const vv_attach *a, int node)
{
    int low = 0, high = a->count;
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (a->nodes[middle] <= node)
            low = middle;
        else
            high = middle;
    }
    return a->count && a->nodes[low] == node ? low : -1;
}

static int compare_triples(const void *a, const void *b)
{
    const int *s = a, *t = b;
    for (int c = 0; c < 2; c++)
        if (s[c] != t[c])
            return s[c] < t[c] ? -1 : 1;
    return (s[2] > t[2]) - (s[2] < t[2]);
}

/* A triangle's vertices in ascending order. */
static void order_triple(const int v[3], int first, int out[3])
{
    const int low = v[0] < v[1] ? v[0] : v[1], high = v[0] < v[1] ? v[1] : v[0];
    out[0] = (low < v[2] ? low : v[2]) - first;
    out[2] = (high > v[2] ? high : v[2]) - first;
    out[1] = v[0] + v[1] + v[2] - 3 * first - out[0] - out[2];
}

/* Those of the region, for compare_triples; NULL: out of memory. */
static int *sorted_triangles(const vvRegion *where)
{
    const size_t count = where->triangles && where->triangleCount > 0 ? (size_t)where->triangleCount : 0;
    int *sorted = vv_alloc(3 * count, sizeof *sorted);
    for (size_t t = 0; sorted && t < count; t++)
        order_triple(where->triangles + 3 * t, 0, sorted + 3 * t);
    if (sorted && count)
        qsort(sorted, count, 3 * sizeof *sorted, compare_triples);
    return sorted;
}

/* The body's triangles with all corners in the region, of which the region may name some. */
static bool take(const vv_body *b, const vvRegion *where, vv_attach *a)
{
    int *named = sorted_triangles(where);
    if (!named)
        return false;
    for (int t = 0; t < b->triangle_count; t++) {
        const int *v = b->triangles + 3 * (size_t)t;
        int *to = a->load.corners + 3 * (size_t)a->load.triangle_count, held = 0, key[3];
        for (int c = 0; c < 3; c++)
            held += (to[c] = place_of(a, v[c])) >= 0;
        order_triple(v, b->first, key);
        if (where->triangles && !bsearch(key, named, (size_t)where->triangleCount, 3 * sizeof *named, compare_triples))
            continue;
        a->load.triangle_count += held == 3;
    }
    vv_free(named);
    return true;
}

/* ---- faces of order 2 ---- */

/* One of a triangle's corners that is no middle, after which go the two that are; -1: there is another number of such.
 */
static int corner_of(const vv_body *b, const vv_attach *a, const int *v)
{
    int corner = -1, count = 0;
    for (int c = 0; c < 3; c++)
        if (!(b->surface[a->nodes[v[c]] - b->first] & VV_IN_MIDDLE))
            corner = c, count++;
    return count == 1 ? corner : -1;
}

static bool between_middles(const vv_body *b, const vv_attach *a, const int *v)
{
    int count = 0;
    for (int c = 0; c < 3; c++)
        count += (b->surface[a->nodes[v[c]] - b->first] & VV_IN_MIDDLE) != 0;
    return count == 3;
}

/* The triangle of a corner that has the side from p to q; NULL: none. sorted: (p, q, triangle) of `count` such. */
static const int *across(const int *sorted, int count, int p, int q)
{
    int low = 0, high = count;
    while (low < high) {
        const int half = low + (high - low) / 2, *at = sorted + 3 * (size_t)half;
        if (at[0] < p || (at[0] == p && at[1] < q))
            low = half + 1;
        else
            high = half;
    }
    const int *at = sorted + 3 * (size_t)low;
    return low < count && at[0] == p && at[1] == q ? at : NULL;
}

/* The triangles at the corners of the face whose middles are v, one each; false: not all of them are there. */
static bool find_corners(const int *sorted, int count, const int *v, int found[3])
{
    bool all = true;
    for (int c = 0; c < 3; c++) { /* at corner c are the middles of sides c and c + 2 */
        const int *at = across(sorted, count, v[c], v[(c + 2) % 3]);
        found[c] = at ? at[2] : -1;
        all = all && at;
    }
    return all;
}

/* The corners of triangles at corners of faces, as `across` reads them. */
static int list_corners(const vv_body *b, const vv_attach *a, int *sorted)
{
    int count = 0;
    for (int t = 0; t < a->load.triangle_count; t++) {
        const int *v = a->load.corners + 3 * (size_t)t, corner = corner_of(b, a, v);
        if (corner >= 0)
            memcpy(sorted + 3 * (size_t)count++, (int[]){ v[(corner + 1) % 3], v[(corner + 2) % 3], t },
                   3 * sizeof *sorted);
    }
    qsort(sorted, (size_t)count, 3 * sizeof *sorted, compare_triples);
    return count;
}

/* The four triangles of a face in the order of vv_face_within. */
static void write_face(const int *corners, const int *middles, const int found[3], int *to)
{
    for (int c = 0; c < 3; c++) {
        const int *v = corners + 3 * (size_t)found[c];
        int first = 0; /* so that what is the corner stands in place c */
        while (v[(first + c + 1) % 3] != middles[c])
            first++;
        for (int k = 0; k < 3; k++)
            to[3 * c + k] = v[(first + k) % 3];
    }
    memcpy(to + 9, middles, 3 * sizeof *to);
}

/* Puts those of whole faces first. A part of a face stays as it is: triangles. */
static bool put_faces_first(const vv_body *b, vv_attach *a)
{
    const size_t triangles = (size_t)a->load.triangle_count;
    int *sorted = vv_alloc(3 * triangles, sizeof *sorted), *made = vv_alloc(3 * triangles, sizeof *made), *v = NULL;
    char *used = vv_alloc(triangles, 1);
    if (sorted && made && used) {
        const int count = list_corners(b, a, sorted);
        size_t at = 0;
        for (size_t t = 0; t < triangles; t++) {
            int found[3];
            v = a->load.corners + 3 * t;
            if (!between_middles(b, a, v) || !find_corners(sorted, count, v, found))
                continue;
            write_face(a->load.corners, v, found, made + at);
            used[t] = used[found[0]] = used[found[1]] = used[found[2]] = 1;
            at += 12, a->load.face_count++;
        }
        for (size_t t = 0; t < triangles; t++)
            if (!used[t])
                memcpy(made + at, a->load.corners + 3 * t, 3 * sizeof *made), at += 3;
        memcpy(a->load.corners, made, 3 * triangles * sizeof *made);
    }
    const bool ok = sorted && made && used;
    vv_free(sorted);
    vv_free(made);
    vv_free(used);
    return ok;
}

bool vv_load_triangles(const vv_body *b, const vvRegion *where, vv_attach *a)
{
    return take(b, where, a) && (b->tet10_count == 0 || put_faces_first(b, a));
}
