/* Energies as functions of one node at a time: each energy that offers this, against its own value and derivatives:
 * values up to a constant, gradients everywhere (inverted and flat elements included), second derivatives where they
 * are exact, else not below them; limits; any order of nodes, prescribed ones left out; colours. */
#include "node_fixture.h"
#include "size.h"

#include "energy/batch/rayleigh.h"
#include "energy/tets/materials.h"
#include "energy/shells/membrane.h"
#include "energy/plane/plane.h"
#include "energy/points/potential.h"
#include "energy/rods/rods.h"
#include "energy/points/simple.h"
#include "energy/springs/springs.h"
#include "energy/tets/tets.h"
#include "short_memory.h"

/* ---- tets ---- */

typedef struct state {
    const char *name;
    double stretch[3], jitter;
    bool exact, inverted;
} state;
static const state states[] = {
    { "rest", { 1, 1, 1 }, 0, true, false },
    { "near rest", { 1, 1, 1 }, 0.02, true, false },
    { "stretched", { 1.6, 1.2, 1 }, 0.05, true, false },
    { "pressed", { 0.8, 0.9, 0.7 }, 0.02, true, false },
    { "large", { 3, 2.5, 2 }, 0.1, false, false },
    { "thin", { 1.2, 1, 0.05 }, 0, false, false },
    { "inverted", { 1.2, 0.9, -0.6 }, 0.02, false, true },
    { "flat", { 1, 1, 0 }, 0, false, true },
    { "a line", { 1, 0, 0 }, 0, false, true },
    { "a point", { 0, 0, 0 }, 0, false, true },
    { "thrown about", { 1, 1, 1 }, 2, false, true },
};

static void place(const state *to, const double *rest, rng *r, double *x)
{
    double f[9];
    random_with_values(r, to->stretch, f);
    for (int i = 0; i < NODES; i++) {
        vv_matvec(f, rest + 3 * i, x + 3 * i);
        for (int k = 0; k < 3; k++)
            x[3 * i + k] += 0.5 * to->jitter * rng_next(r);
    }
}

static void tets_by_node(void **unused)
{
    (void)unused;
    grid g = make_grid(2, 0.2);
    rng r = { 5 };
    assert_int_equal(g.nodes, NODES);
    for (int m = 0; m < VV_MATERIAL_COUNT; m++)
        for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
            /* two bodies of other stiffness, which share no element; nodes of both in one group */
            vv_tets_body bodies[2] = { { 0, 20, g.tet, 3, 5 }, { 1, g.tets - 20, g.tet + 80, 4, -1 } };
            double x[3 * NODES];
            char what[64];
            subject s;
            vv_energy *e;
            if (states[i].inverted && vv_tet_kinds[m].inversion_free)
                continue;
            assert_int_equal(vv_tets_create(m, NODES, g.x, 2, bodies, &e, NULL), VV_OK);
            begin(&s, e, false);
            check_order(&s);
            place(states + i, g.x, &r, x);
            snprintf(what, sizeof what, "%s, %s", e->ops->info.name, states[i].name);
            compare(&s, x, states[i].exact, states[i].stretch[1] > 0 || m > VV_MATERIAL_fixed_corotated, what);
            end(&s);
        }
    free_grid(&g);
}

/* A node may go on to a tenth of each J, no farther. */
static void limits_keep_a_tenth(void **unused)
{
    (void)unused;
    grid g = make_grid(2, 0.2);
    rng r = { 9 };
    vv_tets_body body = { 0, g.tets, g.tet, 3, 5 };
    for (int m = 0; m < VV_MATERIAL_COUNT; m++) {
        subject s;
        vv_energy *e;
        assert_int_equal(vv_tets_create(m, NODES, g.x, 1, &body, &e, NULL), VV_OK);
        begin(&s, e, false);
        assert_true((e->ops->nodes->limits != NULL) == (e->ops->max_step != NULL));
        int groups = s.colours.order.groups, cut = 0;
        for (int trial = 0; e->ops->nodes->limits && trial < 20; trial++) {
            double *y = in_fours(g.x), *moves = vv_alloc((size_t)(24 * groups), sizeof *moves),
                   *limits = vv_alloc((size_t)(8 * groups), sizeof *limits);
            for (int i = 0; i < 24 * groups; i++)
                moves[i] = 0.5 * rng_next(&r);
            for (int i = 0; i < 8 * groups; i++)
                limits[i] = 1;
            vv_node_batch b = {
                .end = groups, .node = s.colours.order.node, .x = y, .reach = 2, .moves = moves, .limits = limits
            };
            e->ops->nodes->limits(e, s.data, &b);
            for (int u = 0; u < FREE; u++) {
                int node = s.node[u], at = s.colours.order.place[node];
                double p[3 * NODES] = { 0 };
                for (int k = 0; k < 3; k++)
                    p[3 * node + k] = 2 * moves[24 * (at / 8) + 8 * k + at % 8];
                double most = e->ops->max_step(e, &one_thread, g.x, p), mine = limits[at];
                /* max_step: within a hundredth */
                assert_true(mine > 0 && mine >= 0.98 * most && mine <= 1.03 * most + 1e-12);
                cut += mine < 1;
            }
            vv_free(y);
            vv_free(moves);
            vv_free(limits);
        }
        assert_true(!e->ops->nodes->limits || cut > 20);
        end(&s);
    }
    free_grid(&g);
}

