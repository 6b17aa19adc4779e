/* What scripts/api-trace.c prints of a world: numbers to the last bit, hashes of all that is too long to print.
 * Fields are taken one by one, never as the bytes of a structure, so that one that is added later changes nothing
 * here. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <visviva/visviva.h>

static uint64_t hash(uint64_t h, const void *data, size_t bytes) /* FNV-1a */
{
    const unsigned char *p = data;
    for (size_t i = 0; i < bytes; i++)
        h = (h ^ p[i]) * 1099511628211u;
    return h;
}

#define START 14695981039346656037u
#define HASH_OF(h, x) hash(h, &(x), sizeof(x))

static void print_hash(const char *name, const void *data, size_t bytes)
{
    printf(" %s %016llx", name, (unsigned long long)hash(START, data, bytes));
}

static void print_numbers(const char *name, int count, const double *values)
{
    printf(" %s", name);
    for (int i = 0; i < count; i++)
        printf(" %a", values[i]);
}

static bool say(const char *what, vvStatus status)
{
    printf("  %s: %s\n", what, vvStatusName(status));
    return status == VV_OK;
}

static double *vectors(const double *from, int count) /* NULL: zeros */
{
    double *v = calloc(3 * (size_t)count + 3, sizeof *v);
    if (!v) {
        fprintf(stderr, "api-trace: out of memory\n");
        exit(2);
    }
    return from ? memcpy(v, from, 3 * (size_t)count * sizeof *v) : v;
}

static void print_ledger(vvWorld *world)
{
    vvLedgerRow r;
    if (vvWorldLedger(world, &r, NULL))
        return;
    const double energies[] = { r.time,       r.kinetic, r.elastic, r.gravity, r.contact,
                                r.attachment, r.total,   r.target,  r.joint };
    const double flows[] = { r.work, r.friction, r.damping, r.decay, r.error, r.policyChange };
    const double levels[] = { r.groundEnergy, r.scale, r.alpha, r.minGap, r.minJ };
    printf("  row %lld", (long long)r.step);
    print_numbers("energies", 9, energies);
    print_numbers("\n   flows", 6, flows);
    print_numbers("\n   levels", 5, levels);
    print_numbers("\n   momenta", 3, r.momentum);
    print_numbers("", 3, r.angularMomentum);
    print_numbers("", 3, r.angularMomentumCentre);
    printf("\n   counts %d %d %d %d;", r.newtonIterations, r.linearSolves, r.pcgIterations, r.lineSearchSteps);
    print_numbers("bodies", vvWorldBodyCount(world), vvWorldBodyEnergies(world));
    printf("\n");
}

static uint64_t hash_pairs(uint64_t h, const vvContactPair *pairs, int count)
{
    for (int i = 0; i < count; i++)
        h = HASH_OF(HASH_OF(HASH_OF(h, pairs[i].body), pairs[i].other), pairs[i].obstacle);
    return h;
}

static uint64_t hash_side(uint64_t h, const vvContactSide *s)
{
    return HASH_OF(HASH_OF(HASH_OF(HASH_OF(h, s->body), s->count), s->vertices), s->weights);
}

static void print_contacts(vvWorld *world)
{
    vvContactEvents e;
    const vvContactPoint *points;
    int count;
    if (vvWorldContactEvents(world, &e, NULL) == VV_OK) {
        uint64_t h = hash_pairs(hash_pairs(START, e.began, e.beganCount), e.ended, e.endedCount);
        h = hash_pairs(h, e.touching, e.touchingCount);
        printf("  contacts: began %d ended %d touching %d", e.beganCount, e.endedCount, e.touchingCount);
        printf(" %016llx", (unsigned long long)h);
    }
    if (vvWorldContactPoints(world, &points, &count, NULL) == VV_OK) {
        uint64_t h = START;
        for (const vvContactPoint *p = points; p < points + count; p++) {
            h = HASH_OF(HASH_OF(HASH_OF(hash_side(hash_side(h, &p->side), &p->other), p->obstacle), p->point),
                        p->normal);
            h = HASH_OF(HASH_OF(h, p->gap), p->force);
        }
        printf("; points %d %016llx", count, (unsigned long long)h);
    }
    printf("\n");
}

