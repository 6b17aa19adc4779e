/* Warns where linear tets will be too stiff, for bodies loaded or supported like engineering parts, and stiff ones that
 * stand in their weight: bending of bodies, or parts of them, few tets thick, nearly incompressible materials, and flat
 * tets. */
#include "base/error.h"
#include "base/vec.h"
#include "energy/elements.h"
#include "energy/tets/point.h"
#include "world/advice/walls.h"

#include <math.h>
#include <string.h>

static const double SLENDER = 4;  /* times as long as thick: it bends */
static const double LAYERS = 3.5; /* tets through the thickness: with fewer a fifth of the deflection is missing */
static const double COMPRESSIBLE = 0.4; /* Poisson's ratio */
static const double FLAT = 0.05;        /* a tet's least height over its longest edge, */
static const double SOME = 0.01;        /* and of how many that is told */

static const double SAGS = 0.05; /* of its length, under its own weight: what does not is no soft toy */

/* Young's modulus of its stiffest material, Pa. */
static double stiffness_of(const vv_body *b)
{
    double most = 0;
    for (int m = 0; m < b->material_count; m++)
        most = fmax(most, vv_young(b->materials + m));
    return most;
}

/* kg/m^3 */
static double density_of(const vvWorld *w, const vv_body *b)
{
    double mass = 0, volume = 0, edges[9];
    for (int i = b->first; i < b->first + b->count; i++)
        mass += w->mass[i];
    for (int t = 0; t < b->tet_count; t++) {
        const int *tet = b->tets + 4 * (size_t)t;
        for (size_t k = 0; k < 9; k++)
            edges[k] = w->rest[3 * (size_t)tet[k / 3 + 1] + k % 3] - w->rest[3 * (size_t)tet[0] + k % 3];
        volume += fabs(vv_det(edges)) / 6;
    }
    return volume > 0 ? mass / volume : 0;
}

static bool stays(const vvMotionDef *m)
{
    return m->waypointCount == 0 && m->angularVelocity == 0 && vv_norm(m->linearVelocity) == 0;
}

/* Held where it is, with nothing but its weight to bear, and so stiff that this bends it little, as a clamped beam of
 * that length and thickness. */
static bool stands(const vvWorld *w, int body, double length, double thick)
{
    const vv_body *b = w->bodies + body;
    double weight = vv_norm(w->def.gravity);
    bool held = false;
    for (size_t k = 0; k < w->attach_count; k++) {
        const vv_attach *a = w->attaches + k;
        if (a->body != body)
            continue;
        if (a->kind == VV_ATTACH_PUSH) /* gravity by keys */
            weight = fmax(weight, vv_norm(a->acceleration));
        else if (a->kind != VV_ATTACH_FIXED || !stays(&a->motion))
            return false;
        held = held || a->kind == VV_ATTACH_FIXED;
    }
    return held && weight > 0 && thick > 0 &&
           1.5 * density_of(w, b) * weight * pow(length / thick, 2) * length <= SAGS * stiffness_of(b);
}

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
 * extent by that. -1: out of memory. */
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
    const int found = bends(whole, *slender) ? 0 : vv_walls_of(w, b, &wall, &layers);
    if (found < 0)
        return -1;
    if (!found || !bends(layers, length / wall))
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

/* How a body is thin: *slender, how many times as long as thick; *where: in which words, with the layers. */
typedef struct thinness {
    const char *where;
    double layers, slender;
} thinness;

/* False: out of memory. */
static bool find_thinness(const vvWorld *w, const vv_body *b, thinness *out)
{
    vv_thin_part part;
    *out = (thinness){ .where = "body" };
    out->layers = layers_of(w, b, &out->slender);
    if (out->layers < 0)
        return false;
    const int found = bends(out->layers, out->slender) ? 0 : vv_thin_part_of(w, b, SLENDER, LAYERS, &part);
    if (found > 0)
        *out = (thinness){ "a part of body", part.layers, part.length / part.thick };
    return found >= 0;
}

/* Whether to look: it has a load, or it stands still under its weight. */
static bool is_loaded(const vvWorld *w, int body)
{
    const vv_body *b = w->bodies + body;
    double axes[9];
    if (is_part(w, body))
        return true;
    find_axes(w, b, axes);
    return stands(w, body, extent(w, NULL, b->first, b->vertex_count, axes + 6),
                  extent(w, NULL, b->first, b->vertex_count, axes));
}

vvStatus vv_world_advise_locking(vvWorld *w, vvError *error)
{
    for (size_t i = 0; i < w->body_count && !w->locking_told; i++) {
        const vv_body *b = w->bodies + i;
        int flat;
        if (b->tet_count == 0 || b->tet10_count > 0 || b->solid_volume > 0 || b->kinematic || !is_loaded(w, (int)i))
            continue;
        thinness thin;
        if (!find_thinness(w, b, &thin))
            return vv_fail_memory(error, "looking for tets that lock");
        const double nu = poisson_of(b);
        if (bends(thin.layers, thin.slender))
            vv_world_log(
                w, VV_LOG_WARNING,
                "%s \"%s\" is %.2g tets thick and %.2g times as long as thick: linear tets bend it too stiffly "
                "(a beam of two has two thirds of its deflection); take tets of order 2 (\"order\": 2), four cells or "
                "more through the "
                "thickness, or a shell (model \"midedge\")",
                thin.where, b->name, thin.layers, thin.slender);
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
    return VV_OK;
}
