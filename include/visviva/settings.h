/* visviva/settings.h: settings that a host may change while a world runs.
 *
 * Every setter may be called before the first step and at any time between steps; it holds from the next step on.
 * - The change of the energy H at the current positions and velocities is booked as work in the next row, and the
 *   target moves by the same amount; S stays. Before the first step nothing is booked: the start is the world as it is
 *   then.
 * - Only what depends on the setting is rebuilt, with the next step (or vvWorldBake, ...): nothing for gravity, time
 *   step, damping after the solve and threads; the coefficients for friction; that material's energy for a material;
 *   contact for a filter.
 * - If the world cannot continue with the setting (a filter lets two bodies touch that pass through each other), the
 *   function that rebuilds it fails, and its message names the offender. Nothing is lost: choose another setting and
 *   continue.
 * - A value that is out of range, or an id that is not valid, is refused (VV_ERROR_INPUT); so is any setter in a
 *   callback of the world (host.h) and between vvWorldBeginEdit and vvWorldEndEdit. The world is then unchanged.
 * - Snapshots hold all settings but the threads. A saved state (vvWorldSaveState), and with it a run file, holds those
 *   that setters have changed. */
#ifndef VISVIVA_SETTINGS_H
#define VISVIVA_SETTINGS_H

#include "world.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Increases by one whenever a setter changes something, and when a snapshot or a saved state brings other settings. */
VV_API uint32_t vvWorldSettingsRevision(const vvWorld *world);
/* The change that led to a revision, in words: "solver.tolerance=0.001", "crate: young=2e+05". The last 32 are kept;
 * false for any other. The text is the world's own, until the next change. */
typedef struct vvSettingChange {
    uint32_t revision; /* as asked for */
    int64_t step;      /* steps made before it */
    const char *text;  /* what was set */
} vvSettingChange;
/* Gets the vvSettingChange of that revision. */
VV_API bool vvWorldSettingChange(const vvWorld *world, uint32_t revision, vvSettingChange *change);

/* Receives a setting: its key in scene files, and its value as JSON, to the last bit. Both are valid during the
 * call. */
typedef void vvSettingFunction(void *user, const char *key, const char *json);
/* Every setting of the world in effect (lengths that the world chooses are numbers once it is baked). Of contact, those
 * that its model reads. */
VV_API void vvWorldEachSetting(const vvWorld *world, vvSettingFunction *tell, void *user);
/* The settings that a body's materials read: "material.young", of further ones "material[1].young". */
VV_API void vvBodyEachSetting(const vvWorld *world, vvBodyId body, vvSettingFunction *tell, void *user);

/* ---- of the world ------------------------------------------------------------------------------------------------ */

/* In each of these a definition is a copy of what vvWorldGetDef or vvDefaultWorldDef gives, with some of it changed;
 * strings and arrays are copied. vvWorldGetDef gives what is in use afterwards: its names are the library's own and
 * stay, its lists from before are no longer valid. */

VV_API vvStatus vvWorldSetGravity(vvWorld *world, const double gravity[3], vvError *error); /* m/s^2 */
/* h, s: above 0. Time continues from the current one. A two-step scheme restarts; energy policies begin from the
 * state's velocities. */
VV_API vvStatus vvWorldSetTimeStep(vvWorld *world, double timeStep, vvError *error);
/* Scheme, energy policy, their parameters, decay, ground energy. Another policy aims at the current energy and starts
 * without history. startFraction has no meaning after the first step. */
VV_API vvStatus vvWorldSetIntegrator(vvWorld *world, const vvIntegratorDef *integrator, vvError *error);
/* Other solvers, or linear solvers, start without history. */
VV_API vvStatus vvWorldSetSolver(vvWorld *world, const vvSolverDef *solver, vvError *error);
/* The world chooses distance, frictionSpeed and the solver's tolerance where they are 0, or where it chose them
 * before. */
VV_API vvStatus vvWorldSetContact(vvWorld *world, const vvContactDef *contact, vvError *error);
/* 0: as many as there are cores. No result depends on it. VV_ERROR_INPUT if the host's task system runs the loops. */
VV_API vvStatus vvWorldSetThreads(vvWorld *world, int threads, vvError *error);

