/* Where the activation distance is given and larger than the play with which something was made, bodies are named that
 * contact holds like a press fit: pegs that stick in their holes, and no others; nothing that rests, leans or is
 * carried. */
#include "size.h"
#include "live_support.h"
#include "world/world.h"
#include "positional.h"

#include <stdlib.h>

typedef struct said {
    int lines;
    char text[512];
} said;

static void write_line(void *user, vvLogLevel level, const char *message)
{
    said *s = user;
    if (level == VV_LOG_WARNING && strstr(message, "is more than the ")) {
        s->lines++;
        snprintf(s->text, sizeof s->text, "%s", message);
    }
}

static vvWorldDef given_def(double distance, double mu, double tolerance, said *s)
{
    vvWorldDef d = free_def("backward-euler", 2e-3, tolerance);
    d.contact.model = "barrier";
    d.contact.distance = distance;
    d.contact.friction = mu;
    d.gravity[1] = -9.8;
    d.threads = 1;
    d.host.log = (vvLog){ write_line, s };
    return d;
}

static vvBodyId add_plain_box(vvWorld *w, const double size[3], double x, double y, double z)
{
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("affine", 1e10);
    def.translate[0] = x, def.translate[1] = y, def.translate[2] = z;
    return add_box_def(w, size, (int[]){ 1, 1, 1 }, 5, &def);
}

/* ---- pegs ---- */

static double height(const vvWorld *w)
{
    const double *x = vvWorldPositions(w);
    return (x[1] + x[4] + x[7] + x[10]) / 4;
}

/* A square peg, three times as long as it is thick, falls through a square hole that leaves a thousandth of its
 * thickness on each side. Returns how far it comes in 0.1 s, in parts of a free fall. */
static double peg_falls(double size, double distance, double mu, said *s)
{
    const double gap = 1e-3 * size, half = size / 2 + gap, wall = 0.2 * size;
    vvWorldDef d = given_def(distance * gap, mu, 1e-4 * size, s);
    vvWorld *w = new_world(&d);
    add_plain_box(w, (double[]){ size, 3 * size, size }, 0, 0, 0);
    for (int side = -1; side < 2; side += 2) {
        const double at = side * (half + wall / 2);
        obstacle(w, "box", (double[]){ at, 0, 0, wall, 9 * size, 2 * half + 2 * wall, 0, 0, 0 }, -1);
        obstacle(w, "box", (double[]){ 0, 0, at, 2 * half, 9 * size, wall, 0, 0, 0 }, -1);
    }
    const double from = height(w);
    steps(w, 50);
    const double fell = from - height(w), free_fall = 9.8 * 2e-3 * 2e-3 * 50 * 51 / 2;
    vvWorldDestroy(w);
    return fell / free_fall;
}

static void pegs_that_stick_are_named(void **state)
{
    (void)state;
    static const double sizes[] = { 0.01, 0.1, 1 }, distances[] = { 0.9, 1.02, 1.1, 2 }, frictions[] = { 0.5, 0.7, 1 };
    int stick = 0;
    for (int i = 0; i < 36; i++) {
        said s = { 0 };
        const double size = sizes[i % 3], distance = distances[i / 3 % 4], mu = frictions[i / 12];
        const double part = peg_falls(size, distance, mu, &s);
        print_message("%g m, distance %g of the gap, friction %g: %.3f of a free fall%s\n", size, distance, mu, part,
                      s.lines ? ", named" : "");
        stick += part < 0.1;
        assert_int_equal(s.lines, part < 0.1);
        if (s.lines)
            assert_true(strstr(s.text, "between \"body-1\" and \"box\" at the start") && strstr(s.text, "and rubs"));
    }
    assert_int_equal(stick, 22);
}

/* Without friction it does not stick, but is pressed all the same. */
static void what_is_pressed_is_named_without_friction(void **state)
{
    (void)state;
    static const struct {
        double size, distance;
        bool named;
    } pegs[] = { { 0.1, 0.9, false }, { 0.1, 1.02, false }, { 1, 1.1, true }, { 0.1, 2, true } };
    for (size_t i = 0; i < sizeof pegs / sizeof *pegs; i++) {
        said s = { 0 };
        assert_near(peg_falls(pegs[i].size, pegs[i].distance, 0, &s), 1, 1e-3);
        assert_int_equal(s.lines, pegs[i].named);
        if (s.lines)
            assert_true(!strstr(s.text, "rubs") && strstr(s.text, i == 3 ? "; 5e-05 m fits" : "; 0.0005 m fits"));
    }
}

