/* Contact between surfaces: the energy is the sum that its definition says, derivatives are those of the energy, the
 * convergent sum does not depend on meshes, momenta are kept, nothing passes. */
#include "size.h"
#include "world_support.h"

#include <float.h>

#include "base/vec.h"
#include "contact/broad/broad.h"
#include "contact/pairs/potential.h"
#include "visviva/contact.h"
#include "world/world.h"

static uint64_t random_state = 5;
static double uniform(double low, double high) { return low + (high - low) * vv_random(&random_state); }

static vv_energy *barrier_of(const vvWorld *w)
{
    const vv_system *s = &w->system;
    for (int i = 0; i < s->energies; i++)
        if (strcmp(s->energy[i]->ops->info.name, "surface-barrier") == 0)
            return s->energy[i];
    fail_msg("there is no barrier between surfaces");
    return NULL;
}

static double energy_at(const vvWorld *w, const double *q)
{
    vv_energy *e = barrier_of(w);
    vv_energy_update(e, &w->par, q);
    return e->ops->value(e, &w->par, q, NULL);
}

static void gradient_at(const vvWorld *w, const double *q, double *g)
{
    vv_energy *e = barrier_of(w);
    vv_energy_update(e, &w->par, q);
    memset(g, 0, 3 * (size_t)w->nodes * sizeof *g);
    e->ops->derivatives(e, &w->par, q, 1, VV_HESSIAN_EXACT, g, NULL);
}

static vvBodyDef body_at(double x, double y, double z)
{
    vvBodyDef def = vvDefaultBodyDef();
    def.translate[0] = x, def.translate[1] = y, def.translate[2] = z;
    return def;
}

/* A square sheet at height y, of n x n cells cut in two triangles each. */
static void add_sheet(vvWorld *w, double size, int n, double x, double y, double z, double turn)
{
    vvMesh mesh = { .vertexCount = (n + 1) * (n + 1), .triangleCount = 2 * n * n };
    mesh.positions = malloc(3 * (size_t)mesh.vertexCount * sizeof(double));
    mesh.triangles = malloc(3 * (size_t)mesh.triangleCount * sizeof(int));
    for (int i = 0; i <= n; i++)
        for (int j = 0; j <= n; j++) {
            double *p = mesh.positions + 3 * (i * (n + 1) + j);
            p[0] = size * ((double)i / n - 0.5), p[1] = 0, p[2] = size * ((double)j / n - 0.5);
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            int at = i * (n + 1) + j, *t = mesh.triangles + 6 * (i * n + j);
            int quad[6] = { at, at + 1, at + n + 2, at, at + n + 2, at + n + 1 };
            memcpy(t, quad, sizeof quad);
        }
    vvError error = { 0 };
    vvBodyDef def = body_at(x, y, z);
    def.material.model = "hooke";
    def.material.density = 1;
    def.rotate[1] = turn;
    def.mesh = &mesh;
    vvBodyId id;
    assert_ok(vvWorldAddBody(w, &def, &id, &error));
    free(mesh.positions);
    free(mesh.triangles);
}

/* A box over a tilted box over a cloth, all nearer than d-hat somewhere; all lengths times `scale`. */
static vvWorld *scaled_pile(bool convergent, double thickness, double scale)
{
    vvError error = { 0 };
    vvWorldDef d = free_def("backward-euler", 1.0 / 120, 1e-3);
    d.contact.model = "barrier";
    d.contact.distance = 5e-3 * scale;
    d.contact.convergent = convergent;
    vvWorld *w = new_world(&d);
    vvBodyDef def = body_at(0, (0.05 + 0.003 + thickness) * scale, 0);
    def.thickness = thickness * scale;
    def.rotate[1] = 20;
    add_box_def(w, (double[]){ 0.1 * scale, 0.1 * scale, 0.1 * scale }, (int[]){ 3, 3, 3 }, 6, &def);
    def = body_at(0.02 * scale, -0.05 * scale, 0.01 * scale);
    def.thickness = thickness * scale;
    add_box_def(w, (double[]){ 0.12 * scale, 0.1 * scale, 0.12 * scale }, (int[]){ 4, 3, 4 }, 6, &def);
    add_sheet(w, 0.08 * scale, 6, 0.01 * scale, (0.103 + 0.003 + 2 * thickness) * scale, 0, 7);
    assert_ok(vvWorldBake(w, &error));
    return w;
}

static vvWorld *pile_of_three(bool convergent, double thickness) { return scaled_pile(convergent, thickness, 1); }

