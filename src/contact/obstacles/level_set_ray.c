/* Rays against a level set: cell by cell along the ray. Where phi at both ends of a piece is larger than the path
 * between them allows it to fall, there is no surface in it; others are halved. */
#include "base/vec.h"
#include "contact/obstacles/level_set.h"

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

/* of a piece: if shorter, ends of one sign have no surface between them, and a root is found by bisection */
enum { HALVINGS = 8 };

typedef struct way {
    const vv_level_set *l;
    const double *u, *d;
    double steepness; /* m: the most that phi changes by along d */
} way;

static double phi_at(const way *w, double t)
{
    double x[3];
    for (int k = 0; k < 3; k++)
        x[k] = fmin(fmax(w->u[k] + t * w->d[k], 0), w->l->cells[k]);
    return vv_level_set_value(w->l, x, NULL, NULL);
}

static double bisect(const way *w, double a, double b, bool inside)
{
    for (int i = 0; i < 60; i++) {
        const double middle = 0.5 * (a + b);
        *((phi_at(w, middle) < 0) == inside ? &a : &b) = middle;
    }
    return b;
}

/* The first place between a and b where the surface is crossed. */
static bool meet(const way *w, double a, double va, double b, double vb, int halvings, double *t)
{
    if ((va < 0) == (vb < 0) && (halvings == 0 || fabs(va) + fabs(vb) > w->steepness * (b - a)))
        return false;
    if (halvings == 0) {
        *t = bisect(w, a, b, va < 0);
        return true;
    }
    const double middle = 0.5 * (a + b), v = phi_at(w, middle);
    return meet(w, a, va, middle, v, halvings - 1, t) || meet(w, middle, v, b, vb, halvings - 1, t);
}

bool vv_level_set_ray(const vv_field *f, const double *shape, const double origin[3], const double direction[3],
                      double *t, double n[3])
{
    const vv_level_set l = vv_level_set_of(f, shape);
    double u[3], to_end[3], end[3], d[3], from, to;
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
    const way w = { &l, u, d, VV_LEVEL_SET_STEEPEST * l.spacing * vv_norm(d) };
    double v = phi_at(&w, from);
    for (int cells = 3 * (l.cells[0] + l.cells[1] + l.cells[2]) + 3; cells > 0 && from < to; cells--) {
        double next = to;
        for (int k = 0; k < 3; k++) {
            if (d[k] == 0)
                continue;
            double x = u[k] + from * d[k], wall = d[k] > 0 ? floor(x) + 1 : ceil(x) - 1, at = (wall - u[k]) / d[k];
            if (!(at > from)) /* still at the previous wall, by rounding */
                at = (wall + (d[k] > 0 ? 1 : -1) - u[k]) / d[k];
            next = fmin(next, at);
        }
        const double there = phi_at(&w, next);
        if (meet(&w, from, v, next, there, HALVINGS, t)) {
            double x[3];
            for (int k = 0; k < 3; k++)
                x[k] = origin[k] + *t * direction[k];
            vv_level_set_distance(f, shape, x, INFINITY, n, NULL);
            const double length = vv_norm(n);
            for (int k = 0; k < 3; k++)
                n[k] = length > 0 ? n[k] / length : -direction[k];
            return true;
        }
        from = next, v = there;
    }
    return false;
}
