/* Bending across edges, "hinge", against what plates and strips do: a cylinder's energy, the elastica, plates under a
 * load. */
#include "hinge_support.h"

#include "solve/assembly.h"
#include "world/world.h"

/* A flat plate bent to a cylinder: half D kappa^2 for each area of an equilateral mesh, in the limit, whatever the
 * direction. */
static void bent_plate(void **state)
{
    (void)state;
    const double young = 1e7, nu = 0.3, t = 0.004, plate = young * t * t * t / (12 * (1 - nu * nu)), kappa = 0.3;
    for (int n = 0; n < 3; n++) {
        double edge = 0.08 / (1 << n), energy[3]; /* the rim's share of the error is that of its edges */
        vvMesh mesh = sheet(1, 1, edge, 0);
        vvMaterialDef m = hinge(young, nu, t);
        vvWorld *w = world_of(&mesh, &m);
        double *x = malloc(3 * (size_t)w->nodes * sizeof *x);
        for (int direction = 0; direction < 3; direction++) {
            double c = cos(direction * M_PI / 5), s = sin(direction * M_PI / 5);
            for (int i = 0; i < w->nodes; i++) {
                double along = c * w->rest[3 * i] + s * w->rest[3 * i + 2],
                       across = c * w->rest[3 * i + 2] - s * w->rest[3 * i];
                double u = sin(kappa * along) / kappa;
                x[3 * i] = c * u - s * across, x[3 * i + 1] = (1 - cos(kappa * along)) / kappa,
                      x[3 * i + 2] = s * u + c * across;
            }
            energy[direction] = vv_system_energy(&w->system, x) / (0.5 * plate * kappa * kappa);
            assert_true(fabs(energy[direction] - 1) < 2 * edge);
        }
        print_message("edge %.3f: energy over 1/2 D kappa^2 A: %.4f %.4f %.4f\n", edge, energy[0], energy[1],
                      energy[2]);
        free(x);
        vvWorldDestroy(w);
    }
}

/* The tip of a clamped strip under its weight: Euler's elastica with turn'' = -load (1 - s) cos(turn), length 1, load
 * = weight per length times L^3 over the stiffness; by shooting. */
static void elastica(double load, double tip[2])
{
    enum { STEPS = 2000 };
    double low = 0, high = load, h = 1.0 / STEPS;
    for (int n = 0; n < 60; n++) {
        double turn = 0, rate = 0.5 * (low + high), start = rate;
        tip[0] = tip[1] = 0;
        for (int i = 0; i < STEPS; i++) { /* midpoint */
            double middle = turn + 0.5 * h * rate, s = (i + 0.5) * h, next = rate - h * load * (1 - s) * cos(middle);
            turn += h * 0.5 * (rate + next);
            rate = next;
            tip[0] += h * cos(middle), tip[1] += h * sin(middle);
        }
        if (rate > 0)
            high = start;
        else
            low = start;
    }
}

/* A strip of equilateral triangles with Poisson's ratio 0.3, kept long by stiff springs, bends under its weight as
 * the elastica does. */
static void hanging_strip(void **state)
{
    (void)state;
    const double young = 1e6, t = 0.002, length = 0.4, density = 0.5;
    for (int n = 0; n < 2; n++) {
        vvError error = { 0 };
        double row = 0.01, edge = row / sqrt(0.75), clamped = row, energy;
        vvMesh mesh = sheet(6 * edge, length + clamped, edge, 0);
        vvWorldDef d = vvDefaultWorldDef();
        vvMaterialDef more = hinge(young, 0.3, t);
        vvBodyDef def = vvDefaultBodyDef();
        vvAttachDef hold = vvDefaultAttachDef();
        d.solver.tolerance = 1e-6;
        d.gravity[1] = n ? -0.5 : -0.1;
        vvWorld *w = new_world(&d);
        def.material.model = "hooke", def.material.density = density, def.material.springStiffness = 1000;
        def.moreMaterials = &more, def.moreMaterialCount = 1;
        vvBodyId id = add_mesh(w, &mesh, &def);
        hold.where.kind = VV_REGION_BOX;
        for (int k = 0; k < 3; k++)
            hold.where.a[k] = -1, hold.where.b[k] = k == 2 ? -0.5 * (length + clamped) + 1.01 * clamped : 1;
        assert_ok(vvBodyAttach(w, id, &hold, NULL, &error));
        assert_ok(vvWorldSettle(w, true, &energy, &error));
        double tip[2], found[2] = { 0, 0 }, beam = young * t * t * t / 12, free = length;
        int count = 0;
        elastica(-d.gravity[1] * density * free * free * free / beam, tip);
        for (int i = 0; i < w->nodes; i++)
            if (w->rest[3 * i + 2] > 0.5 * (length + clamped) - 1e-9)
                found[0] += w->state.q[3 * i + 2], found[1] -= w->state.q[3 * i + 1], count++;
        found[0] = (found[0] / count + 0.5 * (length + clamped) - clamped) / free, found[1] /= count * free;
        print_message("tip of the strip: %.4f along, %.4f down; elastica %.4f, %.4f\n", found[0], found[1], tip[0],
                      tip[1]);
        assert_near(found[0], tip[0], 0.02);
        assert_near(found[1], tip[1], 0.02);
        vvWorldDestroy(w);
    }
}

