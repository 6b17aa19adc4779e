/* layer: world
 * The policy project (FEPR): what it promises. */
#include "size.h"
#include "world_support.h"

static void explore(void **state)
{
    (void)state;
    static const char *const schemes[] = { "backward-euler", "bdf2", "implicit-midpoint", "trapezoidal", "sdirk2", "verlet" };
    static const char *const models[] = { "neo-hookean", "stvk", "fixed-corotated", "corotated" };
    for (size_t i = getenv("ONE") ? 3 : 0; i < (getenv("ONE") ? 4 : 6); i++)
        for (size_t m = getenv("ONE") ? 1 : 0; m < (getenv("ONE") ? 2 : 4); m++) {
            vvError error = { 0 };
            vvWorldDef d = free_def(schemes[i], i == 5 ? 1.0 / 600 : 1.0 / 30, i == 5 ? 0.01 : 0.01);
            d.integrator.policy = "project";
            vvWorld *w = new_world(&d);
            vvBodyDef def = vvDefaultBodyDef();
            def.material = material(models[m], 5e4);
            def.translate[0] = 0.3, def.translate[1] = 0.2;
            vvBodyId id = add_box_def(w, (double[]){ 0.3, 0.2, 0.1 }, (int[]){ 6, 4, 2 }, 6, &def);
            set_state(w, id, "stretch", (double[]){ 1.2, 0.9, 1, NAN, NAN, NAN });
            set_state(w, id, "linear", (double[]){ 0.5, -0.2, 0.1 });
            set_state(w, id, "angular", (double[]){ 4, 2, 7, NAN, NAN, NAN });
            vvLedgerRow first = ledger(w), last = first;
            double worst[4] = { 0 }, iterations = 0, most = 0;
            int n = 0;
            for (; n < 200; n++) {
                vvStatus status = vvWorldStep(w, NULL, &error);
                if (status != VV_OK) {
                    printf("  failed at %d: %s\n", n, error.message);
                    break;
                }
                last = ledger(w);
                worst[0] = fmax(worst[0], fabs(last.total - first.total) / first.scale);
                worst[1] = fmax(worst[1], distance3(last.momentum, first.momentum) / norm3(first.momentum));
                worst[2] = fmax(worst[2], distance3(last.angularMomentum, first.angularMomentum) / norm3(first.angularMomentum));
                worst[3] = fmax(worst[3], distance3(last.angularMomentumCentre, first.angularMomentumCentre) / norm3(first.angularMomentum));
                iterations += last.alpha, most = fmax(most, last.alpha);
            }
            printf("%-18s %-16s H %.1e P %.1e L %.1e Lc %.1e iterations %.1f most %.0f kinetic %.3g visible %.3g elastic %.3g\n", schemes[i], models[m], worst[0], worst[1], worst[2],
                   worst[3], iterations / n, most, last.kinetic, last.visible, last.elastic);
            vvWorldDestroy(w);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(explore),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
