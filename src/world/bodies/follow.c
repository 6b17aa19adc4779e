/* Where the definition of a body puts its mesh; and kinematic bodies that follow a sequence of shapes, piecewise
 * linear in time, vertex by vertex. */
#include "base/error.h"
#include "base/vec.h"
#include "world/world.h"

#include <string.h>

void vv_body_place(const vvBodyDef *def, const double *positions, int count, double *placed)
{
    double r[9];
    bool turned = def->rotate[0] != 0 || def->rotate[1] != 0 || def->rotate[2] != 0;
    vv_euler_degrees(def->rotate, r);
    for (int i = 0; i < count; i++) {
        double *x = placed + 3 * (size_t)i, y[3];
        for (int k = 0; k < 3; k++)
            y[k] = def->scale[k] * positions[3 * (size_t)i + (size_t)k];
        if (turned)
            vv_matvec(r, y, y);
        for (int k = 0; k < 3; k++)
            x[k] = y[k] + def->translate[k];
    }
}

vvStatus vv_follow_check(const vvBodyDef *def, const char *name, vvError *error)
{
    const vvFollowDef *f = &def->follow;
    if (f->count == 0)
        return VV_OK;
    if (!def->kinematic)
        return vv_fail(error, VV_ERROR_INPUT, "body \"%s\": only a kinematic body follows shapes (vvBodyDef.kinematic)",
                       name);
    if (f->count < 0 || !f->times || !f->positions)
        return vv_fail(error, VV_ERROR_INPUT,
                       "body \"%s\": follow has %d shapes; give 1 or more, with their times and positions", name,
                       f->count);
    for (int s = 0; s < f->count; s++)
        if (!isfinite(f->times[s]) || (s > 0 && !(f->times[s] > f->times[s - 1])))
            return vv_fail(error, VV_ERROR_INPUT, "body \"%s\": shape %d is at %g s; times must be finite and ascend",
                           name, s, f->times[s]);
    size_t numbers = 3 * (size_t)f->count * (size_t)def->mesh->vertexCount, each = 3 * (size_t)def->mesh->vertexCount;
    for (size_t i = 0; i < numbers; i++)
        if (!(fabs(f->positions[i]) <= 1e12))
            return vv_fail(
                error, VV_ERROR_INPUT,
                "body \"%s\": vertex %d of shape %d has %c = %g; coordinates must be finite and at most 1e12", name,
                (int)(i % each / 3), (int)(i / each), (int)('x' + i % 3), f->positions[i]);
    return VV_OK;
}

static bool allocate(vv_attach *a, int count)
{
    a->shape_count = count;
    a->shape_times = vv_alloc((size_t)count, sizeof *a->shape_times);
    a->shapes = vv_alloc(3 * (size_t)count * (size_t)a->count, sizeof *a->shapes);
    return a->shape_times && a->shapes;
}

vvStatus vv_follow_take(const vvBodyDef *def, vv_attach *a, vvError *error)
{
    const vvFollowDef *f = &def->follow;
    if (f->count == 0)
        return VV_OK;
    if (!allocate(a, f->count))
        return vv_fail_memory(error, "the shapes that a body follows");
    memcpy(a->shape_times, f->times, (size_t)f->count * sizeof *f->times);
    for (size_t s = 0, at = 0; s < (size_t)f->count; s++, at += 3 * (size_t)a->count)
        vv_body_place(def, f->positions + at, a->count, a->shapes + at);
    return VV_OK;
}

bool vv_follow_copy(const vv_attach *from, vv_attach *to)
{
    if (from->shape_count == 0)
        return true;
    if (!allocate(to, from->shape_count))
        return false;
    memcpy(to->shape_times, from->shape_times, (size_t)from->shape_count * sizeof *to->shape_times);
    memcpy(to->shapes, from->shapes, 3 * (size_t)from->shape_count * (size_t)from->count * sizeof *to->shapes);
    return true;
}

/* The last shape that is not after `time`; the first if all are. */
static int shape_before(const vv_attach *a, double time)
{
    int low = 0, high = a->shape_count;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (a->shape_times[middle] <= time)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void vv_follow_at(const vv_attach *a, int i, double time, double x[3])
{
    int s = shape_before(a, time);
    const double *from = a->shapes + 3 * ((size_t)s * (size_t)a->count + (size_t)i), *to = from + 3 * (size_t)a->count;
    double begin = a->shape_times[s], part = 0;
    if (s + 1 < a->shape_count && time > begin)
        part = (time - begin) / (a->shape_times[s + 1] - begin);
    for (int k = 0; k < 3; k++)
        x[k] = part > 0 ? from[k] + part * (to[k] - from[k]) : from[k];
}