/* h = K p, of the heights of nodes that are not held. */
static void times_stiffness(const vvWorld *w, vv_assembly *a, const unsigned char *held, const double *p, double *h,
                            double *room)
{
    int n = w->nodes;
    double *all = room, *u = room + 3 * n, *hu = room + 6 * n;
    for (int i = 0; i < 3 * n; i++)
        all[i] = i % 3 == 1 && !held[i / 3] ? p[i / 3] : 0;
    vv_pack(&w->system, all, u);
    vv_bsr_multiply(&a->matrix, &w->system.par, u, hu);
    vv_unpack(&w->system, hu, all);
    for (int i = 0; i < n; i++)
        h[i] = held[i] ? 0 : all[3 * i + 1];
}

static double product(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* A square plate, supported along its rim, under a load: how far it bends in the middle over Kirchhoff's 0.00406 q
 * a^4/D, which does not depend on Poisson's ratio. By conjugate gradients. */
static double plate_ratio(int pattern)
{
    vvMesh mesh = sheet(1, 1, 0.05, pattern);
    vvMaterialDef m = hinge(12e6 * 0.91, 0.3, 0.01); /* D = 1 */
    vvWorld *w = world_of(&mesh, &m);
    int n = w->nodes;
    double *x = calloc(16 * (size_t)n, sizeof *x), *r = x + n, *p = r + n, *h = p + n, *room = h + n, most = 0;
    unsigned char *held = calloc((size_t)n, 1);
    vv_assembly a;
    assert_int_equal(vv_assembly_create(&a, &w->system, VV_SELECT_ALL, NULL), VV_OK);
    vv_assembly_begin(&a);
    vv_assembly_add_energies(&w->system, w->rest, 1, VV_HESSIAN_EXACT, NULL, &a);
    vv_assembly_end(&a);
    for (int i = 0; i < n; i++) {
        held[i] = fabs(w->rest[3 * i]) > 0.5 - 1e-9 || fabs(w->rest[3 * i + 2]) > 0.5 - 1e-9;
        r[i] = p[i] = held[i] ? 0 : w->mass[i] / (1000 * 0.01);
    }
    double square = product(n, r, r), end = 1e-20 * square;
    for (int k = 0; k < 5000 && square > end; k++) {
        times_stiffness(w, &a, held, p, h, room);
        double by = square / product(n, p, h), before = square;
        for (int i = 0; i < n; i++)
            x[i] += by * p[i], r[i] -= by * h[i];
        square = product(n, r, r);
        for (int i = 0; i < n; i++)
            p[i] = r[i] + square / before * p[i];
    }
    for (int i = 0; i < n; i++)
        most = fmax(most, x[i]);
    vv_assembly_free(&a);
    free(x);
    free(held);
    vvWorldDestroy(w);
    return most / 0.00406235;
}

static void plates(void **state)
{
    (void)state;
    static const double known[] = { 0.98, 0.56, 0.75, 0.87 };
    for (int pattern = 0; pattern < 4; pattern++) {
        double ratio = plate_ratio(pattern);
        print_message("pattern %d: bends by %.3f of what it should\n", pattern, ratio);
        assert_near(ratio, known[pattern], 0.02);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(bent_plate), cmocka_unit_test(hanging_strip),
                                        cmocka_unit_test(plates) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
