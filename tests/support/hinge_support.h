/* What the tests of bending share: the material, flat sheets, a world of one of them. */
#ifndef VV_TESTS_HINGE_SUPPORT_H
#define VV_TESTS_HINGE_SUPPORT_H

#include "live_support.h"
#include "positional.h"

static inline vvMaterialDef hinge(double young, double poisson, double thickness)
{
    vvMaterialDef m = vvDefaultMaterialDef();
    m.model = "hinge", m.young = young, m.poisson = poisson, m.thickness = thickness;
    return m;
}

static inline vvMesh sheet(double x, double z, double edge, int pattern)
{
    vvError error = { 0 };
    vvMesh mesh;
    assert_ok(generate_mesh("sheet", (double[]){ x, z, edge, pattern, 5 }, &mesh, &error));
    return mesh;
}

/* A world of one body; the mesh is destroyed. */
static inline vvWorld *world_of(vvMesh *mesh, const vvMaterialDef *m)
{
    vvError error = { 0 };
    vvWorldDef d = free_def("implicit-midpoint", 5e-3, 1e-10);
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    def.material = *m;
    add_mesh(w, mesh, &def);
    assert_ok(vvWorldBake(w, &error));
    return w;
}

#endif
