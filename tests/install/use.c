/* A program outside the tree: a cube falls for a moment; its lowest height is printed to the bit. */
#include <stdio.h>
#include <visviva/visviva.h>

static vvStatus simulate(vvWorld *world, vvError *error)
{
    vvMesh mesh = { 0 };
    vvStatus status = vvMeshGenerate("box", NULL, 0, &mesh, error);
    if (status != VV_OK)
        return status;
    vvBodyDef body = vvDefaultBodyDef();
    body.mesh = &mesh;
    body.translate[1] = 1;
    vvBodyId id;
    status = vvWorldAddBody(world, &body, &id, error);
    vvMeshDestroy(&mesh);
    for (int step = 0; step < 3 && status == VV_OK; step++)
        status = vvWorldStep(world, NULL, error);
    return status;
}

int main(void)
{
    vvError error = { VV_OK, "" };
    vvWorldDef def = vvDefaultWorldDef();
    vvWorld *world = NULL;
    def.threads = 1;
    vvStatus status = vvWorldCreate(&def, &world, &error);
    if (status == VV_OK)
        status = simulate(world, &error);
    if (status == VV_OK) {
        double lowest = vvWorldPositions(world)[1];
        for (int i = 1; i < vvWorldNodeCount(world); i++)
            if (vvWorldPositions(world)[3 * i + 1] < lowest)
                lowest = vvWorldPositions(world)[3 * i + 1];
        printf("visviva %s: %a m after %g s\n", vvVersion(), lowest, vvWorldTime(world));
    } else {
        fprintf(stderr, "use: %s\n", error.message);
    }
    vvWorldDestroy(world);
    return status == VV_OK ? 0 : 1;
}