static double *shaken(const vvWorld *w, double by)
{
    double *q = malloc(3 * (size_t)w->nodes * sizeof *q);
    for (int i = 0; i < 3 * w->nodes; i++)
        q[i] = w->state.q[i] + uniform(-by, by);
    return q;
}

static void test_derivatives(void **state)
{
    (void)state;
    for (int variant = 0; variant < 4; variant++) {
        vvWorld *w = pile_of_three(variant & 1, variant & 2 ? 1e-3 : 0);
        double *q = shaken(w, 2e-4);
        size_t n = 3 * (size_t)w->nodes;
        double *p = malloc(n * sizeof *p), *g = malloc(n * sizeof *g), *more = malloc(n * sizeof *g),
               *x = malloc(n * sizeof *g);
        gradient_at(w, q, g);
        assert_true(w->contact->collisions->count > 40);
        double scale = 0;
        for (size_t i = 0; i < n; i++)
            scale = fmax(scale, fabs(g[i]));
        assert_true(scale > 0);
        double force[3] = { 0 }, torque[3] = { 0 }, c[3];
        for (int i = 0; i < w->nodes; i++) {
            vv_cross(q + 3 * i, g + 3 * i, c);
            for (int k = 0; k < 3; k++)
                force[k] += g[3 * i + k], torque[k] += c[k];
        }
        for (int k = 0; k < 3; k++) {
            assert_near(force[k], 0, 1e-11 * scale);
            assert_near(torque[k], 0, 1e-11 * scale);
        }
        for (int trial = 0; trial < 5; trial++) {
            double h = 1e-8, slope = 0, size = 0;
            for (size_t i = 0; i < n; i++)
                p[i] = uniform(-1, 1);
            for (size_t i = 0; i < n; i++) {
                slope += g[i] * p[i];
                size += fabs(g[i] * p[i]);
                x[i] = q[i] + h * p[i];
            }
            double up = energy_at(w, x);
            for (size_t i = 0; i < n; i++)
                x[i] = q[i] - h * p[i];
            assert_near((up - energy_at(w, x)) / (2 * h), slope, 1e-5 * size);
            /* exact Hessian times p, against a difference of gradients: the unknowns' rows */
            vv_system *s = &w->system;
            vv_energy *e = barrier_of(w);
            vv_pattern pattern = { .n = s->unknowns }; /* none of its own */
            vv_bsr a;
            vv_block_target to = { &a, s->unknown, NULL };
            assert_int_equal(vv_bsr_build(&a, &pattern, NULL), VV_OK);
            vv_energy_update(e, &w->par, q);
            double *pu = malloc(n * sizeof *pu), *hp = malloc(n * sizeof *hp), *du = malloc(n * sizeof *du);
            double *qp = malloc(n * sizeof *qp), along[2], most = 0;
            vv_pack(s, p, pu);
            for (int mode = 0; mode < 2; mode++) {
                vv_bsr_clear(&a, &w->par);
                e->ops->derivatives(e, &w->par, q, 1, mode ? VV_HESSIAN_PROJECTED : VV_HESSIAN_EXACT, g, &to);
                vv_bsr_finish(&a);
                assert_int_equal(vv_bsr_status(&a, NULL), VV_OK);
                vv_bsr_multiply(&a, &w->par, pu, mode ? qp : hp);
                along[mode] = vv_sum_dot(s, pu, mode ? qp : hp, 3 * s->unknowns);
            }
            assert_true(along[1] >= along[0] - 1e-9 * fabs(along[0]));
            assert_true(along[1] >= 0);
            for (size_t i = 0; i < n; i++)
                x[i] = q[i] + h * p[i];
            gradient_at(w, x, more);
            for (size_t i = 0; i < n; i++)
                x[i] = q[i] - h * p[i];
            gradient_at(w, x, g);
            for (size_t i = 0; i < n; i++)
                more[i] = (more[i] - g[i]) / (2 * h);
            vv_pack(s, more, du);
            for (int i = 0; i < 3 * s->unknowns; i++)
                most = fmax(most, fabs(du[i]));
            for (int i = 0; i < 3 * s->unknowns; i++)
                assert_near(hp[i], du[i], 2e-4 * most);
            gradient_at(w, q, g);
            free(pu), free(hp), free(du), free(qp);
            vv_bsr_free(&a);
        }
        free(p), free(g), free(more), free(x), free(q);
        vvWorldDestroy(w);
    }
}

/* ---- against the definition ---- */

