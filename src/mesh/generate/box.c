/* Generator "box": a grid of cells, each cut into five or six tets, centred at the origin. */
#include "mesh/generate/make.h"

static vvStatus make_box(const double *values, vvMesh *mesh, vvError *error)
{
    const double *size = values;
    int cells[3] = { (int)values[3], (int)values[4], (int)values[5] }, split = (int)values[6];
    double count = split * values[3] * values[4] * values[5];
    vvStatus status = vv_make_check(count, "tets", "make 'cells' smaller", error);
    if (status != VV_OK)
        return status;
    vv_builder b = { 0 };
    for (int i = 0; i <= cells[0]; i++)
        for (int j = 0; j <= cells[1]; j++)
            for (int k = 0; k <= cells[2]; k++)
                vv_make_vertex(&b, size[0] * (2 * i - cells[0]) / (2.0 * cells[0]),
                               size[1] * (2 * j - cells[1]) / (2.0 * cells[1]),
                               size[2] * (2 * k - cells[2]) / (2.0 * cells[2]));
    vv_make_grid_tets(&b, cells, split == 5 ? VV_SPLIT_FIVE : VV_SPLIT_SIX);
    return vv_make_done(&b, mesh, error);
}

static const vvParam params[] = {
    { "size", "lengths along x, y, z", "m", 3, false, { 0.1, 0.1, 0.1 }, 1e-6, 1e6 },
    { "cells", "cells along x, y, z", "", 3, true, { 8, 8, 8 }, 1, 1000000 },
    { "split", "tets a cell: 5 (mirror symmetric for even cells) or 6", "", 1, true, { 5 }, 5, 6 },
};
extern const vv_generator vv_generator_box;
const vv_generator vv_generator_box = {
    { { "box", "grid of cells cut into tets, centred at the origin" }, 3, params },
    make_box,
};
