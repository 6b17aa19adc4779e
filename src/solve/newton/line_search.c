/* Line searches: backtracking with Armijo's condition, and strong Wolfe (Nocedal & Wright, Algorithms 3.5 and 3.6).
 *
 * Near the minimum the change of g drowns in its rounding: then a point is accepted by its slope, |phi'(t)| <=
 * |phi'(0)| ("approximate Wolfe", Hager & Zhang 2005; theory §6.3). */
#include "base/vec.h"
#include "solve/solver.h"
#include "solve/newton/turn.h"
#include "solve/vectors.h"

#include <float.h>

static const double ARMIJO = 1e-4, CURVATURE = 0.9;
static const double LEAST_GROWTH = 2, MOST_GROWTH = 10; /* of t, beyond the full step */
static const double WORTH_A_TRIAL = 2, FARTHEST = 8;    /* times the full step */

static double rounding(vv_line *line);

/* What is above phi(0) is accepted only by the slope, where the change of g drowns in rounding. */
static double value_at(vv_line *line, const double *x)
{
    if (!vv_objective_has_last(line->objective))
        return vv_objective_value(line->objective, x);
    const double value = vv_objective_value_below(line->objective, x, line->value0 - line->slope0);
    if (value < INFINITY)
        return value;
    if (!(line->noise > 0))
        line->noise = rounding(line);
    return -line->slope0 < line->noise ? vv_objective_value(line->objective, x) : value;
}

/* x = q + t p, or where the path is that turns bodies. */
static void go_along(const vv_line *line, double t, double *x)
{
    if (line->turn)
        vv_turn_place(line->turn, t, x);
    else
        vv_along(vv_node_space(line->objective->system), line->q, t, line->p, x);
}

/* The same, projected: where constraints bound the nodes the line is bent along them. */
static bool place(const vv_line *line, double t, double *x)
{
    go_along(line, t, x);
    return vv_system_project(line->objective->system, x);
}

void vv_line_go(const vv_line *line, double t, double *x) { (void)place(line, t, x); }

double vv_line_value(vv_line *line, double t)
{
    vv_system *s = line->objective->system;
    size_t mark = vv_arena_mark(&s->arena);
    double *x = vv_arena_push(&s->arena, vv_node_space(s), sizeof *x);
    double value = place(line, t, x) ? value_at(line, x) : INFINITY;
    vv_arena_release(&s->arena, mark);
    line->evaluations++;
    return value;
}

double vv_line_slope(vv_line *line, double t)
{
    vv_system *s = line->objective->system;
    size_t mark = vv_arena_mark(&s->arena);
    double *x = vv_arena_push(&s->arena, vv_node_space(s), sizeof *x);
    double *g = line->gradient ? line->gradient : vv_arena_push(&s->arena, vv_unknown_space(s), sizeof *g);
    (void)place(line, t, x); /* its value is finite */
    vv_objective_derivatives(line->objective, x, VV_HESSIAN_EXACT, g, NULL);
    if (s->feasible) {
        go_along(line, t, x);
        vv_system_pull_back(s, x, g);
    }
    const double *direction = line->p_unknown;
    if (line->turn) {
        double *tangent = vv_arena_push(&s->arena, vv_unknown_space(s), sizeof *tangent);
        vv_turn_direction(line->turn, t, tangent);
        direction = tangent;
    }
    double slope = vv_sum_dot(s, g, direction, 3 * s->unknowns);
    vv_arena_release(&s->arena, mark);
    line->at = t;
    line->evaluations++;
    return slope;
}

/* The change of g that rounding alone can cause: its terms are sums of many numbers, larger than g where they
 * cancel. */
static double rounding(vv_line *line)
{
    line->magnitude = vv_objective_magnitude(line->objective, line->q);
    return 64 * DBL_EPSILON * line->magnitude + DBL_MIN;
}

static bool small_enough_to_trust_slopes(const vv_line *line, double noise, double t)
{
    return -line->slope0 * t < 4 * noise;
}

static double backtracking(vv_line *line, double *value)
{
    double t = line->max_step, noise = 0;
    for (int k = 0; k < 60; k++, t *= 0.5) {
        *value = vv_line_value(line, t);
        if (*value <= line->value0 + ARMIJO * t * line->slope0)
            return t;
        if (k == 0)
            noise = rounding(line);
        if (small_enough_to_trust_slopes(line, noise, t)) {
            if (*value <= line->value0 + noise && fabs(vv_line_slope(line, t)) <= -line->slope0)
                return t;
            if (k >= 8)
                return 0;
        }
    }
    return 0;
}

const vv_line_search vv_line_search_backtracking = {
    { "backtracking", "halve the step until g decreases enough (Armijo)" }, backtracking
};

