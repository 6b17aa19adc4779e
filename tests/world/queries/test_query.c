/* Ray casts and overlaps on deformed bodies and obstacles: against loops over everything, on ties, through filters,
 * after every way in which a state may change. */
#include "world_support.h"

#include "base/geometry/intersect.h"
#include "base/vec.h"
#include "contact/obstacles/obstacle.h"
#include "visviva/query.h"

static uint64_t state64 = 5;
static double uniform(void) /* in [-1, 1] */
{
    state64 ^= state64 << 13;
    state64 ^= state64 >> 7;
    state64 ^= state64 << 17;
    return (double)(state64 >> 10) * 0x1p-53 - 1;
}
static void random_point(const double *middle, double size, double *x)
{
    for (int k = 0; k < 3; k++)
        x[k] = (middle ? middle[k] : 0) + size * uniform();
}

/* ---- a world of everything --------------------------------------------------------------------------------------- */

typedef struct zoo {
    vvWorld *w;
    vvBodyId ball, box, cloth, rope;
} zoo;

static zoo make_zoo(void)
{
    vvError error = { 0 };
    vvWorldDef d = vvDefaultWorldDef();
    d.contact.self = false; /* positions are shaken at random */
    d.threads = 1;
    d.timeStep = 0.01;
    zoo z = { .w = new_world(&d) };
    vvBodyDef def = vvDefaultBodyDef();
    def.material.young = 2e4;
    def.translate[1] = 0.16;
    z.ball = add_ball(z.w, 0.15, 3, &def);
    def.translate[0] = 0.5, def.translate[1] = 0.3;
    z.box = add_box_def(z.w, (double[]){ 0.3, 0.3, 0.2 }, (int[]){ 3, 3, 2 }, 6, &def);
    vvMesh mesh = { 0 };
    assert_ok(vvMeshGenerate("cloth", NULL, 0, &mesh, &error));
    def = vvDefaultBodyDef();
    def.material.model = "hooke";
    def.material.density = 0.2;
    def.scale[0] = def.scale[1] = def.scale[2] = 0.4;
    def.translate[1] = 0.6;
    z.cloth = add_mesh(z.w, &mesh, &def);
    double x[15];
    int edges[8];
    for (int i = 0; i < 5; i++) {
        x[3 * i] = -0.5, x[3 * i + 1] = 0.5 + 0.02 * i, x[3 * i + 2] = 0.1 * i;
        for (int k = 0; k < 2 && i < 4; k++)
            edges[2 * i + k] = i + k;
    }
    vvMaterialDef m = material("hooke", 1);
    m.density = 0.1;
    z.rope = add_edges(z.w, 5, x, 4, edges, &m);
    obstacle(z.w, "plane", NULL, 0.3);
    obstacle(z.w, "sphere", (double[]){ 0, 0.9, 0.5, 0.2 }, -1);
    obstacle(z.w, "box", (double[]){ -0.7, 0.3, -0.6, 0.3, 0.5, 0.2, 10, 20, 30 }, -1);
    obstacle(z.w, "cylinder", (double[]){ 0.7, 0.5, 0.7, 1, 1, 0, 0.1, 0.4 }, -1);
    obstacle(z.w, "capsule", (double[]){ -0.9, 0.9, 0.6, 1, 1, 0, 0.2, 0.5 }, -1);
    obstacle(z.w, "torus", (double[]){ 0.4, 0.9, -0.4, 1, 2, 1, 0.25, 0.12 }, -1);
    set_state(z.w, z.box, "angular", NULL);
    set_state(z.w, z.ball, "linear", (double[]){ 1, -1, 0.5 });
    return z;
}

static vvRay ray_between(const double *from, const double *to)
{
    vvRay ray = vvDefaultRay();
    for (int k = 0; k < 3; k++)
        ray.origin[k] = from[k], ray.direction[k] = to[k] - from[k];
    return ray;
}

static vvRayHit cast(vvWorld *w, const vvRay *ray, bool *found)
{
    vvError error = { 0 };
    vvRayHit hit;
    assert_ok(vvWorldCastRay(w, ray, &hit, found, &error));
    return hit;
}

/* ---- the loop over everything ------------------------------------------------------------------------------------ */

/* Plain Moller-Trumbore: distance along the unit direction, or infinity. */
static double plain_triangle(const double *o, const double *d, const double *a, const double *b, const double *c)
{
    double e[3], f[3], p[3], s[3], q[3];
    vv_sub(b, a, e);
    vv_sub(c, a, f);
    vv_cross(d, f, p);
    double det = vv_dot(e, p);
    vv_sub(o, a, s);
    vv_cross(s, e, q);
    double u = vv_dot(s, p) / det, v = vv_dot(d, q) / det, t = vv_dot(f, q) / det;
    return u >= 0 && v >= 0 && u + v <= 1 && t >= 0 ? t : INFINITY;
}

static void unit(const vvRay *ray, double *d)
{
    double length = norm3(ray->direction);
    for (int k = 0; k < 3; k++)
        d[k] = ray->direction[k] / length;
}

