/* Needles: triangles with collinear corners, as written by programs that tessellate curved solids. A needle has a
 * middle corner b on its longest edge a c; without the needle, the neighbours along a b and b c would not meet the
 * neighbour across a c. So that one, (a, c, d), is split at b: both become (a, b, d) and (b, c, d), which cover the
 * same surface. */
#include "base/memory.h"
#include "mesh/mesh.h"

#include <math.h>
#include <string.h>

/* A triangle has no area beyond rounding if twice its area is below this times its longest edge squared. */
#define FLAT_TRIANGLE 1e-12
/* Each pass repairs at least one needle of a stack of them. */
enum { MOST_PASSES = 64 };

static double distance(const double *positions, int v, int w)
{
    const double *a = positions + 3 * (size_t)v, *b = positions + 3 * (size_t)w;
    return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

static double edge_length(const double *positions, const int *v, int k)
{
    return distance(positions, v[k], v[(k + 1) % 3]);
}

static int longest_side(const double *positions, const int *v)
{
    int longest = 0;
    for (int k = 1; k < 3; k++)
        if (edge_length(positions, v, k) > edge_length(positions, v, longest))
            longest = k;
    return longest;
}

bool vv_triangle_has_no_area(const double *positions, const int v[3], double *area, double *longest)
{
    const double *a = positions + 3 * (size_t)v[0], *b = positions + 3 * (size_t)v[1];
    const double *c = positions + 3 * (size_t)v[2];
    double u[3], w[3];
    for (int k = 0; k < 3; k++) {
        u[k] = b[k] - a[k];
        w[k] = c[k] - a[k];
    }
    double n[3] = { u[1] * w[2] - u[2] * w[1], u[2] * w[0] - u[0] * w[2], u[0] * w[1] - u[1] * w[0] };
    double twice = hypot(hypot(n[0], n[1]), n[2]);
    *longest = edge_length(positions, v, longest_side(positions, v));
    *area = twice / 2;
    return !(twice > FLAT_TRIANGLE * *longest * *longest);
}

static bool is_needle(const vvMesh *m, int t)
{
    double area, longest;
    return vv_triangle_has_no_area(m->positions, m->triangles + 3 * (size_t)t, &area, &longest);
}

/* The first place in the sorted half-edges whose ends are (a, b), a < b, or come after them. */
static int lower_bound(const int *ends, const int *order, int n, int a, int b)
{
    int low = 0, high = n;
    while (low < high) {
        int middle = low + (high - low) / 2;
        const int *e = ends + 2 * (size_t)order[middle];
        if (e[0] < a || (e[0] == a && e[1] < b))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* How many half-edges join a and b; *at: the place of the first of them. */
static int joined(const int *ends, const int *order, int n, int a, int b, int *at)
{
    int small = a < b ? a : b, large = a < b ? b : a;
    *at = lower_bound(ends, order, n, small, large);
    const int *e = *at < n ? ends + 2 * (size_t)order[*at] : NULL;
    return e && e[0] == small && e[1] == large ? vv_half_edges_group(ends, order, *at, n) : 0;
}

/* Triangle u, from its corner `from` on, is about to become (from, middle, far), and t (middle, to, far). */
static void split_uvs(vvMesh *m, int u, int from, int t, int middle)
{
    const int *w = m->triangles + 3 * (size_t)u;
    const double *old = m->uvs + 6 * (size_t)u;
    const int a = w[from], b = w[(from + 1) % 3];
    double uv[4][2]; /* of from, middle, to, far */
    const double long_way = distance(m->positions, a, b);
    const double part = long_way > 0 ? fmin(1, distance(m->positions, a, middle) / long_way) : 0.5;
    for (int c = 0; c < 2; c++) {
        uv[0][c] = old[2 * from + c], uv[2][c] = old[2 * ((from + 1) % 3) + c],
        uv[3][c] = old[2 * ((from + 2) % 3) + c];
        uv[1][c] = uv[0][c] + part * (uv[2][c] - uv[0][c]);
    }
    const int first[3] = { 0, 1, 3 }, second[3] = { 1, 2, 3 };
    for (int k = 0; k < 3; k++) {
        memcpy(m->uvs + 6 * (size_t)u + 2 * k, uv[first[k]], sizeof uv[0]);
        memcpy(m->uvs + 6 * (size_t)t + 2 * k, uv[second[k]], sizeof uv[0]);
    }
}

/* Splits the neighbour across the longest edge, unless there is none, or several, or it has changed since the
 * sorting. */
static bool mend(vvMesh *m, int t, const int *ends, const int *order, char *touched)
{
    int n = 3 * m->triangleCount, *v = m->triangles + 3 * (size_t)t, side = longest_side(m->positions, v), at, other;
    int middle = v[(side + 2) % 3];
    if (touched[t] || joined(ends, order, n, v[side], v[(side + 1) % 3], &at) != 2)
        return false;
    int across = order[at] / 3 == t ? order[at + 1] : order[at], u = across / 3;
    int *w = m->triangles + 3 * (size_t)u;
    int from = w[across % 3], to = w[(across + 1) % 3], far = w[(across + 2) % 3];
    if (u == t || touched[u] || far == middle || joined(ends, order, n, middle, far, &other))
        return false;
    if (m->uvs)
        split_uvs(m, u, across % 3, t, middle);
    memcpy(w, (int[]){ from, middle, far }, 3 * sizeof *w);
    memcpy(v, (int[]){ middle, to, far }, 3 * sizeof *v);
    touched[t] = touched[u] = 1;
    return true;
}

static int mend_pass(vvMesh *m, const char *needle, const int *ends, const int *order, char *touched)
{
    int mended = 0;
    memset(touched, 0, (size_t)m->triangleCount);
    for (int t = 0; t < m->triangleCount; t++)
        if (needle[t])
            mended += mend(m, t, ends, order, touched);
    return mended;
}

static int find_needles(const vvMesh *m, char *needle)
{
    int count = 0;
    for (int t = 0; t < m->triangleCount; t++)
        count += needle[t] = is_needle(m, t);
    return count;
}

vvStatus vv_mesh_mend_needles(vvMesh *m, int *mended, vvError *error)
{
    size_t n = (size_t)m->triangleCount;
    char *needle = vv_alloc(n, 1), *touched = NULL;
    int *ends = NULL, *order = NULL, before = needle ? find_needles(m, needle) : 0, left = before;
    bool ok = needle != NULL;
    if (ok && left) {
        touched = vv_alloc(n, 1);
        ends = vv_alloc(6 * n, sizeof *ends);
        order = vv_alloc(3 * n, sizeof *order);
        ok = touched && ends && order;
    }
    for (int pass = 0; ok && left && pass < MOST_PASSES; pass++) {
        ok = vv_half_edges_sort(m, ends, order);
        if (!ok || !mend_pass(m, needle, ends, order, touched))
            break;
        left = find_needles(m, needle);
    }
    *mended = before - left;
    vv_free(needle);
    vv_free(touched);
    vv_free(ends);
    vv_free(order);
    return ok ? VV_OK : vv_fail_memory(error, "mending triangles without area");
}