/* ---- what holds a slot ---- */

/* A box in a level slot: a floor that carries it, and a ceiling that stands fast and presses it down. */
static void a_ceiling_makes_a_fit_and_a_load_does_not(void **state)
{
    (void)state;
    static const double box[] = { 0.1, 0.1, 0.1 }, distance = 1e-3, rests = 0.947 * distance, gap = 0.8 * distance;
    for (int lid = 0; lid < 3; lid++) { /* 0: none; 1: an obstacle; 2: a body that lies on top */
        said s = { 0 };
        vvWorldDef d = given_def(distance, 0.3, 1e-4, &s);
        vvError error = { 0 };
        vvWorld *w = new_world(&d);
        obstacle(w, "plane", (double[]){ 0, -0.05 - rests, 0, 0, 1, 0 }, -1);
        add_plain_box(w, box, 0, 0, 0);
        if (lid == 1)
            obstacle(w, "plane", (double[]){ 0, 0.05 + gap, 0, 0, -1, 0 }, -1);
        if (lid == 2)
            add_plain_box(w, (double[]){ 0.1, 0.4, 0.1 }, 0, 0.25 + rests, 0);
        assert_ok(vvWorldBake(w, &error));
        assert_int_equal(s.lines, lid == 1);
        vvWorldDestroy(w);
    }
}

/* ---- what is not a fit ---- */

static const double HAT = 1e-3;

static void lies(vvWorld *w)
{
    obstacle(w, "plane", (double[]){ 0, -0.05 - 0.95 * HAT, 0, 0, 1, 0 }, -1);
    add_plain_box(w, (double[]){ 0.1, 0.1, 0.1 }, 0, 0, 0);
}

static void stands_in_a_stack(vvWorld *w)
{
    lies(w);
    add_plain_box(w, (double[]){ 0.1, 0.1, 0.1 }, 0.02, 0.1 + 0.95 * HAT, 0);
    add_plain_box(w, (double[]){ 0.1, 0.1, 0.1 }, 0, 0.2 + 1.9 * HAT, 0.01);
}

static void leans_on_a_wall(vvWorld *w)
{
    lies(w);
    obstacle(w, "plane", (double[]){ -0.05 - 0.95 * HAT, 0, 0, 1, 0, 0 }, -1);
}

/* Between planes of 45 degrees, which carry it. */
static void lies_in_a_groove(vvWorld *w)
{
    vvBodyDef def = vvDefaultBodyDef();
    const double down = -sqrt(2) * (0.05 + 0.95 * HAT);
    def.material = material("affine", 1e10);
    def.rotate[2] = 45;
    add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 1, 1, 1 }, 5, &def);
    obstacle(w, "plane", (double[]){ 0, down, 0, sqrt(0.5), sqrt(0.5), 0 }, -1);
    obstacle(w, "plane", (double[]){ 0, down, 0, -sqrt(0.5), sqrt(0.5), 0 }, -1);
}

/* Two cards, each at 15 degrees from upright, hold each other by their upper rims. */
static void leans_on_another(vvWorld *w)
{
    static const double long_side = 0.088, thick = 3e-4, angle = 15 * 3.14159265358979323846 / 180;
    const double high = long_side / 2 * cos(angle) + thick / 2 * sin(angle),
                 wide = long_side / 2 * sin(angle) + thick / 2 * cos(angle);
    for (int side = -1; side < 2; side += 2) {
        vvBodyDef def = vvDefaultBodyDef();
        def.material = material("affine", 1e10);
        def.rotate[2] = 15 * side;
        def.translate[0] = side * (wide + 0.49 * HAT);
        add_box_def(w, (double[]){ thick, long_side, 0.06 }, (int[]){ 1, 1, 1 }, 5, &def);
    }
    obstacle(w, "plane", (double[]){ 0, -high - 0.97 * HAT, 0, 0, 1, 0 }, -1);
}

static void cloth_lies(vvWorld *w)
{
    vvBodyDef def = vvDefaultBodyDef();
    vvMesh sheet = { 0 };
    vvError error = { 0 };
    assert_ok(generate_mesh("sheet", (double[]){ 0.2, 0.2, 0.02, 0 }, &sheet, &error));
    def.material = material("stvk-membrane", 1e6);
    def.material.thickness = 5e-4;
    def.mesh = &sheet;
    assert_ok(vvWorldAddBody(w, &def, NULL, &error));
    vvMeshDestroy(&sheet);
    obstacle(w, "plane", (double[]){ 0, -0.97 * HAT, 0, 0, 1, 0 }, -1);
}

