/* Level set obstacle: the solid where interpolated samples of a signed distance are below 0 (level_set.h, theory
 * §5.2). Only penetrating contact models support it: its gradient is not of length 1, which the barrier's step filter
 * relies on. */
#include "base/error.h"
#include "base/vec.h"
#include "contact/obstacles/level_set.h"

#include <string.h>

static const vvParam params[] = {
    { "center", "position of the origin of the grid's own coordinates", "m", 3, false, { 0, 0, 0 }, -1e6, 1e6 },
    { "rotate", "rotation Rx Ry Rz about that point", "deg", 3, false, { 0, 0, 0 }, -1e6, 1e6 },
    { "origin",
      "the first sample, in the grid's own coordinates; in a scene that of the solid's grid",
      "m",
      3,
      false,
      { -0.25, -0.25, -0.25 },
      -1e6,
      1e6 },
    { "spacing", "distance between samples; in a scene that of the solid's grid", "m", 1, false, { 0.25 }, 1e-9, 1e6 },
};

static vvStatus prepare(const double *values, double *shape, vvError *error)
{
    (void)error;
    memcpy(shape, values, 3 * sizeof *shape);
    vv_euler_degrees(values + 3, shape + 3);
    memcpy(shape + 12, values + 6, 4 * sizeof *shape);
    return VV_OK;
}

/* ---- the field ---- */

/* No search structure. But what is solid must end within the grid. */
static vvStatus make_index(vv_field *f, vvError *error)
{
    const int *n = f->counts;
    bool solid = false;
    for (int k = 0; k < n[2]; k++)
        for (int j = 0; j < n[1]; j++)
            for (int i = 0; i < n[0]; i++) {
                const bool border = i == 0 || j == 0 || k == 0 || i == n[0] - 1 || j == n[1] - 1 || k == n[2] - 1;
                const double phi = f->samples[((size_t)k * (size_t)n[1] + (size_t)j) * (size_t)n[0] + (size_t)i];
                solid = solid || phi < 0;
                if (border && !(phi > 0))
                    return vv_fail(error, VV_ERROR_INPUT,
                                   "distances: that at (%d, %d, %d), at the grid's border, is %g m; it must be above 0 "
                                   "there: the solid ends within "
                                   "the grid; give a larger margin",
                                   i, j, k, phi);
            }
    return solid ? VV_OK
                 : vv_fail(error, VV_ERROR_INPUT,
                           "distances: none is below 0, so nothing is solid; the solid may be thinner than a cell: "
                           "give a smaller spacing");
}

/* A ball of radius 0.2 m within 3 x 3 x 3 points, a quarter of a metre apart. */
#define CORNER 0.23301270189221933
#define EDGE 0.15355339059327378
#define FACE 0.05
static const double ball[] = { CORNER, EDGE, CORNER, EDGE, FACE, EDGE, CORNER, EDGE, CORNER,
                               EDGE,   FACE, EDGE,   FACE, -0.2, FACE, EDGE,   FACE, EDGE,
                               CORNER, EDGE, CORNER, EDGE, FACE, EDGE, CORNER, EDGE, CORNER };

static const vv_field_ops field = { .word = "distances",
                                    .dimensions = 3,
                                    .least = 3,
                                    .most = 4097,
                                    .most_in_all = 1 << 24,
                                    .reach = 1e6,
                                    .fallback_counts = { 3, 3, 3 },
                                    .fallback = ball,
                                    .make_index = make_index,
                                    .distance = vv_level_set_distance,
                                    .steepest = VV_LEVEL_SET_STEEPEST,
                                    .ray = vv_level_set_ray,
                                    .mesh = vv_level_set_mesh };

const vv_obstacle_ops vv_obstacle_level_set = { .type = { { "level-set",
                                                            "the solid where signed distances on a grid, given beside "
                                                            "it as samples, are below 0; for contact that penetrates" },
                                                          4,
                                                          params,
                                                          "distances" },
                                                .prepare = prepare,
                                                .field = &field };
