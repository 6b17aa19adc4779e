/* A saved state in a world with other settings: it goes on from the same positions, the ledger books what the change
 * did, and what cannot be is refused without a trace. */
#include "world_support.h"

typedef struct settings {
    double young, h, gravity, friction, ground; /* ground: height of the plane, m */
    const char *scheme, *policy, *linear;
    bool held;
} settings;

static const settings usual = { 5e4, 0.01, -9.8, 0, -0.2, "backward-euler", "none", "pcg", false };

/* A ball above a plane. */
static vvWorld *make(const settings *s)
{
    vvWorldDef d = vvDefaultWorldDef();
    d.gravity[1] = s->gravity;
    d.timeStep = s->h;
    d.integrator.scheme = s->scheme, d.integrator.policy = s->policy;
    d.solver.linear = s->linear;
    d.solver.tolerance = 1e-6;
    d.contact.friction = s->friction;
    d.threads = 1;
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("neo-hookean", s->young);
    vvBodyId body = add_ball(w, 0.05, 2, &def);
    set_state(w, body, "stretch", NULL);
    double plane[6] = { 0, s->ground, 0, 0, 1, 0 };
    obstacle(w, "plane", plane, -1);
    if (s->held) {
        int top[1] = { 3 };
        vvAttachDef a = vvDefaultAttachDef();
        a.where = (vvRegion){ .kind = VV_REGION_VERTICES, .list = top, .listCount = 1 };
        attach(w, body, &a);
    }
    return w;
}

static char *save(vvWorld *w, size_t *size)
{
    vvError error = { 0 };
    *size = vvWorldStateSize(w);
    char *state = malloc(*size);
    assert_non_null(state);
    assert_ok(vvWorldSaveState(w, state, *size, &error));
    return state;
}

/* A state of another version of visviva is refused with the number of its form, and the world is as it was. */
static void another_version_is_refused(void **state)
{
    (void)state;
    vvWorld *w = make(&usual);
    steps(w, 3);
    size_t size, bytes = 3 * (size_t)vvWorldNodeCount(w) * sizeof(double);
    char *saved = save(w, &size), *x = malloc(bytes);
    uint32_t older = 4;
    memcpy(saved + 8, &older, sizeof older); /* behind the magic word */
    steps(w, 2);
    memcpy(x, vvWorldPositions(w), bytes);
    vvError error = { 0 };
    assert_int_equal(vvWorldLoadState(w, saved, size, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "this version of visviva: it has the form 4"));
    assert_memory_equal(x, vvWorldPositions(w), bytes);
    free(saved);
    free(x);
    vvWorldDestroy(w);
}

static void goes_on(void **state)
{
    (void)state;
    settings rows[10];
    for (int i = 0; i < 10; i++)
        rows[i] = usual;
    rows[1].young = 2e5;
    rows[2].h = 0.004;
    rows[3].gravity = -1.6;
    rows[4].policy = "search";
    rows[5].scheme = "bdf2", rows[5].h = 0.005;
    rows[6].linear = "cholesky";
    rows[7].friction = 0.5;
    rows[8].scheme = "implicit-midpoint";
    rows[9].ground = -0.3;
    for (int i = 0; i < 10; i++) {
        vvError error = { 0 };
        vvWorld *old = make(&usual), *new = make(&rows[i]);
        steps(old, 8);
        size_t size;
        char *saved = save(old, &size);
        vvLedgerRow before = ledger(old);
        assert_ok(vvWorldBake(new, &error));
        assert_ok(vvWorldLoadState(new, saved, size, &error));
        assert_near(vvWorldTime(new), 0.08, 1e-15);
        assert_memory_equal(vvWorldPositions(new), vvWorldPositions(old),
                            3 * (size_t)vvWorldNodeCount(old) * sizeof(double));
        double change =
            ledger(new).kinetic + ledger(new).elastic + ledger(new).gravity + ledger(new).contact - before.total;
        if ((i == 1 || i == 3) != (fabs(change) > 1e-9))
            fail_msg("settings %d: the energy changes by %g J", i, change);
        double total = before.total, target = before.target;
        for (int s = 1; s <= 5; s++) {
            vvLedgerRow row = step(new);
            assert_near(row.time, 0.08 + s * rows[i].h, 1e-14);
            assert_near(row.total - total, row.work - row.friction - row.damping - row.decay + row.error, 1e-12);
            assert_near(row.work, s == 1 ? change : 0, 1e-9); /* what the settings did is work, not error */
            assert_less(fabs(row.error), 0.05 * row.scale);
            if (s == 1 && i == 4) /* the new policy aims at what there is, not at what backward Euler has lost */
                assert_near(row.target, before.total, 1e-9);
            else
                assert_near(row.target - target, row.work - row.friction - row.damping - row.decay, 1e-9);
            total = row.total, target = row.target;
        }
        if (i == 0) { /* the same settings: the same bits */
            steps(old, 5);
            assert_memory_equal(vvWorldPositions(new), vvWorldPositions(old),
                                3 * (size_t)vvWorldNodeCount(old) * sizeof(double));
        }
        free(saved);
        vvWorldDestroy(old);
        vvWorldDestroy(new);
    }
}

