/* What analytic obstacles share: an axis, and how they are drawn as surfaces. */
#include "base/error.h"
#include "base/vec.h"
#include "contact/obstacles/obstacle.h"
#include "mesh/mesh.h"

#include <string.h>

vvStatus vv_obstacle_unit_axis(const double *values, double *shape, vvError *error)
{
    const double length = vv_norm(values + 3);
    memcpy(shape, values, 8 * sizeof *shape);
    if (!(length > 1e-12))
        return vv_fail(error, VV_ERROR_INPUT, "axis is (%g, %g, %g); it must not be zero", values[3], values[4],
                       values[5]);
    for (int k = 3; k < 6; k++)
        shape[k] /= length;
    return VV_OK;
}

/* About the place where it stands, before it is turned. */
static vvStatus make_shape(const vv_obstacle *obstacle, double size, vvMesh *mesh, double turn[9], vvError *error)
{
    double values[VV_OBSTACLE_VALUES] = { 0 };
    if (obstacle->ops->field)
        return obstacle->ops->field->mesh(obstacle->field, obstacle->shape, mesh, turn, error);
    const char *generator = obstacle->ops->drawn(obstacle->shape, size, values, turn);
    vvStatus status = vv_mesh_generate(generator, values, mesh, error);
    if (status != VV_OK)
        return status;
    mesh->tetCount = mesh->edgeCount = 0;
    return vvMeshFinish(mesh, NULL, error);
}

vvStatus vv_obstacle_mesh(const vv_obstacle *obstacle, double size, vvMesh *mesh, vvError *error)
{
    double turn[9];
    *mesh = (vvMesh){ 0 };
    vvStatus status = make_shape(obstacle, size, mesh, turn, error);
    for (size_t v = 0; status == VV_OK && v < (size_t)mesh->vertexCount; v++) {
        double *x = mesh->positions + 3 * v;
        if (obstacle->ops->reshape)
            obstacle->ops->reshape(obstacle->shape, x);
        vv_matvec(turn, x, x);
        for (int k = 0; k < 3; k++)
            x[k] += obstacle->values[k];
    }
    if (status != VV_OK)
        vvMeshDestroy(mesh);
    return status;
}

void vv_obstacle_upright(const double axis[3], double turn[9])
{
    double pick[3] = { fabs(axis[0]) < 0.6, fabs(axis[0]) >= 0.6, 0 }, a[3], b[3];
    vv_cross(axis, pick, a);
    double length = vv_norm(a);
    for (int k = 0; k < 3; k++)
        a[k] /= length;
    vv_cross(a, axis, b);
    for (int k = 0; k < 3; k++) {
        turn[3 * k] = a[k];
        turn[3 * k + 1] = axis[k];
        turn[3 * k + 2] = b[k];
    }
}