/* ---- membranes ---- */

/* Faces of the tets, in two bodies of different stiffness, the second one with a strain limit of 3 if `limited`. */
static vv_energy *membranes(int model, const grid *g, int *faces, bool limited)
{
    static vv_material m[2];
    vv_element_part part[2];
    for (int t = 0; t < g->tets; t++)
        for (int k = 0; k < 3; k++)
            faces[3 * t + k] = g->tet[4 * t + (k + t) % 4];
    for (int i = 0; i < 2; i++) {
        m[i] = (vv_material){
            .kind = vv_membrane_kinds + model, .def.strainLimit = i && limited ? 3 : 0, .mu = 3 + i, .lambda = 5 - 6 * i
        };
        part[i] = (vv_element_part){ .body = i,
                                     .material = m + i,
                                     .triangle_count = i ? g->tets - 20 : 20,
                                     .triangles = faces + 60 * i,
                                     .thickness = 0.5 };
    }
    vv_element_input in = { NODES, g->x, 2, part };
    vv_energy *e = NULL;
    assert_int_equal(m->kind->create(m->kind, &in, &e, NULL), VV_OK);
    return e;
}

static void membranes_by_node(void **unused)
{
    (void)unused;
    grid g = make_grid(2, 0.2);
    int *faces = malloc(3 * (size_t)g.tets * sizeof *faces);
    rng r = { 25 };
    for (int m = 0; m < VV_MEMBRANE_COUNT; m++)
        for (int limited = 0; limited < 2; limited++)
            for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
                double x[3 * NODES];
                char what[64];
                bool far = states[i].jitter > 1,
                     collapsed =
                         states[i].stretch[1] == 0 || (states[i].stretch[2] == 0 && m == VV_MEMBRANE_NEO_HOOKEAN);
                if ((far && limited) || (collapsed && m == VV_MEMBRANE_NEO_HOOKEAN))
                    continue;
                subject s;
                begin(&s, membranes(m, &g, faces, limited), false);
                check_order(&s);
                place(states + i, g.x, &r, x);
                snprintf(what, sizeof what, "%s, %s, %d", s.e->ops->info.name, states[i].name, limited);
                compare(&s, x, i == 0, true, what);
                end(&s);
            }
    free(faces);
    free_grid(&g);
}

/* ---- triangles in the plane ---- */

/* One face of each tet, put into the plane; two bodies of different stiffness. */
static vv_energy *plane_of(const grid *g, double *flat, int *faces)
{
    static vv_material m[2];
    vv_element_part part[2];
    rng r = { 27 };
    for (int i = 0; i < NODES; i++) /* no three on a line */
        for (int k = 0; k < 3; k++)
            flat[3 * i + k] = k < 2 ? g->x[3 * i + k] + 0.4 * rng_next(&r) : 0;
    for (int t = 0; t < g->tets; t++)
        memcpy(faces + 3 * t, g->tet + 4 * t, 3 * sizeof *faces);
    for (int i = 0; i < 2; i++) {
        m[i] = (vv_material){ .kind = &vv_plane_kind, .mu = 3 + i, .lambda = 5 - 6 * i };
        part[i] = (vv_element_part){ .body = i,
                                     .material = m + i,
                                     .triangle_count = i ? g->tets - 20 : 20,
                                     .triangles = faces + 60 * i,
                                     .thickness = 0.1 };
    }
    vv_element_input in = { NODES, flat, 2, part };
    vv_energy *e = NULL;
    assert_int_equal(vv_plane_kind.create(&vv_plane_kind, &in, &e, NULL), VV_OK);
    return e;
}

