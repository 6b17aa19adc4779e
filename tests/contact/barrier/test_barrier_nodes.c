/* Contact with analytic obstacles, one node at a time: the barrier, its friction and the step filter against their
 * own values and derivatives; and through the public API: whatever the budget of block descent, nothing passes
 * through an obstacle. */
#include "node_fixture.h"
#include "obstacle_fixture.h"
#include "size.h"
#include "world_support.h"

#include "contact/barrier/barrier.h"

/* A cloud of vertices near an obstacle: the first are nodes, the last three hang between two or three nodes. */
typedef struct cloud {
    vv_vertices vertices;
    vv_barrier_def def;
    vv_obstacle obstacle;
    int start[NODES + 1], node[2 * NODES], body[NODES];
    double weight[2 * NODES], area[NODES], radius[NODES], friction[NODES], x[3 * NODES];
} cloud;

enum { PLAIN = NODES - 3 };

static void make_cloud(cloud *c, int index, uint64_t seed)
{
    rng r = { seed };
    int at = 0;
    c->obstacle = make_obstacle(index);
    for (int v = 0; v < NODES; v++) {
        c->start[v] = at;
        const int parts = v < PLAIN ? 1 : v - PLAIN < 2 ? 2 : 3;
        for (int k = 0; k < parts; k++) {
            c->node[at] = v < PLAIN ? v : (3 * v + 7 * k) % NODES;
            c->weight[at++] = parts == 1 ? 1 : parts == 2 ? 0.25 + 0.5 * k : 1.0 / 3;
        }
        c->area[v] = 0.01 + 0.001 * v, c->radius[v] = v % 4 == 1 ? 0.002 : 0, c->body[v] = v % 2, c->friction[v] = -1;
    }
    c->start[NODES] = at;
    c->vertices = (vv_vertices){ .count = NODES,
                                 .start = c->start,
                                 .node = c->node,
                                 .weight = c->weight,
                                 .area = c->area,
                                 .radius = c->radius,
                                 .body = c->body,
                                 .friction = c->friction };
    c->def = (vv_barrier_def){ .vertices = &c->vertices,
                               .obstacles = &c->obstacle,
                               .obstacle_count = 1,
                               .distance = 0.05,
                               .stiffness = 1e3,
                               .friction = 0.4,
                               .friction_speed = 0.3,
                               .body_count = 2 };
    for (int i = 0; i < NODES; i++) { /* a patch, within the activation distance */
        double n[3], d;
        for (int k = 0; k < 3; k++)
            c->x[3 * i + k] = (k == 0 ? 0.7 : k == 1 ? 0.5 : -0.2) + 0.06 * rng_next(&r);
        d = vv_obstacle_distance(&c->obstacle, c->x + 3 * i, n, NULL);
        for (int k = 0; k < 3; k++)
            c->x[3 * i + k] += (0.03 + 0.02 * rng_next(&r) - d) * n[k];
    }
}

/* Vertices that hang between nodes may end up inside, where the energy is infinite. */
static bool outside(const cloud *c)
{
    for (int v = 0; v < NODES; v++) {
        double x[3];
        vv_vertex_position(&c->vertices, v, c->x, x);
        if (!(vv_contact_gap(&c->def, v, 0, x, NULL, NULL) > 1e-3))
            return false;
    }
    return true;
}

static void barrier_by_node(void **unused)
{
    (void)unused;
    for (int index = 0; vvObstacleInfo(index); index++)
        if (is_exact(index)) {
            int tried = 0;
            for (uint64_t seed = 1; seed < 60 && tried < 4; seed++) {
                cloud c;
                subject s;
                vv_energy *e;
                make_cloud(&c, index, seed);
                if (!outside(&c))
                    continue;
                tried++;
                assert_int_equal(vv_barrier_create(&c.def, &e, NULL), VV_OK);
                begin(&s, e, false);
                check_order(&s);
                compare(&s, c.x, false, true, c.obstacle.ops->type.info.name);
                end(&s);
            }
            assert_int_equal(tried, 4);
        }
}

static void friction_by_node(void **unused)
{
    (void)unused;
    for (int index = 0; vvObstacleInfo(index); index++)
        if (is_exact(index)) {
            for (uint64_t seed = 1; seed < 12; seed++) {
                cloud c;
                subject s;
                vv_energy *e;
                rng r = { seed };
                double v[3 * NODES];
                make_cloud(&c, index, seed);
                if (!outside(&c))
                    continue;
                assert_int_equal(vv_friction_create(&c.def, NULL, &e, NULL), VV_OK);
                e->ops->lag(e, &one_thread, c.x, c.x, 0.01);
                for (int i = 0; i < 3 * NODES; i++)
                    v[i] = 0.5 * rng_next(&r);
                begin(&s, e, true);
                compare(&s, v, false, true, c.obstacle.ops->type.info.name);
                end(&s);
            }
        }
}

