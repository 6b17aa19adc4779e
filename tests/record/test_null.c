/* NULL: every public function (vvWorld..., vvScene..., vvRun...) with NULL for each of its pointers, one after the
 * other and all at once. A function with a status refuses it with a message, if the pointer is needed; a getter
 * returns 0, NULL, "" or false; none crashes. */
#include "api_fixture.h"
#include "size.h"

#include "api_calls.h"

static bool takes_run(const api_call *c)
{
    for (int i = 0; i < c->pointers; i++)
        if (strcmp(c->names[i], "run") == 0 || strcmp(c->names[i], "writer") == 0)
            return true;
    return strncmp(c->name, "vvRun", 5) == 0;
}

static const char *name_of(const api_call *c, unsigned null)
{
    for (int i = 0; i < c->pointers; i++)
        if (null == 1u << i)
            return c->names[i];
    return null ? "all pointers" : "nothing";
}

static void check(const api_call *c, unsigned null, const api_fixture *f, const api_outcome *out)
{
    if (c->kind == API_STATUS) {
        /* the last pointer is the error */
        bool refused = null & c->required, message = !(null & (1u << (c->pointers - 1)));
        vvStatus otherwise = strcmp(c->name, "vvWorldEndEdit") == 0 ? VV_ERROR_INPUT : /* none was begun */
                                 strcmp(c->name, "vvBodySetInitialState") == 0 ? VV_ERROR_UNSUPPORTED
                                                                               : /* it has stepped */
                                 /* nothing bends */
                                 strcmp(c->name, "vvRunBendingEnergy") == 0 ? VV_ERROR_UNSUPPORTED
                                                                            : VV_OK;
        if (out->status != (refused ? VV_ERROR_INPUT : otherwise))
            fail_msg("%s with %s NULL: \"%s\": %s", c->name, name_of(c, null), vvStatusName(out->status),
                     message ? f->error.message : "");
        if (refused && message && (f->error.status != VV_ERROR_INPUT || !f->error.message[0]))
            fail_msg("%s with %s NULL: refused without a message", c->name, name_of(c, null));
    }
    if (c->kind == API_VALUE && null & c->object && strcmp(c->name, "vvRunFrameStep") != 0 && !out->neutral)
        fail_msg("%s without its %s returns something", c->name, c->names[0]);
}

/* A call that is refused leaves what it was given as it is: the next one may have it. */
static bool is_refused(const api_call *c, unsigned null)
{
    return (c->kind == API_STATUS && null & c->required) || (c->kind == API_VALUE && null & c->object);
}

/* Every call that does something has a world of its own; those that are refused share one, *spare. */
static void try_call(const api_call *c, unsigned null, api_fixture **spare)
{
    api_outcome out = { VV_OK, false };
    api_fixture *f = *spare ? *spare : api_make(NULL, takes_run(c));
    *spare = NULL;
    f->error = (vvError){ 0 };
    c->call(f, null, &out);
    check(c, null, f, &out);
    if (is_refused(c, null)) {
        *spare = f;
        return;
    }
    bool gone = !(null & 1u) || strncmp(c->name, "vvMesh", 6) == 0;
    api_free(f, gone && out.status == VV_OK ? api_destroys(c->name) : 0);
}

static void every_pointer_of_every_function(void **state)
{
    (void)state;
    assert_in_range(API_CALLS, 150, 1000);
    for (int i = sized_begin(sized(3, 1, 1)); i < API_CALLS; i += sized(3, 1, 1)) {
        const api_call *c = api_calls + i;
        api_fixture *spare = NULL;
        for (int p = 0; p < c->pointers; p++)
            try_call(c, 1u << p, &spare);
        if (c->pointers > 1)
            try_call(c, (1u << c->pointers) - 1, &spare);
        try_call(c, 0, &spare);
        if (spare)
            api_free(spare, 0);
    }
    api_remove_files();
}

/* The message says what was called, and what it wants. */
static void the_messages(void **state)
{
    (void)state;
    vvError error = { 0 };
    assert_int_equal(vvWorldStep(NULL, NULL, &error), VV_ERROR_INPUT);
    assert_string_equal(error.message, "vvWorldStep needs a world, found NULL");
    assert_int_equal(vvRunAddFrame(NULL, NULL, &error), VV_ERROR_INPUT);
    assert_string_equal(error.message, "vvRunAddFrame needs a writer, found NULL");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pointer_of_every_function),
        cmocka_unit_test(the_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
