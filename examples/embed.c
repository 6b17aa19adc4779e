/* The least that a program needs: a soft ball drops onto the ground, is kicked, and is "drawn".
 *   cc embed.c $(pkg-config --cflags --libs visviva) -o embed */
#include <stdio.h>
#include <visviva/visviva.h>

/* A host hands positions and triangles to its renderer here; this one prints how high the body reaches. */
static void draw(const vvWorld *world, vvBodyId body)
{
    int first, count;
    vvBodyElements surface;
    vvBodyNodes(world, body, &first, &count);
    vvBodyGetElements(world, body, &surface); /* triangles: three nodes of the world each, outward */
    const double *x = vvWorldPositions(world) + 3 * first;
    double low = x[1], high = x[1];
    for (int i = 1; i < count; i++) {
        low = x[3 * i + 1] < low ? x[3 * i + 1] : low;
        high = x[3 * i + 1] > high ? x[3 * i + 1] : high;
    }
    printf("%.1f s: %d triangles from %.3f m to %.3f m\n", vvWorldTime(world), surface.triangleCount, low, high);
}

static vvStatus play(vvWorld *world, vvError *error)
{
    vvObstacleDef ground = vvDefaultObstacleDef(); /* the plane y = 0 */
    vvBodyDef def = vvDefaultBodyDef();
    vvMesh mesh = { 0 };
    vvBodyId ball;
    const double kick[3] = { 0.1, 2, 0 }; /* N s */
    vvStatus status = vvWorldAddObstacle(world, &ground, NULL, error);
    if (status == VV_OK)
        status = vvMeshGenerate("ball", NULL, 0, &mesh, error); /* or vvMeshRead("mine.msh", &mesh, NULL, error) */
    def.mesh = &mesh;
    def.material.young = 3e4; /* Pa */
    def.translate[1] = 0.2;   /* m; the ball has radius 0.05 */
    if (status == VV_OK)
        status = vvWorldAddBody(world, &def, &ball, error);
    vvMeshDestroy(&mesh); /* the world has its copy */
    for (int frame = 1; frame <= 60 && status == VV_OK; frame++) {
        if (frame == 30)
            status = vvBodyApplyImpulse(world, ball, kick, error);
        for (int step = 0; step < 2 && status == VV_OK; step++)
            status = vvWorldStep(world, NULL, error);
        if (status == VV_OK && frame % 6 == 0)
            draw(world, ball);
    }
    return status;
}

int main(void)
{
    vvError error = { 0 };
    vvWorld *world = NULL;
    vvWorldDef def = vvDefaultWorldDef(); /* SI units, gravity along -y, contact on */
    def.timeStep = 1.0 / 120;
    def.integrator.policy = "filtered-search"; /* hold the energy; "none" lets backward Euler damp */
    if (vvWorldCreate(&def, &world, &error) != VV_OK || play(world, &error) != VV_OK)
        fprintf(stderr, "embed: %s\n", error.message);
    vvWorldDestroy(world);
    return error.status == VV_OK ? 0 : 1;
}
