/* Rays against triangles after Woop, Benthin, Wald: Watertight Ray/Triangle Intersection (JCGT 2013), in double
 * precision; triangles against boxes by separating axes (Akenine-Moller 2001). */
#include "base/geometry/intersect.h"

#include "base/geometry/predicates.h"
#include "base/vec.h"

#include <string.h>

/* ---- rays -------------------------------------------------------------------------------------------------------- */

vv_ray vv_ray_along(const double origin[3], const double direction[3])
{
    vv_ray r;
    memcpy(r.origin, origin, sizeof r.origin);
    memcpy(r.direction, direction, sizeof r.direction);
    int z = 0;
    for (int k = 1; k < 3; k++)
        if (fabs(direction[k]) > fabs(direction[z]))
            z = k;
    r.axis[0] = (z + 1) % 3, r.axis[1] = (z + 2) % 3, r.axis[2] = z;
    r.shear[0] = direction[r.axis[0]] / direction[z];
    r.shear[1] = direction[r.axis[1]] / direction[z];
    r.shear[2] = 1 / direction[z];
    return r;
}

/* The vertex in the frame in which the ray is the z axis. Depends only on ray and vertex: adjacent triangles agree. */
static void sheared(const vv_ray *r, const double v[3], double out[3])
{
    double z = v[r->axis[2]] - r->origin[r->axis[2]];
    out[0] = v[r->axis[0]] - r->origin[r->axis[0]] - r->shear[0] * z;
    out[1] = v[r->axis[1]] - r->origin[r->axis[1]] - r->shear[1] * z;
    out[2] = r->shear[2] * z;
}

bool vv_ray_triangle(const vv_ray *ray, const double a[3], const double b[3], const double c[3], double limit,
                     double *t, double weights[3])
{
    double p[3], q[3], r[3];
    sheared(ray, a, p);
    sheared(ray, b, q);
    sheared(ray, c, r);
    /* twice the areas at the edges. The neighbour across an edge gets exactly the negative, so no ray slips between;
     * zero counts for both */
    double u = r[0] * q[1] - r[1] * q[0], v = p[0] * r[1] - p[1] * r[0], w = q[0] * p[1] - q[1] * p[0];
    if ((u < 0 || v < 0 || w < 0) && (u > 0 || v > 0 || w > 0))
        return false;
    double sum = u + v + w;
    if (sum == 0)
        return false;
    weights[0] = u / sum, weights[1] = v / sum, weights[2] = w / sum;
    *t = weights[0] * p[2] + weights[1] * q[2] + weights[2] * r[2];
    return *t >= 0 && *t <= limit;
}

