/* Soft balls that carry a finer surface, which collides. */
#ifndef VV_TESTS_CARRIER_SUPPORT_H
#define VV_TESTS_CARRIER_SUPPORT_H

#include "visviva/contact.h"
#include "world_support.h"

static inline vvMesh boundary(const char *generator, const double *values)
{
    vvError error = { 0 };
    vvMesh mesh = { 0 };
    assert_ok(generate_mesh(generator, values, &mesh, &error));
    mesh.tetCount = 0;
    assert_ok(vvMeshFinish(&mesh, NULL, &error));
    return mesh;
}

/* A ball of coarse tets in a fine one. */
static inline vvBodyId add_carrier(vvWorld *w, double x, double y, bool collides)
{
    vvMesh fine = boundary("ball", (double[]){ 0.05, 7 });
    vvBodyDef def = vvDefaultBodyDef();
    def.surface = &fine, def.surfaceCollides = collides;
    def.material.young = 3e4;
    def.translate[0] = x, def.translate[1] = y;
    vvBodyId id = add_ball(w, 0.045, 2, &def);
    vvMeshDestroy(&fine);
    return id;
}

static inline vvWorldDef contact_def(const char *scheme, double h, double tolerance)
{
    vvWorldDef d = free_def(scheme, h, tolerance);
    d.contact.model = "barrier";
    d.contact.checkIntersections = true;
    return d;
}

/* The place of a side of a contact, which names vertices of the carried surface. */
static inline void place_of(const vvWorld *w, const vvContactSide *side, double x[3])
{
    vvError error = { 0 };
    vvBodySurface s;
    vvBodyGetSurface(w, side->body, &s);
    double *at = malloc(3 * (size_t)s.vertexCount * sizeof *at), sum = 0;
    assert_ok(vvBodySurfacePositions(w, side->body, NULL, at, &error));
    x[0] = x[1] = x[2] = 0;
    for (int i = 0; i < side->count; i++) {
        assert_in_range(side->vertices[i], 0, s.vertexCount - 1);
        sum += side->weights[i];
        for (int k = 0; k < 3; k++)
            x[k] += side->weights[i] * at[3 * side->vertices[i] + k];
    }
    assert_near(sum, 1, 1e-12);
    free(at);
}

#endif
