/* The nearest points of triangles, edges and vertices, and what follows from them: distance, gradient, second
 * derivatives. */
#include "base/vec.h"
#include "contact/obstacles/heightfield.h"

static double square_to(const double a[3], const double b[3])
{
    double r[3];
    vv_sub(a, b, r);
    return vv_dot(r, r);
}

void vv_hf_near_point(const double a[3], const double y[3], vv_hf_near *out)
{
    memcpy(out->point, a, sizeof out->point);
    out->dimension = 0;
    out->square = square_to(a, y);
}

void vv_hf_near_segment(const double a[3], const double b[3], const double y[3], vv_hf_near *out)
{
    double e[3], r[3];
    vv_sub(b, a, e);
    vv_sub(y, a, r);
    const double all = vv_dot(e, e), along = vv_dot(e, r);
    if (!(along > 0) || along >= all) {
        vv_hf_near_point(along >= all && all > 0 ? b : a, y, out);
        return;
    }
    const double length = sqrt(all);
    for (int k = 0; k < 3; k++) {
        out->point[k] = a[k] + along / all * e[k];
        out->edge[k] = e[k] / length;
    }
    out->dimension = 1;
    out->square = square_to(out->point, y);
}

void vv_hf_near_triangle(const double face[3][3], const double y[3], vv_hf_near *out)
{
    double u[3], v[3], n[3], r[3];
    vv_sub(face[1], face[0], u);
    vv_sub(face[2], face[0], v);
    vv_cross(u, v, n);
    const double area = vv_norm(n);
    bool within = area > 0;
    for (int k = 0; k < 3; k++)
        out->normal[k] = area > 0 ? n[k] / area : k == 1;
    for (int s = 0; s < 3 && within; s++) { /* on the inner side of each edge */
        double e[3], side[3];
        vv_sub(face[(s + 1) % 3], face[s], e);
        vv_sub(y, face[s], r);
        vv_cross(out->normal, e, side);
        within = vv_dot(side, r) >= 0;
    }
    if (within) {
        vv_sub(y, face[0], r);
        const double height = vv_dot(r, out->normal);
        for (int k = 0; k < 3; k++)
            out->point[k] = y[k] - height * out->normal[k];
        out->dimension = 2;
        out->square = height * height;
        return;
    }
    vv_hf_near one;
    memcpy(one.normal, out->normal, sizeof one.normal);
    out->square = INFINITY;
    for (int s = 0; s < 3; s++) {
        vv_hf_near_segment(face[s], face[(s + 1) % 3], y, &one);
        if (one.square < out->square)
            *out = one;
    }
}

double vv_hf_box_square(const vv_box *box, const double y[3], double r[3])
{
    for (int k = 0; k < 3; k++)
        r[k] = y[k] < box->low[k] ? y[k] - box->low[k] : y[k] > box->high[k] ? y[k] - box->high[k] : 0;
    return vv_dot(r, r);
}

double vv_hf_slope(const vv_hf_near *near, const double y[3], bool inside, double n[3], double curvature[9])
{
    double r[3], u[3];
    const double length = sqrt(near->square), d = inside ? -length : length;
    vv_sub(y, near->point, r);
    for (int k = 0; k < 3; k++) /* upon an edge any normal of a triangle at it will do */
        u[k] = near->dimension == 2 || !(length > 0) ? near->normal[k] : r[k] / d;
    /* the distance of a single triangle, from behind */
    if (near->dimension == 2 && length > 0 && (vv_dot(r, u) > 0) == inside)
        for (int k = 0; k < 3; k++)
            u[k] = -u[k];
    if (n)
        memcpy(n, u, sizeof u);
    for (int i = 0; curvature && i < 3; i++)
        for (int j = 0; j < 3; j++)
            curvature[3 * i + j] =
                near->dimension == 2 || !(length > 0)
                    ? 0
                    : ((i == j) - u[i] * u[j] - (near->dimension == 1 ? near->edge[i] * near->edge[j] : 0)) / d;
    return d;
}