/* Narrows [lo, hi] (lo satisfies Armijo) to a point of strong Wolfe; bisection with a parabola's guess. */
static double zoom(vv_line *line, double noise, double lo, double f_lo, double s_lo, double hi, double f_hi,
                   double *value)
{
    double best = lo;
    *value = f_lo;
    for (int k = 0; k < 30; k++) {
        double width = hi - lo;
        /* where the parabola through f_lo, s_lo, f_hi is level; kept away from the ends */
        double t = lo - s_lo * width * width / (2 * (f_hi - f_lo - s_lo * width));
        double a = lo + 0.1 * width, b = lo + 0.9 * width;
        if (!((t - a) * (t - b) <= 0))
            t = lo + 0.5 * width;
        double f = vv_line_value(line, t);
        if (!(f <= line->value0 + ARMIJO * t * line->slope0 && f < f_lo)) {
            hi = t, f_hi = f;
        } else {
            double slope = vv_line_slope(line, t);
            best = t, *value = f;
            if (fabs(slope) <= -CURVATURE * line->slope0)
                return t;
            if (slope * width >= 0)
                hi = lo, f_hi = f_lo;
            lo = t, f_lo = f, s_lo = slope;
        }
        if (small_enough_to_trust_slopes(line, noise, fabs(hi - lo)))
            break;
    }
    return best;
}

/* On from t, where g satisfies Armijo and still goes down steeply, to where it does not (Nocedal & Wright, Algorithm
 * 3.5). */
static double go_on(vv_line *line, double noise, double t, double f, double slope, double *value)
{
    double before = 0, slope_before = line->slope0;
    while (t < line->farthest) {
        /* where a parabola through both slopes is level, within reason */
        double level = slope > slope_before ? t - slope * (t - before) / (slope - slope_before) : INFINITY;
        double next = fmin(fmin(fmax(level, LEAST_GROWTH * t), MOST_GROWTH * t), line->farthest),
               found = vv_line_value(line, next);
        if (!(found <= line->value0 + ARMIJO * next * line->slope0 && found < f)) {
            *value = f;
            return found < INFINITY ? zoom(line, noise, t, f, slope, next, found, value) : t;
        }
        double slope_there = vv_line_slope(line, next);
        *value = found;
        if (fabs(slope_there) <= -CURVATURE * line->slope0)
            return next;
        if (slope_there >= 0)
            return zoom(line, noise, next, found, slope_there, t, f, value);
        before = t, slope_before = slope;
        t = next, f = found, slope = slope_there;
    }
    *value = f;
    return t;
}

/* Where a filter allows no more than a whole step the search begins at the far end. */
static double strong_wolfe(vv_line *line, double *value)
{
    double t = line->max_step, noise = rounding(line);
    if (small_enough_to_trust_slopes(line, noise, t))
        return backtracking(line, value);
    double f = vv_line_value(line, t);
    if (!(f <= line->value0 + ARMIJO * t * line->slope0)) {
        double found = f < INFINITY ? zoom(line, noise, 0, line->value0, line->slope0, t, f, value) : 0;
        return found > 0 ? found : backtracking(line, value);
    }
    double slope = vv_line_slope(line, t);
    *value = f;
    if (slope < CURVATURE * line->slope0) /* steeply down still */
        return go_on(line, noise, t, f, slope, value);
    if (slope <= -CURVATURE * line->slope0)
        return t;
    return zoom(line, noise, t, f, slope, 0, line->value0, value);
}

const vv_line_search vv_line_search_strong_wolfe = {
    { "strong-wolfe", "the full step, or between it and the start a point that meets the strong Wolfe conditions" },
    strong_wolfe
};

/* Over a full step g goes down by half of its slope where the model is right. Where it goes down by far more the
 * model is too stiff, mostly as the Hessian is projected: one trial further out, where the parabola through the slope
 * and g at both ends is level. */
double vv_line_beyond(vv_line *line, double *value)
{
    vv_system *s = line->objective->system;
    double down = -line->slope0, level = down / (2 * fmax(down - (line->value0 - *value), 1e-3 * down));
    if (!(level >= WORTH_A_TRIAL))
        return 1;
    size_t mark = vv_arena_mark(&s->arena), n3 = vv_node_space(s);
    double reach = fmin(level, FARTHEST), *far = vv_arena_push(&s->arena, n3, sizeof *far), found = INFINITY;
    vv_scaled(n3, reach, line->p, far);
    double t = reach * vv_objective_max_step(line->objective, line->q, far);
    if (t > 1)
        found = vv_line_value(line, t);
    vv_arena_release(&s->arena, mark);
    if (!(found < *value))
        return 1;
    *value = found;
    return t;
}