static double nearest_of_body(const vvWorld *w, vvBodyId body, const vvRay *ray)
{
    const double *x = vvWorldPositions(w);
    vvBodyElements e;
    double d[3], best = INFINITY;
    vvBodyGetElements(w, body, &e);
    unit(ray, d);
    for (int t = 0; t < e.triangleCount; t++) {
        const int *v = e.triangles + 3 * t;
        best = fmin(best, plain_triangle(ray->origin, d, x + 3 * v[0], x + 3 * v[1], x + 3 * v[2]));
    }
    vv_ray along = vv_ray_along(ray->origin, d);
    for (int i = 0; e.triangleCount == 0 && i < e.edgeCount; i++) {
        double t, s;
        if (vv_ray_segment(&along, x + 3 * e.edges[2 * i], x + 3 * e.edges[2 * i + 1], best, &t, &s) <= ray->thickness)
            best = fmin(best, t);
    }
    return best;
}

/* Sphere tracing by the signed distance, from outside or inside. */
static double nearest_of_obstacle(const vvWorld *w, int index, const vvRay *ray)
{
    const double *values;
    vv_obstacle o = { .ops = vv_obstacle_find(vvWorldObstacle(w, index, &values, NULL)) };
    double d[3], t = 0;
    unit(ray, d);
    assert_int_equal(o.ops->prepare(values, o.shape, NULL), VV_OK);
    for (int k = 0; k < 1000000 && t <= 5; k++) {
        double x[3] = { ray->origin[0] + t * d[0], ray->origin[1] + t * d[1], ray->origin[2] + t * d[2] };
        double gap = fabs(vv_obstacle_distance(&o, x, NULL, NULL));
        if (gap < 1e-9)
            return t;
        t += gap;
    }
    return INFINITY;
}

static void check_hit(const vvWorld *w, const vvRay *ray, const vvRayHit *hit)
{
    double d[3], p[3] = { 0, 0, 0 };
    unit(ray, d);
    assert_near(norm3(hit->normal), 1, 1e-12);
    if (hit->obstacle.index1) {
        assert_true(hit->body.index1 == 0 && hit->triangle == -1 && hit->edge == -1 && hit->vertex == -1);
        for (int k = 0; k < 3; k++)
            assert_near(hit->point[k], ray->origin[k] + hit->distance * d[k], 1e-12);
        return;
    }
    const double *x = vvWorldPositions(w);
    vvBodyElements e;
    int first, count, corners = hit->triangle >= 0 ? 3 : 2;
    vvBodyGetElements(w, hit->body, &e);
    vvBodyNodes(w, hit->body, &first, &count);
    const int *v = hit->triangle >= 0 ? e.triangles + 3 * hit->triangle : e.edges + 2 * hit->edge;
    assert_true(hit->triangle >= 0 ? hit->triangle < e.triangleCount && hit->edge == -1 : hit->edge < e.edgeCount);
    for (int i = 0; i < corners; i++) {
        assert_true(hit->weights[i] >= 0);
        double mine = distance3(hit->point, x + 3 * (first + hit->vertex));
        assert_true(mine <= distance3(hit->point, x + 3 * v[i]) + 1e-15);
        for (int k = 0; k < 3; k++)
            p[k] += hit->weights[i] * x[3 * v[i] + k];
    }
    assert_near(hit->weights[0] + hit->weights[1] + hit->weights[2], 1, 1e-14);
    assert_near(distance3(p, hit->point), 0, 1e-14);
    for (int k = 0; k < 3; k++)
        p[k] = ray->origin[k] + hit->distance * d[k];
    assert_true(distance3(p, hit->point) <= (hit->edge >= 0 ? ray->thickness + 1e-12 : 1e-12));
    if (e.tetCount == 0)
        assert_true(vv_dot(hit->normal, d) <= 1e-12);
}

static void agrees_with_loops(vvWorld *w, int rays, double thickness, int *hits)
{
    for (int r = 0; r < rays; r++) {
        double from[3], to[3], best = INFINITY;
        random_point((double[]){ 0, 0.5, 0 }, 1, from);
        random_point((double[]){ 0, 0.4, 0 }, 0.6, to);
        vvRay ray = ray_between(from, to);
        ray.thickness = thickness;
        ray.maxDistance = 5;
        bool found;
        vvRayHit hit = cast(w, &ray, &found);
        int winner = -1;
        for (int b = 0; b < vvWorldBodyCount(w); b++) {
            double t = nearest_of_body(w, vvWorldBody(w, b), &ray);
            if (t < best)
                best = t, winner = b;
        }
        for (int o = 0; o < vvWorldObstacleCount(w); o++) {
            double t = nearest_of_obstacle(w, o, &ray);
            if (t < best)
                best = t, winner = vvWorldBodyCount(w) + o;
        }
        assert_int_equal(found, winner >= 0);
        if (!found)
            continue;
        assert_near(hit.distance, best, hit.body.index1 ? 1e-10 : 1e-6);
        vvBodyId body = vvWorldBody(w, winner); /* {0,0} past the last */
        vvObstacleId o = vvWorldObstacleAt(w, winner - vvWorldBodyCount(w));
        assert_true(hit.body.index1 == body.index1 && hit.body.generation == body.generation);
        assert_true(hit.obstacle.index1 == o.index1 && hit.obstacle.generation == o.generation);
        check_hit(w, &ray, &hit);
        hits[winner]++;
    }
}