static void plane_by_node(void **unused)
{
    (void)unused;
    grid g = make_grid(2, 0.2);
    int *faces = malloc(3 * (size_t)g.tets * sizeof *faces);
    rng r = { 28 };
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        double flat[3 * NODES], x[3 * NODES], angle = 3 * rng_next(&r);
        subject s;
        begin(&s, plane_of(&g, flat, faces), false);
        check_order(&s);
        for (int n = 0; n < NODES; n++) {
            double p = states[i].stretch[1] * flat[3 * n], q = states[i].stretch[2] * flat[3 * n + 1];
            x[3 * n] = cos(angle) * p - sin(angle) * q, x[3 * n + 1] = sin(angle) * p + cos(angle) * q,
                  x[3 * n + 2] = rng_next(&r);
            for (int k = 0; k < 2; k++)
                x[3 * n + k] += 0.5 * states[i].jitter * rng_next(&r);
        }
        compare(&s, x, i == 0, states[i].stretch[1] > 0, states[i].name);
        end(&s);
    }
    free(faces);
    free_grid(&g);
}

/* A node may go as far as the strain limit lets it, and nodes without one anywhere. */
static void limits_keep_to_the_strain(void **unused)
{
    (void)unused;
    grid g = make_grid(2, 0.2);
    int *faces = malloc(3 * (size_t)g.tets * sizeof *faces), cut = 0;
    rng r = { 26 };
    subject s;
    begin(&s, membranes(VV_MEMBRANE_STVK, &g, faces, false), false);
    assert_true(!s.e->ops->nodes->limits && !s.e->ops->max_step);
    end(&s);
    begin(&s, membranes(VV_MEMBRANE_STVK, &g, faces, true), false);
    int groups = s.colours.order.groups;
    for (int trial = 0; trial < 20; trial++) {
        double *y = in_fours(g.x), *moves = vv_alloc((size_t)(24 * groups), sizeof *moves),
               *limits = vv_alloc((size_t)(8 * groups), sizeof *limits);
        for (int i = 0; i < 24 * groups; i++)
            moves[i] = 3 * rng_next(&r);
        for (int i = 0; i < 8 * groups; i++)
            limits[i] = 1;
        vv_node_batch b = {
            .end = groups, .node = s.colours.order.node, .x = y, .reach = 2, .moves = moves, .limits = limits
        };
        s.e->ops->nodes->limits(s.e, s.data, &b);
        for (int u = 0; u < FREE; u++) {
            int node = s.node[u], at = s.colours.order.place[node];
            double p[3 * NODES] = { 0 };
            for (int k = 0; k < 3; k++)
                p[3 * node + k] = 2 * moves[24 * (at / 8) + 8 * k + at % 8];
            double most = s.e->ops->max_step(s.e, &one_thread, g.x, p), mine = limits[at];
            assert_true(mine > 0 && mine >= 0.97 * most && mine <= 1.03 * most + 1e-12);
            cut += mine < 1;
        }
        vv_free(y);
        vv_free(moves);
        vv_free(limits);
    }
    assert_true(cut > 20);
    end(&s);
    free(faces);
    free_grid(&g);
}

/* ---- springs ---- */

static int all_edges(const grid *g, int *edges)
{
    int count = 0;
    for (int i = 0; i < NODES; i++)
        for (int j = 0; j < i; j++) {
            bool joined = false;
            for (int t = 0; t < g->tets && !joined; t++) {
                bool a = false, b = false;
                for (int k = 0; k < 4; k++)
                    a = a || g->tet[4 * t + k] == i, b = b || g->tet[4 * t + k] == j;
                joined = a && b;
            }
            if (joined && i != 13) /* which has some by others only */
                edges[2 * count] = i, edges[2 * count++ + 1] = j;
        }
    return count;
}

