/* What the tests of analytic obstacles share: one of each row of their table. */
#ifndef VV_TESTS_OBSTACLE_FIXTURE_H
#define VV_TESTS_OBSTACLE_FIXTURE_H

#include "energy_fixture.h"

#include "contact/obstacles/obstacle.h"

/* Whether the gradient of its distance has length 1; test_level_set.c is about the others. */
static inline bool is_exact(int index)
{
    return vv_obstacle_is_exact(&(vv_obstacle){ .ops = vv_obstacle_table(index) });
}

/* Values for a row of the obstacle table that are not its defaults: shifted, turned, of unlike sizes. */
static inline vv_obstacle make_obstacle(int index)
{
    static const struct {
        const char *name;
        double values[10];
    } known[] = { { "plane", { 0.1, -0.2, 0.3, 1, 2, -0.5 } },
                  { "sphere", { 0.1, -0.2, 0.3, 0.4 } },
                  { "box", { 0.1, -0.2, 0.3, 0.8, 0.5, 1.1, 20, -35, 70 } },
                  { "cylinder", { 0.1, -0.2, 0.3, 1, 2, -0.5, 0.4, 0.9 } },
                  { "capsule", { 0.1, -0.2, 0.3, 1, 2, -0.5, 0.4, 0.7 } },
                  { "torus", { 0.1, -0.2, 0.3, 1, 2, -0.5, 0.6, 0.35 } },
                  { "hole", { 0.1, -0.2, 0.3, 1, 2, -0.5, 0.3, 0.2, 0.9 } },
                  { "bowl", { 0.1, -0.2, 0.3, 1, 2, -0.5, 0.5, 0.15, 100 } },
                  { "heightfield", { 0.1, -0.2, 0.3, 1.1, 0.9, 20, -35, 70, 0.5, 0.2 } },
                  { "level-set", { 0.1, -0.2, 0.3, 20, -35, 70, -0.5, -0.5, -0.5, 0.5 } } };
    vv_obstacle o = { .ops = vv_obstacle_table(index), .friction = -1 };
    const double *values = NULL;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].name, o.ops->type.info.name) == 0)
            values = known[i].values;
    assert_non_null(values); /* a new row needs a line above */
    memcpy(o.values, values, (size_t)vv_obstacle_value_count(o.ops) * sizeof *values);
    assert_int_equal(o.ops->prepare(o.values, o.shape, NULL), VV_OK);
    if (o.ops->field && !vv_obstacle_is_exact(&o)) {
        static vv_field *ball;
        if (!ball)
            assert_int_equal(vv_field_create(o.ops->field, NULL, NULL, &ball, NULL), VV_OK);
        o.field = ball;
    } else if (o.ops->field) {
        /* a hill, a valley, a pass; made once, and kept */
        static const double heights[] = { 0.1, 0.2, 0.1, 0.0, 0.1, 0.2, 0.9, 0.3, 0.1, 0.3,
                                          0.0, 0.3, 0.2, 0.5, 0.6, 0.2, 0.1, 0.0, 0.7, 0.3 };
        static vv_field *field;
        if (!field)
            assert_int_equal(vv_field_create(o.ops->field, (const int[]){ 5, 4, 1 }, heights, &field, NULL), VV_OK);
        o.field = field;
    }
    return o;
}

#endif