static void rays_agree_with_loops_over_everything(void **state)
{
    (void)state;
    zoo z = make_zoo();
    int hits[10] = { 0 };
    agrees_with_loops(z.w, 300, 0.02, hits); /* before anything was baked: the start */
    for (int i = 0; i < 10; i++) {
        steps(z.w, 3);
        agrees_with_loops(z.w, 300, 0.02, hits);
    }
    for (int i = 0; i < 10; i++) {
        print_message("%d ", hits[i]);
        assert_true(hits[i] > 20);
    }
    print_message("hits\n");
    vvWorldDestroy(z.w);
}

/* Every way to change positions is seen. */
static void queries_follow_the_state(void **state)
{
    (void)state;
    vvError error = { 0 };
    zoo z = make_zoo();
    int hits[10] = { 0 };
    steps(z.w, 5);
    size_t n = 3 * (size_t)vvWorldNodeCount(z.w), size = vvWorldStateSize(z.w);
    void *saved = malloc(size);
    assert_ok(vvWorldSaveState(z.w, saved, size, &error));
    double *x = copy_of(vvWorldPositions(z.w), (int)n);
    agrees_with_loops(z.w, 100, 0.02, hits);
    for (size_t i = 0; i < n; i++)
        x[i] += i % 3 == 1 ? 0.1 : 0.02 * uniform();
    assert_ok(vvWorldSetState(z.w, x, NULL, &error));
    agrees_with_loops(z.w, 100, 0.02, hits);
    assert_ok(vvWorldLoadState(z.w, saved, size, &error));
    agrees_with_loops(z.w, 100, 0.02, hits);
    step(z.w);
    agrees_with_loops(z.w, 100, 0.02, hits);
    vvWorldDestroy(z.w);
    free(saved);
    free(x);

    vvWorldDef d = vvDefaultWorldDef();
    d.threads = 1;
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    def.translate[1] = 0.051;
    vvBodyId box = add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 2, 2, 2 }, 6, &def);
    obstacle(w, "plane", NULL, -1);
    agrees_with_loops(w, 50, 0, hits);
    set_state(w, box, "stretch", (double[]){ 2, 1, 3, 0, 0.051, 0 });
    agrees_with_loops(w, 50, 0, hits);
    double energy;
    assert_ok(vvWorldSettle(w, true, &energy, &error));
    agrees_with_loops(w, 50, 0, hits);
    vvWorldDestroy(w);
}

/* Bodies and obstacles come and go; states are edited in place, set for one body, restored. */
static void queries_follow_the_structure(void **state)
{
    (void)state;
    vvError error = { 0 };
    zoo z = make_zoo();
    int hits[10] = { 0 };
    steps(z.w, 3);
    agrees_with_loops(z.w, 50, 0.02, hits);
    vvSnapshot *snapshot;
    assert_ok(vvWorldSnapshot(z.w, &snapshot, &error));
    assert_ok(vvWorldRemoveBody(z.w, z.ball, &error)); /* the nodes and the places of the others move down */
    assert_ok(vvWorldRemoveObstacle(z.w, vvWorldObstacleAt(z.w, 1), &error));
    agrees_with_loops(z.w, 50, 0.02, hits);
    step(z.w);
    agrees_with_loops(z.w, 50, 0.02, hits);
    vvBodyDef def = vvDefaultBodyDef();
    def.name = "late";
    def.translate[0] = -0.2, def.translate[1] = 0.3;
    vvBodyId late = add_ball(z.w, 0.1, 2, &def);
    agrees_with_loops(z.w, 50, 0.02, hits);
    step(z.w);
    agrees_with_loops(z.w, 50, 0.02, hits);
    int first, count;
    vvBodyNodes(z.w, late, &first, &count);
    double *x = copy_of(vvWorldPositions(z.w) + 3 * first, 3 * count), *positions;
    for (int i = 0; i < 3 * count; i++)
        x[i] += 0.1;
    assert_ok(vvBodySetState(z.w, late, x, NULL, &error));
    agrees_with_loops(z.w, 50, 0.02, hits);
    assert_ok(vvWorldBeginEdit(z.w, &positions, NULL, &error));
    for (int i = 0; i < 3 * count; i++)
        positions[3 * first + i] -= 0.05;
    assert_ok(vvWorldEndEdit(z.w, &error));
    agrees_with_loops(z.w, 50, 0.02, hits);
    assert_ok(vvWorldRestore(z.w, snapshot, &error)); /* the ball and the sphere are back */
    assert_int_equal(vvWorldBodyCount(z.w), 4);
    agrees_with_loops(z.w, 50, 0.02, hits);
    steps(z.w, 2);
    agrees_with_loops(z.w, 50, 0.02, hits);
    assert_ok(vvWorldRestore(z.w, snapshot, &error)); /* the structure is the same */
    agrees_with_loops(z.w, 50, 0.02, hits);
    vvSnapshotDestroy(snapshot);
    free(x);
    vvWorldDestroy(z.w);
}

