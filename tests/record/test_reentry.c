/* Callbacks that call back: whatever the log, the cancel function, the parallel loops or the allocator of a world
 * call on that world is refused, but vvWorldCancel; getters answer as outside, except to the allocator. The call
 * under way does not notice. */
#include "api_fixture.h"

#include "api_calls.h"

/* What is being tried. Callbacks only take notes: the library is on the stack, and must not be jumped over. */
static struct {
    api_fixture *f; /* NULL: callbacks do nothing */
    bool inside, allocator;
    int left, tried, calls;  /* how often everything is still to be tried; was tried; calls of callbacks */
    bool neutral[API_CALLS]; /* what getters return outside */
    char wrong[512];
} trial;

static bool of_files(const api_call *c)
{
    return strncmp(c->name, "vvRun", 5) == 0 || strncmp(c->name, "vvScene", 7) == 0;
}

static bool to_try(const api_call *c)
{
    return c->world && strcmp(c->name, "vvWorldCancel") != 0 && !(trial.allocator && of_files(c));
}

/* The function itself refuses, for the reason that is tried. */
static bool says(const vvError *error, const char *function)
{
    return error->status == VV_ERROR_INPUT && strncmp(error->message, function, strlen(function)) == 0 &&
           strstr(error->message, trial.allocator ? "by an allocator" : "another call works on the same world");
}

static void judge(const api_call *c, const api_outcome *out, int index)
{
    const vvError *error = &trial.f->error;
    bool wrong = false;
    if (c->kind == API_STATUS)
        wrong = out->status == VV_OK || (!of_files(c) && !says(error, c->name));
    /* 0 until the world is baked; 0 until go_on attaches something */
    const bool changes = strcmp(c->name, "vvWorldStateSize") == 0 || strncmp(c->name, "vvWorldAttachment", 17) == 0;
    if (c->kind == API_VALUE && (trial.allocator || !changes))
        wrong = out->neutral != (trial.allocator || trial.neutral[index]);
    if (wrong && !trial.wrong[0])
        snprintf(trial.wrong, sizeof trial.wrong, "%s: status %d, neutral %d: %.300s", c->name, (int)out->status,
                 out->neutral, c->kind == API_STATUS ? error->message : "");
}

static void try_everything(void)
{
    trial.calls++;
    if (!trial.f || trial.inside || trial.left <= 0)
        return;
    trial.left--;
    trial.tried++;
    trial.inside = true;
    for (int i = 0; i < API_CALLS; i++)
        if (to_try(api_calls + i)) {
            api_outcome out = { VV_OK, false };
            api_calls[i].call(trial.f, 0, &out);
            judge(api_calls + i, &out, i);
        }
    trial.inside = false;
}

/* From now on callbacks try everything, `times` times. */
static void begin(api_fixture *f, int times)
{
    trial.left = times, trial.tried = trial.calls = 0;
    trial.wrong[0] = 0;
    for (int i = 0; i < API_CALLS && !trial.allocator; i++)
        if (to_try(api_calls + i) && api_calls[i].kind == API_VALUE) {
            api_outcome out = { VV_OK, false };
            api_calls[i].call(f, 0, &out);
            trial.neutral[i] = out.neutral;
        }
    trial.f = f;
}

static void end(void)
{
    trial.f = NULL;
    if (trial.wrong[0])
        fail_msg("%s", trial.wrong);
}

/* ---- the callbacks
 * ------------------------------------------------------------------------------------------------- */

static void write_log(void *user, vvLogLevel level, const char *message)
{
    (void)user, (void)level, (void)message;
    try_everything();
}

static bool ask(void *user)
{
    (void)user;
    try_everything();
    return false;
}

static void run_tasks(void *user, int count, void (*task)(void *context, int index), void *context)
{
    (void)user;
    for (int i = 0; i < count; i++)
        task(context, i);
    try_everything();
}

