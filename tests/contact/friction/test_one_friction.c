/* Friction's impulse is mu times the normal impulse while a box slides, whatever the scheme, the policy and the body:
 * both are read from the box's momenta, on ground that is level under a gravity that is not. */
#include "size.h"
#include "live_support.h"

#include "visviva/query.h"
#include "visviva/settings.h"
#include "positional.h"

static const double MU = 0.2, H = 1.0 / 120, SLOPE = 20 * 3.14159265358979323846 / 180, G0 = 9.81;

/* Friction's impulse over mu times the normal impulse, and the way, m, in a second; NaN: refused or failed, `why` says
 * it. */
typedef struct run {
    double ratio, way, booked;
    int most;
    char why[256];
} run;

typedef enum ground { PLANE, BLOCK } ground;

static void add_ground(vvWorld *w, ground kind)
{
    vvError error = { 0 };
    vvObstacleDef plane = vvDefaultObstacleDef();
    vvBodyDef block = vvDefaultBodyDef();
    block.kinematic = true;
    block.translate[0] = 0.5, block.translate[1] = -0.1;
    if (kind == PLANE)
        assert_ok(vvWorldAddObstacle(w, &plane, NULL, &error));
    else
        add_box_def(w, (double[]){ 2, 0.2, 1 }, (int[]){ 1, 1, 1 }, 5, &block);
}

static run slides(const char *scheme, const char *policy, const char *material, ground kind, double end)
{
    vvError error = { 0 };
    vvWorldDef d = live_def(scheme, policy);
    run r = { NAN, NAN, NAN, 0, "" };
    d.timeStep = H;
    d.gravity[0] = G0 * sin(SLOPE), d.gravity[1] = -G0 * cos(SLOPE), d.gravity[2] = 0;
    d.contact.model = "barrier";
    d.contact.friction = MU;
    d.contact.distance = 1e-3;
    d.solver.linear = exact_solver();
    vvWorld *w = NULL;
    vvBodyDef def = vvDefaultBodyDef();
    def.material = strcmp(material, "affine") == 0 ? vvDefaultMaterialOf("affine") : vvDefaultMaterialDef();
    if (strcmp(material, "affine") != 0)
        def.material.model = material, def.material.young = 1e6, def.material.poisson = 0.3;
    def.material.density = 1000;
    def.translate[1] = 0.03 + 0.953e-3;
    if (vvWorldCreate(&d, &w, &error) != VV_OK) {
        snprintf(r.why, sizeof r.why, "%.255s", error.message);
        return r;
    }
    add_ground(w, kind);
    const vvBodyId box = add_box_def(w, (double[]){ 0.2, 0.06, 0.12 }, (int[]){ 6, 2, 4 }, 5, &def);
    const int steps = (int)(end / H + 0.5);
    double lost = 0;
    vvLedgerRow row = { 0 };
    double mass = 0;
    vvStatus status = vvWorldBake(w, &error);
    for (int i = 0; status == VV_OK && i < steps; i++) {
        vvStepReport report;
        status = vvWorldStep(w, &report, &error);
        if (status == VV_OK) {
            assert_ok(vvWorldLedger(w, &row, &error));
            lost += row.friction;
            r.most = report.frictionIterations > r.most ? report.frictionIterations : r.most;
        }
    }
    if (status == VV_OK) {
        vvBodyMeasures at;
        assert_ok(vvBodyMeasure(w, box, &at, &error));
        r.way = at.centre[0], mass = at.mass;
        const double normal = row.momentum[1] - mass * d.gravity[1] * row.time;
        r.ratio = (mass * d.gravity[0] * row.time - row.momentum[0]) / (MU * normal);
        r.booked = lost / (MU * mass * G0 * cos(SLOPE) * r.way);
    } else {
        snprintf(r.why, sizeof r.why, "%.255s", error.message);
    }
    vvWorldDestroy(w);
    return r;
}

static bool is_explicit(const char *scheme)
{
    static const char *const names[] = { "forward-euler", "symplectic-euler", "verlet", "sdirk2-coupled" };
    for (int i = 0; i < 4; i++)
        if (strcmp(scheme, names[i]) == 0)
            return true;
    return false;
}

/* Contact of the step's start acts, too: it alternates from step to step. */
static bool mixes_ends(const char *scheme)
{
    return strcmp(scheme, "trapezoidal") == 0 || strcmp(scheme, "theta") == 0 || strcmp(scheme, "newmark") == 0;
}

