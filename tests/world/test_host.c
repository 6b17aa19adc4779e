/* What a host puts in place of the library's own: loops in any order and on any threads give the same bits,
 * cancelling in any of a step's loops leaves the world as it was, and the log says what happened, once. */
#include "size.h"
#include "world_support.h"

#include <pthread.h>
#include <stdbool.h>

typedef enum order { FORWARDS, BACKWARDS, THREADS } order;

typedef struct loops {
    order order;
    long count, cancel_at; /* cancel_at: in which loop another thread cancels; 0: none */
    vvWorld *world;
} loops;

typedef struct share {
    void (*task)(void *context, int index);
    void *context;
    int first, count, stride;
    vvWorld *cancel;
} share;

static void *work(void *arg)
{
    const share *s = arg;
    for (int i = s->first; i < s->count; i += s->stride)
        s->task(s->context, i);
    if (s->cancel)
        vvWorldCancel(s->cancel);
    return NULL;
}

static void run(void *user, int count, void (*task)(void *context, int index), void *context)
{
    loops *l = user;
    vvWorld *cancel = ++l->count == l->cancel_at ? l->world : NULL;
    if (l->order == BACKWARDS && !cancel) {
        for (int i = count - 1; i >= 0; i--)
            task(context, i);
        return;
    }
    int threads = l->order == THREADS || cancel ? 3 : 1;
    pthread_t thread[3];
    share share_of[3];
    for (int t = 0; t < threads; t++) {
        share_of[t] = (share){ task, context, t, count, threads, t == 1 ? cancel : NULL };
        if (threads == 1)
            work(&share_of[0]);
        else
            assert_int_equal(pthread_create(&thread[t], NULL, work, &share_of[t]), 0);
    }
    for (int t = 0; t < threads && threads > 1; t++)
        pthread_join(thread[t], NULL);
}

static vvWorld *make(loops *l, int cells, const char *linear)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.solver.linear = linear;
    def.integrator.policy = "search";
    def.integrator.groundMode = VV_GROUND_NONE;
    def.contact.friction = 0.3;
    def.threads = 1;
    if (l)
        def.host.tasks = (vvTaskSystem){ 4, run, l };
    vvWorld *w = new_world(&def);
    vvMaterialDef m = material("fixed-corotated", 3e4);
    m.damping.rayleigh = 1e-3;
    vvBodyId id = add_cube(w, 0.1, cells, &m);
    set_state(w, id, "angular", NULL);
    set_state(w, id, "twist", NULL);
    obstacle(w, "plane", (double[]){ 0, -0.09, 0, 0, 1, 0 }, -1);
    if (l)
        l->world = w;
    return w;
}

static char *state_of(vvWorld *w, size_t *size)
{
    vvError error = { 0 };
    *size = vvWorldStateSize(w);
    char *state = malloc(*size);
    assert_ok(vvWorldSaveState(w, state, *size, &error));
    return state;
}

static void loops_in_any_order_give_the_same_bits(void **state)
{
    (void)state;
    static const char *const linears[] = { "auto", "pcg" };
    for (size_t k = 0; k < 2; k++) {
        size_t size, other;
        vvWorld *plain = make(NULL, 8, linears[k]);
        steps(plain, 3);
        char *wanted = state_of(plain, &size);
        vvWorldDestroy(plain);
        for (order o = FORWARDS; o <= THREADS; o++) {
            loops l = { .order = o };
            vvWorld *w = make(&l, 8, linears[k]);
            steps(w, 3);
            char *got = state_of(w, &other);
            assert_int_equal(size, other);
            assert_memory_equal(wanted, got, size);
            assert_true(l.count > 100);
            free(got);
            vvWorldDestroy(w);
        }
        free(wanted);
    }
}

/* In the k-th loop of a step, for every k: cancelled at once, or, where the step had nothing more to ask, the next
 * one is. */