static double pair_energy(const vvWorld *w, vv_stencil kind, const int *vertex, double area, double eps)
{
    vv_pair_state s = { .kind = kind,
                        .activation = w->def.contact.distance,
                        .stiffness = w->def.contact.stiffness * area };
    for (int i = 0; i < vv_stencil_points(kind); i++)
        memcpy(s.x[i], w->state.q + 3 * (size_t)w->contact->vertices.node[vertex[i]], sizeof s.x[i]);
    vv_stencil_distance2(kind, (const double(*)[3])s.x, NULL, s.w);
    s.mollifier = eps > 0 && vv_pair_mollified((const double(*)[3])s.x, eps) ? eps : 0;
    return vv_pair_energy(&s);
}

/* What counts of a vertex over a triangle: of what is larger than the other side the other side, and more than half
 * of what is much smaller. */
static double vertex_area(const vv_surface *s, int v, const int *triangle)
{
    const double *a = s->vertices->area;
    double most = fmax(a[triangle[0]], fmax(a[triangle[1]], a[triangle[2]]));
    return a[v] > most ? most / 2 : a[v] > most / 2 ? a[v] / 2 : a[v] * (1 - a[v] / most);
}

/* The plain sum of two bodies, over all stencils. */
static void test_definition(void **state)
{
    (void)state;
    vvWorld *w = pile_of_three(false, 0);
    const vv_surface *s = &w->contact->surface;
    double sum = 0;
    for (int t = 0; t < s->triangle_count; t++)
        for (int v = 0; v < s->vertices->count; v++) {
            int at[4] = { v, s->triangle[t][0], s->triangle[t][1], s->triangle[t][2] };
            if (s->vertices->body[v] != s->vertices->body[at[1]])
                sum += pair_energy(w, VV_STENCIL_VT, at, vertex_area(s, v, s->triangle[t]), 0);
        }
    for (int a = 0; a < s->edge_count; a++)
        for (int b = 0; b < a; b++) {
            int at[4] = { s->edge[a][0], s->edge[a][1], s->edge[b][0], s->edge[b][1] };
            double rest[4][3];
            for (int i = 0; i < 4; i++)
                memcpy(rest[i], s->rest + 3 * (size_t)at[i], sizeof rest[i]);
            if (s->vertices->body[at[0]] != s->vertices->body[at[2]])
                sum += pair_energy(w, VV_STENCIL_EE, at, 0.5 * fmin(s->edge_area[a], s->edge_area[b]),
                                   vv_pair_mollifier((const double(*)[3])rest));
        }
    assert_true(sum > 0);
    assert_near(energy_at(w, w->state.q), sum, 1e-12 * sum);
    vvWorldDestroy(w);
}

/* How many triangles have the edge; how many edges have the vertex; how many triangles, and 0 where their fan is
 * open. */
static int triangles_at(const vv_surface *s, const int edge[2])
{
    int count = 0;
    for (int t = 0; t < s->triangle_count; t++)
        for (int k = 0; k < 3; k++) {
            int a = s->triangle[t][k], b = s->triangle[t][(k + 1) % 3];
            count += (a == edge[0] && b == edge[1]) || (a == edge[1] && b == edge[0]);
        }
    return count;
}

static int edges_at(const vv_surface *s, int v)
{
    int count = 0;
    for (int e = 0; e < s->edge_count; e++)
        count += s->edge[e][0] == v || s->edge[e][1] == v;
    return count;
}

static int closed_fan_at(const vv_surface *s, int v)
{
    int count = 0;
    for (int t = 0; t < s->triangle_count; t++)
        count += s->triangle[t][0] == v || s->triangle[t][1] == v || s->triangle[t][2] == v;
    return count == edges_at(s, v) ? count : 0;
}

/* Of edges that meet: the distance between the parts of them in `mask`, with the mollifier of the whole edges. */
static double parts_energy(const vvWorld *w, const int at[4], unsigned mask, double area, double eps)
{
    static const vv_stencil kinds[] = { VV_STENCIL_VV, VV_STENCIL_VE, VV_STENCIL_EE };
    vv_pair_state s = { .kind = VV_STENCIL_EE,
                        .activation = w->def.contact.distance,
                        .stiffness = w->def.contact.stiffness * area };
    double x[4][3], weights[4];
    int place[4], n = 0;
    bool edge_first = (mask & 3) == 3 && (mask >> 2) != 3; /* a stencil has its point first */
    for (int i = 0; i < 4; i++)
        memcpy(s.x[i], w->state.q + 3 * (size_t)w->contact->vertices.node[at[i]], sizeof s.x[i]);
    for (int i = 0; i < 4; i++) {
        int j = edge_first ? (i + 2) % 4 : i;
        if (mask >> j & 1)
            place[n++] = j;
    }
    for (int i = 0; i < n; i++)
        memcpy(x[i], s.x[place[i]], sizeof x[i]);
    vv_stencil_distance2(kinds[n - 2], (const double(*)[3])x, NULL, weights);
    for (int i = 0; i < n; i++)
        s.w[place[i]] = weights[i];
    s.mollifier = vv_pair_mollified((const double(*)[3])s.x, eps) ? eps : 0;
    return vv_pair_energy(&s);
}

