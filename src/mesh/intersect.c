/* Exact tests of triangles and segments. Coplanar cases are projected along an axis that leaves the triangle an
 * area, and tested there. */
#include "mesh/intersect.h"

#include "base/geometry/predicates.h"

#include <stddef.h>

/* Drops the coordinate `axis`. */
static void project(const double x[3], int axis, double out[2])
{
    out[0] = x[(axis + 1) % 3];
    out[1] = x[(axis + 2) % 3];
}

static int turn_along(const double a[3], const double b[3], const double c[3], int axis)
{
    double p[2], q[2], r[2];
    project(a, axis, p);
    project(b, axis, q);
    project(c, axis, r);
    return vv_orient2d(p, q, r);
}

/* An axis along which the triangle's projection has area; -1: flat. */
static int open_axis(const double a[3], const double b[3], const double c[3])
{
    for (int axis = 0; axis < 3; axis++)
        if (turn_along(a, b, c, axis))
            return axis;
    return -1;
}

bool vv_triangle_is_flat(const double a[3], const double b[3], const double c[3]) { return open_axis(a, b, c) < 0; }

/* ---- in the plane ------------------------------------------------------------------------------------------------ */

/* p, known to be on the line through a and b, is between them. */
static bool between2d(const double a[2], const double b[2], const double p[2])
{
    for (int k = 0; k < 2; k++)
        if ((p[k] < a[k] && p[k] < b[k]) || (p[k] > a[k] && p[k] > b[k]))
            return false;
    return true;
}

static bool segments_meet2d(const double p[2], const double q[2], const double a[2], const double b[2])
{
    int ap = vv_orient2d(a, b, p), aq = vv_orient2d(a, b, q), pa = vv_orient2d(p, q, a), pb = vv_orient2d(p, q, b);
    if (ap * aq < 0 && pa * pb < 0)
        return true;
    return (ap == 0 && between2d(a, b, p)) || (aq == 0 && between2d(a, b, q)) || (pa == 0 && between2d(p, q, a)) ||
           (pb == 0 && between2d(p, q, b));
}

static bool meets_in_plane(const double p[3], const double q[3], const double *const t[3])
{
    double u[2], v[2], x[3][2];
    int axis = open_axis(t[0], t[1], t[2]);
    project(p, axis, u);
    project(q, axis, v);
    for (int i = 0; i < 3; i++)
        project(t[i], axis, x[i]);
    int side[3];
    for (int i = 0; i < 3; i++) {
        if (segments_meet2d(u, v, x[i], x[(i + 1) % 3]))
            return true;
        side[i] = vv_orient2d(x[i], x[(i + 1) % 3], u);
    }
    return side[0] == side[1] && side[1] == side[2]; /* inside, away from the edges */
}

/* ---- in space ---------------------------------------------------------------------------------------------------- */

/* Their boxes are disjoint: true for most pairs, even near ones. */
static bool clear_of_triangle(const double p[3], const double q[3], const double a[3], const double b[3],
                              const double c[3])
{
    for (int k = 0; k < 3; k++) {
        double low = p[k] < q[k] ? p[k] : q[k], high = p[k] < q[k] ? q[k] : p[k];
        if ((a[k] < low && b[k] < low && c[k] < low) || (a[k] > high && b[k] > high && c[k] > high))
            return true;
    }
    return false;
}

bool vv_segment_meets_triangle(const double p[3], const double q[3], const double a[3], const double b[3],
                               const double c[3])
{
    if (clear_of_triangle(p, q, a, b, c))
        return false;
    int at_p = vv_orient3d(a, b, c, p), at_q = vv_orient3d(a, b, c, q);
    if (at_p == 0 && at_q == 0)
        return meets_in_plane(p, q, (const double *const[]){ a, b, c });
    if (at_p * at_q > 0)
        return false;
    /* the segment meets the plane at one point; the line passes all edges on the same side, or through them */
    int ab = vv_orient3d(p, q, a, b), bc = vv_orient3d(p, q, b, c), ca = vv_orient3d(p, q, c, a);
    return (ab >= 0 && bc >= 0 && ca >= 0) || (ab <= 0 && bc <= 0 && ca <= 0);
}

/* Four collinear points: there segments meet if their boxes do. */
static bool boxes_meet(const double p[3], const double q[3], const double a[3], const double b[3])
{
    for (int k = 0; k < 3; k++)
        if ((p[k] < a[k] && p[k] < b[k] && q[k] < a[k] && q[k] < b[k]) ||
            (p[k] > a[k] && p[k] > b[k] && q[k] > a[k] && q[k] > b[k]))
            return false;
    return true;
}

bool vv_segments_meet(const double p[3], const double q[3], const double a[3], const double b[3])
{
    if (!boxes_meet(p, q, a, b) || vv_orient3d(p, q, a, b))
        return false;
    /* coplanar: seen along an axis that is not in the plane */
    const double *const corners[4][3] = { { p, q, a }, { p, q, b }, { a, b, p }, { a, b, q } };
    int axis = -1;
    for (int i = 0; i < 4 && axis < 0; i++)
        axis = open_axis(corners[i][0], corners[i][1], corners[i][2]);
    if (axis < 0)
        return true;
    double u[2], v[2], c[2], d[2];
    project(p, axis, u);
    project(q, axis, v);
    project(a, axis, c);
    project(b, axis, d);
    return segments_meet2d(u, v, c, d);
}

static bool edge_meets(const double *x, const int s[3], int edge, const int t[3])
{
    return vv_segment_meets_triangle(x + 3 * (size_t)s[edge], x + 3 * (size_t)s[(edge + 1) % 3], x + 3 * (size_t)t[0],
                                     x + 3 * (size_t)t[1], x + 3 * (size_t)t[2]);
}

static bool any_edge_meets(const double *x, const int s[3], const int t[3])
{
    return edge_meets(x, s, 0, t) || edge_meets(x, s, 1, t) || edge_meets(x, s, 2, t);
}

/* Triangles at a common edge (u, v) overlap if they are folded flat onto each other. */
static bool folded(const double *u, const double *v, const double *p, const double *q)
{
    if (vv_orient3d(u, v, p, q))
        return false;
    int axis = open_axis(u, v, p);
    return turn_along(u, v, p, axis) == turn_along(u, v, q, axis);
}

bool vv_triangles_meet(const double *x, const int s[3], const int t[3])
{
    int shared = 0, in_s[3], in_t[3]; /* corners of s and t at one vertex */
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            if (s[i] == t[j] && shared < 3) {
                in_s[shared] = i;
                in_t[shared++] = j;
            }
    if (shared == 0)
        return any_edge_meets(x, s, t) || any_edge_meets(x, t, s);
    /* If they share more than the vertex, that reaches the far edge of one: both are cones seen from the vertex. */
    if (shared == 1)
        return edge_meets(x, s, (in_s[0] + 1) % 3, t) || edge_meets(x, t, (in_t[0] + 1) % 3, s);
    if (shared == 2)
        return folded(x + 3 * (size_t)s[in_s[0]], x + 3 * (size_t)s[in_s[1]], x + 3 * (size_t)s[3 - in_s[0] - in_s[1]],
                      x + 3 * (size_t)t[3 - in_t[0] - in_t[1]]);
    return true;
}
