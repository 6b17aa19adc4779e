/* Triangulation of one polygon in space: quadrilaterals along the better diagonal, polygons that are star-shaped from
 * their first corner (convex ones are) as a fan, small others by clipping ears. The plane is Newell's: its normal is
 * the sum of the cross products along the loop, which is exact for planar polygons and reasonable for bent ones. */
#include "mesh/format/polygon.h"

#include "base/vec.h"

#include <string.h>

typedef struct polygon {
    const double *positions;
    const int *corners;
    int count;
    double normal[3];
} polygon;

static const double *corner_at(const polygon *p, int i) { return p->positions + 3 * (size_t)p->corners[i]; }

static void newell(polygon *p)
{
    for (int i = 1; i + 1 < p->count; i++) {
        double u[3], v[3], c[3];
        vv_sub(corner_at(p, i), corner_at(p, 0), u);
        vv_sub(corner_at(p, i + 1), corner_at(p, 0), v);
        vv_cross(u, v, c);
        for (int k = 0; k < 3; k++)
            p->normal[k] += c[k];
    }
}

/* Twice the signed area of corners i, j, k in the polygon's plane, times |normal|. */
static double area(const polygon *p, int i, int j, int k)
{
    double u[3], v[3], c[3];
    vv_sub(corner_at(p, j), corner_at(p, i), u);
    vv_sub(corner_at(p, k), corner_at(p, i), v);
    vv_cross(u, v, c);
    return vv_dot(c, p->normal);
}

static void put(int *triangle, int i, int j, int k)
{
    triangle[0] = i;
    triangle[1] = j;
    triangle[2] = k;
}

static double smaller(double a, double b) { return a < b ? a : b; }

/* Picks the diagonal whose smaller triangle is larger. */
static int cut_quadrilateral(const polygon *p, int *triangles)
{
    double along02 = smaller(area(p, 0, 1, 2), area(p, 0, 2, 3)), along13 = smaller(area(p, 0, 1, 3), area(p, 1, 2, 3));
    int second = along13 > along02 * (1 + 1e-9);
    if ((second ? along13 : along02) <= 0)
        return 0;
    put(triangles, 0, 1, second ? 3 : 2);
    put(triangles + 3, second ? 1 : 0, 2, 3);
    return 1;
}

static int fan(const polygon *p, int *triangles)
{
    for (int i = 1; i + 1 < p->count; i++) {
        if (area(p, 0, i, i + 1) <= 0)
            return 0;
        put(triangles + 3 * (i - 1), 0, i, i + 1);
    }
    return 1;
}

static int is_ear(const polygon *p, const int *left, int n, int at)
{
    int i = left[(at + n - 1) % n], j = left[at], k = left[(at + 1) % n];
    if (area(p, i, j, k) <= 0)
        return 0;
    for (int m = 0; m < n; m++) {
        int q = left[m];
        if (q == i || q == j || q == k)
            continue;
        if (area(p, i, j, q) >= 0 && area(p, j, k, q) >= 0 && area(p, k, i, q) >= 0)
            return 0;
    }
    return 1;
}

/* The search begins at corner `first` and continues from the last ear: corners before it were no ears, and seldom are
 * now. */
static int clip_ears(const polygon *p, int first, int *triangles)
{
    int left[VV_POLYGON_LIMIT], n = p->count, at = first;
    for (int i = 0; i < n; i++)
        left[i] = i;
    for (; n > 3; n--) {
        int tried = 0;
        for (; tried < n && !is_ear(p, left, n, at); tried++)
            at = (at + 1) % n;
        if (tried == n)
            return 0;
        put(triangles, left[(at + n - 1) % n], left[at], left[(at + 1) % n]);
        triangles += 3;
        memmove(left + at, left + at + 1, (size_t)(n - at - 1) * sizeof *left);
        at %= n - 1;
    }
    if (area(p, left[0], left[1], left[2]) <= 0)
        return 0;
    put(triangles, left[0], left[1], left[2]);
    return 1;
}

/* If corners are collinear, some orders of ears end with a triangle without area, while others do not. */
static int clip_ears_from_anywhere(const polygon *p, int *triangles)
{
    enum { MOST_TRIES = 16 };
    for (int first = 0; first < p->count && first < MOST_TRIES; first++)
        if (clip_ears(p, first, triangles))
            return 1;
    return 0;
}

int vv_polygon_cut(const double *positions, const int *corners, int count, int *triangles)
{
    polygon p = { .positions = positions, .corners = corners, .count = count };
    if (count == 3) { /* whatever its area: vvMeshFinish reports what is wrong with it */
        put(triangles, 0, 1, 2);
        return 1;
    }
    newell(&p);
    if (count == 4 && cut_quadrilateral(&p, triangles))
        return 1;
    if (fan(&p, triangles))
        return 1;
    return count <= VV_POLYGON_LIMIT && clip_ears_from_anywhere(&p, triangles);
}

void vv_polygon_cut_crossed(const double *positions, const int *corners, int count, int *triangles)
{
    static const int orders[2][4] = { { 0, 1, 3, 2 }, { 0, 2, 1, 3 } };
    for (int o = 0; count == 4 && o < 2; o++) {
        int turned[4];
        for (int k = 0; k < 4; k++)
            turned[k] = corners[orders[o][k]];
        if (!vv_polygon_cut(positions, turned, 4, triangles))
            continue;
        for (int i = 0; i < 6; i++)
            triangles[i] = orders[o][triangles[i]];
        return;
    }
    for (int i = 1; i + 1 < count; i++)
        put(triangles + 3 * (i - 1), 0, i, i + 1);
}