/* ---- ties and degenerate rays ------------------------------------------------------------------------------------ */

/* A box and balls; rays at their corners, at the middle of their edges, along the axes and not. */
static void closed_surfaces_are_never_missed(void **state)
{
    (void)state;
    vvWorldDef d = vvDefaultWorldDef();
    d.threads = 1;
    for (int kind = 0; kind < 3; kind++) {
        vvWorld *w = new_world(&d);
        vvBodyDef def = vvDefaultBodyDef();
        def.translate[0] = kind == 2 ? 1e3 / 3 : 0;
        vvBodyId body =
            kind ? add_ball(w, 0.5, 3, &def) : add_box_def(w, (double[]){ 1, 1, 1 }, (int[]){ 4, 4, 4 }, 5, &def);
        const double *x = vvWorldPositions(w);
        double middle[3] = { def.translate[0], 0, 0 };
        vvBodyElements e;
        vvBodyGetElements(w, body, &e);
        int rays = 0;
        for (int i = 0; i < 3 * e.triangleCount; i++) {
            const double *a = x + 3 * e.triangles[i], *b = x + 3 * e.triangles[i - i % 3 + (i + 1) % 3];
            for (int part = 0; part < 3; part++)
                for (int far = 0; far < 3; far++) {
                    double target[3], from[3], out[3];
                    for (int k = 0; k < 3; k++) {
                        target[k] = a[k] + 0.5 * part * (b[k] - a[k]);
                        out[k] = target[k] - middle[k];
                        from[k] = middle[k] + (far == 2 ? 1e4 : 2) * (out[k] + 0.1 * far * uniform());
                    }
                    /* from outside at a point that is hit for sure: a little towards the middle of the convex body */
                    for (int k = 0; k < 3; k++)
                        target[k] = middle[k] + (part == 1 ? 0.9 : 0.99) * out[k];
                    bool found;
                    vvRay ray = ray_between(from, target);
                    vvRayHit hit = cast(w, &ray, &found);
                    assert_true(found && hit.body.index1 == body.index1);
                    assert_true(vv_dot(hit.normal, ray.direction) < 0); /* enters */
                    /* from inside, through the corner or the edge itself */
                    ray = ray_between(middle, a);
                    for (int k = 0; k < 3; k++)
                        ray.direction[k] = out[k];
                    hit = cast(w, &ray, &found);
                    assert_true(found && vv_dot(hit.normal, ray.direction) > 0); /* leaves: outward too */
                    assert_near(hit.distance, norm3(out), 1e-11);
                    rays += 2;
                }
        }
        print_message("%d rays at corners and edges\n", rays);
        /* straight along the axis, through a grid of points that are corners of the box's triangles */
        for (int i = -2; kind == 0 && i <= 2; i++)
            for (int j = -2; j <= 2; j++)
                for (int axis = 0; axis < 3; axis++)
                    for (int sign = -1; sign <= 1; sign += 2) {
                        vvRay ray = vvDefaultRay();
                        ray.origin[axis] = -3 * sign;
                        ray.direction[axis] = sign;
                        ray.origin[(axis + 1) % 3] = 0.25 * i;
                        ray.origin[(axis + 2) % 3] = 0.25 * j;
                        bool found;
                        vvRayHit hit = cast(w, &ray, &found);
                        assert_true(found); /* on the rim too: in the planes of other faces */
                        assert_near(hit.distance, 2.5, 1e-15);
                    }
        vvWorldDestroy(w);
    }
}