static void what_rests_is_not_named(void **state)
{
    (void)state;
    static const struct {
        const char *what;
        void (*make)(vvWorld *w);
    } scenes[] = { { "a box lies", lies },
                   { "boxes in a stack", stands_in_a_stack },
                   { "a box leans on a wall", leans_on_a_wall },
                   { "a box in a groove", lies_in_a_groove },
                   { "cards lean on each other", leans_on_another },
                   { "cloth lies", cloth_lies } };
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        said s = { 0 };
        vvError error = { 0 };
        vvWorldDef d = given_def(HAT, 0.5, 1e-3, &s);
        vvWorld *w = new_world(&d);
        scenes[i].make(w);
        assert_ok(vvWorldBake(w, &error));
        vvStartGap g;
        assert_true(vvWorldGetStartGap(w, &g)); /* there are gaps below the distance that is given */
        print_message("%s, %zu pairs: %s\n", scenes[i].what, g.count, s.lines ? s.text : "-");
        assert_int_equal(s.lines, 0);
        vvWorldDestroy(w);
    }
}

/* ---- once, and when it is so ---- */

/* A peg that a host puts into its hole before the first step, or adds later, is named then; with another body far
 * away, too. */
static void a_peg_is_named_when_it_comes(void **state)
{
    (void)state;
    static const double size = 0.1, gap = 1e-4, half = 0.05 + 1e-4, wall = 0.02;
    for (int way = 0; way < 3; way++) {
        said s = { 0 };
        vvError error = { 0 };
        vvWorldDef d = given_def(1.5 * gap, 0.5, 1e-5, &s);
        vvWorld *w = new_world(&d);
        vvBodyId peg = add_plain_box(w, (double[]){ size, size, size }, 0, 1, 0);
        for (int side = -1; side < 2; side += 2)
            obstacle(w, "box", (double[]){ side * (half + wall / 2), 0, 0, wall, 1, 1, 0, 0, 0 }, -1);
        if (way == 1)
            add_plain_box(w, (double[]){ 2, 2, 2 }, 1e4, 0, 0);
        assert_ok(vvWorldBake(w, &error));
        assert_int_equal(s.lines, 0);
        if (way < 2) {
            double *x = copy_of(vvWorldPositions(w), 12);
            for (int i = 0; i < 4; i++)
                x[3 * i + 1] -= 1;
            assert_ok(vvBodySetState(w, peg, x, NULL, &error));
            free(x);
        } else {
            steps(w, 2);
            add_plain_box(w, (double[]){ size, size, size }, 0, 0, 0);
            assert_ok(vvWorldBake(w, &error));
        }
        assert_int_equal(s.lines, 1);
        steps(w, 3);
        assert_int_equal(s.lines, 1);
        vvWorldDestroy(w);
    }
}

/* A press that closes in the course of a run is meant: who comes in then is asked, not what is held already. */
static void what_a_press_holds_is_not_named_later(void **state)
{
    (void)state;
    static const double box[] = { 0.1, 0.1, 0.1 };
    said s = { 0 };
    vvError error = { 0 };
    vvWorldDef d = given_def(HAT, 0.5, 1e-4, &s);
    vvWorld *w = new_world(&d);
    obstacle(w, "plane", (double[]){ 0, -0.05 - 0.97 * HAT, 0, 0, 1, 0 }, -1);
    add_plain_box(w, box, 0, 0, 0);
    vvBodyDef def = vvDefaultBodyDef();
    def.kinematic = true;
    def.translate[1] = 0.1 + 3 * HAT;
    def.motion.linearVelocity[1] = -1;
    def.motion.endTime = 2.6 * HAT;
    add_box_def(w, box, (int[]){ 1, 1, 1 }, 5, &def);
    steps(w, 10);
    assert_true(ledger(w).minGap < 0.7 * HAT);
    assert_int_equal(s.lines, 0);
    add_plain_box(w, box, 1, 0, 0);
    assert_ok(vvWorldBake(w, &error));
    vvStartGap g;
    assert_true(vvWorldGetStartGap(w, &g));
    assert_int_equal(s.lines, 0);
    vvWorldDestroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(pegs_that_stick_are_named),
                                        cmocka_unit_test(what_is_pressed_is_named_without_friction),
                                        cmocka_unit_test(a_ceiling_makes_a_fit_and_a_load_does_not),
                                        cmocka_unit_test(what_rests_is_not_named),
                                        cmocka_unit_test(a_peg_is_named_when_it_comes),
                                        cmocka_unit_test(what_a_press_holds_is_not_named_later) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
