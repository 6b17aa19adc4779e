// The same from C++ (11 and later): the headers are used as they are, a smart pointer owns the world.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <visviva/visviva.h>

namespace {

struct Destroy {
    void operator()(vvWorld *world) const { vvWorldDestroy(world); }
};
using World = std::unique_ptr<vvWorld, Destroy>;

void require(vvStatus status, const vvError &error)
{
    if (status != VV_OK)
        throw std::runtime_error(error.message);
}

World create()
{
    vvError error = {};
    vvWorldDef def = vvDefaultWorldDef();
    def.threads = 1;
    vvWorld *world = nullptr;
    require(vvWorldCreate(&def, &world, &error), error);
    return World(world);
}

void add_cube(vvWorld *world)
{
    vvError error = {};
    vvMesh mesh = {};
    require(vvMeshGenerate("box", nullptr, 0, &mesh, &error), error);
    vvBodyDef body = vvDefaultBodyDef();
    body.mesh = &mesh;
    body.translate[1] = 1;
    vvBodyId id = {};
    vvStatus status = vvWorldAddBody(world, &body, &id, &error);
    vvMeshDestroy(&mesh);
    require(status, error);
}

} // namespace

int main()
{
    try {
        World world = create();
        add_cube(world.get());
        vvError error = {};
        vvStepReport report = {};
        for (int step = 0; step < 3; step++)
            require(vvWorldStep(world.get(), &report, &error), error);
        const double *x = vvWorldPositions(world.get());
        double lowest = x[1];
        for (int i = 1; i < vvWorldNodeCount(world.get()); i++)
            lowest = std::min(lowest, x[3 * i + 1]);
        std::printf("visviva %s: %a m after %g s\n", vvVersion(), lowest, vvWorldTime(world.get()));
    } catch (const std::exception &problem) {
        std::fprintf(stderr, "use: %s\n", problem.what());
        return 1;
    }
    return 0;
}
