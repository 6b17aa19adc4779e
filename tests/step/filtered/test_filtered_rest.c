/* Filtered search: what must stick on a slope does, however it shakes. Contact's pushes give back in bounces alone. */
#include "visviva/query.h"
#include "size.h"
#include "step/filtered/bounce.h"
#include "world_support.h"

/* ---- on a slope, mu 0.5 ---- */

typedef struct slab {
    const char *material;
    double young, gap /* m */, slope /* degrees */;
    double scale; /* all lengths are so many times as long, times the root of that, moduli so many times as large */
    double h;     /* s, at scale 1 */
    double most;  /* m: how far its centre may come in 4 s, at scale 1 */
} slab;

/* How far the centre of a slab of 12 x 5 x 8 cm comes in 4 s that is let go above the ground, at scale 1. */
static double way(const slab *s)
{
    const double angle = s->slope * 3.14159265358979 / 180, l = s->scale, time = sqrt(l);
    vvError error = { 0 };
    vvWorldDef d = vvDefaultWorldDef();
    d.timeStep = s->h * time;
    d.integrator.policy = "filtered-search";
    d.integrator.groundMode = VV_GROUND_NONE;
    d.contact.friction = 0.5;
    d.threads = 1;
    d.gravity[0] = 0.8 * 9.8 * sin(angle), d.gravity[1] = -9.8 * cos(angle), d.gravity[2] = 0.6 * 9.8 * sin(angle);
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    const bool affine = strcmp(s->material, "affine") == 0;
    def.material = material(s->material, s->young * l);
    def.translate[1] = l * (0.025 + s->gap);
    const vvBodyId body = add_box_def(w, (double[]){ 0.12 * l, 0.05 * l, 0.08 * l },
                                      affine ? (int[]){ 1, 1, 1 } : (int[]){ 6, 3, 4 }, 5, &def);
    obstacle(w, "plane", NULL, -1);
    assert_ok(vvWorldBake(w, &error));
    vvBodyMeasures from, to;
    assert_ok(vvBodyMeasure(w, body, &from, &error));
    for (int i = 0; i < (int)(4 / s->h + 0.5); i++)
        step(w);
    assert_ok(vvBodyMeasure(w, body, &to, &error));
    vvWorldDestroy(w);
    return hypot(to.centre[0] - from.centre[0], to.centre[2] - from.centre[2]) / l;
}

/* Before pushes knew of bounces, they came 0.02 to 0.7 m down, and hopped on. In truth
 * (a twentieth of the step) the first comes 7 mm, that which falls from 5 mm onto 5 degrees too. */
static void what_must_stick_does_not_hop(void **state)
{
    (void)state;
    NUMBERS_ONLY();
    static const slab slabs[] = {
        { "neo-hookean", 2e4, 0.9e-3, 20, 1, 1.0 / 120, 0.016 },
        { "neo-hookean", 2e4, 0.1e-3, 20, 1, 1.0 / 120, 0.016 },
        { "neo-hookean", 2e4, 0.9e-3, 20, 1, 1.0 / 60, 0.016 },
        { "neo-hookean", 2e4, 2e-3, 10, 1, 1.0 / 120, 0.016 },
        { "neo-hookean", 2e4, 0.1e-3, 20, 10, 1.0 / 120, 0.016 },
        { "neo-hookean", 2e4, 5e-3, 5, 1, 1.0 / 120, 0.03 },
        { "affine", 2e4, 0.9e-3, 20, 1, 1.0 / 120, 0.03 },
    };
    for (size_t i = 0; i < sizeof slabs / sizeof *slabs; i++) {
        const double came = way(&slabs[i]);
        print_message("%s, %g mm above %g degrees, times %g, h %g: %g m\n", slabs[i].material, 1e3 * slabs[i].gap,
                      slabs[i].slope, slabs[i].scale, slabs[i].h, came);
        assert_true(came > 1e-4 && came < slabs[i].most);
    }
}

/* ---- bounces ---- */

static bool lasts(vv_bounce *b, const char *steps)
{
    bool last = false;
    for (; *steps; steps++) /* -: flies, v: contact stops it, ^: throws it out */
        last = vv_bounce_take(b, *steps != '-', *steps == 'v' ? 1 : -1);
    return last;
}

static void a_bounce_ends(void **state)
{
    (void)state;
    static const struct {
        const char *steps;
        bool bounces;
    } rows[] = { { "v", true },
                 { "vv^^", true },
                 { "vv^^v", true },
                 { "vv^^v^", true },
                 { "vv^^v^v", false },
                 { "--v^", true },
                 { "--v^-", true },
                 { "--v^--", false },
                 { "--v^---v", true },
                 { "v^v^v-", false },
                 { "^", true },
                 { "v^v^v-----v", false },
                 { "v^v^v------v", true },
                 { "vv^^-^", true },
                 { "vv^^-v^-v", false } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        vv_bounce b = { 0 };
        print_message("%s\n", rows[i].steps);
        assert_int_equal(lasts(&b, rows[i].steps), rows[i].bounces);
    }
    vv_bounce held = { 0 };
    assert_false(vv_bounce_take(&held, true, 0)); /* nothing moves its centre */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_must_stick_does_not_hop),
        cmocka_unit_test(a_bounce_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
