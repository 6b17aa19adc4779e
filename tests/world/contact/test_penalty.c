/* Contact by penalties: derivatives of a pair in all regions of nearest features; the pairs that are found, against
 * all vertices and tets one by one, whatever was searched before; no jumps; momenta; bodies that separate, lie on
 * level sets, are caught at 1/24 s however fast; a torus that holds its sides apart; friction and its books; bits by
 * threads and by snapshots; what is refused. */
#include "size.h"
#include "world_support.h"

#include <float.h>

#include "base/geometry/intersect.h"
#include "base/vec.h"
#include "contact/pairs/potential.h"
#include "contact/penetration/penetration.h"
#include "visviva/contact.h"
#include "world/world.h"

static uint64_t random_state = 7;
static double uniform(double low, double high) { return low + (high - low) * vv_random(&random_state); }

/* ---- one pair
 * ------------------------------------------------------------------------------------------------------ */

static void refresh(vv_pair_state *s, unsigned *features)
{
    vv_stencil_distance2(s->kind, (const double(*)[3])s->x, features, s->w);
}

/* A triangle and a point below a place of it: within, beyond an edge, beyond a corner. */
static vv_pair_state random_pair(int region)
{
    static const double places[3][3] = { { 0.3, 0.3, 0.4 }, { 0.6, 0.6, -0.2 }, { 1.4, -0.2, -0.2 } };
    vv_pair_state s = { .kind = VV_STENCIL_VT, .stiffness = 3e5, .penalty = true };
    for (int i = 1; i < 4; i++)
        for (int k = 0; k < 3; k++)
            s.x[i][k] = (k == (i - 1)) + 0.2 * uniform(-1, 1);
    for (int k = 0; k < 3; k++)
        s.x[0][k] = places[region][0] * s.x[1][k] + places[region][1] * s.x[2][k] + places[region][2] * s.x[3][k] -
                    0.1 + 0.05 * uniform(-1, 1);
    return s;
}

static void derivatives_hold_in_all_regions(void **state)
{
    (void)state;
    static const int points[3] = { 4, 3, 2 };
    for (int region = 0; region < 3; region++)
        for (int k = 0; k < 40; k++) {
            vv_pair_state s = random_pair(region);
            unsigned features = 0;
            double g[12], h[144], v[9][12], ignored[12], n[3];
            refresh(&s, &features);
            if (__builtin_popcount(features) != points[region])
                continue;
            const double d = sqrt(vv_stencil_distance2(s.kind, (const double(*)[3])s.x, NULL, s.w));
            assert_near(vv_pair_energy(&s), s.stiffness * d * d * sqrt(d * d + 1e-15), 1e-12 * s.stiffness);
            vv_pair_gradient(&s, g);
            vv_pair_hessian(&s, h);
            assert_near(-vv_pair_force(&s, n), 3 * s.stiffness * d * d, 1e-9 * s.stiffness);
            const double step = 1e-6;
            for (int i = 0; i < 12; i++) {
                double e[2], side[2][12];
                for (int m = 0; m < 2; m++) {
                    vv_pair_state t = s;
                    t.x[i / 3][i % 3] += m ? -step : step;
                    refresh(&t, NULL);
                    e[m] = vv_pair_energy(&t);
                    vv_pair_gradient(&t, side[m]);
                }
                assert_near((e[0] - e[1]) / (2 * step), g[i], 1e-5 * s.stiffness * d * d + 1e-4);
                for (int j = 0; j < 12; j++)
                    assert_near((side[0][j] - side[1][j]) / (2 * step), h[12 * i + j], 1e-6 * s.stiffness);
            }
            /* the projected one: no less than the exact one in any direction, and the same where that is positive */
            const int count = vv_pair_squares(&s, ignored, v);
            assert_memory_equal(ignored, g, sizeof g);
            for (int m = 0; m < 20; m++) {
                double p[12], exact = 0, squares = 0, size = 0;
                for (int i = 0; i < 12; i++)
                    p[i] = uniform(-1, 1), size += p[i] * p[i];
                for (int i = 0; i < 12; i++)
                    for (int j = 0; j < 12; j++)
                        exact += p[i] * h[12 * i + j] * p[j];
                for (int c = 0; c < count; c++) {
                    double dot = 0;
                    for (int i = 0; i < 12; i++)
                        dot += v[c][i] * p[i];
                    squares += dot * dot;
                }
                assert_true(squares >= exact - 1e-7 * s.stiffness * size);
            }
        }
}

