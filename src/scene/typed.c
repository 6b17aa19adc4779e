/* Things with parameters, as scenes name them: generators, initial states, obstacles, potentials, schemes and policies,
 * as tables of one shape. */
#include <string.h>

#include "scene/document.h"

bool vv_scene_generator(int index, vv_typed *typed)
{
    const vvMeshGenerator *row = vvMeshGeneratorInfo(index);
    if (row)
        *typed = (vv_typed){ &row->info, row->paramCount, row->params };
    return row != NULL;
}

bool vv_scene_state(int index, vv_typed *typed)
{
    const vvInitialState *row = vvInitialStateInfo(index);
    if (row)
        *typed = (vv_typed){ &row->info, row->paramCount, row->params };
    return row != NULL;
}

bool vv_scene_obstacle(int index, vv_typed *typed)
{
    const vvObstacleType *row = vvObstacleInfo(index);
    if (row)
        *typed = (vv_typed){ &row->info, row->paramCount, row->params };
    return row != NULL;
}

bool vv_scene_potential(int index, vv_typed *typed)
{
    const vvPotential *row = vvPotentialInfo(index);
    if (row)
        *typed = (vv_typed){ &row->info, row->paramCount, row->params };
    return row != NULL;
}

/* Schemes, then policies. */
bool vv_scene_method(int index, vv_typed *typed)
{
    int schemes = 0;
    while (vvSchemeInfo(schemes))
        schemes++;
    bool scheme = index < schemes;
    int at = scheme ? index : index - schemes;
    const vvInfo *info = scheme ? vvSchemeInfo(at) : vvPolicyInfo(at);
    *typed = (vv_typed){ .info = info };
    typed->params = scheme ? vvSchemeParams(at, &typed->paramCount) : vvPolicyParams(at, &typed->paramCount);
    return info != NULL;
}

bool vv_typed_find(vv_typed_get *get, const char *name, vv_typed *typed)
{
    for (int i = 0; get(i, typed); i++)
        if (strcmp(typed->info->name, name) == 0)
            return true;
    return false;
}

int vv_typed_size(const vv_typed *typed)
{
    int size = 0;
    for (int i = 0; i < typed->paramCount; i++)
        size += typed->params[i].size;
    return size;
}
