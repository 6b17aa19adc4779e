/* The list of obstacles. A new one is a file that ends in its vv_obstacle_ops, and a row here. */
#include "base/error.h"
#include "contact/obstacles/obstacle.h"

#include <string.h>

static const vv_obstacle_ops *const table[] = { &vv_obstacle_plane,    &vv_obstacle_sphere,  &vv_obstacle_box,
                                                &vv_obstacle_cylinder, &vv_obstacle_capsule, &vv_obstacle_torus,
                                                &vv_obstacle_hole,     &vv_obstacle_bowl,    &vv_obstacle_heightfield,
                                                &vv_obstacle_level_set };
enum { COUNT = sizeof table / sizeof table[0] };

const vv_obstacle_ops *vv_obstacle_table(int index) { return index >= 0 && index < COUNT ? table[index] : NULL; }

const vvInfo *vv_obstacle_info(int index)
{
    const vv_obstacle_ops *ops = vv_obstacle_table(index);
    return ops ? &ops->type.info : NULL;
}

const vv_obstacle_ops *vv_obstacle_find(const char *name)
{
    for (int i = 0; i < COUNT; i++)
        if (strcmp(table[i]->type.info.name, name) == 0)
            return table[i];
    return NULL;
}

int vv_obstacle_value_count(const vv_obstacle_ops *ops)
{
    int n = 0;
    for (int i = 0; i < ops->type.paramCount; i++)
        n += ops->type.params[i].size;
    return n;
}

const vvObstacleType *vvObstacleInfo(int index)
{
    const vv_obstacle_ops *ops = vv_obstacle_table(index);
    return ops ? &ops->type : NULL;
}

vvStatus vv_obstacle_surface(const char *type, const double *values, int count, const int samples[3],
                             const double *field, double size, vvMesh *mesh, vvError *error)
{
    vv_obstacle o = { .ops = type ? vv_obstacle_find(type) : NULL };
    *mesh = (vvMesh){ 0 };
    if (!o.ops || count != vv_obstacle_value_count(o.ops))
        return vv_fail(error, VV_ERROR_INPUT, "'%.64s' with %d values is not an obstacle", type ? type : "", count);
    memcpy(o.values, values, (size_t)count * sizeof *values);
    vvStatus status = o.ops->prepare(o.values, o.shape, error);
    memset(o.values, 0, 3 * sizeof *o.values); /* where it stands */
    if (status == VV_OK && o.ops->field)
        status = vv_field_create(o.ops->field, samples, field, &o.field, error);
    if (status == VV_OK)
        status = vv_obstacle_mesh(&o, size, mesh, error);
    vv_field_release(o.field);
    return status;
}