static vv_energy *springs_of(int kind, const grid *g)
{
    int edges[2 * NODES * NODES], body[NODES * NODES] = { 0 }, count = all_edges(g, edges);
    double k[NODES * NODES], rest[NODES * NODES];
    vv_energy *e;
    for (int i = 0; i < count; i++) {
        k[i] = i % 7 == 3 ? 0 : 1 + i % 3;
        rest[i] = (i % 11 == 5 && kind != VV_SPRING_NEO_HOOKEAN_ROD ? 0 : 0.9) *
                  vv_edge_length(g->x, edges[2 * i], edges[2 * i + 1]);
        body[i] = i % 2;
    }
    assert_int_equal(vv_springs_create(kind, NODES, count, edges, k, rest, body, &e, NULL), VV_OK);
    return e;
}

static void springs_by_node(void **unused)
{
    (void)unused;
    grid g = make_grid(2, 0.1);
    rng r = { 6 };
    for (int kind = 0; kind < VV_SPRING_COUNT; kind++)
        for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
            double x[3 * NODES];
            char what[64];
            subject s;
            bool point = states[i].stretch[0] == 0;
            if (kind == VV_SPRING_NEO_HOOKEAN_ROD && states[i].stretch[1] == 0)
                continue;
            begin(&s, springs_of(kind, &g), false);
            place(states + i, g.x, &r, x);
            snprintf(what, sizeof what, "%s, %s", s.e->ops->info.name, states[i].name);
            compare(&s, x, !point && states[i].stretch[0] >= 1.6, true, what); /* nowhere shorter than at rest */
            end(&s);
        }
    free_grid(&g);
}

/* ---- rods ---- */

/* A chain of 14 vertices and its 13 directors, the last edge by itself; at rest, and thrown about. */
static void rods_by_node(void **unused)
{
    (void)unused;
    enum { VERTICES = 14, EDGES = 13 };
    rng r = { 8 };
    for (int kind = 0; kind < VV_ROD_COUNT; kind++)
        for (int trial = 0; trial < 12; trial++) {
            const bool twist = kind == VV_ROD_TWISTING;
            double x[3 * NODES];
            vv_rod_joint joints[EDGES] = { 0 };
            vv_energy *e;
            subject s;
            for (int i = 0; i < 3 * NODES; i++) /* directors over the middle */
                x[i] = i < 3 * VERTICES ? (i % 3 == 0 ? i / 3 : 0)
                                        : x[i - 3 * VERTICES] + (double[]){ 0.5, 0.8, 0.3 }[i % 3];
            int count = 0;
            for (int i = 0; i + 2 < EDGES; i++) {
                joints[count] = (vv_rod_joint){ .nodes = { i, i + 1, i + 2, VERTICES + i, VERTICES + i + 1 },
                                                .bend = 1 + i,
                                                .twist = 2,
                                                .hold = { 1, 3 } };
                assert_true(vv_rod_measure((vv_rod_kind)kind, x, joints + count++));
            }
            if (twist) {
                joints[count] = joints[0];
                memcpy(joints[count].nodes, (int[]){ EDGES - 1, EDGES, EDGES, NODES - 1, NODES - 1 }, 5 * sizeof(int));
                joints[count].bend = joints[count].twist = joints[count].hold[1] = 0;
                count++;
            }
            assert_int_equal(
                vv_rods_create((vv_rod_kind)kind, NODES, 1, (int[]){ 0, count }, joints, (int[]){ 0 }, &e, NULL),
                VV_OK);
            begin(&s, e, false);
            check_order(&s);
            for (int i = 0; i < 3 * NODES; i++)
                x[i] += 0.1 * (trial / 2) * rng_next(&r);
            compare(&s, x, trial < 2, true, e->ops->info.name);
            if (trial == 11) { /* in one point */
                memset(x, 0, sizeof x);
                compare(&s, x, false, false, "rods in a point");
            }
            end(&s);
        }
}

/* ---- single nodes, and damping ---- */

