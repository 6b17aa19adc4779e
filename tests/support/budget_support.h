/* Worlds for solvers with a fixed budget: each solver of the list, materials that it takes, a bar or a strip of
 * cloth. */
#ifndef VV_TESTS_BUDGET_SUPPORT_H
#define VV_TESTS_BUDGET_SUPPORT_H

#include "policy_support.h"

#include "visviva/settings.h"
#include "positional.h"

/* Solvers with a budget of more than one iteration; NULL past the end. */
static inline const char *solver_at(int index)
{
    for (int i = 0; vvSolverInfo(i); i++)
        if (vvSolverBudget(vvSolverInfo(i)->name) > 1 && index-- == 0)
            return vvSolverInfo(i)->name;
    return NULL;
}

static vvWorldDef def_of(const char *method, const char *scheme)
{
    vvWorldDef d = free_def(scheme, 0.01, 1e-9);
    d.gravity[1] = -9.8;
    d.solver.method = method;
    d.solver.maxIterations = 100000;
    return d;
}

static vvBodyId add_bar(vvWorld *w, const char *model, double young, int cells)
{
    vvBodyDef body = vvDefaultBodyDef();
    body.material = material(model, young);
    body.material.damping.drag = 0.3;
    if (strcmp(model, "hooke") == 0 || strcmp(model, "stvk-spring") == 0) { /* a strip of cloth */
        vvError error = { 0 };
        vvMesh mesh = { 0 };
        body.material.springStiffness = 0.01 * young;
        body.material.bendStiffness = 0.001 * young;
        assert_ok(generate_mesh("weave", (double[]){ 0.1 * cells, 0.2, cells, 2 }, &mesh, &error));
        return add_mesh(w, &mesh, &body);
    }
    return add_box_def(w, (double[]){ 0.1 * cells, 0.1, 0.1 }, (int[]){ cells, 1, 1 }, 5, &body);
}

/* Held at one end by prescribed nodes, at the other by springs. */
static inline void hold(vvWorld *w, vvBodyId bar)
{
    vvAttachDef wall = vvDefaultAttachDef(), spring = vvDefaultAttachDef();
    wall.where = (vvRegion){ .kind = VV_REGION_PERCENT, .b = { 1, 100, 100 } };
    wall.motion.linearVelocity[2] = 0.2;
    attach(w, bar, &wall);
    spring.where = (vvRegion){ .kind = VV_REGION_PERCENT, .a = { 99, 0, 0 }, .b = { 100, 100, 100 } };
    spring.kind = VV_ATTACH_SPRING;
    spring.stiffness = 20;
    attach(w, bar, &spring);
}

/* The first of these materials that the solver takes, from `first` on; NULL: none. */
static inline const char *material_for(const char *method, int first)
{
    static const char *const all[] = { "arap",        "corotated",          "fixed-corotated", "stvk",
                                       "neo-hookean", "stable-neo-hookean", "hooke",           "stvk-spring" };
    for (int i = first; i < 8; i++) {
        vvWorldDef d = def_of(method, "backward-euler");
        vvError error = { 0 };
        vvWorld *w = new_world(&d);
        add_bar(w, all[i], 1e4, 1);
        vvStatus status = vvWorldBake(w, &error);
        vvWorldDestroy(w);
        if (status == VV_OK)
            return all[i];
        assert_int_equal(status, VV_ERROR_UNSUPPORTED);
    }
    return NULL;
}

#endif
