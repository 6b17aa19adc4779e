/* Generator "chain": nodes on a line, each joined to the next by an edge; a bar in one dimension. */
#include "mesh/generate/make.h"

static vvStatus make_chain(const double *values, vvMesh *mesh, vvError *error)
{
    vvStatus status = vv_make_check(values[1], "edges", "make 'nodes' smaller", error);
    if (status != VV_OK)
        return status;
    int nodes = (int)values[1];
    vv_builder b = { 0 };
    for (int i = 0; i < nodes; i++)
        vv_make_vertex(&b, values[0] * (2 * i - (nodes - 1)) / (2.0 * (nodes - 1)), 0, 0);
    for (int i = 0; i + 1 < nodes; i++)
        vv_make_edge(&b, i, i + 1);
    return vv_make_done(&b, mesh, error);
}

static const vvParam params[] = {
    { "length", "from the first node to the last", "m", 1, false, { 1 }, 1e-6, 1e6 },
    { "nodes", "number of nodes", "", 1, true, { 31 }, 2, 1000000 },
};
extern const vv_generator vv_generator_chain;
const vv_generator vv_generator_chain = {
    { { "chain", "nodes on a line along x, each joined to the next by an edge, centred at the origin" }, 2, params },
    make_chain,
};
