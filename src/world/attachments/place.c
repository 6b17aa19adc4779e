/* Where attachments are: as their motion says, or where the host moves them. */
#include "base/error.h"
#include "base/vec.h"
#include "world/world.h"

#include <string.h>

/* nodes: of an attachment; where there are more, all of these are in the factor */
enum { MOST_LOOSE = 16, MOST_LOOSE_IN_ALL = 48 };

int vv_attach_most_loose(const vvWorld *w)
{
    int count = 0;
    for (size_t a = 0; a < w->attach_count; a++) {
        const vv_attach *attach = w->attaches + a;
        count += vv_attach_is(attach, VV_ATTACH_SPRING) && !attach->dragged && attach->count <= MOST_LOOSE
                     ? attach->count
                     : 0;
    }
    return count <= MOST_LOOSE_IN_ALL ? MOST_LOOSE : 0;
}

/* Driven by the host: straight from one step to the next. */
static void driven_position(const vvWorld *w, const vv_attach *a, int i, double time, double x[3])
{
    double s = (time - vv_world_time(w)) / w->def.timeStep;
    for (size_t k = 3 * (size_t)i; k < 3 * (size_t)i + 3; k++) {
        double from = a->from[k], to = a->to[k];
        *x++ = s <= 0 ? from : s > 1 - 1e-9 ? to : from + s * (to - from); /* exact at both ends */
    }
}

static void place(const vvWorld *w, const vv_attach *a, const vv_pose *pose, int i, double time, double x[3])
{
    double shape[3];
    if (a->driven) {
        driven_position(w, a, i, time, x);
    } else if (a->shape_count > 0) {
        vv_follow_at(a, i, time, shape);
        vv_pose_apply(pose, &a->motion, shape, x);
    } else {
        vv_pose_apply(pose, &a->motion, a->anchor + 3 * (size_t)i, x);
    }
}

void vv_attach_position(const vvWorld *w, const vv_attach *a, int i, double time, double x[3])
{
    vv_pose pose = vv_motion_pose(&a->motion, time);
    place(w, a, &pose, i, time, x);
}

void vv_attach_positions(const vvWorld *w, const vv_attach *a, double time, bool nodes, double *out)
{
    vv_pose pose = vv_motion_pose(&a->motion, time);
    for (int i = 0; i < vv_attach_places(a); i++) {
        double *x = out + 3 * (size_t)(nodes ? a->nodes[i] : i);
        place(w, a, &pose, i, time, x);
    }
}

void vv_attach_point(const vv_attach *a, int place, const double *q, double x[3])
{
    if (!a->weights) {
        memcpy(x, q + 3 * (size_t)a->nodes[place], 3 * sizeof *x);
        return;
    }
    for (int i = 0; i < a->count; i++)
        for (size_t k = 0; k < 3; k++)
            x[k] = (i ? x[k] : 0) + a->weights[i] * q[3 * (size_t)a->nodes[i] + k];
}

void vv_attach_arrived(vvWorld *w)
{
    for (size_t a = 0; a < w->attach_count; a++)
        if (w->attaches[a].driven)
            memcpy(w->attaches[a].from, w->attaches[a].to, 3 * (size_t)w->attaches[a].count * sizeof(double));
}

/* Stretched or leaning, what the frame measures would be no distance. */
vvStatus vv_attach_check_rigid(const vvWorld *w, const vv_body *body, const double *to, vvError *error)
{
    static const double allowed = 1e-3; /* of a length: hosts may reckon in single precision */
    const double *rest = w->rest + 3 * (size_t)body->first;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < i; k++) {
            double a[3], b[3];
            vv_sub(rest + 3 * i, rest + 3 * k, a);
            vv_sub(to + 3 * i, to + 3 * k, b);
            if (!(fabs(vv_norm(b) - vv_norm(a)) <= allowed * vv_norm(a)))
                return vv_fail(
                    error, VV_ERROR_INPUT,
                    "vvAttachMoveTo: the four nodes of \"%s\", which carry an obstacle, must be moved as a rigid "
                    "body: nodes %d and %d would be %g m apart, and are %g m",
                    body->name, k, i, vv_norm(b), vv_norm(a));
        }
    return VV_OK;
}