/* Held from here on, where the node is now; and let go from here on. */
static void attachments_change(void **state)
{
    (void)state;
    settings held = usual;
    held.held = true;
    for (int turn = 0; turn < 2; turn++) {
        vvError error = { 0 };
        vvWorld *old = make(turn ? &held : &usual), *new = make(turn ? &usual : &held);
        steps(old, 6);
        size_t size;
        char *saved = save(old, &size);
        assert_ok(vvWorldBake(new, &error));
        assert_ok(vvWorldLoadState(new, saved, size, &error));
        double at[3], total = ledger(old).total;
        memcpy(at, vvWorldPositions(old) + 9, sizeof at);
        for (int s = 0; s < 6; s++) {
            vvLedgerRow row = step(new);
            assert_near(row.total - total, row.work - row.friction - row.damping - row.decay + row.error, 1e-12);
            total = row.total;
            double moved = distance3(at, vvWorldPositions(new) + 9);
            assert_true(turn ? moved > 0 : moved < 1e-15);
        }
        free(saved);
        vvWorldDestroy(old);
        vvWorldDestroy(new);
    }
}

static void refused_without_a_trace(void **state)
{
    (void)state;
    vvError error = { 0 };
    settings high = usual;
    high.ground = -0.0525; /* the saved ball has fallen below this */
    vvWorld *old = make(&usual), *new = make(&high), *same = make(&high);
    steps(old, 10);
    size_t size;
    char *saved = save(old, &size);
    step(new), step(same);
    assert_int_equal(vvWorldLoadState(new, saved, size, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "inside obstacle"));
    saved[0] = 'x';
    assert_int_equal(vvWorldLoadState(new, saved, size, &error), VV_ERROR_INPUT);
    saved[0] = 'v';
    for (size_t at = size / 7; at < size; at += size / 7) { /* a bit of the state, wherever */
        saved[at] ^= 4;
        assert_int_equal(vvWorldLoadState(new, saved, size, &error), VV_ERROR_INPUT);
        saved[at] ^= 4;
    }
    assert_int_equal(vvWorldLoadState(new, saved, size - 1, &error), VV_ERROR_INPUT);
    assert_int_equal(vvWorldLoadState(new, saved, 5, &error), VV_ERROR_INPUT);
    steps(new, 3), steps(same, 3);
    assert_memory_equal(vvWorldPositions(new), vvWorldPositions(same),
                        3 * (size_t)vvWorldNodeCount(old) * sizeof(double));
    free(saved);
    vvWorldDestroy(old);
    vvWorldDestroy(new);
    vvWorldDestroy(same);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_version_is_refused),
        cmocka_unit_test(goes_on),
        cmocka_unit_test(attachments_change),
        cmocka_unit_test(refused_without_a_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
