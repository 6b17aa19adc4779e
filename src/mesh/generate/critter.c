/* Generator "critter", the mascot: a round creature with a big head, two ears, four limbs and a tail; a smooth union of
 * balls, ellipsoids and capsules, stuffed with tets. It stands upright on y = 0 and looks along +z.
 *
 * The shape is designed for a height of 1; x is mirrored, so left and right parts are given once. */
#include "base/vec.h"
#include "mesh/generate/make.h"
#include "mesh/tetrahedralize/stuffing.h"

#include <math.h>

typedef enum part_kind { ELLIPSOID, CAPSULE } part_kind;
typedef struct part {
    part_kind kind;
    double a[3];   /* centre, or first end */
    double b[3];   /* semi-axes, or second end */
    double ra, rb; /* radii at the ends */
    double blend;  /* width of the fillet where it joins the parts before it */
} part;

static const part parts[] = {
    { ELLIPSOID, { 0, 0.280, 0.015 }, { 0.212, 0.185, 0.195 }, 0, 0, 0 },              /* belly */
    { ELLIPSOID, { 0, 0.430, 0.000 }, { 0.150, 0.150, 0.130 }, 0, 0, 0.12 },           /* chest */
    { ELLIPSOID, { 0, 0.690, 0.020 }, { 0.255, 0.205, 0.205 }, 0, 0, 0.06 },           /* head */
    { ELLIPSOID, { 0, 0.630, 0.200 }, { 0.090, 0.066, 0.075 }, 0, 0, 0.045 },          /* muzzle */
    { ELLIPSOID, { 0.180, 0.895, 0.000 }, { 0.098, 0.104, 0.060 }, 0, 0, 0.040 },      /* ears */
    { CAPSULE, { 0.150, 0.450, 0.030 }, { 0.325, 0.375, 0.075 }, 0.062, 0.068, 0.05 }, /* arms */
    { CAPSULE, { 0.105, 0.200, 0.010 }, { 0.130, 0.085, 0.020 }, 0.095, 0.088, 0.05 }, /* legs */
    { ELLIPSOID, { 0.135, 0.060, 0.075 }, { 0.092, 0.072, 0.130 }, 0, 0, 0.04 },       /* feet */
    { CAPSULE, { 0, 0.220, -0.150 }, { 0, 0.290, -0.270 }, 0.055, 0.050, 0.05 },       /* tail */
    { ELLIPSOID, { 0, 0.335, -0.300 }, { 0.070, 0.070, 0.070 }, 0, 0, 0.04 },          /* its tip */
};

/* Not the exact distance, but with its sign and its slope at the surface. */
static double ellipsoid(const part *p, const double x[3])
{
    double s = 0, t = 0;
    for (int k = 0; k < 3; k++) {
        double d = (x[k] - p->a[k]) / p->b[k];
        s += d * d;
        t += d * d / (p->b[k] * p->b[k]);
    }
    return t > 0 ? sqrt(s) * (sqrt(s) - 1) / sqrt(t) : -p->b[1];
}

static double capsule(const part *p, const double x[3])
{
    double axis[3], d[3];
    vv_sub(p->b, p->a, axis);
    vv_sub(x, p->a, d);
    double t = fmin(1, fmax(0, vv_dot(d, axis) / vv_dot(axis, axis)));
    for (int k = 0; k < 3; k++)
        d[k] -= t * axis[k];
    return vv_norm(d) - (p->ra + t * (p->rb - p->ra));
}

/* Polynomial smooth minimum: min(f, g) where they differ by more than `width`. */
static double smooth_min(double f, double g, double width)
{
    double h = fmax(0, width - fabs(f - g));
    return fmin(f, g) - (width > 0 ? h * h / (4 * width) : 0);
}

static double critter_distance(const void *arg, const double at[3])
{
    (void)arg;
    double x[3] = { fabs(at[0]), at[1], at[2] }, f = INFINITY;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        double g = parts[i].kind == ELLIPSOID ? ellipsoid(&parts[i], x) : capsule(&parts[i], x);
        f = i ? smooth_min(f, g, parts[i].blend) : g;
    }
    return -smooth_min(-f, x[1], 0.02); /* flat soles at y = 0 */
}

/* Scales to the exact height, soles on the ground. */
static void stand(vvMesh *mesh, double height)
{
    double low = INFINITY, high = -INFINITY;
    for (int v = 0; v < mesh->vertexCount; v++) {
        low = fmin(low, mesh->positions[3 * (size_t)v + 1]);
        high = fmax(high, mesh->positions[3 * (size_t)v + 1]);
    }
    double scale = height / (high - low);
    for (int v = 0; v < mesh->vertexCount; v++) {
        double *x = mesh->positions + 3 * (size_t)v;
        x[1] -= low;
        for (int k = 0; k < 3; k++)
            x[k] *= scale;
    }
}

static vvStatus make_critter(const double *values, vvMesh *mesh, vvError *error)
{
    double height = values[0], edge = values[1] > 0 ? values[1] / height : 1.0 / 20;
    if (edge < 1.0 / 140 || edge > 2.0 / 13)
        return vv_fail(error, VV_ERROR_INPUT, "'edge' is %g m for a height of %g m; allowed: %g to %g m, or 0 for %g m",
                       values[1], height, height / 140, height / 6.5, height / 20);
    vv_solid solid = { critter_distance, NULL, NULL, { -0.5, -0.1, -0.5 }, { 0.5, 1.1, 0.4 }, NULL };
    vvStatus status = vv_make_stuffed(&solid, edge, mesh, error);
    if (status == VV_OK)
        status = vv_make_smooth(&solid, edge, mesh, 6, error);
    if (status != VV_OK)
        vvMeshDestroy(mesh);
    else
        stand(mesh, height);
    return status;
}

static const vvParam params[] = {
    { "height", "from soles to ears", "m", 1, false, { 0.25 }, 1e-5, 1e5 },
    { "edge", "edge length of the tets; 0: height / 20", "m", 1, false, { 0 }, 0, 1e4 },
};
extern const vv_generator vv_generator_critter;
const vv_generator vv_generator_critter = {
    { { "critter", "the mascot, standing on y = 0 and looking along +z" }, 2, params },
    make_critter,
};