/* Active pairs are closer than their activation distance; the parts of edges in a mollified pair need not be. */
static void pairs_are_near(const vv_collisions *c)
{
    for (size_t i = 0; i < c->count; i++) {
        vv_pair_state s;
        double r[3] = { 0 };
        vv_pair_state_at(c, c->pairs + i, &s);
        for (int j = 0; j < vv_stencil_points(s.kind); j++)
            for (int k = 0; k < 3; k++)
                r[k] += s.w[j] * s.x[j][k];
        if (s.mollifier == 0)
            assert_less(vv_norm(r), s.min_distance + s.activation);
    }
}

/* The convergent sum, over all stencils: triangles less inner edges and inner vertices; edges less their ends'
 * shares. */
static void test_convergent_definition(void **state)
{
    (void)state;
    const double edges_part = 0.1;
    vvWorld *w = pile_of_three(true, 0);
    const vv_surface *s = &w->contact->surface;
    double points = 0, edges = 0;
    for (int t = 0; t < s->triangle_count; t++)
        for (int v = 0; v < s->vertices->count; v++) {
            const int *c = s->triangle[t];
            double area = (1 - edges_part) * 0.5 * s->vertices->area[v];
            if (s->vertices->body[v] == s->vertices->body[c[0]])
                continue;
            points += pair_energy(w, VV_STENCIL_VT, (int[]){ v, c[0], c[1], c[2] }, area, 0);
            for (int k = 0; k < 3; k++) {
                int edge[2] = { c[k], c[(k + 1) % 3] }, around = triangles_at(s, edge), fan = closed_fan_at(s, c[k]);
                points +=
                    pair_energy(w, VV_STENCIL_VE, (int[]){ v, edge[0], edge[1], -1 }, -area * (1 - 1.0 / around), 0);
                points += fan ? pair_energy(w, VV_STENCIL_VV, (int[]){ v, c[k], -1, -1 }, area / fan, 0) : 0;
            }
        }
    for (int a = 0; a < s->edge_count; a++)
        for (int b = 0; b < a; b++) {
            int at[4] = { s->edge[a][0], s->edge[a][1], s->edge[b][0], s->edge[b][1] };
            double rest[4][3], share[4];
            if (s->vertices->body[at[0]] == s->vertices->body[at[2]])
                continue;
            for (int i = 0; i < 4; i++)
                memcpy(rest[i], s->rest + 3 * (size_t)at[i], sizeof rest[i]);
            double eps = vv_pair_mollifier((const double(*)[3])rest);
            double area = edges_part * 0.5 * PI * s->edge_area[a] * s->edge_area[b] /
                          (distance3(rest[0], rest[1]) * distance3(rest[2], rest[3]));
            if (parts_energy(w, at, 15, area, eps) == 0)
                continue; /* its ends are no nearer */
            for (int i = 0; i < 4; i++)
                share[i] = -(1 - 1.0 / edges_at(s, at[i]));
            for (unsigned mask = 5; mask < 16; mask++)
                if (mask & 3 && mask >> 2) {
                    double part =
                        ((mask & 3) == 3 ? 1 : share[(mask & 3) - 1]) * (mask >> 2 == 3 ? 1 : share[(mask >> 2) + 1]);
                    edges += parts_energy(w, at, mask, area * part, eps);
                }
        }
    print_message("convergent: %g J of points and triangles, %g J of edges\n", points, edges);
    assert_true(points > 0 && edges > 0);
    assert_near(energy_at(w, w->state.q), points + edges, 1e-11 * (points + edges));
    pairs_are_near(w->contact->collisions);
    vvWorldDestroy(w);
}

/* ---- the convergent sum ---- */