/* ---- of a body or an obstacle
 * -------------------------------------------------------------------------------------- */

/* A body's materials: 0 is vvBodyDef.material, and those after it vvBodyDef.moreMaterials. The setter accepts what
 * vvWorldAddBody accepts there. Another density or total mass changes the masses of the nodes, which keep their
 * velocities. A kinematic body has none. */
VV_API int vvBodyMaterialCount(const vvWorld *world, vvBodyId body);
/* false: there is none */
VV_API bool vvBodyGetMaterial(const vvWorld *world, vvBodyId body, int index, vvMaterialDef *material);
/* Bending stiffness of a material. */
typedef struct vvBodyBending {
    /* N m of a shell, E t^3/(12 (1 - nu^2)); N m^2 of a rod, E I. NaN of a shell whose triangles differ */
    double stiffness;
    double poisson;    /* Poisson's ratio; of a rod 0 */
    int triangleCount; /* of a shell: the body's triangles; of a rod: 0 */
    bool varies;       /* triangles have their own thickness or stiffness */
} vvBodyBending;
/* `triangles` (NULL, or room for that of each triangle of a shell) gets their stiffness, N m. False: there is no such
 * material, or it does not resist bending.
 * Arrays: triangles[triangleCount]. */
VV_API bool vvBodyGetBending(const vvWorld *world, vvBodyId body, int index, vvBodyBending *bending, double *triangles);
/* The given rest angles (vvBodyDef.restAngles), in the library's own order; their vertices are counted from the body's
 * first. Writes at most `capacity` of them and returns their number.
 * Arrays: angles[capacity]. */
VV_API int vvBodyGetRestAngles(const vvWorld *world, vvBodyId body, vvRestAngle *angles, int capacity);
VV_API vvStatus vvBodySetMaterial(vvWorld *world, vvBodyId body, int index, const vvMaterialDef *material,
                                  vvError *error);
/* The damping of material 0 alone; of a body whose tets have materials of their own, of all of them. */
VV_API vvStatus vvBodySetDamping(vvWorld *world, vvBodyId body, const vvDampingDef *damping, vvError *error);

/* The Coulomb coefficient of the body's surface, or the obstacle's; 0 to 100, below 0: none of its own. NaN is refused.
 * vvWorldSetFriction sets that of two bodies. The body of a moving obstacle (vvObstacleBody) touches nothing itself:
 * these functions and vvBodySetFilter refuse it; use the obstacle's. */
VV_API vvStatus vvBodySetFriction(vvWorld *world, vvBodyId body, double friction, vvError *error);
VV_API vvStatus vvObstacleSetFriction(vvWorld *world, vvObstacleId obstacle, double friction, vvError *error);
VV_API double vvBodyFriction(const vvWorld *world, vvBodyId body); /* its own; below 0: none. NaN: no such body */

/* What it touches from now on. */
VV_API vvStatus vvBodySetFilter(vvWorld *world, vvBodyId body, const vvFilter *filter, vvError *error);
VV_API vvStatus vvObstacleSetFilter(vvWorld *world, vvObstacleId obstacle, const vvFilter *filter, vvError *error);
VV_API vvFilter vvObstacleFilter(const vvWorld *world, vvObstacleId obstacle); /* all zero: no such obstacle */

/* ---- user data
 * ------------------------------------------------------------------------------------------------------- */

/* A pointer of the host's for each body, obstacle and attachment. The library never reads what it points to. It affects
 * no result and is in no file, so it may also be set while positions are edited; a snapshot holds the pointers of its
 * time. Getters return NULL if there is no such object. */
VV_API vvStatus vvBodySetUserData(vvWorld *world, vvBodyId body, void *userData, vvError *error);
VV_API void *vvBodyUserData(const vvWorld *world, vvBodyId body);
VV_API vvStatus vvObstacleSetUserData(vvWorld *world, vvObstacleId obstacle, void *userData, vvError *error);
VV_API void *vvObstacleUserData(const vvWorld *world, vvObstacleId obstacle);
VV_API vvStatus vvAttachSetUserData(vvWorld *world, vvAttachId attach, void *userData, vvError *error);
VV_API void *vvAttachUserData(const vvWorld *world, vvAttachId attach);

#ifdef __cplusplus
}
#endif
#endif