/* ---- worlds
 * ---------------------------------------------------------------------------------------------------------- */

static vvWorldDef penalty_def(double h)
{
    vvWorldDef d = vvDefaultWorldDef();
    d.timeStep = h;
    d.integrator.scheme = "backward-euler";
    d.integrator.groundMode = VV_GROUND_NONE;
    d.contact.model = "penalty";
    d.contact.penalty.stiffness = 1e8;
    d.solver.tolerance = 1e-4;
    d.threads = 1;
    return d;
}

static vvBodyId ball_at(vvWorld *w, double radius, int shells, double x, double y, double z)
{
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("fixed-corotated", 2e4);
    def.translate[0] = x, def.translate[1] = y, def.translate[2] = z;
    return add_ball(w, radius, shells, &def);
}

static vv_energy *penetration_of(const vvWorld *w)
{
    for (int i = 0; i < w->system.energies; i++)
        if (strcmp(w->system.energy[i]->ops->info.name, "penetration") == 0)
            return w->system.energy[i];
    fail_msg("there is no penalty between bodies");
    return NULL;
}

static double value_at(vvWorld *w, const double *q, double *g)
{
    vv_energy *e = penetration_of(w);
    vv_energy_update(e, &w->par, q);
    if (g) {
        memset(g, 0, 3 * (size_t)w->nodes * sizeof *g);
        e->ops->derivatives(e, &w->par, q, 1, VV_HESSIAN_EXACT, g, NULL);
    }
    return e->ops->value(e, &w->par, q, NULL);
}

static double depth_between(vvWorld *w)
{
    const vv_pair *least;
    const double gap =
        w->contact->collisions ? vv_collisions_gap(w->contact->collisions, &w->par, w->state.q, &least) : INFINITY;
    return gap < 0 ? -gap : 0;
}

/* Two balls that overlap, and one that is folded into itself: the lower half is pushed up through the upper. */
static vvWorld *tangle(double *folded)
{
    vvWorldDef d = penalty_def(1.0 / 24);
    d.gravity[1] = 0;
    vvWorld *w = new_world(&d);
    vvError error = { 0 };
    ball_at(w, 0.1, 2, 0, 0, 0);
    ball_at(w, 0.1, 2, 0.15, 0.02, 0.01);
    vvBodyId third = ball_at(w, 0.1, 3, 1, 0, 0);
    assert_ok(vvWorldBake(w, &error));
    int first, count;
    vvBodyNodes(w, third, &first, &count);
    memcpy(folded, w->state.q, 3 * (size_t)w->nodes * sizeof *folded);
    for (int i = 0; i < 3 * w->nodes; i++)
        folded[i] += 1e-3 * uniform(-1, 1);
    for (int i = first; i < first + count; i++)
        if (folded[3 * i + 1] < -0.03)
            folded[3 * i + 1] = -0.06 - 1.9 * (folded[3 * i + 1] + 0.03), folded[3 * i] *= 0.6,
                           folded[3 * i + 2] *= 0.6;
    return w;
}

/* Per tet and corner: the tet across the side opposite to it; -1: none. */
static int *neighbours(const vv_body *body)
{
    int *across = malloc(4 * (size_t)body->tet_count * sizeof *across);
    for (int t = 0; t < body->tet_count; t++)
        for (int k = 0; k < 4; k++) {
            across[4 * t + k] = -1;
            for (int u = 0; u < body->tet_count; u++) {
                int shared = 0;
                for (int i = 0; i < 4; i++)
                    for (int j = 0; j < 4; j++)
                        shared += i != k && body->tets[4 * t + i] == body->tets[4 * u + j];
                if (u != t && shared == 3)
                    across[4 * t + k] = u;
            }
        }
    return across;
}

