/* layer: world
 * A state that the policy project has made is projected: once more takes no iteration and changes nothing. */
#include "size.h"
#include "step/inside.h"

extern const vv_policy_ops vv_policy_project;
static vv_policy_ops twice; /* the row of project, with another name and function */
static double first, again; /* iterations of all steps: of the first projection, of the second */

static vvStatus apply(vv_policy_call *call, vvError *error)
{
    const double owed = *(double *)call->body_memory;
    vvStatus status = vv_policy_project.apply(call, error);
    const double kept = *(double *)call->body_memory;
    if (status != VV_OK)
        return status;
    vv_booking booking = vv_trial_book(call->stepper, call->trial);
    vv_policy_call second = { .stepper = call->stepper, .trial = call->trial, .target = booking.target, .booking = &booking,
                              .values = call->values, .memory = call->memory, .body_memory = call->body_memory, .solver = call->solver };
    const uint64_t made = call->trial->made;
    *(double *)call->body_memory = owed; /* as before this step */
    status = vv_policy_project.apply(&second, error);
    first += call->alpha;
    again += second.alpha + (call->trial->made != made);
    *(double *)call->body_memory = kept;
    return status;
}

/* The list of policies has a constant row; the world's stepper gets the other one. */
static const vv_policy_ops vv_policy_more = { .info = { "more", "nothing" } };
#define VV_MORE_POLICIES vv_policy_more
#include "step/policy.c"

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

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(once_is_enough) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