static double plates_energy(int coarse, int fine, double turn, double shift, bool convergent)
{
    vvError error = { 0 };
    vvWorldDef d = free_def("backward-euler", 1.0 / 120, 1e-3);
    d.contact.model = "barrier";
    d.contact.distance = 2e-3;
    d.contact.convergent = convergent;
    vvWorld *w = new_world(&d);
    add_sheet(w, 0.3, coarse, 0, 0, 0, 0);
    add_sheet(w, 0.1, fine, shift, 1e-3, 0.7 * shift, turn); /* inside the other's footprint */
    assert_ok(vvWorldBake(w, &error));
    double e = energy_at(w, w->state.q);
    vvWorldDestroy(w);
    return e;
}

static double mean_energy(int coarse, int fine, bool convergent)
{
    double sum = 0;
    for (int k = 0; k < 8; k++)
        sum += plates_energy(coarse, fine, 11 + 7.3 * k, 0.0031 * k, convergent);
    return sum / 8;
}

static void test_convergent(void **state)
{
    (void)state;
    int meshes[][2] = { { 12, 4 }, { 24, 8 }, { 24, 16 }, { 12, 16 }, { 40, 8 } };
    double b[3];
    vv_barrier(0.5, b);
    double whole = 1e5 * 2e-3 * 0.1 * 0.1 * b[0]; /* of the area in contact */
    for (size_t i = 0; i < sizeof meshes / sizeof *meshes; i++) {
        double e = mean_energy(meshes[i][0], meshes[i][1], true),
               plain = mean_energy(meshes[i][0], meshes[i][1], false);
        print_message("convergent %d %d: %g of the plates' own, plain %g\n", meshes[i][0], meshes[i][1], e / whole,
                      plain / whole);
        assert_near(e / whole, 1, 0.04);
    }
}

/* ---- steps ---- */

static void collide_boxes(double friction)
{
    vvError error = { 0 };
    vvWorldDef d = free_def("backward-euler", 1.0 / 240, 1e-9);
    d.contact.model = "barrier";
    d.contact.friction = friction;
    vvWorld *w = new_world(&d);
    vvBodyDef def = body_at(0, 0, 0);
    def.material = material("neo-hookean", 5e4);
    add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 3, 3, 3 }, 6, &def);
    def.translate[0] = 0.135, def.translate[1] = 0.03, def.rotate[2] = 25, def.rotate[0] = 10;
    vvBodyId other = add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 3, 3, 3 }, 6, &def);
    assert_ok(start_with(w, other, "linear", (double[]){ -2, 0.3, 0 }, &error));
    vvLedgerRow first, row;
    assert_ok(vvWorldLedger(w, &first, &error));
    bool touched = false;
    for (int i = 0; i < 40; i++) {
        const vvContactPoint *points;
        int count, crossings;
        assert_ok(vvWorldStep(w, NULL, &error));
        assert_ok(vvWorldLedger(w, &row, &error));
        assert_ok(vvWorldContactPoints(w, &points, &count, &error));
        touched = touched || count > 0;
        for (int k = 0; k < 3; k++) {
            assert_near(row.momentum[k], first.momentum[k], 1e-7);
        }
        assert_ok(vvWorldFindIntersections(w, NULL, 0, &crossings, &error));
        assert_int_equal(crossings, 0);
    }
    vvLedgerTotals totals;
    vvWorldTotals(w, &totals);
    assert_true(touched && (totals.friction > 0) == (friction > 0));
    vvWorldDestroy(w);
}

static void test_momenta(void **state)
{
    (void)state;
    collide_boxes(0);
    collide_boxes(0.4);
}

/* ---- every way of stepping ---- */

static void must_be_clear(vvWorld *w)
{
    vvError error = { 0 };
    int crossings;
    assert_ok(vvWorldFindIntersections(w, NULL, 0, &crossings, &error));
    assert_int_equal(crossings, 0);
    for (int i = 0; i < 3 * vvWorldNodeCount(w); i++)
        assert_true(isfinite(vvWorldPositions(w)[i]) && isfinite(vvWorldVelocities(w)[i]));
}