static bool has_corner(const vv_body *b, int t, int node)
{
    const int *n = b->tets + 4 * t;
    return n[0] == node || n[1] == node || n[2] == node || n[3] == node;
}

/* Of the body without the tets at the node: how often it covers the node's place, less how often it is turned over
 * there; and the square of the distance to its boundary, by which the energy goes. */
static int cover(const vv_body *b, const int *across, int node, const double *q, double *square)
{
    int degree = 0;
    *square = INFINITY;
    for (int t = 0; t < b->tet_count; t++) {
        const int *n = b->tets + 4 * t;
        if (has_corner(b, t, node))
            continue;
        degree += vv_point_in_tet(q + 3 * node, q + 3 * n[0], q + 3 * n[1], q + 3 * n[2], q + 3 * n[3]);
        for (int k = 0; k < 4; k++) {
            const int other = across[4 * t + k], *f[3] = { n + (k + 1) % 4, n + (k + 2) % 4, n + (k + 3) % 4 };
            if (other < 0 || has_corner(b, other, node)) /* sides within the body count as three times as far */
                *square = fmin(*square, (other < 0 ? 1 : 9) * vv_point_triangle(q + 3 * node, q + 3 * *f[0],
                                                                                q + 3 * *f[1], q + 3 * *f[2]));
        }
    }
    return degree;
}

/* Of all vertices and tets: which bodies a vertex is in, and how deep. */
static double brute_force(const vvWorld *w, const double *q, int *pairs)
{
    const vv_contact *c = w->contact;
    double sum = 0;
    *pairs = 0;
    for (size_t b = 0; b < w->body_count; b++) {
        int *across = neighbours(w->bodies + b);
        for (int v = 0; v < c->vertices.count; v++) {
            double square;
            if (cover(w->bodies + b, across, c->vertices.node[c->vertices.start[v]], q, &square) != 0) {
                sum += 1e8 * c->vertices.area[v] * square * sqrt(square + 1e-15);
                ++*pairs;
            }
        }
        free(across);
    }
    return sum;
}

/* The energy is that of its definition wherever it was searched before, its gradient that of its differences; it
 * moves nothing as a whole. */
static void the_energy_is_that_of_all_pairs(void **state)
{
    (void)state;
    double q[9000], p[9000], g[9000], at[9000], ignored[9000];
    vvWorld *w = tangle(p);
    const int n = 3 * w->nodes;
    double worst = 0;
    assert_true(n <= 9000);
    for (int k = 0; k < 6; k++) {
        for (int i = 0; i < n; i++)
            q[i] = p[i] + (k ? 4e-3 * uniform(-1, 1) : 0) + (k > 2 && i % 3 == 0 && i < n / 3 ? 0.03 * (k - 3) : 0);
        int pairs;
        const double want = brute_force(w, q, &pairs), found = value_at(w, q, g);
        assert_true(pairs > 8);
        assert_near(found, want, 1e-9 * want);
        double sum[3] = { 0 }, moment[3] = { 0 }, size = 0;
        for (int i = 0; i < n / 3; i++) {
            double m[3];
            vv_cross(q + 3 * i, g + 3 * i, m);
            for (int c = 0; c < 3; c++)
                sum[c] += g[3 * i + c], moment[c] += m[c], size += fabs(g[3 * i + c]);
        }
        assert_less(vv_norm(sum) + vv_norm(moment), 1e-12 * size);
        for (int m = 0; m < 60; m++) { /* of nodes that are pushed, and some others */
            const int i = (int)uniform(0, n);
            const double step = 1e-7;
            if (m < 50 && g[i] == 0)
                continue;
            memcpy(at, q, (size_t)n * sizeof *at);
            at[i] = q[i] + step;
            const double up = value_at(w, at, NULL);
            at[i] = q[i] - step;
            worst = fmax(worst, fabs((up - value_at(w, at, NULL)) / (2 * step) - g[i]));
        }
        assert_near(value_at(w, q, ignored), found, 0); /* the same bits after searches elsewhere */
        assert_memory_equal(ignored, g, (size_t)n * sizeof *g);
        double largest = 0;
        for (int i = 0; i < n; i++)
            largest = fmax(largest, fabs(g[i]));
        assert_less(worst, 1e-3 * largest);
    }
    vvWorldDestroy(w);
}

