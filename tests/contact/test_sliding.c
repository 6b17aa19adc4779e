/* layer: world
 * A sliding block is slowed down by mu g, whatever method and ground, and friction is booked for what it loses: A-search and friction
 * rely on contact's forces, which Newton's steps alone, short as they are, leave out of balance. */
#include "live_support.h"

static const double MU = 0.3, H = 1.0 / 120;

typedef enum ground { PLANE, TRIANGLES, TWO_TRIANGLES, GROUNDS } ground;

static void add_ground(vvWorld *w, ground kind)
{
    vvError error = { 0 };
    if (kind == PLANE) {
        vvObstacleDef def = vvDefaultObstacleDef();
        def.type = "plane";
        assert_ok(vvWorldAddObstacle(w, &def, NULL, &error));
        return;
    }
    double fine[6] = { 3, 0.6, 31, 7, 0.2, 0 }, coarse[6] = { 6, 0.6, 1, 1, 0, 0 };
    vvMesh mesh = { 0 };
    assert_ok(vvMeshGenerate("ground", kind == TRIANGLES ? fine : coarse, &mesh, &error));
    vvBodyDef def = vvDefaultBodyDef();
    def.kinematic = true;
    add_mesh(w, &mesh, &def);
}

/* Between 1 and 0.2 m/s: the deceleration over mu g, and the loss booked to friction over that of the sliding's kinetic energy. */
typedef struct slide {
    double deceleration, friction;
} slide;

static slide slide_of(const char *scheme, const char *policy, ground kind)
{
    vvError error = { 0 };
    vvWorldDef d = free_def(scheme, H, 0.01);
    d.gravity[1] = -9.8;
    d.integrator.policy = policy;
    d.contact.model = "barrier";
    d.contact.friction = MU;
    d.contact.frictionSpeed = 1e-4;
    vvWorld *w = new_world(&d);
    add_ground(w, kind);
    double values[7] = { 0.1, 0.05, 0.1, 4, 2, 4, 5 };
    vvMesh mesh = { 0 };
    assert_ok(vvMeshGenerate("box", values, &mesh, &error));
    vvBodyDef def = vvDefaultBodyDef();
    def.material.model = "neo-hookean";
    def.material.young = 1e6;
    def.translate[0] = -0.5, def.translate[1] = 0.02597;
    vvBodyId block = add_mesh(w, &mesh, &def);
    double velocity[3] = { 1.3, 0, 0 };
    assert_ok(vvBodySetInitialState(w, block, "linear", velocity, &error));
    double first[2] = { 0, 0 }, last[2] = { 0, 1 }, lost = 0;
    const double mass = 0.5;
    for (int i = 0; i < 100 && last[1] > 0.2; i++) {
        vvLedgerRow row;
        assert_ok(vvWorldStep(w, NULL, &error));
        assert_ok(vvWorldLedger(w, &row, &error));
        last[0] = row.time;
        last[1] = row.momentum[0] / mass;
        lost += first[0] > 0 ? row.friction : 0;
        if (first[0] == 0 && last[1] <= 1)
            memcpy(first, last, sizeof first);
    }
    assert_true(first[0] > 0 && last[1] <= 0.2);
    vvWorldDestroy(w);
    return (slide){ (first[1] - last[1]) / (last[0] - first[0]) / (MU * 9.8),
                    lost / (0.5 * mass * (first[1] * first[1] - last[1] * last[1])) };
}

static void decelerates(void **state)
{
    (void)state;
    static const char *methods[][2] = { { "backward-euler", "none" }, { "bdf2", "none" }, { "backward-euler", "search" } };
    for (ground kind = 0; kind < GROUNDS; kind++)
        for (int m = 0; m < 3; m++) {
            slide s = slide_of(methods[m][0], methods[m][1], kind);
            print_message("%s, %s, ground %d: %.4f of mu g, %.4f of the loss\n", methods[m][0], methods[m][1], (int)kind, s.deceleration,
                          s.friction);
            if (!(fabs(s.deceleration - 1) <= 0.015) || !(fabs(s.friction - 1) <= 0.1))
                fail_msg("%s, %s, ground %d: %.4f of mu g, %.4f of the loss", methods[m][0], methods[m][1], (int)kind, s.deceleration,
                         s.friction);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(decelerates) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