static void limits_of_rays(void **state)
{
    (void)state;
    vvWorldDef d = vvDefaultWorldDef();
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    add_box_def(w, (double[]){ 1, 1, 1 }, (int[]){ 1, 1, 1 }, 6, &def);
    obstacle(w, "plane", (double[]){ 0, -1, 0, 0, 1, 0 }, -1);
    bool found;
    vvRay ray = ray_between((double[]){ 0.1, 2, 0.2 }, (double[]){ 0.1, 1, 0.2 });
    ray.maxDistance = 1.5;
    assert_near(cast(w, &ray, &found).distance, 1.5, 1e-15); /* the limit itself counts */
    assert_true(found);
    ray.maxDistance = nextafter(1.5, 0);
    cast(w, &ray, &found);
    assert_false(found);
    ray.maxDistance = INFINITY;
    ray.direction[1] = -1e-200; /* any length */
    assert_near(cast(w, &ray, &found).distance, 1.5, 1e-15);
    ray.direction[1] = -1e200;
    assert_near(cast(w, &ray, &found).distance, 1.5, 1e-15);
    ray.bodies = false;
    vvRayHit hit = cast(w, &ray, &found);
    assert_true(found && hit.obstacle.index1 == 1 && hit.normal[1] == 1);
    assert_near(hit.distance, 3, 1e-15);
    ray.obstacles = false;
    hit = cast(w, &ray, &found);
    assert_true(!found && hit.body.index1 == 0 && hit.obstacle.index1 == 0 && hit.triangle == -1 && hit.vertex == -1);
    /* on the surface: distance 0; away from everything: nothing */
    ray = ray_between((double[]){ 0.1, 0.5, 0.2 }, (double[]){ 0.1, -1, 0.2 });
    assert_true(cast(w, &ray, &found).distance == 0 && found);
    ray = ray_between((double[]){ 0.1, 0.6, 0.2 }, (double[]){ 0.1, 1, 0.2 });
    cast(w, &ray, &found);
    assert_false(found);
    /* from below the plane, out of its solid: its normal stays */
    ray = ray_between((double[]){ 3, -3, 0 }, (double[]){ 3, 0, 0 });
    hit = cast(w, &ray, &found);
    assert_true(found && hit.normal[1] == 1);
    assert_near(hit.distance, 2, 1e-15);
    vvWorldDestroy(w);
}

static void edges_need_thickness(void **state)
{
    (void)state;
    vvWorldDef d = vvDefaultWorldDef();
    vvWorld *w = new_world(&d);
    vvMaterialDef m = material("hooke", 1);
    double x[9] = { -1, 0, 0, 1, 0, 0, 3, 0, 0 };
    int edges[4] = { 0, 1, 1, 2 };
    add_edges(w, 3, x, 2, edges, &m);
    bool found;
    vvRay ray = ray_between((double[]){ 0.5, 2, 0.1 }, (double[]){ 0.5, 1, 0.1 });
    cast(w, &ray, &found);
    assert_false(found);
    ray.thickness = 0.2;
    vvRayHit hit = cast(w, &ray, &found);
    assert_true(found && hit.edge == 0 && hit.triangle == -1 && hit.vertex == 1);
    assert_near(hit.distance, 2, 1e-14);
    assert_near(hit.weights[1], 0.75, 1e-14);
    assert_near(hit.normal[1], 1, 1e-14);
    ray.origin[0] = 3.1; /* past the end */
    hit = cast(w, &ray, &found);
    assert_true(found && hit.edge == 1 && hit.vertex == 2);
    ray.origin[0] = 3.2;
    cast(w, &ray, &found);
    assert_false(found);
    vvWorldDestroy(w);
}

static void wrong_queries_are_errors(void **state)
{
    (void)state;
    vvError error;
    vvWorldDef d = vvDefaultWorldDef();
    vvWorld *w = new_world(&d);
    vvRay good = ray_between((double[]){ 0, 0, 0 }, (double[]){ 1, 0, 0 }), bad[9];
    vvRayHit hit;
    bool found;
    assert_int_equal(vvWorldCastRay(w, &good, &hit, &found, &error), VV_OK); /* an empty world has nothing to hit */
    assert_false(found);
    for (int i = 0; i < 9; i++)
        bad[i] = good;
    bad[0].direction[0] = 0;
    bad[1].direction[2] = NAN;
    bad[2].direction[2] = INFINITY;
    bad[3].origin[1] = NAN;
    bad[4].origin[1] = INFINITY;
    bad[5].maxDistance = -1;
    bad[6].maxDistance = NAN;
    bad[7].thickness = -1;
    bad[8].thickness = NAN;
    for (int i = 0; i < 9; i++) {
        error = (vvError){ 0 };
        found = true;
        assert_int_equal(vvWorldCastRay(w, &bad[i], &hit, &found, &error), VV_ERROR_INPUT);
        assert_true(strlen(error.message) > 20 && !found && hit.triangle == -1);
    }
    assert_int_equal(vvWorldCastRay(w, NULL, &hit, &found, &error), VV_ERROR_INPUT);
    assert_int_equal(vvWorldCastRay(w, &good, NULL, &found, &error), VV_ERROR_INPUT);
    assert_int_equal(vvWorldCastRay(w, &good, &hit, NULL, NULL), VV_ERROR_INPUT);

    vvOverlap fine = vvDefaultOverlap(), wrong[6];
    int count = 7;
    for (int i = 0; i < 6; i++)
        wrong[i] = fine;
    wrong[0].center[0] = NAN;
    wrong[1].size[1] = -1;
    wrong[2].rotate[2] = INFINITY;
    wrong[3].kind = (vvShapeKind)7;
    wrong[4].kind = wrong[5].kind = VV_SHAPE_SPHERE;
    wrong[4].radius = -1;
    wrong[5].radius = NAN;
    for (int i = 0; i < 6; i++) {
        assert_int_equal(vvWorldOverlapNodes(w, &wrong[i], NULL, 0, &count, &error), VV_ERROR_INPUT);
        assert_true(strstr(error.message, "overlap") && count == 0);
        assert_int_equal(vvWorldOverlapBodies(w, &wrong[i], NULL, 0, &count, &error), VV_ERROR_INPUT);
    }
    assert_int_equal(vvWorldOverlapNodes(w, &fine, NULL, 0, NULL, &error), VV_ERROR_INPUT);
    assert_int_equal(vvWorldOverlapBodies(w, NULL, NULL, 0, &count, &error), VV_ERROR_INPUT);
    assert_int_equal(vvWorldOverlapBodies(w, &fine, NULL, 0, &count, &error), VV_OK);
    assert_int_equal(count, 0);
    vvWorldDestroy(w);
}