/* Between any two tangles the energy has no jump, though tets turn over and vertices leave through the sides of their
 * own tets: the largest change between neighbouring places gets ever smaller as its interval is halved. */
static void the_energy_is_continuous(void **state)
{
    (void)state;
    double p[9000], from[9000], to[9000], q[9000];
    vvWorld *w = tangle(p);
    const int n = 3 * w->nodes;
    double worst = 0, largest = 0;
    int inner = 0;
    for (int k = 0; k < 12; k++) {
        double a = 0, b = 1, step = 1.0 / 400;
        for (int i = 0; i < n; i++)
            from[i] = p[i] + 0.02 * uniform(-1, 1), to[i] = p[i] + 0.02 * uniform(-1, 1);
        double change = 0, e[2];
        for (int i = 0; i <= 400; i++) {
            for (int j = 0; j < n; j++)
                q[j] = from[j] + i * step * (to[j] - from[j]);
            e[i % 2] = value_at(w, q, NULL);
            largest = fmax(largest, e[i % 2]);
            for (size_t j = 0; j < w->contact->collisions->count; j++)
                inner += w->contact->collisions->pairs[j].inner;
            if (i > 0 && fabs(e[1] - e[0]) > change)
                change = fabs(e[1] - e[0]), a = (i - 1) * step, b = i * step;
        }
        for (int halving = 0; halving < 30; halving++) {
            const double t[3] = { a, 0.5 * (a + b), b };
            double f[3];
            for (int i = 0; i < 3; i++) {
                for (int j = 0; j < n; j++)
                    q[j] = from[j] + t[i] * (to[j] - from[j]);
                f[i] = value_at(w, q, NULL);
            }
            *(fabs(f[1] - f[0]) > fabs(f[2] - f[1]) ? &b : &a) = t[1];
            change = fmax(fabs(f[1] - f[0]), fabs(f[2] - f[1]));
        }
        worst = fmax(worst, change);
    }
    print_message(
        "energies up to %.3g J; the worst change in 1e-12 of a way is %.2g J; %d pairs with sides within bodies\n",
        largest, worst, inner);
    assert_true(inner > 1000);
    assert_less(worst, 1e-8 * largest);
    vvWorldDestroy(w);
}

/* A vertex that has been pressed through its own tets comes out again the way it went. */
static void a_vertex_pressed_in_is_pushed_out(void **state)
{
    (void)state;
    vvWorldDef d = penalty_def(1.0 / 24);
    vvWorld *w = new_world(&d);
    vvError error = { 0 };
    double q[3000], g[3000];
    ball_at(w, 0.1, 4, 0, 0, 0);
    assert_ok(vvWorldBake(w, &error));
    assert_true(3 * w->nodes <= 3000);
    memcpy(q, w->state.q, 3 * (size_t)w->nodes * sizeof *q);
    assert_near(value_at(w, q, NULL), 0, 0);
    const vv_vertices *vs = &w->contact->vertices;
    for (int v = 0; v < vs->count; v++) {
        double *x = q + 3 * vs->node[v], at[3] = { x[0], x[1], x[2] }, last = 0;
        for (int depth = 1; depth < 8; depth++) { /* radially, up to 70 mm deep */
            for (int k = 0; k < 3; k++)
                x[k] = (1 - 0.1 * depth) * at[k];
            const double e = value_at(w, q, g);
            assert_true(e >= 0 && (depth < 4 || e > 0));
            if (e > 0 && depth < 5)
                assert_true(vv_dot(g + 3 * vs->node[v], at) < 0 && e > last);
            last = e;
        }
        memcpy(x, at, sizeof at);
    }
    const vvContactPoint *points; /* nothing touches anything there */
    int count;
    memcpy(w->state.q, q, 3 * (size_t)w->nodes * sizeof *q);
    for (int k = 0; k < 3; k++)
        w->state.q[3 * vs->node[0] + k] *= 0.7;
    assert_ok(vvWorldContactPoints(w, &points, &count, &error));
    assert_int_equal(count, 0);
    assert_near(depth_between(w), 0, 0);
    vvWorldDestroy(w);
}

