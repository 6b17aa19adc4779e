/* Rays against a level set: cell by cell along the ray, in each of which phi is a cubic of the way. */
#include "base/vec.h"
#include "contact/level_set.h"

/* phi on the ray within a cell: c[0] + c[1] s + c[2] s^2 + c[3] s^3, 0 <= s <= 1. */
static double cubic_at(const double c[4], double s) { return c[0] + s * (c[1] + s * (c[2] + s * c[3])); }

/* From its values at 0, 1/3, 2/3, 1. */
static void cubic_through(const double v[4], double c[4])
{
    c[0] = v[0];
    c[1] = -5.5 * v[0] + 9 * v[1] - 4.5 * v[2] + v[3];
    c[2] = 9 * v[0] - 22.5 * v[1] + 18 * v[2] - 4.5 * v[3];
    c[3] = -4.5 * v[0] + 13.5 * v[1] - 13.5 * v[2] + 4.5 * v[3];
}

/* The first root in [a, b], where the cubic is monotone. */
static bool bisect(const double c[4], double a, double b, double *root)
{
    const bool below = cubic_at(c, a) < 0;
    if ((cubic_at(c, b) < 0) == below)
        return false;
    for (int i = 0; i < 60; i++) {
        const double middle = 0.5 * (a + b);
        *((cubic_at(c, middle) < 0) == below ? &a : &b) = middle;
    }
    *root = b;
    return true;
}

static bool first_root(const double c[4], double *root)
{
    double stop[4] = { 0, 0, 0, 1 };
    int stops = 1;
    const double half = c[2], square = half * half - 3 * c[3] * c[1]; /* of 3 c3 s^2 + 2 c2 s + c1 */
    if (square > 0) {
        const double t = -(half + copysign(sqrt(square), half)), one = c[3] != 0 ? t / (3 * c[3]) : INFINITY, two = t != 0 ? c[1] / t : INFINITY;
        const double low = fmin(one, two), high = fmax(one, two);
        if (low > 0 && low < 1)
            stop[stops++] = low;
        if (high > 0 && high < 1)
            stop[stops++] = high;
    }
    stop[stops++] = 1;
    for (int i = 0; i + 1 < stops; i++)
        if (bisect(c, stop[i], stop[i + 1], root))
            return true;
    return false;
}

/* Where the ray from u along d enters and leaves the grid's box. */
static bool clip(const vv_level_set *l, const double u[3], const double d[3], double *from, double *to)
{
    *from = 0, *to = INFINITY;
    for (int k = 0; k < 3; k++) {
        if (d[k] == 0 && !(u[k] >= 0 && u[k] <= l->cells[k]))
            return false;
        if (d[k] == 0)
            continue;
        const double a = -u[k] / d[k], b = (l->cells[k] - u[k]) / d[k];
        *from = fmax(*from, fmin(a, b));
        *to = fmin(*to, fmax(a, b));
    }
    return *from <= *to;
}

/* The piece from `from` to `to` lies in one cell. side: below 0 where the piece before ended inside, above 0 outside, 0 there was none; then that of
 * this one: where the surface lies on a wall between two cells, rounding may put it in neither. */
static bool meet_cell(const vv_level_set *l, const double u[3], const double d[3], double from, double to, int *side, double *t)
{
    double v[4], c[4], x[3], s;
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 3; k++)
            x[k] = fmin(fmax(u[k] + (from + i / 3.0 * (to - from)) * d[k], 0), l->cells[k]);
        v[i] = vv_level_set_value(l, x, NULL, NULL);
    }
    const bool jumped = *side != 0 && (v[0] < 0) != (*side < 0);
    *side = v[3] < 0 ? -1 : 1;
    *t = from;
    if (jumped)
        return true;
    cubic_through(v, c);
    if (!first_root(c, &s))
        return false;
    *t = from + s * (to - from);
    return true;
}

bool vv_level_set_ray(const vv_field *f, const double *shape, const double origin[3], const double direction[3], double *t, double n[3])
{
    const vv_level_set l = vv_level_set_of(f, shape);
    double u[3], to_end[3], end[3], d[3], from, to;
    int side = 0;
    vv_level_set_to_grid(&l, shape, origin, u);
    for (int k = 0; k < 3; k++)
        end[k] = origin[k] + direction[k];
    vv_level_set_to_grid(&l, shape, shape, to_end); /* of directions: a difference of two places near the solid */
    for (int k = 0; k < 3; k++)
        end[k] = shape[k] + direction[k];
    vv_level_set_to_grid(&l, shape, end, d);
    vv_sub(d, to_end, d);
    if (!clip(&l, u, d, &from, &to))
        return false;
    for (int cells = 3 * (l.cells[0] + l.cells[1] + l.cells[2]) + 3; cells > 0 && from < to; cells--) {
        double next = to;
        for (int k = 0; k < 3; k++) {
            if (d[k] == 0)
                continue;
            double x = u[k] + from * d[k], wall = d[k] > 0 ? floor(x) + 1 : ceil(x) - 1, at = (wall - u[k]) / d[k];
            if (!(at > from)) /* by rounding still at the wall behind */
                at = (wall + (d[k] > 0 ? 1 : -1) - u[k]) / d[k];
            next = fmin(next, at);
        }
        if (meet_cell(&l, u, d, from, next, &side, t)) {
            double x[3];
            for (int k = 0; k < 3; k++)
                x[k] = origin[k] + *t * direction[k];
            vv_level_set_distance(f, shape, x, INFINITY, n, NULL);
            const double length = vv_norm(n);
            for (int k = 0; k < 3; k++)
                n[k] = length > 0 ? n[k] / length : -direction[k];
            return true;
        }
        from = next;
    }
    return false;
}