/* ---- filters ----------------------------------------------------------------------------------------------------- */

static void filters_choose(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = vvDefaultWorldDef();
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    vvBodyId box[3];
    for (int i = 0; i < 3; i++) {
        def.translate[1] = 2.0 * i;
        def.filter.category = (uint64_t)1 << i;
        box[i] = add_box_def(w, (double[]){ 1, 1, 1 }, (int[]){ 1, 1, 1 }, 6, &def);
    }
    vvObstacleDef plane = vvDefaultObstacleDef();
    shape_obstacle(&plane, (double[]){ 0, -2, 0, 0, 1, 0 });
    plane.filter.category = 8;
    assert_ok(vvWorldAddObstacle(w, &plane, NULL, &error));
    vvRay ray = ray_between((double[]){ 0.1, 9, 0.2 }, (double[]){ 0.1, 0, 0.2 });
    static const double distance[4] = { 8.5, 6.5, 4.5, 11 };
    for (int i = 0; i < 4; i++) {
        bool found;
        ray.filter.mask = (uint64_t)1 << i;
        vvRayHit hit = cast(w, &ray, &found);
        assert_true(found && (i == 3 ? hit.obstacle.index1 == 1 : hit.body.index1 == box[i].index1));
        assert_near(hit.distance, distance[i], 1e-14);
        vvOverlap all = vvDefaultOverlap();
        int nodes[32], count;
        vvBodyId bodies[4];
        all.size[0] = all.size[1] = all.size[2] = 100;
        all.filter.mask = ray.filter.mask;
        assert_ok(vvWorldOverlapNodes(w, &all, nodes, 32, &count, &error));
        assert_int_equal(count, i == 3 ? 0 : 8);
        assert_true(i == 3 || nodes[0] == 8 * i);
        assert_ok(vvWorldOverlapBodies(w, &all, bodies, 4, &count, &error));
        assert_int_equal(count, i < 3);
        assert_true(i == 3 || bodies[0].index1 == box[i].index1);
    }
    vvWorldDestroy(w);
}

/* ---- overlaps ---------------------------------------------------------------------------------------------------- */

static void into_frame(const vvOverlap *o, const double *x, double *y)
{
    double r[9], d[3];
    vv_euler_degrees(o->rotate, r);
    vv_sub(x, o->center, d);
    for (int k = 0; k < 3; k++)
        y[k] = r[k] * d[0] + r[3 + k] * d[1] + r[6 + k] * d[2];
}

/* How deep the point is in the shape, m; negative outside. */
static double depth(const vvOverlap *o, const double *x)
{
    double y[3];
    into_frame(o, x, y);
    if (o->kind == VV_SHAPE_SPHERE)
        return o->radius - norm3(y);
    return fmin(o->size[0] / 2 - fabs(y[0]), fmin(o->size[1] / 2 - fabs(y[1]), o->size[2] / 2 - fabs(y[2])));
}

static bool meets(const vvWorld *w, const vvOverlap *o, vvBodyId body)
{
    const double *x = vvWorldPositions(w), half[3] = { o->size[0] / 2, o->size[1] / 2, o->size[2] / 2 };
    vvBodyElements e;
    vvBodyGetElements(w, body, &e);
    bool ball = o->kind == VV_SHAPE_SPHERE;
    double p[3][3];
    for (int t = 0; t < e.triangleCount; t++) {
        for (int k = 0; k < 3; k++)
            into_frame(o, x + 3 * e.triangles[3 * t + k], p[k]);
        if (ball ? vv_point_triangle((double[]){ 0, 0, 0 }, p[0], p[1], p[2]) <= o->radius * o->radius
                 : vv_triangle_meets_box(half, p[0], p[1], p[2]))
            return true;
    }
    for (int i = 0; e.triangleCount == 0 && i < e.edgeCount; i++) {
        for (int k = 0; k < 2; k++)
            into_frame(o, x + 3 * e.edges[2 * i + k], p[k]);
        if (ball ? vv_point_segment((double[]){ 0, 0, 0 }, p[0], p[1]) <= o->radius * o->radius
                 : vv_segment_meets_box(half, p[0], p[1]))
            return true;
    }
    for (int t = 0; t < e.tetCount; t++) {
        const int *v = e.tets + 4 * t;
        if (vv_point_in_tet(o->center, x + 3 * v[0], x + 3 * v[1], x + 3 * v[2], x + 3 * v[3]))
            return true;
    }
    return false;
}