static double clamp(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

double vv_ray_segment(const vv_ray *ray, const double a[3], const double b[3], double limit, double *t, double *s)
{
    double e[3], from[3], gap[3];
    vv_sub(b, a, e);
    vv_sub(ray->origin, a, from);
    double length = vv_dot(e, e), along = vv_dot(ray->direction, e);
    double f = vv_dot(e, from), c = vv_dot(ray->direction, from);
    double denominator = length - along * along; /* |direction| = 1 */
    *t = denominator > 1e-14 * length ? clamp((along * f - c * length) / denominator, 0, limit) : 0;
    *s = length > 0 ? (along * *t + f) / length : 0;
    if (!(*s >= 0 && *s <= 1) || length == 0) {
        *s = *s > 1 ? 1 : 0;
        *t = clamp(*s * along - c, 0, limit);
    }
    for (int k = 0; k < 3; k++)
        gap[k] = from[k] + *t * ray->direction[k] - *s * e[k];
    return vv_norm(gap);
}

/* ---- points ------------------------------------------------------------------------------------------------------ */

double vv_point_segment(const double p[3], const double a[3], const double b[3])
{
    double e[3], d[3];
    vv_sub(b, a, e);
    vv_sub(p, a, d);
    double length = vv_dot(e, e), s = length > 0 ? clamp(vv_dot(d, e) / length, 0, 1) : 0;
    for (int k = 0; k < 3; k++)
        d[k] -= s * e[k];
    return vv_dot(d, d);
}

double vv_point_triangle(const double p[3], const double a[3], const double b[3], const double c[3])
{
    const double *v[3] = { a, b, c };
    double best = fmin(vv_point_segment(p, a, b), fmin(vv_point_segment(p, b, c), vv_point_segment(p, c, a)));
    double e[3], f[3], d[3], n[3], side[3];
    vv_sub(b, a, e);
    vv_sub(c, a, f);
    vv_sub(p, a, d);
    vv_cross(e, f, n);
    double square = vv_dot(n, n), height = vv_dot(d, n);
    if (!(square > 0))
        return best;
    for (int k = 0; k < 3; k++) { /* is the foot of the perpendicular inside? */
        vv_sub(v[(k + 1) % 3], v[k], e);
        vv_sub(p, v[k], d);
        vv_cross(e, d, side);
        if (vv_dot(side, n) < 0)
            return best;
    }
    return fmin(best, height * height / square);
}

/* The corners' and edges' Voronoi regions in turn (C. Ericson, Real-Time Collision Detection, 2005, section 5.1.5). */
void vv_nearest_of_triangle(const double p[3], const double a[3], const double b[3], const double c[3], double out[3])
{
    double ab[3], ac[3], ap[3], bp[3], cp[3], v = 0, w = 0;
    vv_sub(b, a, ab);
    vv_sub(c, a, ac);
    vv_sub(p, a, ap);
    vv_sub(p, b, bp);
    vv_sub(p, c, cp);
    double d1 = vv_dot(ab, ap), d2 = vv_dot(ac, ap), d3 = vv_dot(ab, bp), d4 = vv_dot(ac, bp);
    double d5 = vv_dot(ab, cp), d6 = vv_dot(ac, cp);
    double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
    if (d1 <= 0 && d2 <= 0)
        v = w = 0;
    else if (d3 >= 0 && d4 <= d3)
        v = 1;
    else if (d6 >= 0 && d5 <= d6)
        w = 1;
    else if (vc <= 0 && d1 >= 0 && d3 <= 0)
        v = d1 / (d1 - d3);
    else if (vb <= 0 && d2 >= 0 && d6 <= 0)
        w = d2 / (d2 - d6);
    else if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0)
        w = (d4 - d3) / ((d4 - d3) + (d5 - d6)), v = 1 - w;
    else
        v = vb / (va + vb + vc), w = vc / (va + vb + vc);
    for (int k = 0; k < 3; k++)
        out[k] = a[k] + v * ab[k] + w * ac[k];
}

/* Exact signs: a point on a face that two tets share is in both. */
int vv_point_in_tet(const double p[3], const double a[3], const double b[3], const double c[3], const double d[3])
{
    const int volume = vv_orient3d(a, b, c, d);
    const bool in = volume != 0 && vv_orient3d(p, b, c, d) * volume >= 0 && vv_orient3d(a, p, c, d) * volume >= 0 &&
                    vv_orient3d(a, b, p, d) * volume >= 0 && vv_orient3d(a, b, c, p) * volume >= 0;
    return in ? volume : 0;
}

/* ---- boxes ------------------------------------------------------------------------------------------------------- */

bool vv_segment_meets_box(const double half[3], const double a[3], const double b[3])
{
    double first = 0, last = 1;
    for (int k = 0; k < 3; k++) {
        double d = b[k] - a[k];
        if (d == 0) {
            if (fabs(a[k]) > half[k])
                return false;
            continue;
        }
        double s = (-half[k] - a[k]) / d, t = (half[k] - a[k]) / d;
        first = fmax(first, fmin(s, t));
        last = fmin(last, fmax(s, t));
    }
    return first <= last;
}

static bool separates(const double half[3], const double axis[3], const double *v[3])
{
    double reach = fabs(axis[0]) * half[0] + fabs(axis[1]) * half[1] + fabs(axis[2]) * half[2];
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < 3; i++) {
        double x = vv_dot(axis, v[i]);
        low = fmin(low, x);
        high = fmax(high, x);
    }
    return low > reach || high < -reach;
}

bool vv_triangle_meets_box(const double half[3], const double a[3], const double b[3], const double c[3])
{
    const double *v[3] = { a, b, c };
    double e[3][3], n[3];
    for (int k = 0; k < 3; k++) {
        double axis[3] = { k == 0, k == 1, k == 2 };
        if (separates(half, axis, v))
            return false;
        vv_sub(v[(k + 1) % 3], v[k], e[k]);
    }
    vv_cross(e[0], e[1], n);
    if (separates(half, n, v))
        return false;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++) {
            double axis[3] = { i == 0, i == 1, i == 2 }, cross[3];
            vv_cross(axis, e[k], cross);
            if (separates(half, cross, v))
                return false;
        }
    return true;
}