static void *allocate(void *user, size_t bytes, size_t alignment)
{
    (void)user;
    try_everything();
    return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static void release(void *user, void *block, size_t bytes)
{
    (void)user, (void)bytes;
    try_everything();
    free(block);
}

/* ---- log, cancel, loops
 * ---------------------------------------------------------------------------------------------- */

static const vvHost hosts[] = { { .log = { write_log, NULL } },
                                { .log = { NULL, NULL } },
                                { .tasks = { 2, run_tasks, NULL } } };
enum { LOG, CANCEL, TASKS };

/* A change, so that there is something to say; and two steps. */
static void go_on(api_fixture *f)
{
    vvError error = { 0 };
    vvAttachDef def = vvDefaultAttachDef();
    def.where = (vvRegion){ .kind = VV_REGION_VERTICES, .list = (int[]){ 6 }, .listCount = 1 };
    assert_ok(vvBodyAttach(f->world, f->other_body, &def, NULL, &error));
    assert_ok(vvWorldStep(f->world, NULL, &error));
    assert_ok(vvWorldStep(f->world, NULL, &error));
}

static void expect_same_state(vvWorld *a, vvWorld *b)
{
    vvError error = { 0 };
    size_t size = vvWorldStateSize(a);
    assert_int_equal(size, vvWorldStateSize(b));
    char *p = malloc(size), *q = malloc(size);
    assert_ok(vvWorldSaveState(a, p, size, &error));
    assert_ok(vvWorldSaveState(b, q, size, &error));
    assert_memory_equal(p, q, size);
    free(p);
    free(q);
}

static void from_callbacks_of(int which, bool runs)
{
    trial.allocator = false;
    api_fixture *f = api_make(hosts + which, runs), *twin = api_make(NULL, runs ? 2 : 0);
    if (which == CANCEL)
        vvWorldSetCancel(f->world, ask, f);
    begin(f, 3);
    go_on(f);
    int calls = trial.calls, tried = trial.tried;
    end();
    go_on(twin);
    assert_true(tried > 0);
    if (which == CANCEL)
        assert_true(calls > tried); /* vvWorldSetCancel was without effect, too */
    expect_same_state(f->world, twin->world);
    api_free(f, 0);
    api_free(twin, 0);
}

static void from_log_cancel_and_loops(void **state)
{
    (void)state;
    for (int which = LOG; which <= TASKS; which++)
        for (int runs = 0; runs < 2; runs++)
            from_callbacks_of(which, runs);
    api_remove_files();
}

/* ---- the allocator
 * --------------------------------------------------------------------------------------------------- */

static void from_the_allocator(void **state)
{
    (void)state;
    const vvHost host = { .allocator = { allocate, release, NULL } };
    int tried = 0;
    trial.allocator = true;
    for (int i = 0; i < API_CALLS; i++) {
        const api_call *c = api_calls + i;
        api_outcome out = { VV_OK, false };
        if (!c->world || of_files(c) || strcmp(c->name, "vvBodySetInitialState") == 0 ||
            strcmp(c->name, "vvWorldEndEdit") == 0)
            continue;
        api_fixture *f = api_make(&host, false);
        if (strcmp(c->name, "vvWorldSaveState") != 0) { /* something to bake, and to release */
            vvObstacleId more;
            assert_int_equal(vvWorldAddObstacle(f->world, &f->obstacle_def, &more, NULL), VV_OK);
            assert_int_equal(vvWorldRemoveObstacle(f->world, more, NULL), VV_OK);
        }
        begin(f, 4);
        c->call(f, 0, &out);
        tried += trial.tried;
        end();
        if (out.status != VV_OK)
            fail_msg("%s: %s", c->name, f->error.message);
        api_free(f, api_destroys(c->name));
    }
    assert_in_range(tried, 50, 10000);
    trial.allocator = false;
    api_remove_files();
}

/* ---- what was found to crash
 * ----------------------------------------------------------------------------------------- */

static vvStatus removal;

static void remove_a_body(void *user, vvLogLevel level, const char *message)
{
    api_fixture *const *f = user;
    (void)level, (void)message;
    if (*f)
        removal = vvWorldRemoveBody((*f)->world, (*f)->other_body, NULL);
}

static void a_body_removed_in_the_log(void **state)
{
    (void)state;
    api_fixture *f = NULL;
    vvHost host = { .log = { remove_a_body, &f } };
    api_fixture *made = api_make(&host, false);
    f = made;
    removal = VV_OK;
    go_on(f);
    assert_int_equal(removal, VV_ERROR_INPUT);
    assert_true(vvBodyIsValid(f->world, f->other_body));
    assert_int_equal(vvWorldRemoveBody(f->world, f->other_body, NULL), VV_OK); /* afterwards it goes */
    assert_int_equal(vvWorldStep(f->world, NULL, NULL), VV_OK);
    f = NULL;
    api_free(made, 0);
    api_remove_files();
}

static bool cancel_at_once(void *user)
{
    vvWorldCancel(user);
    return false;
}

static void cancelling_is_allowed(void **state)
{
    (void)state;
    vvError error = { 0 };
    api_fixture *f = api_make(NULL, false);
    vvWorldSetCancel(f->world, cancel_at_once, f->world);
    assert_int_equal(vvWorldStep(f->world, NULL, &error), VV_CANCELLED);
    vvWorldSetCancel(f->world, NULL, NULL);
    assert_ok(vvWorldStep(f->world, NULL, &error));
    api_free(f, 0);
    api_remove_files();
}

/* ---- runs
 * -------------------------------------------------------------------------------------------------------------- */

static void report_progress(void *user, int done, int total)
{
    api_fixture *f = user;
    assert_in_range(done, 0, total);
    vvRunFree(f->run); /* without effect: it is being read */
    trial.calls += vvRunReadFrame(f->run, 0, f->room, NULL, NULL) == VV_OK;
}

static void a_run_is_not_freed_while_it_is_exported(void **state)
{
    (void)state;
    vvError error = { 0 };
    api_fixture *f = api_make(NULL, true);
    trial.calls = 0;
    f->export_def.progress = report_progress;
    f->export_def.user = f;
    assert_ok(vvRunExport(f->run, &f->export_def, f->export_file, &error));
    assert_true(trial.calls > 1);
    assert_int_equal(vvRunFrameCount(f->run), 2);
    api_free(f, 0);
    api_remove_files();
}

static vvStatus closing, reading;

static void close_the_run(void *user, vvLogLevel level, const char *message)
{
    api_fixture *const *f = user;
    (void)level, (void)message;
    if (!*f)
        return;
    closing = vvRunClose((*f)->writer, "closed by the log", &(*f)->error);
    reading = vvRunReadFrame((*f)->run, 0, (*f)->room, NULL, NULL);
}

static void a_run_is_not_closed_while_it_is_written(void **state)
{
    (void)state;
    vvError error = { 0 };
    api_fixture *f = NULL;
    vvHost host = { .log = { close_the_run, &f } };
    api_fixture *made = api_make(&host, true);
    vvAttachDef hold = vvDefaultAttachDef();
    assert_ok(vvBodyAttach(made->world, made->body, &hold, NULL, &error)); /* baking is logged */
    f = made;
    closing = VV_OK, reading = VV_ERROR_IO;
    assert_ok(vvRunAddFrame(made->writer, made->world, &error));
    f = NULL;
    assert_int_equal(closing, VV_ERROR_INPUT);
    assert_non_null(strstr(made->error.message, "vvRunClose"));
    assert_int_equal(reading, VV_OK); /* other runs may be read */
    assert_ok(vvRunClose(made->writer, "done", &error));
    api_free(made, 'r');
    api_remove_files();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(from_log_cancel_and_loops),
        cmocka_unit_test(from_the_allocator),
        cmocka_unit_test(a_body_removed_in_the_log),
        cmocka_unit_test(cancelling_is_allowed),
        cmocka_unit_test(a_run_is_not_freed_while_it_is_exported),
        cmocka_unit_test(a_run_is_not_closed_while_it_is_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