static void cancelling_in_any_loop_leaves_the_world(void **state)
{
    (void)state;
    vvError error = { 0 };
    loops l = { 0 };
    vvWorld *w = make(&l, 8, "pcg");
    steps(w, 2);
    size_t size;
    char *start = state_of(w, &size), *after = malloc(size);
    l.count = 0;
    step(w);
    long all = l.count;
    char *end = state_of(w, &size);
    long at_once = 0;
    for (long k = 1; k <= all; k += 1 + all / (sanitized() ? 15 : 60)) {
        assert_ok(vvWorldLoadState(w, start, size, &error));
        l.count = 0, l.cancel_at = k;
        vvStatus first = vvWorldStep(w, NULL, &error);
        l.cancel_at = 0;
        assert_true(first == VV_OK || first == VV_CANCELLED);
        assert_ok(vvWorldSaveState(w, after, size, &error));
        assert_memory_equal(after, first == VV_OK ? end : start, size);
        at_once += first == VV_CANCELLED;
        vvStatus next = vvWorldStep(w, NULL, &error);
        assert_int_equal(next, first == VV_OK ? VV_CANCELLED : VV_OK);
        assert_ok(vvWorldSaveState(w, after, size, &error));
        assert_memory_equal(after, end, size);
    }
    assert_true(at_once > 5);
    free(start);
    free(after);
    free(end);
    vvWorldDestroy(w);
}

/* Between surfaces there are long loops, too, and energies can only say "infinite" of one that was left. */
static void settling_is_cancelled_in_contact_between_bodies(void **state)
{
    (void)state;
    vvError error = { 0 };
    loops l = { 0 };
    vvWorld *w = make(&l, 3, "pcg");
    vvBodyDef upper = vvDefaultBodyDef();
    upper.material = material("fixed-corotated", 3e4);
    upper.translate[1] = 0.12;
    add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 3, 3, 3 }, 6, &upper);
    l.count = 0;
    double energy;
    assert_ok(vvWorldSettle(w, false, &energy, &error));
    long all = l.count;
    assert_true(all > 100);
    for (long k = 1; k <= all - all / 10; k += 1 + all / (sanitized() ? 15 : 60)) {
        l.count = 0, l.cancel_at = k;
        assert_int_equal(vvWorldSettle(w, false, &energy, &error), VV_CANCELLED);
        assert_int_equal(error.status, VV_CANCELLED);
    }
    vvWorldDestroy(w);
}

static void settling_and_baking_are_cancelled(void **state)
{
    (void)state;
    vvError error = { 0 };
    double energy;
    vvWorld *w = make(NULL, 3, "pcg");
    vvWorldCancel(w); /* before anything: the next one */
    assert_int_equal(vvWorldStep(w, NULL, &error), VV_CANCELLED);
    assert_int_equal(error.status, VV_CANCELLED);
    steps(w, 1);
    vvWorldCancel(w);
    assert_int_equal(vvWorldSettle(w, true, &energy, &error), VV_CANCELLED);
    assert_ok(vvWorldStep(w, NULL, &error)); /* the wish was fulfilled */
    vvWorldDestroy(w);
}

/* Two cubes, one on the other, all within the activation distance. */
static vvWorld *make_pile(loops *l)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.host.tasks = (vvTaskSystem){ 4, run, l };
    vvWorld *w = new_world(&def);
    obstacle(w, "plane", (double[]){ 0, -0.0505, 0, 0, 1, 0 }, -1);
    for (int i = 0; i < 2; i++) {
        vvBodyDef cube = vvDefaultBodyDef();
        cube.material = material("neo-hookean", 3e4);
        cube.translate[0] = 0.01 * i;
        cube.translate[1] = 0.1005 * i;
        add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 1, 1, 1 }, 6, &cube);
    }
    return l->world = w;
}

static vvStatus lift(vvWorld *w, vvError *error)
{
    double *x, *v;
    vvStatus s = vvWorldBeginEdit(w, &x, &v, error);
    for (int i = 0; s == VV_OK && i < vvWorldNodeCount(w); i++)
        x[3 * i + 1] += 5e-4, v[3 * i] += 1;
    return s == VV_OK ? vvWorldEndEdit(w, error) : s;
}

static vvStatus settle(vvWorld *w, vvError *error) { return vvWorldSettle(w, true, NULL, error); }

