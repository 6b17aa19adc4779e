/* Inside the policy project: what it has made is projected, so once more takes no iteration and changes nothing; it
 * finds which momenta bodies keep, by what holds and stops them; where a projection ends beyond what the way passes
 * through, all that touch something are put back. */
#include "size.h"
#include "solve/vectors.h"
#include "step/projection/projection.h"

extern const vv_policy_ops vv_policy_project;
static vv_policy_ops twice; /* the row of project, with another name and function */
static int kept;            /* momenta of the first body's group */
static double first, again; /* iterations of all steps: of the first projection, of the second */

static vvStatus apply(vv_policy_call *call, vvError *error)
{
    const double owed = *(double *)call->body_memory;
    vvStatus status = vv_policy_project.apply(call, error);
    const double now = *(double *)call->body_memory;
    kept = ((vv_projection *)call->solver)->groups[0].kept;
    if (status != VV_OK)
        return status;
    vv_booking booking = vv_trial_book(call->stepper, call->trial);
    vv_policy_call second = { .stepper = call->stepper,
                              .trial = call->trial,
                              .target = booking.target,
                              .booking = &booking,
                              .values = call->values,
                              .memory = call->memory,
                              .body_memory = call->body_memory,
                              .solver = call->solver };
    const uint64_t made = call->trial->made;
    *(double *)call->body_memory = owed; /* as before this step */
    status = vv_policy_project.apply(&second, error);
    first += call->alpha;
    again += second.alpha + (call->trial->made != made);
    *(double *)call->body_memory = now;
    return status;
}

/* ---- ways that are not free ---- */

static int mistakes; /* in what is put back */

static void shift(const vv_stepper *s, int body, double by, double *q)
{
    for (int i = 0; i < s->system->nodes; i++)
        q[3 * (size_t)i] += s->system->body[i] == body ? by : 0;
}

/* Three bodies in a row: the first goes through the second, or not; the third, far off, goes aside. */
static vvStatus pass_through(vv_policy_call *call, vvError *error)
{
    vvStatus status = vv_policy_project.apply(call, error);
    vv_stepper *s = call->stepper;
    vv_trial *t = call->trial;
    vv_projection *p = (vv_projection *)call->solver;
    const size_t n = vv_node_space(s->system), bytes = n * sizeof *t->q, mark = vv_arena_mark(&s->system->arena);
    vv_projection_nodes nodes;
    vv_projection_nodes_take(s, &nodes);
    for (int round = 0; status == VV_OK && round < 3; round++) {
        const bool through = round > 0, touches = round == 2;
        vv_copy(n, t->q, nodes.start_q);
        vv_copy(n, t->v, nodes.start_v);
        vv_copy(n, t->q, nodes.to_q);
        shift(s, 0, through ? 0.4 : 0.01, nodes.to_q);
        shift(s, 2, 0.02, nodes.to_q);
        for (int b = 0; b < 3; b++)
            p->groups[b].alone = b == 2 || !touches;
        mistakes += !vv_trial_look(s, t, nodes.to_q, t->v); /* what is beyond is fine where it is */
        const double there = t->potential;
        mistakes += vv_projection_confirm(s, p, t, &nodes) == through;
        vv_copy(n, nodes.start_q, nodes.to_q);
        shift(s, 0, through ? 0 : 0.01, nodes.to_q);
        shift(s, 2, through && !touches ? 0 : 0.02, nodes.to_q);
        mistakes += memcmp(t->q, nodes.to_q, bytes) != 0 || !(through || t->potential == there);
        for (int b = 0; b < 3; b++)
            mistakes +=
                through && (p->groups[b].move == (b < 2 || !touches) || p->groups[b].blocked == p->groups[b].move);
        for (int b = 0; b < 3; b++)
            p->groups[b].move = true, p->groups[b].blocked = false;
        vv_trial_look(s, t, nodes.start_q, nodes.start_v);
    }
    vv_arena_release(&s->system->arena, mark);
    return status;
}

/* The list of policies has a constant row; the world's stepper gets the other one. */
static const vv_policy_ops vv_policy_more = { .info = { "more", "nothing" } };
#define VV_MORE_POLICIES vv_policy_more
#include "step/policies/policy.c"

#include "world_support.h"
#include "world/world.h"

static void once_is_enough(void **state)
{
    (void)state;
    vvError error = { 0 };
    twice = vv_policy_project;
    twice.apply = apply;
    static const char *const schemes[] = { "backward-euler", "bdf2", "implicit-midpoint" };
    for (int i = 0; i < 3; i++) {
        vvWorldDef d = free_def(schemes[i], 1.0 / 30, 0.01);
        d.integrator.policy = "project";
        d.gravity[1] = i == 1 ? -9.8 : 0;
        vvWorld *w = new_world(&d);
        vvBodyDef def = vvDefaultBodyDef();
        def.material = material("stvk", 5e4);
        vvBodyId id = add_box_def(w, (double[]){ 0.3, 0.2, 0.1 }, (int[]){ 3, 2, 1 }, 6, &def);
        set_state(w, id, "stretch", (double[]){ 1.2, 0.9, 1, NAN, NAN, NAN });
        set_state(w, id, "angular", (double[]){ 4, 2, 7, NAN, NAN, NAN });
        assert_ok(vvWorldBake(w, &error));
        w->stepper->policy = &twice;
        first = again = 0;
        steps(w, sized(20, 60, 200));
        assert_less(20, first);
        assert_true(again == 0);
        vvWorldDestroy(w);
    }
}