static vv_energy *make_single(int kind, const grid *g, bool *dissipation)
{
    static double mass[NODES], drag[NODES], force[3 * NODES];
    static int unknown[NODES];
    static const int held[] = { 1, 5, 5, 20, 26 };
    static const double stiffness[] = { 3, 4, 5, 6, 7 };
    static vv_potential potential[2];
    vv_energy *e = NULL;
    for (int i = 0; i < NODES; i++) {
        mass[i] = 1 + 0.1 * i, drag[i] = i % 3;
        unknown[i] = i < NODES - FREE ? -1 : 0;
        for (int k = 0; k < 3; k++)
            force[3 * i + k] = i - 7 * k;
    }
    *dissipation = kind == 2;
    switch (kind) {
    case 0:
        assert_int_equal(vv_gravity_create(NODES, NULL, mass, g->x, (double[]){ 1, -9, 2 }, &e, NULL), VV_OK);
        break;
    case 1:
        assert_int_equal(vv_external_create(&(vv_external_def){ NODES, unknown }, &e, NULL), VV_OK);
        vv_external_set(e, force, g->x);
        break;
    case 2: assert_int_equal(vv_drag_create(NODES, mass, drag, &e, NULL), VV_OK); break;
    case 3:
        assert_int_equal(vv_attachment_create(&(vv_springs_of_points){ 3, stiffness, (int[]){ 1, 1, 3 }, held,
                                                                       (double[]){ 1, 1, 0.7, 0.5, -0.2 } },
                                              NULL, &e, NULL),
                         VV_OK);
        for (int i = 0; i < 9; i++)
            vv_attachment_targets(e)[i] = 0.1 * i;
        break;
    default:
        if (!vvPotentialInfo(kind - 4))
            return NULL;
        for (int i = 0; i < 2; i++)
            assert_int_equal(vv_potential_make(vvPotentialInfo(kind - 4)->info.name, NULL, 0, potential + i, NULL),
                             VV_OK);
        assert_int_equal(
            vv_potentials_create(2, (vv_potential_part[]){ { potential, 3, held }, { potential + 1, 2, held + 3 } },
                                 NULL, &e, NULL),
            VV_OK);
    }
    return e;
}

static void single_nodes(void **unused)
{
    (void)unused;
    grid g = make_grid(2, 0.2);
    rng r = { 11 };
    bool dissipation;
    for (int kind = 0; kind < 100; kind++) {
        vv_energy *e = make_single(kind, &g, &dissipation);
        double x[3 * NODES];
        subject s;
        if (!e) {
            assert_true(kind > 8);
            break;
        }
        begin(&s, e, dissipation);
        for (int i = 0; i < 3 * NODES; i++)
            x[i] = kind < 4 ? g.x[i] + 0.3 * rng_next(&r) : i % 3 == 1 ? 0.002 + fabs(g.x[i]) : g.x[i];
        compare(&s, x, kind < 4, true, kind < 4 ? e->ops->info.name : vvPotentialInfo(kind - 4)->info.name);
        if (e->ops->nodes->limits) { /* of a barrier, a tenth of the height is left */
            double *y = in_fours(x), moves[24 * 32] = { 0 }, limits[8 * 32];
            for (int i = 0; i < 8 * 32; i++)
                limits[i] = 1, moves[24 * (i / 8) + 8 + i % 8] = -1;
            vv_node_batch b = { .end = s.colours.order.groups,
                                .node = s.colours.order.node,
                                .x = y,
                                .reach = 4,
                                .moves = moves,
                                .limits = limits };
            e->ops->nodes->limits(e, s.data, &b);
            for (int u = 0; u < FREE; u++) {
                double p[3 * NODES] = { 0 };
                p[3 * s.node[u] + 1] = -4;
                assert_true(fabs(limits[s.colours.order.place[s.node[u]]] - e->ops->max_step(e, &one_thread, x, p)) <
                            1e-14);
            }
            vv_free(y);
        }
        end(&s);
    }
    free_grid(&g);
}

static void rayleigh_by_node(void **unused)
{
    (void)unused;
    grid g = make_grid(2, 0.2);
    rng r = { 12 };
    vv_tets_body body = { 0, g.tets, g.tet, 3, 5 };
    vv_energy *tets, *damping;
    double x[3 * NODES], v[3 * NODES];
    subject s;
    assert_int_equal(vv_tets_create(VV_MATERIAL_arap, NODES, g.x, 1, &body, &tets, NULL), VV_OK);
    assert_int_equal(vv_rayleigh_create(tets, (double[]){ 0.1 }, &damping, NULL), VV_OK);
    place(states + 2, g.x, &r, x);
    for (int i = 0; i < 3 * NODES; i++)
        v[i] = rng_next(&r);
    damping->ops->lag(damping, &one_thread, x, v, 0.01);
    begin(&s, damping, true);
    compare(&s, v, true, true, "rayleigh");
    end(&s);
    tets->ops->destroy(tets);
    free_grid(&g);
}