static void step(vvWorld *world)
{
    vvStepReport r = { 0 };
    vvStatus status = vvWorldStep(world, &r, NULL);
    size_t bytes = 3 * (size_t)vvWorldNodeCount(world) * sizeof(double);
    printf("step %lld %s", (long long)vvWorldStepIndex(world), vvStatusName(status));
    print_hash("x", vvWorldPositions(world), bytes);
    print_hash("v", vvWorldVelocities(world), bytes);
    printf(" revision %u\n", vvWorldRevision(world));
    if (status != VV_OK) { /* the world is as it was: the row before is still there */
        printf("  stall: \"%s\" \"%s\" %s", r.stall.body, r.stall.other, r.stall.term ? r.stall.term : "");
        print_numbers("at", 3, r.stall.point);
        printf("\n");
    } else
        printf("  solve: end %d, %d %d %d %d, %s, residual %a\n", r.end, r.newtonIterations, r.linearSolves,
               r.pcgIterations, r.lineSearchSteps, r.linear ? r.linear : "", r.residual);
    print_ledger(world);
    print_contacts(world);
}

static void steps(vvWorld *world, int count)
{
    for (int i = 0; i < count; i++)
        step(world);
}

static void finish(vvWorld *world)
{
    vvLedgerTotals t;
    vvWorldTotals(world, &t);
    const double sums[] = { t.work, t.friction, t.damping, t.decay, t.error, t.absError };
    const double bounds[] = { t.maxTargetError, t.meanTargetError, t.minGap, t.minJ };
    printf("totals: %lld steps, %lld failed, %lld", (long long)t.steps, (long long)t.failedSteps,
           (long long)t.newtonIterations);
    printf(" %lld %lld %lld", (long long)t.linearSolves, (long long)t.pcgIterations, (long long)t.lineSearchSteps);
    print_numbers("sums", 6, sums);
    print_numbers("bounds", 4, bounds);
    printf("\n");
    vvWorldDestroy(world);
}

/* ---- queries ---- */

static void cast(vvWorld *world, const double from[3], const double to[3], double thickness)
{
    vvRay ray = vvDefaultRay();
    vvRayHit hit;
    bool found = false;
    for (int k = 0; k < 3; k++)
        ray.origin[k] = from[k], ray.direction[k] = to[k] - from[k];
    ray.thickness = thickness;
    if (vvWorldCastRay(world, &ray, &hit, &found, NULL) == VV_OK && found) {
        printf("  ray: body %d obstacle %d", hit.body.index1, hit.obstacle.index1);
        printf(" triangle %d edge %d vertex %d", hit.triangle, hit.edge, hit.vertex);
        print_numbers("at", 1, &hit.distance);
        print_numbers("weights", 3, hit.weights);
        print_numbers("point", 3, hit.point);
        print_numbers("normal", 3, hit.normal);
        printf("\n");
    } else
        printf("  ray: nothing\n");
}

static void look(vvWorld *world)
{
    const double eye[3] = { 0.3, 0.5, 0.4 };
    for (int i = -1; i <= 1; i++)
        for (int j = 0; j <= 2; j++)
            cast(world, eye, (double[]){ 0.1 * i, 0.06 * j, 0.01 * i * j }, 0.004);
    vvOverlap shape = vvDefaultOverlap();
    for (int kind = 0; kind < 2; kind++) {
        int nodes[64], count = 0, bodies = 0;
        vvBodyId ids[8] = { 0 };
        shape.kind = kind ? VV_SHAPE_SPHERE : VV_SHAPE_BOX;
        shape.center[1] = 0.05, shape.rotate[0] = 20, shape.radius = 0.08;
        shape.size[0] = 0.15, shape.size[1] = 0.1, shape.size[2] = 0.12;
        vvWorldOverlapNodes(world, &shape, nodes, 64, &count, NULL);
        vvWorldOverlapBodies(world, &shape, ids, 8, &bodies, NULL);
        printf("  overlap: nodes %d bodies %d", count, bodies);
        print_hash("", nodes, (size_t)(count < 64 ? count : 64) * sizeof *nodes);
        print_hash("", ids, sizeof ids);
        printf("\n");
    }
    int meet = 0, near = 0, n = vvWorldNodeCount(world);
    say("intersections", vvWorldFindIntersections(world, NULL, 0, &meet, NULL));
    say("too near", vvWorldFindTooNear(world, NULL, 0, &near, NULL));
    double *x = vectors(NULL, n);
    printf("  found %d %d", meet, near);
    vvWorldInterpolate(world, 0.25, x, NULL);
    print_hash("between", x, 3 * (size_t)n * sizeof *x);
    vvWorldStartPositions(world, x, NULL);
    print_hash("start", x, 3 * (size_t)n * sizeof *x);
    print_hash("masses", vvWorldMasses(world), (size_t)n * sizeof *x);
    printf("\n");
    free(x);
}
