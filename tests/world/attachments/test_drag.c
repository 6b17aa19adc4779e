/* Dragging: the nodes go where the hand goes, its work is in the ledger, nothing of it is left when it lets go. */
#include "visviva/interact.h"
#include "world_support.h"

static vvWorld *cube(const char *scheme, const char *policy, vvBodyId *body)
{
    vvWorldDef d = free_def(scheme, 0.01, 1e-9);
    d.integrator.policy = policy;
    vvWorld *w = new_world(&d);
    vvMaterialDef m = material("fixed-corotated", 1e4);
    *body = add_cube(w, 0.1, 2, &m);
    return w;
}

static const double *place(const vvWorld *w, int node) { return vvWorldPositions(w) + 3 * node; }

/* Every scheme, both kinds: the ledger's identity holds from the grip to after the release; what is held by force is
 * exactly where the hand is, and what is near it keeps its place around it. */
static void ledger_holds(void **state)
{
    (void)state;
    for (int i = 0; vvSchemeInfo(i); i++)
        for (int kind = 0; kind < 2; kind++) {
            vvError error = { 0 };
            vvBodyId body;
            const char *name = vvSchemeInfo(i)->name;
            bool small = strcmp(name, "forward-euler") == 0 || strcmp(name, "symplectic-euler") == 0 ||
                         strcmp(name, "verlet") == 0;
            vvWorldDef d = free_def(name, small ? 2e-4 : 0.01, 1e-9);
            vvWorld *w = new_world(&d);
            vvMaterialDef m = material("fixed-corotated", 1e4);
            body = add_cube(w, 0.1, 2, &m);
            steps(w, 2);
            vvDragDef def = vvDefaultDragDef();
            vvDragId drag;
            def.body = body, def.vertex = 0, def.radius = 0.06, def.kind = kind ? VV_DRAG_PRESCRIBED : VV_DRAG_SPRING;
            double start[3], offset[3], target[3], total = ledger(w).total, booked = total;
            memcpy(start, place(w, 0), sizeof start);
            for (int k = 0; k < 3; k++)
                offset[k] = place(w, 1)[k] - start[k]; /* an edge of 5 cm: held too */
            assert_ok(vvWorldStartDrag(w, &def, &drag, &error));
            assert_true(vvDragIsValid(w, drag));
            for (int s = 1; s <= 10; s++) {
                memcpy(target, start, sizeof start);
                target[0] += 2e-4 * s, target[1] -= 1e-4 * s;
                assert_ok(vvWorldMoveDrag(w, drag, target, &error));
                vvLedgerRow row = step(w);
                booked += row.work - row.friction - row.damping - row.decay + row.error;
                assert_near(row.total, booked, 1e-9);
                for (int k = 0; k < 3 && kind; k++) {
                    assert_near(place(w, 0)[k], target[k], 1e-15);
                    assert_near(place(w, 1)[k], target[k] + offset[k], 1e-15);
                }
            }
            if (!kind) { /* pulled towards the hand */
                assert_less(1e-6, place(w, 0)[0] - start[0]);
                assert_less(0, ledger(w).attachment);
            }
            assert_ok(vvWorldEndDrag(w, drag, &error));
            assert_false(vvDragIsValid(w, drag));
            vvLedgerRow row = step(w);
            booked += row.work - row.friction - row.damping - row.decay + row.error;
            assert_near(row.total, booked, 1e-9);
            assert_true(row.attachment == 0);
            vvWorldDestroy(w);
        }
}

/* Midpoint conserves: all that a prescribed hand gives is in the body afterwards. */
static void work_is_what_the_body_gains(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvBodyId body;
    vvWorld *w = cube("implicit-midpoint", "none", &body);
    vvDragDef def = vvDefaultDragDef();
    vvDragId drag;
    double target[3], work = 0;
    def.body = body, def.vertex = 4;
    assert_ok(vvWorldStartDrag(w, &def, &drag, &error));
    memcpy(target, place(w, 4), sizeof target);
    for (int s = 0; s < 40; s++) {
        if (s == 20)
            assert_ok(vvWorldEndDrag(w, drag, &error));
        if (s < 20) {
            target[1] += 2e-4 * s;
            assert_ok(vvWorldMoveDrag(w, drag, target, &error));
        }
        work += step(w).work;
    }
    assert_less(1e-3, work);
    assert_near(ledger(w).total, work, 0.02 * work);
    vvWorldDestroy(w);
}

/* A drag that begins where the vertex is and never moves, by springs, disturbs nothing of a body at rest. */
static void a_still_hand_does_nothing(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvBodyId body;
    vvWorld *w = cube("backward-euler", "search", &body);
    double *rest = copy_of(vvWorldPositions(w), 3 * vvWorldNodeCount(w));
    for (int kind = 0; kind < 2; kind++) {
        vvDragDef def = vvDefaultDragDef();
        vvDragId drag;
        def.body = body, def.kind = (vvDragKind)kind, def.radius = 1;
        assert_ok(vvWorldStartDrag(w, &def, &drag, &error));
        vvLedgerRow row = steps(w, 3);
        assert_near(row.work, 0, 1e-15);
        assert_near(mass_distance(w, rest, vvWorldPositions(w)), 0, 1e-12);
        assert_ok(vvWorldEndDrag(w, drag, &error));
    }
    free(rest);
    vvWorldDestroy(w);
}