/* A soft box thrown at another, over a plane; a rod and a sheet fall on both. */
static vvWorld *crash(const char *scheme, const char *policy, double h, int threads)
{
    vvError error = { 0 };
    vvWorldDef d = vvDefaultWorldDef();
    d.timeStep = h;
    d.integrator.scheme = scheme;
    d.integrator.policy = policy;
    d.integrator.groundMode = VV_GROUND_NONE;
    d.contact.friction = 0.3;
    d.contact.frictionSpeed = 1e-3;
    d.threads = threads;
    vvWorld *w = new_world(&d);
    vvBodyDef def = body_at(0, 0.0515, 0);
    def.material = material("neo-hookean", 5e4);
    add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 2, 2, 2 }, 6, &def);
    def = body_at(0.15, 0.11, 0.03);
    def.material = material("neo-hookean", 5e4);
    def.rotate[0] = 30, def.rotate[2] = 40;
    vvBodyId thrown = add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 2, 2, 2 }, 6, &def);
    assert_ok(start_with(w, thrown, "linear", (double[]){ -3, -1, 0 }, &error));
    add_sheet(w, 0.2, 5, 0, 0.22, 0, 15);
    vvMaterialDef hooke = material("hooke", 0);
    hooke.springStiffness = 50;
    hooke.density = 0.05;
    double x[4 * 3] = { -0.15, 0.115, 0.02, -0.05, 0.12, 0.02, 0.02, 0.12, 0.01, 0.04, 0.13, -0.1 };
    add_edges(w, 4, x, 3, (int[]){ 0, 1, 1, 2, 2, 3 }, &hooke);
    vvObstacleDef plane = vvDefaultObstacleDef();
    assert_ok(vvWorldAddObstacle(w, &plane, NULL, &error));
    return w;
}

static void test_schemes(void **state)
{
    (void)state;
    static const char *const ways[][2] = { { "backward-euler", "none" }, { "bdf2", "none" },
                                           { "backward-euler", "a1" },   { "backward-euler", "search" },
                                           { "sdirk2", "none" },         { "tr-bdf2", "none" } };
    static const double steps_of[] = { 1.0 / 30, 1.0 / 120, 1.0 / 1000 };
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++)
        for (int j = 0; j < sized(2, 3, 3); j++) {
            vvError error = { 0 };
            vvWorld *w = crash(ways[k][0], ways[k][1], steps_of[j], 1);
            for (int i = 0; i < (j == 2 ? 60 : 15); i++) {
                assert_ok(vvWorldStep(w, NULL, &error));
                must_be_clear(w);
            }
            vvLedgerTotals totals;
            vvWorldTotals(w, &totals);
            assert_true(totals.minJ > 0 && totals.minGap > 0);
            vvWorldDestroy(w);
        }
}

static void test_explicit_schemes_are_stopped(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *w = crash("symplectic-euler", "none", 1.0 / 120, 1);
    vvStatus status = VV_OK;
    for (int i = 0; i < 10 && status == VV_OK; i++)
        status = vvWorldStep(w, NULL, &error);
    assert_int_equal(status, VV_ERROR_SOLVER);
    must_be_clear(w);
    vvWorldDestroy(w);
}

/* ---- the same bits: threads, and a world that begins in the middle ---- */

static void same_state(const vvWorld *a, const vvWorld *b)
{
    size_t bytes = 3 * (size_t)vvWorldNodeCount(a) * sizeof(double);
    assert_memory_equal(vvWorldPositions(a), vvWorldPositions(b), bytes);
    assert_memory_equal(vvWorldVelocities(a), vvWorldVelocities(b), bytes);
}

static void test_same_bits(void **state)
{
    (void)state;
    vvError error = { 0 };
    for (int k = 0; k < 2; k++) {
        vvWorld *w = crash(k ? "bdf2" : "backward-euler", k ? "none" : "search", 1.0 / 120, 1);
        vvWorld *two = crash(k ? "bdf2" : "backward-euler", k ? "none" : "search", 1.0 / 120, 2), *late = NULL;
        for (int i = 0; i < 16; i++) {
            assert_ok(vvWorldStep(w, NULL, &error));
            assert_ok(vvWorldStep(two, NULL, &error));
            same_state(w, two);
            if (late) {
                vvLedgerRow a, b;
                assert_ok(vvWorldStep(late, NULL, &error));
                same_state(w, late);
                assert_ok(vvWorldLedger(w, &a, &error));
                assert_ok(vvWorldLedger(late, &b, &error));
                assert_true(a.contact == b.contact && a.friction == b.friction && a.minGap == b.minGap &&
                            a.pcgIterations == b.pcgIterations);
            }
            if (i == 8) { /* the boxes touch */
                const vvContactPoint *points;
                int count;
                assert_ok(vvWorldContactPoints(w, &points, &count, &error));
                assert_true(count > 0);
                late = crash(k ? "bdf2" : "backward-euler", k ? "none" : "search", 1.0 / 120, 1);
                assert_ok(vvWorldBake(late, &error));
                size_t size = vvWorldStateSize(w);
                void *saved = malloc(size);
                assert_ok(vvWorldSaveState(w, saved, size, &error));
                assert_ok(vvWorldLoadState(late, saved, size, &error));
                free(saved);
            }
        }
        vvWorldDestroy(w);
        vvWorldDestroy(two);
        vvWorldDestroy(late);
    }
}