static void overlaps_agree_with_loops_over_everything(void **state)
{
    (void)state;
    vvError error = { 0 };
    zoo z = make_zoo();
    int seen[4] = { 0 }, none = 0, nodes[4096], found_nodes = 0;
    for (int i = 0; i < 6; i++) {
        steps(z.w, i ? 4 : 0);
        for (int k = 0; k < 300; k++) {
            vvOverlap o = vvDefaultOverlap();
            o.kind = k % 2 ? VV_SHAPE_SPHERE : VV_SHAPE_BOX;
            random_point((double[]){ 0, 0.4, 0 }, 0.6, o.center);
            double size = k % 3 ? 0.6 : 0.03; /* small ones fit inside of bodies */
            o.radius = size / 2 * fabs(uniform());
            for (int c = 0; c < 3; c++)
                o.size[c] = size * fabs(uniform()), o.rotate[c] = k % 4 ? 180 * uniform() : 0;
            int count, at = 0;
            assert_ok(vvWorldOverlapNodes(z.w, &o, nodes, 4096, &count, &error));
            assert_in_range(count, 0, 4096);
            for (int n = 0; n < vvWorldNodeCount(z.w); n++) {
                double deep = depth(&o, vvWorldPositions(z.w) + 3 * n);
                bool listed = at < count && nodes[at] == n;
                at += listed;
                if (fabs(deep) > 1e-12)
                    assert_int_equal(listed, deep > 0);
            }
            assert_int_equal(at, count);
            found_nodes += count;
            vvBodyId bodies[4];
            assert_ok(vvWorldOverlapBodies(z.w, &o, bodies, 4, &count, &error));
            none += count == 0;
            at = 0;
            for (int b = 0; b < 4; b++) {
                bool listed = at < count && bodies[at].index1 == vvWorldBody(z.w, b).index1;
                at += listed;
                seen[b] += listed;
                assert_int_equal(listed, meets(z.w, &o, vvWorldBody(z.w, b)));
            }
            assert_int_equal(at, count);
        }
    }
    print_message("bodies met %d %d %d %d times, none %d times, %d nodes\n", seen[0], seen[1], seen[2], seen[3], none,
                  found_nodes);
    assert_true(seen[0] > 20 && seen[1] > 20 && seen[2] > 20 && seen[3] > 20 && none > 100 && found_nodes > 1000);
    vvWorldDestroy(z.w);
}

static bool box_meets(vvWorld *w, double x, double y, double z, double size)
{
    vvError error = { 0 };
    vvOverlap o = vvDefaultOverlap();
    int count, again, more;
    o.center[0] = x, o.center[1] = y, o.center[2] = z;
    o.size[0] = o.size[1] = o.size[2] = size;
    o.radius = size / 2;
    assert_ok(vvWorldOverlapBodies(w, &o, NULL, 0, &count, &error));
    o.rotate[0] = 1e-13; /* the same box by the other way */
    assert_ok(vvWorldOverlapBodies(w, &o, NULL, 0, &again, &error));
    o.kind = VV_SHAPE_SPHERE;
    assert_ok(vvWorldOverlapBodies(w, &o, NULL, 0, &more, &error));
    assert_int_equal(count, again);
    assert_int_equal(count, more); /* the places below are chosen so */
    return count > 0;
}

static void overlaps_by_hand(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = vvDefaultWorldDef();
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    add_box_def(w, (double[]){ 1, 1, 1 }, (int[]){ 2, 2, 2 }, 6, &def);
    assert_true(box_meets(w, 0, 0, 0, 0.01));       /* inside, at a corner that tets share */
    assert_true(box_meets(w, 0.1, 0.25, -0.3, 0));  /* a point inside */
    assert_true(box_meets(w, 0.1, 0.1, 0.1, 0.01)); /* inside, on a face that tets share */
    assert_true(box_meets(w, 0, 0, 0, 50));         /* the body is inside */
    assert_true(box_meets(w, 1, 0, 0, 1.001));
    assert_false(box_meets(w, 1, 0, 0, 0.999));
    assert_false(box_meets(w, 3, 0, 0, 1));
    vvOverlap o = vvDefaultOverlap();
    int nodes[3] = { -1, -1, -1 }, count;
    o.center[0] = 0.5, o.size[1] = o.size[2] = 1; /* the face x = 1/2, boundary included */
    assert_ok(vvWorldOverlapNodes(w, &o, nodes, 2, &count, &error));
    assert_true(count == 9 && nodes[0] >= 0 && nodes[1] > nodes[0]);
    assert_int_equal(nodes[2], -1); /* no more than there is room for */
    o.center[0] = nextafter(0.5, 1);
    assert_ok(vvWorldOverlapNodes(w, &o, nodes, 2, &count, &error));
    assert_int_equal(count, 0);
    assert_ok(vvWorldOverlapBodies(w, &o, NULL, 0, &count, &error));
    assert_int_equal(count, 0);
    vvWorldDestroy(w);
}

/* ---- rays at obstacles ------------------------------------------------------------------------------------------- */