/* The hand is restored with the world: from the same snapshot the same bits, also when the drag had ended meanwhile. */
static void snapshots_keep_the_hand(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        vvError error = { 0 };
        vvBodyId body;
        vvWorld *w = cube("bdf2", "none", &body);
        vvDragDef def = vvDefaultDragDef();
        vvDragId drag;
        vvSnapshot *snapshot = NULL;
        double up[3] = { 0.02, 0.1, 0 };
        def.body = body, def.kind = (vvDragKind)kind, def.vertex = 3, def.radius = 0.06;
        assert_ok(vvWorldStartDrag(w, &def, &drag, &error));
        assert_ok(vvWorldMoveDrag(w, drag, up, &error));
        steps(w, 2);
        up[1] = 0.08;
        assert_ok(vvWorldMoveDrag(w, drag, up, &error));
        assert_ok(vvWorldSnapshot(w, &snapshot, &error));
        steps(w, 5);
        int n = 3 * vvWorldNodeCount(w);
        double *expected = copy_of(vvWorldPositions(w), n);
        assert_ok(vvWorldEndDrag(w, drag, &error));
        steps(w, 2);
        assert_ok(vvWorldRestore(w, snapshot, &error));
        assert_true(vvDragIsValid(w, drag));
        steps(w, 5);
        assert_memory_equal(expected, vvWorldPositions(w), (size_t)n * sizeof *expected);
        vvSnapshotDestroy(snapshot);
        free(expected);
        vvWorldDestroy(w);
    }
}

static void refused(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvBodyId body;
    vvWorld *w = cube("backward-euler", "none", &body);
    vvDragDef def = vvDefaultDragDef();
    vvDragId drag, second;
    double target[3] = { 0, 0, 0 };
    assert_int_equal(vvWorldStartDrag(w, &def, &drag, &error), VV_ERROR_INPUT); /* no body */
    def.body = body, def.vertex = 27;
    assert_int_equal(vvWorldStartDrag(w, &def, &drag, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "0 to 26"));
    def.vertex = 0, def.radius = -1;
    assert_int_equal(vvWorldStartDrag(w, &def, &drag, &error), VV_ERROR_INPUT);
    def.radius = 0, def.here = false, def.target[2] = NAN;
    assert_int_equal(vvWorldStartDrag(w, &def, &drag, &error), VV_ERROR_INPUT);
    def.here = true, def.stiffness = INFINITY;
    assert_int_equal(vvWorldStartDrag(w, &def, &drag, &error), VV_ERROR_INPUT);
    def.stiffness = 0, def.kind = (vvDragKind)7;
    assert_int_equal(vvWorldStartDrag(w, &def, &drag, &error), VV_ERROR_INPUT);
    assert_int_equal(drag.index1, 0);
    def.kind = VV_DRAG_PRESCRIBED;
    assert_ok(vvWorldStartDrag(w, &def, &drag, &error));
    assert_int_equal(vvWorldStartDrag(w, &def, &second, &error), VV_ERROR_INPUT); /* one hand by force at a vertex */
    assert_non_null(strstr(error.message, "held"));
    target[1] = INFINITY;
    assert_int_equal(vvWorldMoveDrag(w, drag, target, &error), VV_ERROR_INPUT);
    /* a drag is no attachment */
    assert_int_equal(vvWorldDetach(w, (vvAttachId){ drag.index1, drag.generation }, &error), VV_ERROR_INPUT);
    assert_ok(vvWorldEndDrag(w, drag, &error));
    assert_int_equal(vvWorldEndDrag(w, drag, &error), VV_ERROR_INPUT);
    assert_int_equal(vvWorldMoveDrag(w, drag, place(w, 0), &error), VV_ERROR_INPUT);
    /* it goes with its body */
    assert_ok(vvWorldStartDrag(w, &def, &drag, &error));
    assert_ok(vvWorldRemoveBody(w, body, &error));
    assert_false(vvDragIsValid(w, drag));
    vvWorldDestroy(w);
}

/* The ground level, at which a decaying target aims, is that of the world without the hand. */
static void ground_level_stays(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = vvDefaultWorldDef();
    vvKey key = { 0, 0.5 };
    d.integrator.policy = "search", d.integrator.decayKeys = &key, d.integrator.decayKeyCount = 1;
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    def.translate[1] = 0.2;
    vvBodyId body = add_ball(w, 0.05, 2, &def);
    obstacle(w, "plane", NULL, 0);
    double ground = ledger(w).groundEnergy;
    assert_true(isfinite(ground));
    for (int kind = 0; kind < 2; kind++) {
        vvDragDef drag = vvDefaultDragDef();
        vvDragId id;
        drag.body = body, drag.kind = (vvDragKind)kind;
        assert_ok(vvWorldStartDrag(w, &drag, &id, &error));
        for (int s = 0; s < 5; s++)
            assert_true(step(w).groundEnergy == ground);
        assert_ok(vvWorldEndDrag(w, id, &error));
        assert_true(steps(w, 3).groundEnergy == ground);
    }
    vvWorldDestroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ledger_holds),
        cmocka_unit_test(work_is_what_the_body_gains),
        cmocka_unit_test(a_still_hand_does_nothing),
        cmocka_unit_test(snapshots_keep_the_hand),
        cmocka_unit_test(refused),
        cmocka_unit_test(ground_level_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
