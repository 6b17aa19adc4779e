/* The ladder of the group "real-time": boxes of the sizes at which others were measured, the papers' sizes, and real
 * meshes. */
#include "bench/realtime.h"

#include <math.h>
#include <string.h>

static const vv_realtime_body bodies[] = {
    { "S3", NULL, { 5, 6, 56 }, NULL, 0, true },
    { "S4", NULL, { 3, 10, 115 }, NULL, 0, false },
    { "S5", NULL, { 6, 56, 70 }, NULL, 0, false },
    { "C", NULL, { 28, 28, 28 }, NULL, 0, false },
    { "cloth", NULL, { 100, 100, 0 }, "blending Table 1, cloth", 127, true },
    { "b-bar", NULL, { 3, 2, 23 }, "blending Table 1, bar", 5.73, false },
    { "b-cube", NULL, { 7, 6, 6 }, "blending Table 1, cube", 8.41, false },
    { "b-hippo", NULL, { 13, 12, 12 }, "blending Table 1, hippo", 73.3, false },
    { "b-bunny", NULL, { 16, 15, 15 }, "blending Table 1, bunny", 212, false },
    { "b-cactus", NULL, { 17, 16, 16 }, "blending Table 1, cactus", 174, false },
    { "b-dog", NULL, { 30, 29, 29 }, "blending Table 1, dog", 1205, false },
    { "b-bunny-large", NULL, { 32, 31, 31 }, "blending Table 1, bunny", 1510, false },
    { "f-human", NULL, { 3, 3, 35 }, "FEPR Table 1, human", 0, false },
    { "f-squirrel", NULL, { 11, 11, 10 }, "FEPR Table 1, squirrel", 0, false },
    { "f-trampoline", NULL, { 60, 60, 0 }, "FEPR Table 1, trampoline", 0, false },
    { "f-jelly", NULL, { 18, 17, 17 }, "FEPR Table 1, jelly", 0, false },
    { "f-octopus", NULL, { 19, 19, 18 }, "FEPR Table 1, octopus", 0, false },
    { "f-rabbit", NULL, { 24, 23, 23 }, "FEPR Table 1, rabbit", 0, false },
    { "bunny_4k5", "bunny_4k5.msh", { 0 }, NULL, 0, false },
    { "cactus_5k", "cactus_5k.msh", { 0 }, NULL, 0, false },
    { "octopus_7k5", "octopus_7k5.msh", { 0 }, NULL, 0, false },
    { "armadillo_28k", "armadillo_28k.msh", { 0 }, NULL, 0, false },
    { "bunny_35k", "bunny_35k.msh", { 0 }, NULL, 0, false },
};

const vv_realtime_body *vv_realtime_body_at(int i)
{
    return i >= 0 && i < (int)(sizeof bodies / sizeof *bodies) ? bodies + i : NULL;
}

static vvStatus make_mesh(const vv_realtime_body *body, const char *path, vvMesh *mesh, vvError *error)
{
    const double *c = body->cells;
    if (path)
        return vvMeshRead(path, mesh, NULL, error);
    if (c[2] == 0)
        return vvMeshGenerate("weave",
                              (vvSetting[]){ { "size", { 10, 10 * c[1] / c[0] } }, { "cells", { c[0], c[1] } } }, 2,
                              mesh, error);
    double edge = 10 / cbrt(c[0] * c[1] * c[2]);
    return vvMeshGenerate(
        "box",
        (vvSetting[]){ { "size", { edge * c[0], edge * c[1], edge * c[2] } }, { "cells", { c[0], c[1], c[2] } } }, 2,
        mesh, error);
}

static vvStatus add_body(vvWorld *world, const vv_realtime_body *body, vvMesh *mesh, const char *model, vvError *error)
{
    const bool cloth = mesh->tetCount == 0;
    vvBodyDef def = vvDefaultBodyDef();
    vvBodyId id = { 0, 0 };
    def.mesh = mesh;
    def.material.model = model;
    def.material.totalMass = 10;
    def.material.lame = true, def.material.mu = 80, def.material.lambda = 20;
    def.material.springStiffness = 80, def.material.bendStiffness = 20;
    if (body->file) { /* as large as the others */
        double volume = 0;
        for (int t = 0; t < mesh->tetCount; t++) {
            const double *x[4];
            for (int k = 0; k < 4; k++)
                x[k] = mesh->positions + 3 * (size_t)mesh->tets[4 * (size_t)t + (size_t)k];
            double e[3][3];
            for (int k = 0; k < 3; k++)
                for (int j = 0; j < 3; j++)
                    e[k][j] = x[k + 1][j] - x[0][j];
            volume +=
                (e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) - e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
                 e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
                6;
        }
        for (int k = 0; k < 3; k++)
            def.scale[k] = cbrt(1000 / volume);
    }
    vvStatus status = vvWorldAddBody(world, &def, &id, error);
    vvAttachDef attach = vvDefaultAttachDef();
    if (cloth) {
        int corners[2] = { 0, (int)body->cells[0] };
        attach.where = (vvRegion){ .kind = VV_REGION_VERTICES, .list = corners, .listCount = 2 };
        attach.kind = VV_ATTACH_SPRING;
        attach.stiffness = 80;
        return status == VV_OK ? vvBodyAttach(world, id, &attach, NULL, error) : status;
    }
    for (int end = 0; end < 2 && status == VV_OK; end++) {
        attach.where =
            (vvRegion){ .kind = VV_REGION_PERCENT, .a = { 0, 0, end ? 99 : 0 }, .b = { 100, 100, end ? 100 : 1 } };
        status = vvBodyAttach(world, id, &attach, NULL, error);
    }
    return status;
}

vvStatus vv_realtime_world(const vv_realtime_body *body, const char *path, const vv_realtime_choice *choice,
                           vvWorld **world, vvError *error)
{
    vvMesh mesh = { 0 };
    vvWorldDef def = vvDefaultWorldDef();
    *world = NULL;
    def.timeStep = 0.033;
    def.gravity[1] = -10;
    def.threads = choice->threads;
    def.integrator.scheme = choice->scheme ? choice->scheme : "backward-euler";
    def.integrator.policy = choice->policy ? choice->policy : "none";
    def.integrator.groundMode = VV_GROUND_NONE;
    def.contact.model = "none";
    def.solver.method = choice->solver;
    def.solver.acceleration = choice->acceleration;
    def.solver.budget = choice->budget;
    def.solver.tolerance = 1e-12; /* every iteration is done */
    vvStatus status = make_mesh(body, path, &mesh, error);
    if (status == VV_OK)
        status = vvWorldCreate(&def, world, error);
    if (status == VV_OK)
        status = add_body(*world, body, &mesh, choice->model, error);
    if (status == VV_OK)
        status = vvWorldBake(*world, error);
    vvMeshDestroy(&mesh);
    return status;
}

bool vv_realtime_suits(const char *solver, const char *model)
{
    static const vv_realtime_body cube = { "", NULL, { 1, 1, 1 }, NULL, 0, false },
                                  cloth = { "", NULL, { 2, 2, 0 }, NULL, 0, false };
    vv_realtime_choice choice = { .solver = solver, .model = model, .threads = 1 };
    vvWorld *world;
    vvError error = { 0 };
    bool springs = strcmp(model, "hooke") == 0, known = false;
    for (int i = 0; vvSolverInfo(i); i++)
        known = known || strcmp(vvSolverInfo(i)->name, solver) == 0;
    bool suits = known && vv_realtime_world(springs ? &cloth : &cube, NULL, &choice, &world, &error) == VV_OK;
    if (known)
        vvWorldDestroy(world);
    return suits;
}