/* Nodes of a box of 0.1 m around the origin: an edge along z, and its middle. */
static const double edge[2][3] = { { -0.051, -0.051, -0.06 }, { -0.049, -0.049, 0.06 } };
static const double one[2][3] = { { -0.051, -0.051, -0.01 }, { -0.049, -0.049, 0.01 } };

static void what_breaks_momenta_is_found(void **state)
{
    (void)state;
    static const struct {
        const double (*where)[3];
        bool spring, moves, plane;
        double gravity[3];
        int kept;
    } rows[] = {
        { NULL, false, false, false, { 0, 0, 0 }, 6 },   { NULL, false, false, false, { 0, -9.8, 0 }, 6 },
        { edge, false, false, false, { 0, 0, 0 }, 1 },   { edge, true, false, false, { 0, 0, 0 }, 1 },
        { edge, true, false, false, { 0, 0, -9.8 }, 1 }, { edge, false, false, false, { 0, -9.8, 0 }, 0 },
        { one, false, false, false, { 0, 0, 0 }, 3 },    { one, true, false, false, { 0, -9.8, 0 }, 1 },
        { edge, true, true, false, { 0, 0, 0 }, 0 },     { edge, false, true, false, { 0, 0, 0 }, 0 },
        { NULL, false, false, true, { 0, -9.8, 0 }, 3 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        vvError error = { 0 };
        vvWorldDef d = free_def("backward-euler", 1.0 / 60, 0.01);
        d.integrator.policy = "project";
        memcpy(d.gravity, rows[i].gravity, sizeof d.gravity);
        d.contact.model = rows[i].plane ? "barrier" : "none";
        vvWorld *w = new_world(&d);
        vvBodyDef def = vvDefaultBodyDef();
        def.material = material("fixed-corotated", 5e4);
        def.translate[1] = rows[i].plane ? 0.0505 : 0;
        vvBodyId id = add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 2, 2, 2 }, 6, &def);
        if (rows[i].where) {
            vvAttachDef held = vvDefaultAttachDef();
            held.kind = rows[i].spring ? VV_ATTACH_SPRING : VV_ATTACH_FIXED;
            held.stiffness = 1e4;
            held.where.kind = VV_REGION_BOX;
            memcpy(held.where.a, rows[i].where[0], sizeof held.where.a);
            memcpy(held.where.b, rows[i].where[1], sizeof held.where.b);
            held.motion.linearVelocity[0] = rows[i].moves ? 0.1 : 0;
            attach(w, id, &held);
        }
        if (rows[i].plane)
            obstacle(w, "plane", NULL, 0);
        set_state(
            w, id, "angular",
            (double[]){ 0, rows[i].plane ? 1 : 0, rows[i].plane ? 0 : 2, -0.05, rows[i].plane ? 0.0505 : -0.05, 0 });
        assert_ok(vvWorldBake(w, &error));
        w->stepper->policy = &twice;
        kept = -1;
        steps(w, 3);
        if (kept != rows[i].kept)
            fail_msg("row %zu: %d momenta are kept, not %d", i, kept, rows[i].kept);
        vvWorldDestroy(w);
    }
}

static void a_way_that_is_not_free_is_not_taken(void **state)
{
    (void)state;
    vvError error = { 0 };
    twice = vv_policy_project;
    twice.apply = pass_through;
    twice.vectors = 2 * VV_PROJECTION_VECTORS + 8;
    vvWorldDef d = vvDefaultWorldDef();
    d.integrator.policy = "project";
    d.integrator.groundMode = VV_GROUND_NONE;
    d.threads = 1;
    memset(d.gravity, 0, sizeof d.gravity);
    vvWorld *w = new_world(&d);
    for (int b = 0; b < 3; b++) {
        vvBodyDef def = vvDefaultBodyDef();
        def.material = material("neo-hookean", 1e5);
        def.translate[0] = b == 2 ? 2 : 0.2 * b;
        vvBodyId id = add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 2, 2, 2 }, 6, &def);
        set_state(w, id, "angular", (double[]){ 0, 1, 2, NAN, NAN, NAN });
    }
    assert_ok(vvWorldBake(w, &error));
    w->stepper->policy = &twice;
    mistakes = 0;
    steps(w, 3);
    assert_int_equal(mistakes, 0);
    vvWorldDestroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(once_is_enough),
                                        cmocka_unit_test(what_breaks_momenta_is_found),
                                        cmocka_unit_test(a_way_that_is_not_free_is_not_taken) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
