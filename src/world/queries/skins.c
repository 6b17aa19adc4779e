/* Stress at both sides of shells: what they bear in their plane by their thickness t, N/t, and what bending adds there,
 * 6 M/t^2, as it is in a plate whose stress is linear across it (resultants.c has N and M). */
#include "base/error.h"
#include "base/vec.h"
#include "world/queries/resultants.h"

#include <math.h>
#include <string.h>

/* That of the first material that has one. */
static double thickness_of(const vv_body *b, int triangle)
{
    double thick = b->triangle_thickness ? b->triangle_thickness[triangle] : 0;
    for (int m = 0; m < b->material_count && !(thick > 0); m++)
        thick = b->materials[m].def.thickness;
    return thick > 0 ? thick : b->thickness;
}

bool vv_has_skins(const vv_body *b) { return (vv_is_stretched(b) || vv_has_bent_shells(b)) && thickness_of(b, 0) > 0; }

/* side: 1 where triangles' normals point, -1 on the other one. */
static vvStatus find(vvWorld *w, const vv_body *b, double side, double *out, vvError *error)
{
    double *moment = vv_alloc(6 * (size_t)b->triangle_count, sizeof *moment);
    vvStatus status = moment ? vv_membrane_force(w, b, out, error) : vv_fail_memory(error, "a field");
    if (status == VV_OK)
        status = vv_plate_moment(w, b, moment, error);
    for (int t = 0; status == VV_OK && t < b->triangle_count; t++) {
        const double thick = thickness_of(b, t);
        for (size_t k = 6 * (size_t)t; k < 6 * (size_t)t + 6; k++)
            out[k] = out[k] / thick + side * 6 * moment[k] / (thick * thick);
    }
    vv_free(moment);
    return status;
}

vvStatus vv_top_stress(vvWorld *w, const vv_body *b, double *out, vvError *error) { return find(w, b, 1, out, error); }

vvStatus vv_bottom_stress(vvWorld *w, const vv_body *b, double *out, vvError *error)
{
    return find(w, b, -1, out, error);
}

static double von_mises(const double s[6])
{
    const double a = s[0] - s[1], b = s[1] - s[2], c = s[2] - s[0];
    return sqrt(0.5 * (a * a + b * b + c * c) + 3 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]));
}

vvStatus vv_skin_von_mises(vvWorld *w, const vv_body *b, double *out, vvError *error)
{
    double *stress = vv_alloc(6 * (size_t)b->triangle_count, sizeof *stress);
    vvStatus status = stress ? VV_OK : vv_fail_memory(error, "a field");
    memset(out, 0, (size_t)b->triangle_count * sizeof *out);
    for (int side = -1; side <= 1 && status == VV_OK; side += 2) {
        status = find(w, b, side, stress, error);
        for (int t = 0; status == VV_OK && t < b->triangle_count; t++)
            out[t] = fmax(out[t], von_mises(stress + 6 * (size_t)t));
    }
    vv_free(stress);
    return status;
}