/* ---- steps that go on and on towards a surface ---- */

/* As often as it is asked, the filter leaves a gap that the positions' own rounding cannot close, and lets things
 * part again. */
static void test_never_as_near_as_rounding(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = free_def("backward-euler", 1.0 / 120, 1e-3);
    d.contact.model = "barrier";
    d.contact.distance = 2e-7;
    vvWorld *w = new_world(&d);
    add_sheet(w, 3e-4, 2, 0, -1e-4, 0, 0);
    add_sheet(w, 1e-4, 3, 1e-5, -1e-4 + 1.5e-7, 2e-5, 20);
    assert_ok(vvWorldBake(w, &error));
    size_t n3 = 3 * (size_t)w->nodes, top = (size_t)w->bodies[1].first;
    double *q = malloc(n3 * sizeof *q), *p = calloc(n3, sizeof *p), least = INFINITY;
    memcpy(q, w->state.q, n3 * sizeof *q);
    for (size_t i = top; i < (size_t)w->nodes; i++)
        p[3 * i] = 1e-7, p[3 * i + 1] = -1e-6;
    for (int k = 0; k < 60; k++) {
        double t = vv_collisions_max_step(w->contact->collisions, &w->par, q, p);
        for (size_t i = 0; i < n3; i++)
            q[i] += t * p[i];
        for (size_t i = top; i < (size_t)w->nodes; i++)
            least = fmin(least, q[3 * i + 1] - q[1]);
    }
    assert_true(least > 16 * DBL_EPSILON * 1e-4 && least < 1e-12);
    for (size_t i = 0; i < n3; i++)
        p[i] = -p[i];
    assert_true(vv_collisions_max_step(w->contact->collisions, &w->par, q, p) == 1);
    free(q);
    free(p);
    vvWorldDestroy(w);
}

/* ---- thickness ---- */

static void test_thickness_keeps_off(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = vvDefaultWorldDef();
    d.integrator.groundMode = VV_GROUND_NONE;
    vvWorld *w = new_world(&d);
    vvBodyDef def = body_at(0, 0, 0);
    vvMesh table = { 0 };
    assert_ok(vvMeshGenerate("box", NULL, 0, &table, &error));
    double size = 0;
    for (int i = 0; i < 3 * table.vertexCount; i++)
        size = fmax(size, fabs(table.positions[i]));
    for (int k = 0; k < 3; k++)
        def.scale[k] = 0.1 / size;
    def.kinematic = true;
    def.thickness = 4e-3;
    add_mesh(w, &table, &def);
    vvMaterialDef hooke = material("hooke", 0);
    hooke.springStiffness = 50;
    hooke.density = 0.05;
    def = vvDefaultBodyDef();
    def.material = hooke;
    def.thickness = 6e-3;
    double x[3 * 3] = { -0.03, 0.12, 0.01, 0.0, 0.12, 0.0, 0.03, 0.12, 0.02 };
    int edges[4] = { 0, 1, 1, 2 };
    vvMesh rod = { .vertexCount = 3, .edgeCount = 2, .positions = x, .edges = edges };
    def.mesh = &rod;
    vvBodyId id;
    assert_ok(vvWorldAddBody(w, &def, &id, &error));
    int first, count;
    for (int i = 0; i < 60; i++)
        assert_ok(vvWorldStep(w, NULL, &error));
    vvBodyNodes(w, id, &first, &count);
    for (int i = first; i < first + count; i++) { /* at rest 5 mm over the table, less than d-hat more */
        double y = vvWorldPositions(w)[3 * i + 1];
        assert_true(y > 0.1 + 5e-3 && y < 0.1 + 6e-3);
    }
    const vvContactPoint *points;
    assert_ok(vvWorldContactPoints(w, &points, &count, &error));
    double weight = 0;
    for (int i = 0; i < count; i++) {
        assert_true(points[i].gap > 0 && points[i].gap < 1e-3);
        weight += points[i].force;
    }
    double mass = 0;
    for (int i = 0; i < vvWorldNodeCount(w); i++)
        mass += vvWorldMasses(w)[i];
    assert_near(weight, 9.8 * mass, 0.05 * 9.8 * mass);
    vvWorldDestroy(w);
}

/* How much of the way the step filter looks at a time changes nothing of what it finds. The memory for candidates is
 * bounded, however wild the motion. */
