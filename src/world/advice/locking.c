/* Warns where linear tets will be too stiff, for bodies loaded or supported like engineering parts: bending of bodies
 * few tets thick, nearly incompressible materials, and flat tets. */
#include "base/vec.h"
#include "energy/tets/point.h"
#include "world/advice/walls.h"

#include <math.h>
#include <string.h>

static const double SLENDER = 4;  /* times as long as thick: it bends */
static const double LAYERS = 3.5; /* tets through the thickness: with fewer a fifth of the deflection is missing */
static const double COMPRESSIBLE = 0.4; /* Poisson's ratio */
static const double FLAT = 0.05;        /* a tet's least height over its longest edge, */
static const double SOME = 0.01;        /* and of how many that is told */

/* Loaded or on rollers: a part. */
static bool is_part(const vvWorld *w, int body)
{
    bool part = false;
    for (size_t a = 0; a < w->attach_count; a++)
        part = part || (w->attaches[a].body == body && w->attaches[a].kind >= VV_ATTACH_ROLLER);
    return part;
}

/* Axes of the vertices' second moments at rest, from the one along which they spread least, by rows. */
static void find_axes(const vvWorld *w, const vv_body *b, double axes[9])
{
    double mean[3] = { 0 }, m[9] = { 0 }, spread[3], v[9];
    for (int i = b->first; i < b->first + b->vertex_count; i++)
        for (size_t k = 0; k < 3; k++)
            mean[k] += w->rest[3 * (size_t)i + k] / b->vertex_count;
    for (int i = b->first; i < b->first + b->vertex_count; i++) {
        double d[3];
        vv_sub(w->rest + 3 * (size_t)i, mean, d);
        for (int k = 0; k < 9; k++)
            m[k] += d[k / 3] * d[k % 3];
    }
    vv_eigen_symmetric(m, spread, v);
    for (int k = 0; k < 9; k++)
        axes[k] = v[3 * (k % 3) + k / 3];
}

/* How far apart nodes are along an axis. */
static double extent(const vvWorld *w, const int *nodes, int first, int count, const double axis[3])
{
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < count; i++) {
        const double at = vv_dot(axis, w->rest + 3 * (size_t)(nodes ? nodes[i] : first + i));
        low = fmin(low, at), high = fmax(high, at);
    }
    return high - low;
}

static bool bends(double layers, double slender) { return slender >= SLENDER && layers < LAYERS; }

/* Tets through the least extent of the body or, where it is an L or a frame, through its walls; *slender: the largest
 * extent by that. */
static double layers_of(const vvWorld *w, const vv_body *b, double *slender)
{
    double axes[9], mean = 0, wall = 0, layers = 0;
    find_axes(w, b, axes);
    const double thick = extent(w, NULL, b->first, b->vertex_count, axes),
                 length = extent(w, NULL, b->first, b->vertex_count, axes + 6);
    for (int t = 0; t < b->tet_count; t++)
        mean += extent(w, b->tets + 4 * t, 0, 4, axes) / b->tet_count;
    *slender = thick > 0 ? length / thick : INFINITY;
    const double whole = mean > 0 ? thick / mean : 0;
    if (bends(whole, *slender) || !vv_walls_of(w, b, &wall, &layers) || !bends(layers, length / wall))
        return whole;
    *slender = length / wall;
    return layers;
}

/* Of materials that have tets keep their volume one by one. */
static double poisson_of(const vv_body *b)
{
    double most = 0, psi, p[9];
    for (int m = 0; m < b->material_count; m++) {
        const vv_material *of = b->materials + m;
        if (!of->kind->mean && vv_tet_point(of, (double[9]){ 1, 0, 0, 0, 1, 0, 0, 0, 1 }, NULL, &psi, p) &&
            of->mu + of->lambda > 0)
            most = fmax(most, 0.5 * of->lambda / (of->lambda + of->mu));
    }
    return most;
}

/* The least height of a tet over its longest edge. */
static double flatness(const vvWorld *w, const int tet[4])
{
    double x[4][3], longest = 0, largest = 0, n[3], u[3], v[3];
    for (int k = 0; k < 4; k++)
        memcpy(x[k], w->rest + 3 * (size_t)tet[k], sizeof x[k]);
    for (int i = 0; i < 4; i++)
        for (int j = i + 1; j < 4; j++) {
            vv_sub(x[i], x[j], u);
            longest = fmax(longest, vv_norm(u));
        }
    for (int k = 0; k < 4; k++) { /* the face without corner k; twice its area */
        vv_sub(x[(k + 2) % 4], x[(k + 1) % 4], u);
        vv_sub(x[(k + 3) % 4], x[(k + 1) % 4], v);
        vv_cross(u, v, n);
        largest = fmax(largest, vv_norm(n));
    }
    vv_sub(x[1], x[0], u);
    vv_sub(x[2], x[0], v);
    vv_cross(u, v, n);
    vv_sub(x[3], x[0], u);
    return largest > 0 ? fabs(vv_dot(n, u)) / largest / longest : 0;
}

static int flat_tets(const vvWorld *w, const vv_body *b)
{
    int count = 0;
    for (int t = 0; t < b->tet_count; t++)
        count += flatness(w, b->tets + 4 * t) < FLAT;
    return count;
}

void vv_world_advise_locking(vvWorld *w)
{
    for (size_t i = 0; i < w->body_count && !w->locking_told; i++) {
        const vv_body *b = w->bodies + i;
        double slender = 0;
        int flat;
        if (b->tet_count == 0 || b->tet10_count > 0 || b->solid_volume > 0 || b->kinematic || !is_part(w, (int)i))
            continue;
        const double layers = layers_of(w, b, &slender), nu = poisson_of(b);
        if (bends(layers, slender))
            vv_world_log(
                w, VV_LOG_WARNING,
                "body \"%s\" is %.2g tets thick and %.2g times as long as thick: linear tets bend it too stiffly "
                "(a beam of two has two thirds of its deflection); take tets of order 2 (\"order\": 2), four cells or "
                "more through the "
                "thickness, or a shell (model \"midedge\")",
                b->name, layers, slender);
        else if (nu > COMPRESSIBLE)
            vv_world_log(w, VV_LOG_WARNING,
                         "body \"%s\" has Poisson's ratio %.3g: above %.2g linear tets lock, and it is too stiff; use "
                         "tets of order 2 (\"order\": 2), the material's mean_dilatation, more cells, or a lower ratio",
                         b->name, nu, COMPRESSIBLE);
        else if ((flat = flat_tets(w, b)) > SOME * b->tet_count)
            vv_world_log(w, VV_LOG_WARNING,
                         "%d of the %d tets of body \"%s\" are flat: less than %g times as high as long; it is too "
                         "stiff there, and their stresses are wrong; fill its surface again (`visviva mesh`)",
                         flat, b->tet_count, b->name, FLAT);
        else
            continue;
        w->locking_told = true;
    }
}
