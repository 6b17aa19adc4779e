/* A saved state that nobody saved: places, counts and choices that are none, and motions that are no numbers, under a
 * checksum that is right. Each is refused by what is wrong, and the world goes on as if nothing had happened. */
#include "world/joints/joints.h"
#include "world_support.h"

static vvWorld *make(const char *policy)
{
    vvWorldDef d = vvDefaultWorldDef();
    d.integrator.policy = policy;
    d.solver.linear = "auto";
    d.contact.friction = 0.3;
    d.threads = 1;
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("neo-hookean", 5e4);
    vvBodyId body = add_ball(w, 0.05, 2, &def);
    double plane[6] = { 0, -0.051, 0, 0, 1, 0 };
    obstacle(w, "plane", plane, -1);
    int top[1] = { 3 };
    vvAttachDef a = vvDefaultAttachDef();
    a.kind = VV_ATTACH_SPRING, a.stiffness = 10;
    a.where = (vvRegion){ .kind = VV_REGION_VERTICES, .list = top, .listCount = 1 };
    attach(w, body, &a);
    return w;
}

/* What a stranger may put into the world that is saved: into `w` at a place, `bytes` of it. */
typedef struct lie {
    const char *says; /* a word of the refusal */
    size_t at, bytes;
    const void *value;
    enum { IN_WORLD, IN_STATE_V, IN_COURSE, IN_BODY, IN_ATTACH, IN_POLICY } where;
} lie;

#define WORLD(member) offsetof(vvWorld, member), sizeof(((vvWorld *)NULL)->member)
#define COURSE(member) offsetof(vv_course, member), sizeof(((vv_course *)NULL)->member)
static const int32_t far_out = 1 << 20, below = -1;
static const unsigned char no_bool = 7;
static const int64_t negative = -3, most = INT64_MAX;
static const double nan_value = __builtin_nan(""), infinite = __builtin_inf();
static const lie lies[] = {
    { "clock", WORLD(state.clock.step), &most, IN_WORLD },
    { "clock", WORLD(state.clock.step), &negative, IN_WORLD },
    { "clock", WORLD(state.clock.time_base), &nan_value, IN_WORLD },
    { "last step", WORLD(state.history), &no_bool, IN_WORLD },
    { "last step", WORLD(state.span), &nan_value, IN_WORLD },
    { "last step", WORLD(state.forced), &no_bool, IN_WORLD },
    { "ledger", WORLD(state.ledger.row.newtonIterations), &below, IN_WORLD },
    { "ledger", WORLD(state.ledger.totals.steps), &most, IN_WORLD },
    { "velocities", 5 * sizeof(double), sizeof(double), &nan_value, IN_STATE_V },
    { "counts", WORLD(started), &no_bool, IN_WORLD },
    { "counts", WORLD(unbooked), &no_bool, IN_WORLD },
    { "counts", WORLD(limits), &below, IN_WORLD },
    { "counts", WORLD(losses), &below, IN_WORLD },
    { "stiffness", WORLD(stiffness.chosen), &infinite, IN_WORLD },
    { "stiffness", WORLD(stiffening.doublings), &far_out, IN_WORLD },
    { "course", COURSE(next), &far_out, IN_COURSE },
    { "course", COURSE(next), &below, IN_COURSE },
    { "course", COURSE(filled), &far_out, IN_COURSE },
    { "course", COURSE(flight.which), &far_out, IN_COURSE },
    { "stage", offsetof(vv_body, stage), 1, &(const unsigned char){ 0xff }, IN_BODY },
    { "attachment", offsetof(vv_attach, driven), 1, &no_bool, IN_ATTACH },
    { "policy", 2 * sizeof(double), sizeof(int32_t), &far_out, IN_POLICY },
};

static char *place_of(vvWorld *w, const lie *l)
{
    switch (l->where) {
    case IN_STATE_V: return (char *)w->state.v + l->at;
    case IN_COURSE: return (char *)w->state.body_course + l->at;
    case IN_BODY: return (char *)w->bodies + l->at;
    case IN_ATTACH: return (char *)w->attaches + l->at;
    case IN_POLICY: return (char *)w->state.policy.data + l->at;
    default: return (char *)w + l->at;
    }
}

static void save_lie(vvWorld *liar, const lie *l, char *saved, size_t size)
{
    char *place = place_of(liar, l), truth[128];
    vvError error = { 0 };
    memcpy(truth, place, l->bytes);
    memcpy(place, l->value, l->bytes);
    assert_ok(vvWorldSaveState(liar, saved, size, &error));
    memcpy(place, truth, l->bytes);
}

static void lies_are_refused(void **state)
{
    (void)state;
    vvWorld *liar = make("search"), *w = make("search"), *same = make("search");
    steps(liar, 3), steps(w, 3), steps(same, 3);
    const size_t size = vvWorldStateSize(liar), bytes = 3 * (size_t)vvWorldNodeCount(w) * sizeof(double);
    char *saved = malloc(size);
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        vvError error = { 0 };
        save_lie(liar, lies + i, saved, size);
        if (vvWorldLoadState(w, saved, size, &error) != VV_ERROR_INPUT || !strstr(error.message, "is damaged (") ||
            !strstr(error.message, lies[i].says))
            fail_msg("lie %zu, \"%s\": '%s'", i, lies[i].says, error.message);
        step(w), step(same);
        assert_memory_equal(vvWorldPositions(w), vvWorldPositions(same), bytes);
    }
    vvError error = { 0 };
    save_lie(liar, &(lie){ "", 0, 0, "", IN_WORLD }, saved, size); /* the truth is taken */
    assert_ok(vvWorldLoadState(w, saved, size, &error));
    free(saved);
    vvWorldDestroy(liar), vvWorldDestroy(w), vvWorldDestroy(same);
}

/* The name of a body without an end, and the flag of a policy. */
static void other_lies(void **state)
{
    (void)state;
    char endless[sizeof((vvWorld *)NULL)->stiffness.body];
    memset(endless, 'x', sizeof endless);
    vvWorld *w = make("project");
    steps(w, 2);
    const size_t size = vvWorldStateSize(w);
    char *saved = malloc(size);
    vvError error = { 0 };
    save_lie(w, &(lie){ "stiffness", WORLD(stiffness.body), endless, IN_WORLD }, saved, size);
    assert_int_equal(vvWorldLoadState(w, saved, size, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "stiffness"));
    save_lie(w, &(lie){ "policy", 0, 1, &no_bool, IN_POLICY }, saved, size);
    assert_int_equal(vvWorldLoadState(w, saved, size, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "policy"));
    free(saved);
    vvWorldDestroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lies_are_refused),
        cmocka_unit_test(other_lies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
