/* Analytic obstacles as surfaces, to draw them by. */
#include "base/error.h"
#include "base/vec.h"
#include "contact/obstacle.h"

#include <string.h>

static vvStatus make(const vv_obstacle *obstacle, const double place[3], double size, vvMesh *mesh, vvError *error)
{
    double values[VV_OBSTACLE_VALUES] = { 0 }, turn[9];
    const char *generator = obstacle->ops->drawn(obstacle->shape, size, values, turn);
    vvStatus status = vvMeshGenerate(generator, values, mesh, error);
    if (status)
        return status;
    mesh->tetCount = mesh->edgeCount = 0;
    status = vvMeshFinish(mesh, NULL, error);
    for (size_t v = 0; status == VV_OK && v < (size_t)mesh->vertexCount; v++) {
        double *x = mesh->positions + 3 * v;
        if (obstacle->ops->reshape)
            obstacle->ops->reshape(obstacle->shape, x);
        vv_matvec(turn, x, x);
        for (int k = 0; k < 3; k++)
            x[k] += place[k];
    }
    if (status)
        vvMeshDestroy(mesh);
    return status;
}

vvStatus vv_obstacle_mesh(const vv_obstacle *obstacle, double size, vvMesh *mesh, vvError *error)
{
    return make(obstacle, obstacle->values, size, mesh, error);
}

vvStatus vv_obstacle_surface(const char *type, const double *values, int count, double size, vvMesh *mesh, vvError *error)
{
    vv_obstacle o = { .ops = type ? vv_obstacle_find(type) : NULL };
    *mesh = (vvMesh){ 0 };
    if (!o.ops || count != vv_obstacle_value_count(o.ops))
        return vv_fail(error, VV_ERROR_INPUT, "'%.64s' with %d values is not an obstacle", type ? type : "", count);
    memcpy(o.values, values, (size_t)count * sizeof *values);
    vvStatus status = o.ops->prepare(o.values, o.shape, error);
    return status == VV_OK ? make(&o, (const double[3]){ 0, 0, 0 }, size, mesh, error) : status;
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