/* A node goes on to between a tenth and 15% of each gap, as all nodes together do. */
static void limits_keep_a_tenth(void **unused)
{
    (void)unused;
    for (int index = 0; vvObstacleInfo(index); index++)
        if (is_exact(index)) {
            cloud c;
            subject s;
            vv_energy *e;
            rng r = { 77 };
            int cut = 0;
            uint64_t seed = 1;
            for (make_cloud(&c, index, seed); !outside(&c); make_cloud(&c, index, seed))
                seed++;
            assert_int_equal(vv_barrier_create(&c.def, &e, NULL), VV_OK);
            begin(&s, e, false);
            const int groups = s.colours.order.groups;
            for (int trial = 0; trial < 20; trial++) {
                double *y = in_fours(c.x), *moves = vv_alloc((size_t)(24 * groups), sizeof *moves),
                       *limits = vv_alloc((size_t)(8 * groups), sizeof *limits);
                for (int i = 0; i < 24 * groups; i++)
                    moves[i] = 0.1 * rng_next(&r);
                for (int i = 0; i < 8 * groups; i++)
                    limits[i] = 1;
                vv_node_batch b = {
                    .end = groups, .node = s.colours.order.node, .x = y, .reach = 2, .moves = moves, .limits = limits
                };
                e->ops->nodes->limits(e, s.data, &b);
                for (int u = 0; u < FREE; u++) {
                    const int node = s.node[u], at = s.colours.order.place[node];
                    double p[3 * NODES] = { 0 };
                    for (int k = 0; k < 3; k++)
                        p[3 * node + k] = 2 * moves[24 * (at / 8) + 8 * k + at % 8];
                    const double most = vv_barrier_max_step(&c.def, c.x, p);
                    assert_near(limits[at], most, 1e-12);
                    cut += most < 1;
                }
                vv_free(y);
                vv_free(moves);
                vv_free(limits);
            }
            assert_true(cut > 20);
            end(&s);
        }
}

/* Parts of a way of their own, in any combination, leave a third of each gap. */
static void bounds_hold_in_any_combination(void **unused)
{
    (void)unused;
    for (int index = 0; vvObstacleInfo(index); index++)
        if (is_exact(index)) {
            cloud c;
            rng r = { 5 };
            uint64_t seed = 1;
            int cut = 0, whole = 0;
            for (make_cloud(&c, index, seed); !outside(&c); make_cloud(&c, index, seed))
                seed++;
            for (int trial = 0; trial < 20; trial++) {
                double p[3 * NODES], part[NODES], q[3 * NODES];
                for (int i = 0; i < 3 * NODES; i++)
                    p[i] = 0.1 * rng_next(&r);
                for (int i = 0; i < NODES; i++)
                    part[i] = 1;
                vv_barrier_bounds(&c.def, c.x, p, part);
                for (int i = 0; i < NODES; i++)
                    cut += part[i] < 1, whole += part[i] == 1;
                for (int combination = 0; combination < 10; combination++) {
                    for (int i = 0; i < NODES; i++) {
                        const double factor = part[i] * (combination == 0 ? 1 : 0.5 + 0.5 * rng_next(&r));
                        for (int k = 3 * i; k < 3 * i + 3; k++)
                            q[k] = c.x[k] + factor * p[k];
                    }
                    for (int v = 0; v < NODES; v++) {
                        double before[3], after[3];
                        vv_vertex_position(&c.vertices, v, c.x, before);
                        vv_vertex_position(&c.vertices, v, q, after);
                        const double gap = vv_contact_gap(&c.def, v, 0, before, NULL, NULL);
                        assert_true(vv_contact_gap(&c.def, v, 0, after, NULL, NULL) >= (1 / 3.0 - 1e-9) * gap);
                    }
                }
            }
            assert_true(cut > 20 && whole > 20);
        }
}

/* ---- through the public API ---- */

/* A ball at 10 m/s onto each obstacle, with budgets from 1 to 20; and one that rests there for long: no gap ever
 * closes. */
static void nothing_passes_whatever_the_budget(void **unused)
{
    (void)unused;
    static const struct {
        const char *type;
        double values[9], from[3], velocity[3];
    } rows[] = { { "plane", { 0, 0, 0, 0, 1, 0 }, { 0, 0.12, 0 }, { 3, -10, 0 } },
                 { "sphere", { 0, 0, 0, 0.3 }, { 0.05, 0.42, 0 }, { 0, -10, 0 } },
                 { "box", { 0, 0, 0, 1, 0.2, 1, 10, 20, 30 }, { 0, 0.35, 0 }, { 0, -10, 1 } },
                 { "torus", { 0, 0, 0, 0, 1, 0, 0.2, 0.1 }, { 0.1, 0.3, 0 }, { 0, -10, 0 } },
                 { "capsule", { 0, 0, 0, 1, 0, 0, 0.1, 0.4 }, { 0, 0.25, 0 }, { 0, -10, 0 } } };
    static const int budgets[] = { 1, 2, 5, 20 };
    static const char *const solvers[] = { "block-descent", "lbfgs" };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t b = 0; b < sizeof budgets / sizeof *budgets; b += sanitized() ? 3 : 1)
            for (size_t k = 0; k < 2; k++) {
                vvWorldDef d = vvDefaultWorldDef();
                d.timeStep = 1.0 / 60;
                d.integrator.groundMode = VV_GROUND_NONE;
                d.contact.self = false;
                d.contact.friction = 0.3;
                d.solver.method = solvers[k];
                d.solver.budget = budgets[b];
                d.threads = 1;
                vvWorld *w = new_world(&d);
                vvBodyDef def = vvDefaultBodyDef();
                def.material = material("stable-neo-hookean", 1e5);
                memcpy(def.translate, rows[i].from, sizeof def.translate);
                vvBodyId body = add_ball(w, 0.08, 3, &def);
                set_state(w, body, "linear", rows[i].velocity);
                obstacle(w, rows[i].type, rows[i].values, -1);
                double least = INFINITY;
                for (int n = 0; n < sized(30, 60, 600); n++) {
                    const vvLedgerRow row = steps(w, 1);
                    assert_true(row.minGap > 0 && isfinite(row.total));
                    least = fmin(least, row.minGap);
                }
                assert_less(least, 5e-3); /* it was felt */
                vvWorldDestroy(w);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(barrier_by_node),
        cmocka_unit_test(friction_by_node),
        cmocka_unit_test(limits_keep_a_tenth),
        cmocka_unit_test(bounds_hold_in_any_combination),
        cmocka_unit_test(nothing_passes_whatever_the_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