/* ---- what moves
 * ------------------------------------------------------------------------------------------------------ */

/* The force that parts two cubes, one of which is `depth` deep in the other: two bodies, or parts of one. */
static double parting(bool one, double depth)
{
    vvWorldDef d = penalty_def(1.0 / 24);
    vvWorld *w = new_world(&d);
    vvError error = { 0 };
    vvMesh cube = { 0 };
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("fixed-corotated", 2e4);
    assert_ok(generate_mesh("box", (double[]){ 0.1, 0.1, 0.1, 5, 5, 5, 5 }, &cube, &error));
    const int n = cube.vertexCount, tets = cube.tetCount;
    double *x = malloc(6 * (size_t)n * sizeof *x), force = 0;
    int *t = malloc(8 * (size_t)tets * sizeof *t);
    for (int i = 0; i < 3 * n; i++) /* no two vertices of the second are above each other's edges */
        x[i] = cube.positions[i], x[3 * n + i] = cube.positions[i] + (i % 3 == 0   ? 0.007
                                                                      : i % 3 == 1 ? 0.1 - depth
                                                                                   : 0.004);
    for (int i = 0; i < 4 * tets; i++)
        t[i] = cube.tets[i], t[4 * tets + i] = n + cube.tets[i];
    for (int part = 0; part < (one ? 1 : 2); part++) {
        vvMesh m = {
            .vertexCount = one ? 2 * n : n, .tetCount = one ? 2 * tets : tets, .positions = x + 3 * part * n, .tets = t
        };
        vvMesh finished = { 0 };
        assert_ok(vvMeshCopy(&m, &finished, &error));
        assert_ok(vvMeshFinish(&finished, NULL, &error));
        add_mesh(w, &finished, &def);
    }
    assert_ok(vvWorldBake(w, &error));
    double *g = malloc(3 * (size_t)w->nodes * sizeof *g);
    value_at(w, w->state.q, g);
    for (int i = n; i < 2 * n; i++)
        force -= g[3 * i + 1];
    free(g);
    free(x);
    free(t);
    vvMeshDestroy(&cube);
    vvWorldDestroy(w);
    return force;
}

/* Parts of one body push each other apart much as bodies do, as long as they are no deeper in each other than a tet
 * is high. */
static void parts_of_a_body_push_apart(void **state)
{
    (void)state;
    double last = 0;
    for (int mm = 2; mm <= 18; mm += 4) {
        const double parts = parting(true, 1e-3 * mm), bodies = parting(false, 1e-3 * mm);
        print_message("%d mm deep: parts of a body %.4g N, two bodies %.4g N\n", mm, parts, bodies);
        assert_less(0.5 * bodies, parts);
        assert_true(mm > 14 || parts > last);
        last = parts;
    }
}

static void bodies_that_overlap_separate(void **state)
{
    (void)state;
    vvWorldDef d = penalty_def(1.0 / 24);
    d.gravity[1] = 0;
    vvWorld *w = new_world(&d);
    vvError error = { 0 };
    const vvContactPoint *points;
    int count;
    vvBodyId a = ball_at(w, 0.1, 2, 0, 0, 0), b = ball_at(w, 0.1, 2, 0.17, 0, 0);
    vvContactEvents events;
    assert_ok(vvWorldContactPoints(w, &points, &count, &error));
    assert_true(count > 0 && points[0].gap < 0 && points[0].force > 0);
    for (int i = 0; i < count; i++) { /* out of the other */
        const bool first = points[i].side.body.index1 == a.index1;
        assert_true(first || points[i].side.body.index1 == b.index1);
        assert_true(first ? points[i].normal[0] < 0.3 : points[i].normal[0] > -0.3);
    }
    const double before = depth_between(w);
    vvLedgerRow row = step(w);
    assert_ok(vvWorldContactEvents(w, &events, &error));
    assert_int_equal(events.touchingCount + events.endedCount > 0, 1);
    for (int i = 0; i < 30; i++)
        row = step(w);
    assert_less(0.01, before);
    assert_near(depth_between(w), 0, 1e-12);
    assert_near(row.contact, 0, 1e-12);
    double p[3] = { 0 };
    for (int i = 0; i < vvWorldNodeCount(w); i++)
        for (int k = 0; k < 3; k++)
            p[k] += vvWorldMasses(w)[i] * vvWorldVelocities(w)[3 * i + k];
    assert_less(norm3(p), 1e-4 * vvWorldMasses(w)[0] * vvWorldNodeCount(w));
    vvWorldDestroy(w);
}