/* At every row of the obstacle table: the hit is on the surface, the normal is the distance's, no sign changes before
 * it; where there is none, the distance keeps its sign. */
static void rays_hit_obstacles_where_the_distance_is_zero(void **state)
{
    (void)state;
    static const double values[][10] = { { 0.1, -0.2, 0.3, 1, 2, -0.5 },
                                         { 0.1, -0.2, 0.3, 0.4 },
                                         { 0.1, -0.2, 0.3, 0.8, 0.5, 1.1, 20, -35, 70 },
                                         { 0.1, -0.2, 0.3, 1, 2, -0.5, 0.4, 0.9 },
                                         { 0.1, -0.2, 0.3, 1, 2, -0.5, 0.4, 0.5 },
                                         { 0.1, -0.2, 0.3, 1, 2, -0.5, 0.5, 0.35 },
                                         { 0.1, -0.2, 0.3, 1, 2, -0.5, 0.25, 0.5, 0.9 },
                                         { 0.1, -0.2, 0.3, 1, 2, -0.5, 0.4, 0.4, 100 },
                                         { 0.1, -0.2, 0.3, 1.1, 0.9, 20, -35, 70, 0.5, 0.3 },
                                         { 0.1, -0.2, 0.3, 20, -35, 70, -0.5, -0.5, -0.5, 0.5 } };
    static const double heights[9] = { 0.2, 0.5, 0.1, 0.4, 0, 0.3, 0.1, 0.6, 0.2 };
    for (int i = 0; vvObstacleInfo(i); i++) {
        assert_true(i < 10); /* a new row needs values above */
        vv_obstacle o = { .ops = vv_obstacle_table(i) };
        assert_int_equal(o.ops->prepare(values[i], o.shape, NULL), VV_OK);
        if (o.ops->field)
            assert_int_equal(vv_field_create(o.ops->field, (const int[]){ 3, 3, 1 },
                                             vv_obstacle_is_exact(&o) ? heights : NULL, &o.field, NULL),
                             VV_OK);
        int out = 0, in = 0, missed = 0;
        for (int r = 0; r < 3000; r++) {
            double from[3], to[3], d[3], t = -1, n[3], x[3], normal[3];
            random_point((double[]){ 0.1, -0.2, 0.3 }, r % 4 ? 1 : 0.3, from);
            random_point((double[]){ 0.1, -0.2, 0.3 }, 0.8, to);
            if (r % 5 == 0) { /* along an axis of the obstacle, where intervals are empty or endless */
                for (int k = 0; k < 3; k++)
                    to[k] = from[k] + (i == 2 || i == 8 ? o.shape[(i == 2 ? 6 : 3) + 3 * k + r % 3]
                                       : i == 1         ? (k == r % 3)
                                                        : values[i][3 + k]);
            }
            vvRay ray = ray_between(from, to);
            unit(&ray, d);
            bool hit = vv_obstacle_ray(&o, from, d, &t, n);
            double start = vv_obstacle_distance(&o, from, NULL, NULL);
            for (int k = 0; k < 200; k++) {
                double at = hit ? t * k / 200 : 0.05 * k;
                for (int c = 0; c < 3; c++)
                    x[c] = from[c] + at * d[c];
                double now = vv_obstacle_distance(&o, x, NULL, NULL);
                assert_true(start > 0 ? now > -1e-12 : now < 1e-12);
            }
            (start > 0 ? hit ? &out : &missed : &in)[0]++;
            if (!hit)
                continue;
            for (int c = 0; c < 3; c++)
                x[c] = from[c] + t * d[c];
            assert_true(t >= 0);
            assert_near(vv_obstacle_distance(&o, x, NULL, NULL), 0, 1e-12);
            assert_near(norm3(n), 1, 1e-12);
            for (int c = 0; c < 3; c++) /* a little outside the normal is not torn between faces */
                x[c] += 1e-6 * n[c];
            vv_obstacle_distance(&o, x, normal, NULL);
            assert_true(vv_dot(n, normal) > (1 - 1e-3) * norm3(normal));
            assert_true(start > 0 ? vv_dot(n, d) <= 1e-12 : vv_dot(n, d) >= -1e-12);
        }
        print_message("%-10s %d hit, %d missed from outside, %d from inside\n", o.ops->type.info.name, out, missed, in);
        assert_true(out > 200 && missed > 200 && in > 200);
        vv_field_release(o.field);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rays_agree_with_loops_over_everything),
        cmocka_unit_test(queries_follow_the_state),
        cmocka_unit_test(queries_follow_the_structure),
        cmocka_unit_test(closed_surfaces_are_never_missed),
        cmocka_unit_test(limits_of_rays),
        cmocka_unit_test(edges_need_thickness),
        cmocka_unit_test(wrong_queries_are_errors),
        cmocka_unit_test(filters_choose),
        cmocka_unit_test(overlaps_agree_with_loops_over_everything),
        cmocka_unit_test(overlaps_by_hand),
        cmocka_unit_test(rays_hit_obstacles_where_the_distance_is_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