/* ---- the solver's creation ---- */

static vv_system *small_world(grid *g, subject *s)
{
    vv_tets_body body = { 0, g->tets, g->tet, 3, 5 };
    static const int held[] = { 4 };
    vv_energy *e;
    assert_int_equal(vv_tets_create(VV_MATERIAL_arap, NODES, g->x, 1, &body, &e, NULL), VV_OK);
    begin(s, e, false);
    assert_int_equal(
        vv_attachment_create(&(vv_springs_of_points){ 1, (double[]){ 1 }, NULL, held, NULL }, NULL, &e, NULL), VV_OK);
    assert_int_equal(vv_system_add_energy(&s->system, e, NULL), VV_OK);
    return &s->system;
}

static void memory_may_be_short(void **unused)
{
    (void)unused;
    grid g = make_grid(2, 0.2);
    subject s;
    vv_solver_def def = { small_world(&g, &s), vv_linear_table(0) };
    vvStatus status = VV_ERROR_MEMORY;
    int k = 0;
    for (; status != VV_OK && k < 200; k++) {
        budget b = { .left = k };
        vv_solver *solver;
        vvError error = { 0 };
        vvAllocator before = vv_memory_use(budget_allocator(&b));
        status = vv_solver_create(&vv_solver_block_descent, &def, &solver, &error);
        assert_true(status == VV_OK ? solver != NULL : status == VV_ERROR_MEMORY && !solver && *error.message);
        vv_solver_destroy(solver);
        vv_memory_use(before);
        assert_int_equal(b.live, 0);
    }
    assert_true(status == VV_OK && k > 10);
    end(&s);
    free_grid(&g);
}

/* A solve with many sweeps takes fewer of them than Gauss-Seidel, and ends in the same place. */
static void sweeps_until(const vv_objective *o, double *q, int budget_of, vv_solve_stats *stats)
{
    static const vv_solver_def none;
    vv_solver_def def = none;
    vv_solver *solver;
    vvError error = { 0 };
    vv_solve_options options = { .tolerance = 1e-12, .max_iterations = 5000, .budget = budget_of };
    def.system = o->system;
    *stats = (vv_solve_stats){ 0 };
    assert_int_equal(vv_solver_create(&vv_solver_block_descent, &def, &solver, &error), VV_OK);
    assert_int_equal(solver->ops->minimise(solver, o, q, NULL, &options, stats, &error), VV_OK);
    vv_solver_destroy(solver);
}

static void overrelaxation_pays(void **unused)
{
    (void)unused;
    grid g = make_grid(2, 0.2);
    subject s;
    vv_system *system = small_world(&g, &s);
    double q[3 * NODES], y[3 * NODES], least = INFINITY;
    vv_objective o = { .system = system, .h = 20, .y = y, .samples = 1, .sample = { { 1, 1, NULL } } };
    vv_solve_stats stats;
    for (int i = 0; i < 3 * NODES; i++)
        y[i] = g.x[i] + (i % 3 == 1 && i >= 9 ? 0.01 * (i % 5) : 0);
    memcpy(q, g.x, sizeof q);
    sweeps_until(&o, q, 0, &stats);
    assert_int_equal(stats.end, VV_SOLVE_CONVERGED);
    int many = stats.iterations;
    least = vv_objective_value(&o, q);
    /* sweep by sweep from anew each, omega is always 1 */
    memcpy(q, g.x, sizeof q);
    for (int plain = 0; plain < 2 * many; plain++)
        sweeps_until(&o, q, 1, &stats);
    assert_true(stats.end == VV_SOLVE_BUDGET && stats.residual > 100 * 1e-12);
    assert_true(vv_objective_value(&o, q) >= least - 1e-12 * least);
    end(&s);
    free_grid(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tets_by_node),
        cmocka_unit_test(limits_keep_a_tenth),
        cmocka_unit_test(membranes_by_node),
        cmocka_unit_test(plane_by_node),
        cmocka_unit_test(limits_keep_to_the_strain),
        cmocka_unit_test(springs_by_node),
        cmocka_unit_test(rods_by_node),
        cmocka_unit_test(single_nodes),
        cmocka_unit_test(rayleigh_by_node),
        cmocka_unit_test(memory_may_be_short),
        cmocka_unit_test(overrelaxation_pays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