/* At 1/24 s a ball goes through the whole of a plate in one step of free flight. It is caught: every vertex is felt
 * wherever the solver tries to go. */
static void the_fast_are_caught(void **state)
{
    (void)state;
    for (int moves = 0; moves < 2; moves++)
        for (int level_set = 0; level_set < 2; level_set++) {
            vvWorldDef d = penalty_def(1.0 / 24);
            vvError error = { 0 };
            vvObstacleDef def = vvDefaultObstacleDef();
            vvMesh plate = { 0 };
            vvDistanceGrid grid = { .counts = { 0 } };
            double values[10] = { 0, -0.5, 0 };
            d.contact.penalty.stiffness = 1e7;
            vvWorld *w = new_world(&d);
            assert_ok(generate_mesh("box", (double[]){ 1, 1, 1, 2, 2, 2, 5 }, &plate, &error));
            assert_ok(vvMeshSampleDistance(&plate, 0.1, 0, &grid, &error));
            memcpy(values + 6, grid.origin, sizeof grid.origin);
            values[9] = grid.spacing;
            def.type = level_set ? "level-set" : "box";
            shape_obstacle(&def, level_set ? values : (double[]){ 0, -0.5, 0, 1, 1, 1, 0, 0, 0 });
            def.samples = level_set ? grid.samples : NULL;
            memcpy(def.sampleCounts, grid.counts, sizeof def.sampleCounts);
            def.moves = moves;
            assert_ok(vvWorldAddObstacle(w, &def, NULL, &error));
            vvBodyId ball = ball_at(w, 0.05, 2, 0, 0.3, 0);
            set_state(w, ball, "linear", (double[]){ 0, -12, 0 });
            double lowest = INFINITY;
            vvLedgerRow row = { 0 };
            for (int i = 0; i < 14; i++) {
                row = step(w);
                for (int k = 0; k < vvWorldNodeCount(w); k++)
                    if (w->body_of[k] == vv_body_index(w, ball))
                        lowest = fmin(lowest, vvWorldPositions(w)[3 * k + 1]);
            }
            assert_less(-0.2, lowest); /* half a metre a step */
            assert_true(isfinite(row.total) && row.contact >= 0);
            vvDistanceGridDestroy(&grid);
            vvMeshDestroy(&plate);
            vvWorldDestroy(w);
        }
}

/* The hole of a soft torus that falls on its edge closes: its sides meet, where without self-contact they pass
 * through each other. */
