/* Parameters as numbers, one after the other, for tests that have tables of them: made into the settings that the
 * library takes. */
#ifndef VV_TESTS_POSITIONAL_H
#define VV_TESTS_POSITIONAL_H

#include "visviva/visviva.h"

#include <string.h>

enum { POSITIONAL_MOST = 32 };

/* Returns how many. */
static inline int positional(const vvParam *list, int count, const double *values, vvSetting *out)
{
    for (int i = 0; values && i < count; values += list[i++].size) {
        out[i] = (vvSetting){ .name = list[i].name };
        memcpy(out[i].value, values, (size_t)list[i].size * sizeof *values);
    }
    return values ? count : 0;
}

static inline bool positional_other(const char *name, const char *wanted)
{
    return !wanted || strcmp(name, wanted) != 0;
}
/* The row of that name in a table of things with parameters; `info` is its first member. */
#define POSITIONAL_FIND(row, table, wanted) \
    for (int at_ = 0; ((row) = table(at_)) && positional_other((row)->info.name, wanted); at_++)

static inline int generator_settings(const char *generator, const double *values, vvSetting *out)
{
    const vvMeshGenerator *row;
    POSITIONAL_FIND(row, vvMeshGeneratorInfo, generator);
    return row ? positional(row->params, row->paramCount, values, out) : 0;
}

/* vvMeshGenerate */
static inline vvStatus generate_mesh(const char *generator, const double *values, vvMesh *mesh, vvError *error)
{
    vvSetting settings[POSITIONAL_MOST];
    return vvMeshGenerate(generator, settings, generator_settings(generator, values, settings), mesh, error);
}

/* vvMeshGenerateOrder2 */
static inline vvStatus generate_order2(const char *generator, const double *values, vvMesh *mesh, vvRaiseNotes *notes,
                                       vvError *error)
{
    vvSetting settings[POSITIONAL_MOST];
    return vvMeshGenerateOrder2(generator, settings, generator_settings(generator, values, settings), mesh, notes,
                                error);
}

/* vvBodySetInitialState */
static inline vvStatus start_with(vvWorld *world, vvBodyId body, const char *state, const double *values,
                                  vvError *error)
{
    vvSetting settings[POSITIONAL_MOST];
    const vvInitialState *row;
    POSITIONAL_FIND(row, vvInitialStateInfo, state);
    const int count = row ? positional(row->params, row->paramCount, values, settings) : 0;
    return vvBodySetInitialState(world, body, state, settings, count, error);
}

/* Room for the settings of definitions, which stand until many more have been made. */
static inline vvSetting *positional_room(void)
{
    static vvSetting room[64][POSITIONAL_MOST];
    static int next;
    return room[next++ % 64];
}

/* Of an obstacle whose type is set. */
static inline void shape_obstacle(vvObstacleDef *def, const double *values)
{
    vvSetting *settings = positional_room();
    const vvObstacleType *row;
    POSITIONAL_FIND(row, vvObstacleInfo, def->type);
    def->settings = settings;
    def->settingCount = row ? positional(row->params, row->paramCount, values, settings) : 0;
}

static inline int potential_settings(const char *potential, const double *values, vvSetting *out)
{
    const vvPotential *row;
    POSITIONAL_FIND(row, vvPotentialInfo, potential);
    return row ? positional(row->params, row->paramCount, values, out) : 0;
}

/* Of an attachment whose potential is named. */
static inline void shape_potential(vvAttachDef *def, const double *values)
{
    vvSetting *settings = positional_room();
    def->settings = settings, def->settingCount = potential_settings(def->potential, values, settings);
}

#endif