/* What contact between bodies leaves unfinished is never booked, nor mistaken for a failure. */
static void cancelled_in_any_loop(vvStatus (*act)(vvWorld *w, vvError *error))
{
    vvError error = { 0 };
    loops l = { 0 };
    vvWorld *w = make_pile(&l);
    size_t size;
    steps(w, 1);
    char *start = state_of(w, &size), *after = malloc(size);
    l.count = 0;
    assert_ok(act(w, &error));
    long all = l.count, cancelled = 0;
    char *end = state_of(w, &size);
    for (long k = 1; k <= all; k += 1 + all / (sanitized() ? 15 : 60)) {
        assert_ok(vvWorldLoadState(w, start, size, &error));
        l.count = 0, l.cancel_at = k;
        vvStatus s = act(w, &error);
        l.cancel_at = 0;
        assert_true(s == VV_OK || s == VV_CANCELLED);
        assert_ok(vvWorldSaveState(w, after, size, &error));
        assert_memory_equal(after, s == VV_OK ? end : start, size);
        cancelled += s == VV_CANCELLED;
        if (s == VV_OK && l.count >= k) /* too late: the next one is cancelled */
            assert_int_equal(vvWorldStep(w, NULL, &error), VV_CANCELLED);
    }
    assert_true(cancelled > 0);
    free(start);
    free(after);
    free(end);
    vvWorldDestroy(w);
}

static void edits_and_settling_are_cancelled_in_any_loop(void **state)
{
    (void)state;
    cancelled_in_any_loop(lift);
    cancelled_in_any_loop(settle);
}

typedef struct diary {
    int lines, warnings;
    char text[4000];
} diary;

static void write_line(void *user, vvLogLevel level, const char *message)
{
    diary *d = user;
    d->lines++;
    d->warnings += level == VV_LOG_WARNING;
    size_t used = strlen(d->text);
    snprintf(d->text + used, sizeof d->text - used, "%s\n", message);
}

static void the_log_says_it_once(void **state)
{
    (void)state;
    diary d = { 0 };
    vvWorldDef def = vvDefaultWorldDef();
    def.solver.maxIterations = 1;
    def.solver.tolerance = 1e-9;
    def.contact.friction = 0.5;
    def.threads = 1;
    def.host.log = (vvLog){ write_line, &d };
    vvWorld *w = new_world(&def);
    vvMaterialDef m = material("fixed-corotated", 3e4);
    vvBodyId id = add_cube(w, 0.1, 2, &m);
    set_state(w, id, "twist", NULL);
    vvObstacleId side;
    vvObstacleDef wall = vvDefaultObstacleDef();
    vvError error = { 0 };
    shape_obstacle(&wall, (double[]){ 5, 0, 0, -1, 0, 0 }); /* holds nothing up */
    assert_ok(vvWorldAddObstacle(w, &wall, &side, &error));
    steps(w, 4);
    assert_non_null(strstr(d.text, "friction is smoothed below"));
    char *first = strstr(d.text, "stopped short");
    assert_non_null(first);
    assert_null(strstr(first + 1, "stopped short")); /* a row of them: once */
    assert_null(strstr(d.text, "rebuilt after"));
    assert_ok(vvWorldRemoveObstacle(w, side, &error));
    steps(w, 1);
    assert_non_null(strstr(d.text, "rebuilt after"));
    assert_non_null(strstr(d.text, "5 steps in a row have ended at the limit of iterations"));
    assert_int_equal(d.warnings, 2);
    vvWorldDestroy(w);
}

static void a_wrong_host_is_refused(void **state)
{
    (void)state;
    vvError error;
    vvWorld *w = NULL;
    loops l = { 0 };
    vvWorldDef def = vvDefaultWorldDef();
    def.host.tasks = (vvTaskSystem){ 0, run, &l };
    assert_int_equal(vvWorldCreate(&def, &w, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "host.tasks.workers"));
    assert_null(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_in_any_order_give_the_same_bits),
        cmocka_unit_test(cancelling_in_any_loop_leaves_the_world),
        cmocka_unit_test(settling_is_cancelled_in_contact_between_bodies),
        cmocka_unit_test(settling_and_baking_are_cancelled),
        cmocka_unit_test(edits_and_settling_are_cancelled_in_any_loop),
        cmocka_unit_test(the_log_says_it_once),
        cmocka_unit_test(a_wrong_host_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