static void a_torus_holds_its_sides_apart(void **state)
{
    (void)state;
    double deep[2];
    for (int self = 0; self < 2; self++) {
        vvWorldDef d = penalty_def(1.0 / 24);
        vvError error = { 0 };
        d.contact.self = self;
        d.contact.penalty.stiffness = 1e7;
        d.contact.penalty.between = 1e8;
        vvWorld *w = new_world(&d);
        vvMesh mesh = { 0 };
        vvBodyDef def = vvDefaultBodyDef();
        def.material = material("fixed-corotated", 3000);
        def.translate[1] = 0.16;
        def.rotate[0] = 90;
        assert_ok(generate_mesh("torus", (double[]){ 0.1, 0.035, 2, 20 }, &mesh, &error));
        vvBodyId id = add_mesh(w, &mesh, &def);
        set_state(w, id, "linear", (double[]){ 0, -1, 0 });
        obstacle(w, "plane", (double[]){ 0, 0, 0, 0, 1, 0 }, 0.3);
        deep[self] = 0;
        int touched = 0;
        for (int i = 0; i < 9; i++) {
            step(w);
            /* how many vertices are in tets far away from them, by brute force */
            const double *q = vvWorldPositions(w);
            for (int t = 0; t < w->bodies[0].tet_count; t++) {
                const int *n = w->bodies[0].tets + 4 * t;
                for (int v = 0; v < w->nodes; v++) {
                    const double *r = w->rest, away = distance3(r + 3 * v, r + 3 * n[0]);
                    if (away > 0.1 &&
                        vv_point_in_tet(q + 3 * v, q + 3 * n[0], q + 3 * n[1], q + 3 * n[2], q + 3 * n[3]))
                        deep[self]++;
                }
            }
            touched += self && depth_between(w) > 0;
        }
        assert_true(!self || touched > 0);
        vvWorldDestroy(w);
    }
    print_message("vertices inside of other parts, summed over the steps: %.0f without self-contact, %.0f with it\n",
                  deep[0], deep[1]);
    assert_less(20, deep[0]);
    assert_less(deep[1], 0.5 * deep[0]);
}

/* ---- friction
 * -------------------------------------------------------------------------------------------------------- */

/* A block on another one that a level set carries: friction slows the slide, never turns it round, and kinetic energy
 * changes by what is booked. */
static void friction_is_booked(void **state)
{
    (void)state;
    double speed[2];
    for (int rough = 0; rough < 2; rough++) {
        vvWorldDef d = penalty_def(1.0 / 60);
        d.contact.friction = rough ? 0.4 : 0;
        d.contact.penalty.stiffness = 1e9;
        d.solver.tolerance = 1e-6;
        vvWorld *w = new_world(&d);
        vvBodyDef def = vvDefaultBodyDef();
        def.material = material("fixed-corotated", 2e5);
        def.translate[1] = 0.05;
        add_box_def(w, (double[]){ 0.4, 0.1, 0.4 }, (int[]){ 4, 1, 4 }, 5, &def);
        def.translate[1] = 0.15;
        vvBodyId top = add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 2, 2, 2 }, 5, &def);
        obstacle(w, "plane", (double[]){ 0, 0, 0, 0, 1, 0 }, 0);
        set_state(w, top, "linear", (double[]){ 0.6, 0, 0 });
        vvLedgerTotals totals;
        vvLedgerRow row = steps(w, 12);
        vvWorldTotals(w, &totals);
        double p = 0, mass = 0, all = 0;
        for (int i = 0; i < vvWorldNodeCount(w); i++) {
            const double m = vvWorldMasses(w)[i], v = vvWorldVelocities(w)[3 * i];
            all += m * v;
            if (w->body_of[i] == vv_body_index(w, top))
                p += m * v, mass += m;
        }
        speed[rough] = p / mass;
        assert_near(all, 0.6 * mass, 1e-3 * mass); /* the plane is smooth: what one loses the other gains */
        assert_true(rough ? totals.friction > 0 : totals.friction == 0);
        assert_less(row.error, 1e-6 + 1e-3 * row.scale); /* backward Euler loses, it gains nothing */
        vvWorldDestroy(w);
    }
    print_message("a slide of 0.6 m/s after 0.2 s: %.3f m/s, with friction %.3f m/s\n", speed[0], speed[1]);
    assert_less(speed[1], speed[0] - 0.1);
    assert_less(-1e-6, speed[1]);
}

/* ---- copies
 * ---------------------------------------------------------------------------------------------------------- */

