/* The list of generators. A new one is a file that ends in its row, and a line here. */
#include "base/stop.h"
#include "base/text/param.h"
#include "mesh/raise.h"

#include <stdio.h>
#include <string.h>

extern const vv_generator vv_generator_box, vv_generator_ball, vv_generator_cylinder, vv_generator_torus,
    vv_generator_rod, vv_generator_cloth, vv_generator_weave, vv_generator_disk, vv_generator_die, vv_generator_critter,
    vv_generator_bowl, vv_generator_stairs, vv_generator_ground, vv_generator_grains, vv_generator_chain,
    vv_generator_ring, vv_generator_helix, vv_generator_sheet, vv_generator_tube;

static const vv_generator *const generators[] = {
    &vv_generator_box,   &vv_generator_ball,   &vv_generator_cylinder, &vv_generator_torus,  &vv_generator_rod,
    &vv_generator_cloth, &vv_generator_weave,  &vv_generator_disk,     &vv_generator_die,    &vv_generator_critter,
    &vv_generator_bowl,  &vv_generator_stairs, &vv_generator_ground,   &vv_generator_grains, &vv_generator_chain,
    &vv_generator_ring,  &vv_generator_helix,  &vv_generator_sheet,    &vv_generator_tube,
};
enum { GENERATORS = sizeof generators / sizeof *generators, MOST_VALUES = 32 };

const vvMeshGenerator *vvMeshGeneratorInfo(int index)
{
    return index >= 0 && index < GENERATORS ? &generators[index]->shown : NULL;
}

static const vvInfo *name_of(int index)
{
    const vvMeshGenerator *row = vvMeshGeneratorInfo(index);
    return row ? &row->info : NULL;
}

static const vv_generator *find(const char *name)
{
    for (int i = 0; name && i < GENERATORS; i++)
        if (strcmp(generators[i]->shown.info.name, name) == 0)
            return generators[i];
    return NULL;
}

static vv_params params_of(const vv_generator *g) { return (vv_params){ g->shown.paramCount, g->shown.params }; }

vvStatus vv_mesh_generate_raw(const char *generator, const vvSetting *settings, int count, vvMesh *mesh, vvError *error)
{
    double values[MOST_VALUES];
    const vv_generator *row = find(generator);
    *mesh = (vvMesh){ 0 };
    vv_error_clear(error);
    if (!row)
        return vv_fail_unknown(error, "mesh generator", generator, name_of);
    vvStatus status = vv_params_complete(params_of(row), settings, count, generator, values, error);
    if (status != VV_OK)
        return status;
    status = row->make(values, mesh, error);
    if (status != VV_OK)
        vv_fail_prefix(error, "%s: ", generator);
    return status;
}

static vvStatus generate(const char *generator, const vvSetting *settings, int settingCount, vvMesh *mesh,
                         vvError *error)
{
    if (!mesh)
        return vv_fail(error, VV_ERROR_INPUT, "vvMeshGenerate needs a pointer for the mesh, found NULL");
    vvStatus status = vv_mesh_generate_raw(generator, settings, settingCount, mesh, error);
    if (status == VV_OK && (status = vvMeshFinish(mesh, NULL, error)) != VV_OK) {
        vv_fail_prefix(error, "%s: ", generator);
        vvMeshDestroy(mesh);
    }
    return status;
}

vvStatus vvMeshGenerate(const char *generator, const vvSetting *settings, int settingCount, vvMesh *mesh,
                        vvError *error)
{
    VV_STOPPABLE(generate(generator, settings, settingCount, mesh, error));
}

vvStatus vv_mesh_generate(const char *generator, const double *values, vvMesh *mesh, vvError *error)
{
    vvSetting settings[MOST_VALUES];
    const vv_generator *row = find(generator);
    return vvMeshGenerate(generator, settings, row ? vv_params_named(params_of(row), values, settings) : 0, mesh,
                          error);
}

/* A row's `onto` and the values that it is to have. */
typedef struct shape {
    const vv_generator *row;
    double values[MOST_VALUES];
} shape;

static bool onto_shape(const void *arg, const double a[3], const double b[3], double x[3])
{
    const shape *s = arg;
    return s->row->onto(s->values, a, b, x);
}

static vvStatus generate_order2(const char *generator, const vvSetting *settings, int count, vvMesh *mesh,
                                vvRaiseNotes *notes, vvError *error)
{
    shape s = { .row = find(generator) };
    if (notes)
        *notes = (vvRaiseNotes){ 0 };
    vvStatus status = generate(generator, settings, count, mesh, error);
    if (status == VV_OK)
        status = vv_params_complete(params_of(s.row), settings, count, generator, s.values, error);
    if (status != VV_OK)
        return status;
    const vv_original original = { onto_shape, &s };
    status = vv_mesh_raise(mesh, s.row->onto ? &original : NULL, notes, error);
    if (status != VV_OK) {
        vv_fail_prefix(error, "%s: ", generator);
        vvMeshDestroy(mesh);
    }
    return status;
}

vvStatus vvMeshGenerateOrder2(const char *generator, const vvSetting *settings, int count, vvMesh *mesh,
                              vvRaiseNotes *notes, vvError *error)
{
    VV_STOPPABLE(generate_order2(generator, settings, count, mesh, notes, error));
}
