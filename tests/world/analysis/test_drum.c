/* A drum: a round membrane under tension, held at its rim. Its modes and its motion have the frequencies of theory,
 * sqrt(T / rho) times the zeros of Bessel's functions over the radius; finer meshes come nearer, with the square of
 * the edges. */
#include "live_support.h"

#include "visviva/interact.h"
#include "visviva/modes.h"
#include "world/world.h"
#include "positional.h"

static const double radius = 0.1, tension = 10, mass = 0.4; /* m, N/m, kg/m^2 */
/* of the modes 01, 11, 11, 21, 21, 02 */
static const double zero[] = { 2.404826, 3.831706, 3.831706, 5.135622, 5.135622, 5.520078 };
static const int order[] = { 0, 1, 1, 2, 2, 0 };

/* The tension of a known prestrain (theory §4.9). */
static vvWorld *drum(const vvWorldDef *d, int rings)
{
    vvError error = { 0 };
    vvMesh mesh;
    vvBodyDef def = vvDefaultBodyDef();
    vvAttachDef rim = vvDefaultAttachDef();
    const double prestrain = 0.05, nu = 0.3, thickness = 1e-3;
    assert_ok(generate_mesh("disk", (double[]){ radius, rings }, &mesh, &error));
    def.material =
        material("stvk-membrane", tension * 2 * (1 - nu) / (thickness * ((1 + prestrain) * (1 + prestrain) - 1)));
    def.material.poisson = nu;
    def.material.thickness = thickness;
    def.material.density = mass / thickness;
    def.material.prestrain = prestrain;
    vvWorld *w = new_world(d);
    rim.where.rimOnly = true;
    attach(w, add_mesh(w, &mesh, &def), &rim);
    return w;
}

static double omega(int mode) { return zero[mode] / radius * sqrt(tension / mass); }

/* J_n cos(n angle), or with a sine. */
static double exact_shape(const vvWorld *w, int node, int mode, bool sine)
{
    const double *x = w->rest + 3 * node;
    double angle = order[mode] * atan2(x[2], x[0]);
    return jn(order[mode], zero[mode] * hypot(x[0], x[2]) / radius) * (sine ? sin(angle) : cos(angle));
}

static void modes(void **state)
{
    (void)state;
    double last[6] = { 1, 1, 1, 1, 1, 1 };
    for (int rings = 8; rings <= 32; rings *= 2) {
        vvError error = { 0 };
        vvWorldDef d = free_def("implicit-midpoint", 1e-4, 1e-10);
        vvWorld *w = drum(&d, rings);
        vvModes *m = NULL;
        assert_ok(vvBodyFindModes(w, vvWorldBody(w, 0), VV_MODES_LOWEST, 6, &m, &error));
        assert_int_equal(vvModesRigidCount(m), 0);
        for (int k = 0; k < 6; k++) {
            double overlap[2] = { 0 }, square[2] = { 0 }, off = vvModesFrequency(m, k) / omega(k) - 1;
            for (int i = 0; i < vvWorldNodeCount(w); i++)
                for (int s = 0; s < 2; s++) {
                    double shape = exact_shape(w, i, k, s), mi = vvWorldMasses(w)[i];
                    overlap[s] += mi * vvModesShape(m, k)[3 * i + 1] * shape, square[s] += mi * shape * shape;
                }
            double same = (overlap[0] * overlap[0] / square[0] + (order[k] ? overlap[1] * overlap[1] / square[1] : 0));
            print_message("%d rings, mode %d: %.3f Hz, %+.3f%%, alike %.5f\n", rings, k,
                          vvModesFrequency(m, k) / (2 * PI), 100 * off, same);
            assert_less(0.98, same);
            if (rings >= 16)
                assert_less(fabs(off), 0.02);
            assert_less(fabs(off), 0.3 * last[k]); /* a quarter each time */
            last[k] = fabs(off);
        }
        vvModesDestroy(m);
        vvWorldDestroy(w);
    }
}

/* Struck by a blow that has the shape of mode 21, with an amplitude of 0.1 mm: the times between its zeros. */
static void struck(void **state)
{
    (void)state;
    enum { ZEROS = 5 };
    vvError error = { 0 };
    const int mode = 3;
    const double h = 2e-4, speed = 1e-4 / 0.486 * omega(3); /* J_2 is at most 0.486 */
    vvWorldDef d = free_def("implicit-midpoint", h, 1e-9);
    vvWorld *w = drum(&d, 16);
    int n = vvWorldNodeCount(w), found = 0;
    double before = 0, first = 0, last = 0, most = 0;
    for (int i = 0; i < n; i++)
        assert_ok(vvWorldApplyForces(
            w, 1, &i, (double[]){ 0, vvWorldMasses(w)[i] * speed * exact_shape(w, i, mode, false) / h, 0 }, &error));
    for (int s = 1; found < ZEROS; s++) {
        double now = 0, square = 0;
        assert_true(s < 1000);
        step(w);
        for (int i = 0; i < n; i++) {
            double shape = exact_shape(w, i, mode, false), y = vvWorldPositions(w)[3 * i + 1] - w->rest[3 * i + 1];
            now += vvWorldMasses(w)[i] * y * shape, square += vvWorldMasses(w)[i] * shape * shape;
            most = fmax(most, fabs(y));
        }
        if (s > 1 && now * before < 0) {
            double at = h * (s - now / (now - before));
            first = found == 0 ? at : first, last = at, found++;
        }
        before = now;
    }
    double frequency = (ZEROS - 1) / (2 * (last - first));
    print_message("struck: %.4f Hz, theory %.4f; at most %.3g m\n", frequency, omega(mode) / (2 * PI), most);
    assert_near(frequency, omega(mode) / (2 * PI), 0.02 * frequency);
    assert_near(most, 1e-4, 1e-5);
    vvWorldDestroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(modes), cmocka_unit_test(struck) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
