/* A soft ball falls onto the ground; heights and the ledger are printed. Uses the public API only.
 *
 *   cc drop.c $(pkg-config --cflags --libs visviva) -o drop      (in the tree: the CMake target example_drop) */
#include <stdio.h>
#include <visviva/visviva.h>

static int fail(const vvError *error)
{
    fprintf(stderr, "drop: %s\n", error->message);
    return 1;
}

static double lowest(const vvWorld *world)
{
    const double *x = vvWorldPositions(world); /* nodes x 3, the world's own array */
    double y = x[1];
    for (int i = 1; i < vvWorldNodeCount(world); i++)
        y = x[3 * i + 1] < y ? x[3 * i + 1] : y;
    return y;
}

/* Ground and ball. */
static vvStatus build(vvWorld *world, vvError *error)
{
    vvObstacleDef ground = vvDefaultObstacleDef();
    ground.type = "plane"; /* values stay NULL: through the origin, y up */
    vvObstacleId ground_id;
    vvStatus status = vvWorldAddObstacle(world, &ground, &ground_id, error);
    if (status != VV_OK)
        return status;

    vvMesh mesh = { 0 };
    status = vvMeshGenerate("ball", NULL, 0, &mesh, error); /* NULL: the generator's defaults */
    if (status != VV_OK)
        return status;
    vvMeshQuality quality;
    vvMeshMeasure(&mesh, &quality);

    vvBodyDef ball = vvDefaultBodyDef();
    ball.name = "ball";
    ball.mesh = &mesh;
    ball.material.model = "neo-hookean";
    ball.material.young = 1e5; /* Pa */
    ball.material.poisson = 0.4;
    ball.translate[1] = 0.2 - quality.boundsMin[1]; /* 20 cm above the ground */
    vvBodyId ball_id;
    status = vvWorldAddBody(world, &ball, &ball_id, error);
    vvMeshDestroy(&mesh); /* the world has its copy */
    return status;
}

static vvStatus simulate(vvWorld *world, vvError *error)
{
    printf("%8s %11s %11s %11s %11s %9s\n", "time", "lowest", "kinetic", "elastic", "(H - T)/S", "alpha");
    for (int step = 1; step <= 120; step++) {
        vvStatus status = vvWorldStep(world, NULL, error); /* on failure the world is as it was */
        if (status != VV_OK)
            return status;
        if (step % 15 == 0) {
            vvLedgerRow row;
            status = vvWorldLedger(world, &row, error);
            if (status != VV_OK)
                return status;
            printf("%6.3f s %9.4f m %9.4f J %9.4f J %9.2f %% %9.3f\n", row.time, lowest(world), row.kinetic,
                   row.elastic, 100 * (row.total - row.target) / row.scale, row.alpha);
        }
    }
    return VV_OK;
}

int main(void)
{
    vvError error = { 0 };
    vvWorldDef def = vvDefaultWorldDef();
    def.timeStep = 1.0 / 120;
    def.integrator.scheme = "backward-euler";
    def.integrator.policy = "filtered-search"; /* velocities are corrected so that the energy meets the target */

    vvWorld *world = NULL;
    if (vvWorldCreate(&def, &world, &error) != VV_OK)
        return fail(&error);
    vvStatus status = build(world, &error);
    if (status == VV_OK)
        status = simulate(world, &error);
    if (status == VV_OK) {
        vvLedgerTotals totals;
        vvWorldTotals(world, &totals);
        printf("\nover %d steps: numerical error %.3g J, mean |H - T| / S %.2f%%, smallest gap %.2g m\n",
               (int)totals.steps, totals.error, 100 * totals.meanTargetError, totals.minGap);
    }
    vvWorldDestroy(world);
    return status == VV_OK ? 0 : fail(&error);
}