static void expect_one(const char *scheme, const char *policy, const char *material, ground kind)
{
    const double within = mixes_ends(scheme) ? 0.015 : 0.01, exact = 0.5 * G0 * (sin(SLOPE) - MU * cos(SLOPE));
    run r = slides(scheme, policy, material, kind, 1);
    print_message("%-12s %-18s %-15s ratio %.4f, way %.4f m, booked %.4f, most %d\n", material, scheme, policy, r.ratio,
                  r.way, r.booked, r.most);
    if (!(fabs(r.ratio - 1) <= within) || !(fabs(r.way / exact - 1) <= 0.03))
        fail_msg("%s, %s, %s: friction's impulse is %.4f of mu times the normal impulse, the way %.4f m of %.4f m%s%s",
                 material, scheme, policy, r.ratio, r.way, exact, *r.why ? ": " : "", r.why);
}

static const char *const materials[] = { "neo-hookean", "affine" };

/* Explicit ones fail here: contact is too stiff for them. */
static void of_every_scheme(void **state)
{
    (void)state;
    NUMBERS_ONLY();
    for (int m = 0; m < 2; m++)
        for (int s = 0; vvSchemeInfo(s); s++)
            if (!is_explicit(vvSchemeInfo(s)->name))
                expect_one(vvSchemeInfo(s)->name, "none", materials[m], PLANE);
}

static void of_policies(void **state)
{
    (void)state;
    NUMBERS_ONLY();
    static const char *const pairs[][2] = {
        { "backward-euler", "a1" },
        { "backward-euler", "search" },
        { "backward-euler", "filtered-search" },
        { "backward-euler", "project" },
        { "implicit-midpoint", "project" },
        { "implicit-midpoint", "blend" },
        { "implicit-midpoint", "velocity-scale" },
        { "bdf2", "project" },
        { "sdirk2", "blend" },
        { "sdirk2", "search" },
        { "tr-bdf2", "search" },
        { "bathe", "search" },
        { "avf-simpson", "blend" },
        { "avf-gauss-2", "project" },
        { "discrete-gradient", "velocity-scale" },
    };
    for (int m = 0; m < 2; m++)
        for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
            expect_one(pairs[i][0], pairs[i][1], materials[m], PLANE);
}

/* Friction of surfaces: their pairs are those of each place. */
static void between_bodies(void **state)
{
    (void)state;
    NUMBERS_ONLY();
    static const char *const schemes[] = { "backward-euler", "implicit-midpoint", "avf-gauss-2", "tr-bdf2" };
    for (int i = 0; i < 4; i++)
        expect_one(schemes[i], "none", "neo-hookean", BLOCK);
}

/* Of sheets, with the default tolerance: nothing but contact and friction acts on them, and what a solve leaves of
 * these is all that there is. */
static void of_sheets(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        { "tr-bdf2", "barrier" }, { "bathe", "barrier" }, { "backward-euler", "constraint" }, { "bdf2", "constraint" }
    };
    for (int i = 0; i < 4; i++) {
        vvError error = { 0 };
        vvWorldDef d = vvDefaultWorldDef();
        d.timeStep = H, d.threads = 1;
        d.integrator.scheme = rows[i][0], d.integrator.groundMode = VV_GROUND_NONE;
        const double slope[3] = { G0 * sin(SLOPE), -G0 * cos(SLOPE), 0 };
        d.gravity[1] = slope[1];
        d.contact.model = rows[i][1], d.contact.friction = MU, d.contact.distance = 1e-3, d.contact.self = false;
        vvWorld *w = new_world(&d);
        vvBodyDef def = vvDefaultBodyDef();
        def.material = material("stvk-membrane", 1e6);
        def.material.thickness = 2e-3;
        def.translate[1] = 1e-3 + (strcmp(rows[i][1], "barrier") == 0 ? 0.9e-3 : 0);
        vvMesh mesh = { 0 };
        assert_ok(generate_mesh("cloth", (double[]){ 0.2, 0.12, 6, 4 }, &mesh, &error));
        const vvBodyId sheet = add_mesh(w, &mesh, &def);
        obstacle(w, "plane", NULL, -1);
        steps(w, 60); /* until it rests */
        vvBodyMeasures at, before;
        assert_ok(vvBodyMeasure(w, sheet, &before, &error));
        assert_ok(vvWorldSetGravity(w, slope, &error));
        steps(w, 120);
        assert_ok(vvBodyMeasure(w, sheet, &at, &error));
        const double normal = at.momentum[1] - before.momentum[1] - at.mass * slope[1],
                     ratio = (at.mass * slope[0] - at.momentum[0]) / (MU * normal);
        print_message("a sheet, %s, %s: ratio %.4f\n", rows[i][0], rows[i][1], ratio);
        assert_near(ratio, 1, 0.01);
        vvWorldDestroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(of_every_scheme), cmocka_unit_test(of_policies),
                                        cmocka_unit_test(between_bodies), cmocka_unit_test(of_sheets) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
