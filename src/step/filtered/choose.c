/* Filtered search: the coefficients of a group's fields (theory §3.6). */
#include "step/filtered/filtered.h"

/* M-product of v with a field. */
static double along(const vv_filtered_group *g, int field)
{
    double sum = 0;
    for (int a = 0; a < VV_FIELDS; a++)
        sum += g->coefficient[a] * g->gram[a > field ? a : field][a > field ? field : a];
    return sum;
}

double vv_filtered_excess(const vv_filtered_group *g)
{
    double square = 0;
    for (int a = 0; a < VV_FIELDS; a++)
        square += g->coefficient[a] * along(g, a);
    return g->rest + 0.5 * square;
}

/* The roots of a t^2 / 2 - b t + c, smallest first; both at the vertex where there is none. False: a does not change
 * an energy of that scale beyond rounding. */
static bool roots_of(double a, double b, double c, double scale, double out[2])
{
    if (!(a > 1e-28 * scale))
        return false;
    double discriminant = b * b - 2 * a * c;
    if (discriminant <= 0) {
        out[0] = out[1] = b / a;
        return true;
    }
    /* without cancellation: one root from the sum, the other from the product 2 c / a */
    double sum = b + (b >= 0 ? sqrt(discriminant) : -sqrt(discriminant)), one = sum / a, other = 2 * c / sum;
    out[0] = fmin(one, other), out[1] = fmax(one, other);
    return true;
}

/* Those of H - T + margin in t, v - t field. */
static bool roots(const vv_filtered_group *g, int field, double margin, double scale, double out[2])
{
    return roots_of(g->gram[field][field], along(g, field), vv_filtered_excess(g) + margin, scale, out);
}

static double clamp(double x, double low, double high) { return fmin(fmax(x, low), high); }
static double nearer_to_zero(const double t[2]) { return fabs(t[0]) <= fabs(t[1]) ? t[0] : t[1]; }

/* While contact works on the centres, what is missing may yet come back through it: that many times what it exchanges
 * in a step is no reason to feed vibrations. */
static const double IMPACT = 3;
/* Less than this part of the scale is not missing: what falls must not begin to shake for a rounding error. */
static const double MISSING = 1e-6;

/* Where w itself has more energy than there was, as a solve may find a valley that the body could not reach: what
 * is left of the vibrations slows down, all alike. */
static void slow_vibrations(vv_filtered_group *g, double size)
{
    double t[2], part, before = g->coefficient[VV_BRAKE];
    /* all vibrations at present: -grow + BRAKE brake; v - t of these */
    const double a = g->gram[VV_GROW][VV_GROW] + before * before * g->gram[VV_BRAKE][VV_BRAKE] -
                     2 * before * g->gram[VV_GROW][VV_BRAKE],
                 b = before * along(g, VV_BRAKE) - along(g, VV_GROW);
    if (!roots_of(a, b, vv_filtered_excess(g), size, t))
        return;
    part = clamp(t[0], 0, 1);
    g->coefficient[VV_GROW] += part;
    g->coefficient[VV_BRAKE] -= part * before;
}

static void take_energy(vv_filtered_group *g, double size)
{
    double t[2];
    if (roots(g, VV_BRAKE, 0, size, t))
        g->coefficient[VV_BRAKE] = -clamp(nearer_to_zero(t), -1, 0);
    if (vv_filtered_excess(g) > 1e-12 * size && roots(g, VV_TURN, 0, size, t))
        g->coefficient[VV_TURN] = -clamp(t[0], 0, 1);
    if (vv_filtered_excess(g) > 1e-12 * size)
        slow_vibrations(g, size);
}

/* The edge of what a step can show is where turns of a radian a step are, too: they lose all that they have in one
 * step, in a place where all fields are small, and would get it back in the next. What this step takes beyond the
 * slack is given back at once, however much that is of the field; delta is for what was missing before. Not while
 * contact works on the centres: it gives back by itself. */
static void keep_energy(vv_filtered_group *g, const double *values, double slack, double size)
{
    double t[2], open = slack + fmax(g->owed, 0);
    if (values[VV_FILTERED_DELTA] == 0 || g->power > MISSING * size || g->gram[VV_FEED][VV_FEED] < MISSING * size)
        return;
    if (vv_filtered_excess(g) + open < 0 && roots(g, VV_FEED, open, size, t))
        g->coefficient[VV_FEED] -= fmax(t[1], 0);
}

/* Contact's pushes give back in bounces alone. What lies or slides on the ground and trembles would be lifted by what
 * its vibrations lose, would hop down a slope on which it has to stick, and get from there what lifts it further: it
 * has the push of the step's end, up to what is missing.
 *
 * Vibrations are not fed where prescribed nodes drive a body: what it shakes with works on them, the work comes into
 * the target, and what is missing would feed it again, without end. */
static void give_energy(vv_filtered_group *g, const double *values, double size)
{
    double t[2], wait = IMPACT * g->power + g->fell, slack = wait + values[VV_FILTERED_SLACK] * g->scale;
    if (roots(g, VV_PUSH, 0, size, t))
        g->coefficient[VV_PUSH] =
            g->bounces ? -clamp(nearer_to_zero(t), -1, values[VV_FILTERED_PUSH] - 1) : -clamp(t[0], -1, 0);
    if (vv_filtered_excess(g) + wait < -MISSING * size && roots(g, VV_GROW, wait, size, t))
        g->coefficient[VV_GROW] = -clamp(t[1], values[VV_FILTERED_BETA_MIN], values[VV_FILTERED_BETA_MAX]);
    if (g->driven)
        return;
    if (vv_filtered_excess(g) + slack < 0 && roots(g, VV_FEED, slack, size, t))
        g->coefficient[VV_FEED] = -clamp(t[1], 0, values[VV_FILTERED_DELTA]);
    keep_energy(g, values, slack, size);
}

double vv_filtered_choose(vv_filtered_group *g, const double *values)
{
    memset(g->coefficient, 0, sizeof g->coefficient);
    g->coefficient[VV_START] = 1;
    double size = g->scale + g->gram[VV_START][VV_START];
    if (vv_filtered_excess(g) > 0)
        take_energy(g, size);
    else
        give_energy(g, values, size);
    return 1 - g->coefficient[VV_BRAKE] - g->coefficient[VV_PUSH];
}