/* Threads change no bit; nor does what was searched before: a snapshot goes on as the world itself did. */
static void bits_are_the_same(void **state)
{
    (void)state;
    double *reference = NULL;
    for (int threads = 1; threads <= 3; threads += 2) {
        vvWorldDef d = penalty_def(1.0 / 24);
        d.threads = threads;
        d.contact.friction = 0.3;
        vvWorld *w = new_world(&d);
        vvError error = { 0 };
        vvSnapshot *s;
        ball_at(w, 0.1, 3, 0, 0.1, 0);
        ball_at(w, 0.1, 3, 0.03, 0.32, 0.02);
        obstacle(w, "level-set", NULL, -1);
        obstacle(w, "plane", (double[]){ 0, 0, 0, 0, 1, 0 }, -1);
        steps(w, 1);
        assert_ok(vvWorldSnapshot(w, &s, &error));
        steps(w, 1);
        assert_less(0, depth_between(w));
        steps(w, 1);
        double *first = copy_of(vvWorldPositions(w), 3 * vvWorldNodeCount(w));
        steps(w, 1);
        assert_ok(vvWorldRestore(w, s, &error));
        vvSnapshotDestroy(s);
        steps(w, 2);
        assert_memory_equal(first, vvWorldPositions(w), 3 * (size_t)vvWorldNodeCount(w) * sizeof *first);
        if (reference)
            assert_memory_equal(first, reference, 3 * (size_t)vvWorldNodeCount(w) * sizeof *first);
        else
            reference = copy_of(first, 3 * vvWorldNodeCount(w));
        free(first);
        vvWorldDestroy(w);
    }
    free(reference);
}

/* ---- what is refused
 * ------------------------------------------------------------------------------------------------- */

static void refused(vvWorld *w, const char *words)
{
    vvError error = { 0 };
    assert_int_equal(vvWorldBake(w, &error), VV_ERROR_UNSUPPORTED);
    if (!strstr(error.message, words))
        fail_msg("'%s' is not in: %s", words, error.message);
    vvWorldDestroy(w);
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    vvWorldDef d = penalty_def(1.0 / 24);
    vvError error = { 0 };
    vvWorld *w;
    d.contact.model = "barrier";
    w = new_world(&d);
    ball_at(w, 0.1, 1, 0, 1, 0);
    obstacle(w, "level-set", NULL, -1);
    refused(w, "write contact.model \"springs\" or \"penalty\"");
    d.contact.model = "penalty";
    w = new_world(&d); /* a cloth has no inside */
    vvMesh mesh = { 0 };
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("stvk-membrane", 1e4);
    def.thickness = 1e-3;
    assert_ok(generate_mesh("cloth", (double[]){ 0.2, 0.2, 2, 2 }, &mesh, &error));
    def.mesh = &mesh;
    assert_ok(vvWorldAddBody(w, &def, NULL, &error));
    refused(w, "has no tets of its own");
    w = new_world(&d); /* nor has a kinematic surface */
    def.kinematic = true;
    assert_ok(vvWorldAddBody(w, &def, NULL, &error));
    ball_at(w, 0.1, 1, 0, 1, 0);
    refused(w, "level-set");
    vvMeshDestroy(&mesh);
    d.solver.method = "local-global";
    vvWorld *other;
    if (vvWorldCreate(&d, &other, &error) == VV_OK) {
        vvBodyDef ball = vvDefaultBodyDef();
        ball.material = material("arap", 1e4);
        add_ball(other, 0.1, 1, &ball);
        obstacle(other, "plane", (double[]){ 0, -1, 0, 0, 1, 0 }, -1);
        refused(other, "solver \"local-global\"");
    }
    d = penalty_def(1.0 / 24);
    d.contact.penalty.stiffness = -1;
    assert_int_equal(vvWorldCreate(&d, &other, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "contact.penalty.stiffness"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_hold_in_all_regions),
        cmocka_unit_test(the_energy_is_that_of_all_pairs),
        cmocka_unit_test(the_energy_is_continuous),
        cmocka_unit_test(a_vertex_pressed_in_is_pushed_out),
        cmocka_unit_test(parts_of_a_body_push_apart),
        cmocka_unit_test(bodies_that_overlap_separate),
        cmocka_unit_test(the_fast_are_caught),
        cmocka_unit_test(a_torus_holds_its_sides_apart),
        cmocka_unit_test(friction_is_booked),
        cmocka_unit_test(bits_are_the_same),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
