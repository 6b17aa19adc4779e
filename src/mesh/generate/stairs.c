/* Generator "stairs": a solid flight of stairs that descends along +x, its steps made of columns of cells. */
#include "base/memory.h"
#include "mesh/generate/make.h"

typedef struct stairs {
    int steps, per_step, across;
    double run, rise, width;
    int *vertex; /* of grid point (i, j, k); -1: absent */
    vv_builder builder;
} stairs;

static int *vertex_at(const stairs *s, int i, int j, int k)
{
    int n = s->steps * s->per_step;
    return &s->vertex[((size_t)i * (size_t)(n + 1) + (size_t)j) * (size_t)(s->across + 1) + (size_t)k];
}

/* Layers of the grid in column i; step 0 is the highest. */
static int height_of(const stairs *s, int i) { return (s->steps - i / s->per_step) * s->per_step; }

static void add_vertices(stairs *s)
{
    int n = s->steps * s->per_step;
    for (int i = 0; i <= n; i++)
        for (int j = 0; j <= n; j++)
            for (int k = 0; k <= s->across; k++)
                *vertex_at(s, i, j, k) =
                    j > height_of(s, i > 0 ? i - 1 : 0)
                        ? -1
                        : vv_make_vertex(&s->builder, s->run * i / s->per_step, s->rise * j / s->per_step,
                                         s->width * (2 * k - s->across) / (2.0 * s->across));
}

static void add_tets(stairs *s)
{
    for (int i = 0; i < s->steps * s->per_step; i++)
        for (int j = 0; j < height_of(s, i); j++)
            for (int k = 0; k < s->across; k++) {
                int corner[8];
                for (int c = 0; c < 8; c++)
                    corner[c] = *vertex_at(s, i + (c & 1), j + (c >> 1 & 1), k + (c >> 2 & 1));
                vv_make_cell_tets(&s->builder, corner);
            }
}

static vvStatus make_stairs(const double *values, vvMesh *mesh, vvError *error)
{
    double columns = values[0] * values[4];
    vvStatus status =
        vv_make_check(6 * columns * columns * values[5], "tets", "make 'steps' or 'cells' smaller", error);
    if (status != VV_OK)
        return status;
    stairs s = { .steps = (int)values[0],
                 .run = values[1],
                 .rise = values[2],
                 .width = values[3],
                 .per_step = (int)values[4],
                 .across = (int)values[5] };
    size_t side = (size_t)columns + 1;
    s.vertex = vv_alloc(side * side * (size_t)(s.across + 1), sizeof *s.vertex);
    s.builder.failed = !s.vertex;
    if (s.vertex) {
        add_vertices(&s);
        add_tets(&s);
    }
    vv_free(s.vertex);
    return vv_make_done(&s.builder, mesh, error);
}

static const vvParam params[] = {
    { "steps", "number of steps", "", 1, true, { 5 }, 1, 1000 },
    { "run", "length of a tread along x", "m", 1, false, { 0.15 }, 1e-6, 1e6 },
    { "rise", "height of a step", "m", 1, false, { 0.1 }, 1e-6, 1e6 },
    { "width", "length along z", "m", 1, false, { 0.5 }, 1e-6, 1e6 },
    { "cells", "cells along a tread and along a rise, cells across", "", 2, true, { 2, 8 }, 1, 1000000 },
};
extern const vv_generator vv_generator_stairs;
const vv_generator vv_generator_stairs = {
    { { "stairs", "solid stairs that go down along x, from the plane x = 0, standing on y = 0" }, 5, params },
    make_stairs,
};