static void test_way_in_parts(void **state)
{
    (void)state;
    vvWorld *w = pile_of_three(false, 1e-3);
    vv_collisions *c = w->contact->collisions;
    size_t n = 3 * (size_t)w->nodes;
    int64_t most = c->most;
    const int rounds = sized(10, 30, 300);
    int stopped = 0, parts = 0;
    double *p = malloc(n * sizeof *p);
    for (int round = 0; round < rounds; round++) {
        double *q = shaken(w, 2e-4), size = pow(10, uniform(-4, round % 10 == 0 ? 4 : 0)), limit[4];
        for (size_t i = 0; i < n; i++)
            p[i] = uniform(-size, size) + (i % 3 == 1 ? -5 * size : 0) * (i > n / 2);
        for (int k = 0; k < 4; k++) {
            vv_candidates_forget(&c->candidates);
            c->most = k % 2 ? 300 : 1 << 30;
            c->expected = k / 2 ? 0.003 : 1;
            int64_t before = c->candidates.builds;
            limit[k] = vv_collisions_max_step(c, &w->par, q, p);
            parts += c->candidates.builds - before > 1;
            assert_true(c->expected > 0 && c->expected <= 1);
            assert_true(limit[k] == limit[0]);
        }
        stopped += limit[0] < 1;
        free(q);
    }
    assert_in_range(stopped, rounds / 6, rounds - 1);
    assert_true(parts > rounds);
    vvWorldDestroy(w);

    w = pile_of_three(false, 1e-3);
    for (size_t i = 0; i < n; i++)
        p[i] = uniform(-1, 1); /* ten times the bodies: everything may meet everything */
    assert_less(vv_collisions_max_step(w->contact->collisions, &w->par, w->state.q, p), 1);
    assert_true(w->contact->collisions->most == most);
    assert_true(w->contact->collisions->candidates.start[4] <= most);
    assert_true((int64_t)w->contact->collisions->candidates.broad->plane_capacity <= 2 * most);
    vvWorldDestroy(w);
    free(p);
}

/* Contact knows no length of its own: where all lengths are another, energies go with their cube, and steps are
 * limited alike. Pairs are active only below their activation distance. */
static void test_scale(void **state)
{
    (void)state;
    static const double scales[] = { 0x1p-16, 0x1p20 };
    vvWorld *w = pile_of_three(false, 1e-3);
    size_t n = 3 * (size_t)w->nodes;
    double *p = malloc(n * sizeof *p), *other_q = malloc(n * sizeof *p), *other_p = malloc(n * sizeof *p);
    for (int k = 0; k < 2; k++) {
        vvWorld *other = scaled_pile(false, 1e-3, scales[k]);
        vv_collisions *a = w->contact->collisions, *b = other->contact->collisions;
        int stopped = 0;
        for (int round = 0; round < 15; round++) {
            double *q = shaken(w, 2e-4), size = pow(10, uniform(-4, 0));
            for (size_t i = 0; i < n; i++) {
                p[i] = uniform(-size, size) + (i % 3 == 1 ? -5 * size : 0) * (i > n / 2);
                other_q[i] = scales[k] * q[i], other_p[i] = scales[k] * p[i];
            }
            vv_candidates_forget(&a->candidates);
            vv_candidates_forget(&b->candidates);
            double limit = vv_collisions_max_step(a, &w->par, q, p);
            assert_near(vv_collisions_max_step(b, &other->par, other_q, other_p), limit, 1e-9 * limit);
            stopped += limit < 1;
            double e = energy_at(w, q), cube = scales[k] * scales[k] * scales[k];
            assert_near(energy_at(other, other_q), cube * e, 1e-9 * cube * e);
            assert_int_equal(a->count, b->count);
            pairs_are_near(a);
            free(q);
        }
        assert_in_range(stopped, 3, 15);
        vvWorldDestroy(other);
    }
    free(p), free(other_q), free(other_p);
    vvWorldDestroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_derivatives),
                                        cmocka_unit_test(test_definition),
                                        cmocka_unit_test(test_convergent_definition),
                                        cmocka_unit_test(test_scale),
                                        cmocka_unit_test(test_convergent),
                                        cmocka_unit_test(test_momenta),
                                        cmocka_unit_test(test_schemes),
                                        cmocka_unit_test(test_explicit_schemes_are_stopped),
                                        cmocka_unit_test(test_same_bits),
                                        cmocka_unit_test(test_never_as_near_as_rounding),
                                        cmocka_unit_test(test_thickness_keeps_off),
                                        cmocka_unit_test(test_way_in_parts) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
