/* What presses on surfaces, vertex by vertex: contact pressure of a body's own surface, and contact's forces and
 * pressure on a surface that it carries, as affine bodies do (field.h). */
#include "base/error.h"
#include "base/vec.h"
#include "world/queries/forces.h"
#include "world/queries/resultants.h"
#include "world/sleep/sleep.h"

#include <string.h>

/* Force by the area that is seen along it, at each vertex of a surface at x, of vertices from `first` on: at an edge
 * that of the side on which it acts. */
static vvStatus find_pressures(const double *x, const int *triangles, int triangle_count, int first, int count,
                               const double *force, double *out, vvError *error)
{
    double *normal = vv_alloc(3 * (size_t)count, sizeof *normal); /* as long as a third of the triangles' areas */
    if (!normal)
        return vv_fail_memory(error, "a field");
    for (int t = 0; t < triangle_count; t++) {
        double n[3];
        vv_triangle_normal(x, triangles + 3 * (size_t)t, n);
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 3; k++)
                normal[3 * (size_t)(triangles[3 * (size_t)t + (size_t)c] - first) + (size_t)k] += n[k] / 6;
    }
    for (size_t i = 0; i < (size_t)count; i++) {
        const double *f = force + 3 * i, along = vv_dot(f, normal + 3 * i);
        out[i] = along < 0 ? -vv_dot(f, f) / along : 0;
    }
    vv_free(normal);
    return VV_OK;
}

vvStatus vv_contact_force(vvWorld *w, const vv_body *b, double *out, vvError *error)
{
    return vv_body_force(w, b, VV_FORCE_CONTACT, out, error);
}

vvStatus vv_contact_pressure(vvWorld *w, const vv_body *b, double *out, vvError *error)
{
    double *force = vv_alloc(3 * (size_t)b->vertex_count, sizeof *force);
    vvStatus status = force ? vv_contact_force(w, b, force, error) : vv_fail_memory(error, "a field");
    if (status == VV_OK)
        status =
            find_pressures(w->state.q, b->triangles, b->triangle_count, b->first, b->vertex_count, force, out, error);
    vv_free(force);
    return status;
}

bool vv_carries_contact(const vv_body *b) { return b->surface_collides; }

static void add_side(const vvContactSide *side, vvBodyId id, double force, const double normal[3], double *out)
{
    for (int i = 0; side->body.index1 == id.index1 && i < side->count; i++)
        for (int k = 0; k < 3; k++)
            out[3 * (size_t)side->vertices[i] + (size_t)k] += side->weights[i] * force * normal[k];
}

vvStatus vv_surface_force(vvWorld *w, const vv_body *b, double *out, vvError *error)
{
    const vvContactPoint *points;
    const vvBodyId id = vvWorldBody(w, (int)(b - w->bodies));
    int count = 0;
    vvStatus status = vv_sleep_refuse(w, (int)(b - w->bodies), "vvBodyField", error);
    if (status == VV_OK)
        status = vv_world_contact_points(w, &points, &count, error);
    memset(out, 0, 3 * (size_t)b->skin.vertex_count * sizeof *out);
    for (int i = 0; status == VV_OK && i < count; i++) {
        add_side(&points[i].side, id, points[i].force, points[i].normal, out);
        add_side(&points[i].other, id, -points[i].force, points[i].normal, out);
    }
    return status;
}

vvStatus vv_surface_pressure(vvWorld *w, const vv_body *b, double *out, vvError *error)
{
    const size_t n = (size_t)b->skin.vertex_count;
    double *force = vv_alloc(6 * n, sizeof *force), *x = force + 3 * n;
    vvStatus status = force ? vv_surface_force(w, b, force, error) : vv_fail_memory(error, "a field");
    if (status == VV_OK) {
        vv_skin_positions(&b->skin, w->state.q, x);
        status =
            find_pressures(x, b->skin.triangles, b->skin.triangle_count, 0, b->skin.vertex_count, force, out, error);
    }
    vv_free(force);
    return status;
}
