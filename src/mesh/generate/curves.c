/* Generators "ring" and "helix": nodes on a curve, each joined to the next by an edge; wires, springs and curls that
 * are curved at rest. */
#include "mesh/generate/make.h"

#include <math.h>

static vvStatus make_ring(const double *values, vvMesh *mesh, vvError *error)
{
    vvStatus status = vv_make_check(values[1], "edges", "make 'segments' smaller", error);
    if (status != VV_OK)
        return status;
    int segments = (int)values[1];
    vv_builder b = { 0 };
    for (int i = 0; i < segments; i++) {
        double angle = 2 * VV_PI * i / segments;
        vv_make_vertex(&b, values[0] * cos(angle), 0, -values[0] * sin(angle));
    }
    for (int i = 0; i < segments; i++)
        vv_make_edge(&b, i, (i + 1) % segments);
    return vv_make_done(&b, mesh, error);
}

/* Downwards, so that the first node is the upper end. */
static vvStatus make_helix(const double *values, vvMesh *mesh, vvError *error)
{
    const double radius = values[0], pitch = values[1], turns = values[2];
    double wanted = ceil(turns * values[3] - 1e-9);
    vvStatus status = vv_make_check(wanted, "edges", "make 'segments' or 'turns' smaller", error);
    if (status != VV_OK)
        return status;
    int edges = wanted > 1 ? (int)wanted : 1;
    vv_builder b = { 0 };
    for (int i = 0; i <= edges; i++) {
        double turn = turns * i / edges, angle = 2 * VV_PI * turn;
        vv_make_vertex(&b, radius * cos(angle), pitch * (0.5 * turns - turn), radius * sin(angle));
    }
    for (int i = 0; i < edges; i++)
        vv_make_edge(&b, i, i + 1);
    return vv_make_done(&b, mesh, error);
}

static const vvParam ring_params[] = {
    { "radius", "radius", "m", 1, false, { 0.5 }, 1e-6, 1e6 },
    { "segments", "edges", "", 1, true, { 60 }, 3, 1000000 },
};
static const vvParam helix_params[] = {
    { "radius", "radius", "m", 1, false, { 0.02 }, 1e-6, 1e6 },
    { "pitch", "height of a turn; negative: left-handed, upwards", "m", 1, false, { 0.02 }, -1e6, 1e6 },
    { "turns", "number of turns", "", 1, false, { 5 }, 0.01, 1e5 },
    { "segments", "edges a turn", "", 1, true, { 24 }, 3, 100000 },
};
extern const vv_generator vv_generator_ring, vv_generator_helix;
const vv_generator vv_generator_ring = {
    { { "ring", "nodes on a circle in the plane y = 0, each joined to the next by an edge, centred at the origin" },
      2,
      ring_params },
    make_ring,
};
const vv_generator vv_generator_helix = {
    { { "helix",
        "nodes on a helix about y, each joined to the next by an edge, from the top down, centred at the origin" },
      4,
      helix_params },
    make_helix,
};
