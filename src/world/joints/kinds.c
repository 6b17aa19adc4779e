/* The kinds of joints: each of its links (energy/links/link.h). A kind is a row of the table below (theory §4.15). */
#include "base/error.h"
#include "base/vec.h"
#include "world/joints/joint.h"

#include <string.h>

/* ---- links from points ---- */

static vv_link *add_link(vv_joint *j, vv_link_form form, double stiffness)
{
    vv_link *l = j->link + j->link_count++;
    *l = (vv_link){ .form = form, .stiffness = stiffness, .most = INFINITY };
    return l;
}

/* Vector v += sign * the point. Points of the first side come first. */
static void add_to(vv_link *l, int v, double sign, const vv_joint_point *p, int side)
{
    for (int k = 0; k < 3 && p->count == 0; k++)
        l->offset[v][k] += sign * p->place[k];
    for (int i = 0; i < p->count; i++) {
        int at = 0;
        while (at < l->nodes && l->node[at] != p->node[i])
            at++;
        if (at == l->nodes)
            l->node[l->nodes++] = p->node[i];
        l->weight[v][at] += sign * p->weight[i];
    }
    if (side == 0)
        l->first = l->nodes;
}

/* `reach` times directions from `at`. */
static void place_at(const vv_joint_plan *p, double axis, double side, double other, double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = p->at[k] + p->reach * (axis * p->axis[k] + side * p->side[k] + other * p->other[k]);
}

/* The points of both sides at a place together. */
static vvStatus tie(const vv_joint_plan *plan, const double place[3], double stiffness, vv_joint *j, vvError *error)
{
    vv_joint_point p[2];
    vvStatus status = vv_joint_place(plan, place, p, error);
    if (status != VV_OK)
        return status;
    vv_link *l = add_link(j, VV_LINK_POINT, stiffness);
    add_to(l, 0, -1, p, 0);
    add_to(l, 0, 1, p + 1, 1);
    return VV_OK;
}

/* A link whose first vector is the axis as the first side carries it, from its lower end to its upper. */
static vvStatus add_about(const vv_joint_plan *plan, vv_link_form form, double stiffness, vv_joint *j, vv_link **out,
                          vvError *error)
{
    double low[3], high[3];
    vv_joint_point a[2];
    place_at(plan, -1, 0, 0, low);
    place_at(plan, 1, 0, 0, high);
    vvStatus status = vv_joint_place_on(plan, 0, low, a, error);
    if (status == VV_OK)
        status = vv_joint_place_on(plan, 0, high, a + 1, error);
    if (status != VV_OK)
        return status;
    *out = add_link(j, form, stiffness);
    add_to(*out, 0, -1, a, 0);
    add_to(*out, 0, 1, a + 1, 0);
    return VV_OK;
}

/* A place of the second side that stays on the line along the axis through the first side's `through`. */
static vvStatus add_line(const vv_joint_plan *plan, vv_link_form form, const double place[3], double stiffness,
                         vv_joint *j, vv_link **out, vvError *error)
{
    vv_joint_point p[2];
    vvStatus status = add_about(plan, form, stiffness, j, out, error);
    if (status == VV_OK)
        status = vv_joint_place(plan, place, p, error);
    if (status != VV_OK)
        return status;
    add_to(*out, 1, -1, p, 0);
    add_to(*out, 1, 1, p + 1, 1);
    return VV_OK;
}

/* From the first side's direction to the second's. Both are seen from the axis's lower end. */
static vvStatus add_angle(const vv_joint_plan *plan, double stiffness, vv_joint *j, vv_link **out, vvError *error)
{
    double low[3], place[3];
    vv_joint_point lower, p[2];
    place_at(plan, -1, 0, 0, low);
    place_at(plan, 0, 1, 0, place);
    vvStatus status = add_about(plan, VV_LINK_ANGLE, stiffness, j, out, error);
    if (status == VV_OK)
        status = vv_joint_place_on(plan, 0, low, &lower, error);
    if (status == VV_OK)
        status = vv_joint_place(plan, place, p, error);
    if (status != VV_OK)
        return status;
    add_to(*out, 1, -1, &lower, 0);
    add_to(*out, 1, 1, p, 0);
    add_to(*out, 2, -1, &lower, 0);
    add_to(*out, 2, 1, p + 1, 1);
    return VV_OK;
}

/* The last link, which measures the position, as a motor; and once more with limits. */
static void drive(const vv_joint_plan *plan, vv_joint *j)
{
    vv_link *motor = j->link + j->link_count - 1;
    j->measured = j->link_count - 1;
    if (plan->limited) {
        vv_link *limit = j->link + j->link_count++;
        *limit = *motor;
        limit->low = plan->low, limit->high = plan->high;
    }
    motor->motor = true;
    motor->full = motor->stiffness;
}

/* ---- kinds ---- */

static vvStatus make_ball(const vv_joint_plan *plan, vv_joint *j, vvError *error)
{
    return tie(plan, plan->at, plan->stiffness, j, error);
}

static vvStatus make_distance(const vv_joint_plan *plan, vv_joint *j, vvError *error)
{
    vvStatus status = vv_joint_place_on(plan, 0, plan->at, j->at, error);
    if (status == VV_OK)
        status = vv_joint_place_on(plan, 1, plan->to, j->at + 1, error);
    if (status != VV_OK)
        return status;
    vv_link *l = add_link(j, VV_LINK_LENGTH, plan->stiffness);
    add_to(l, 0, -1, j->at, 0);
    add_to(l, 0, 1, j->at + 1, 1);
    double a[3], b[3], d[3];
    vv_joint_point_at(j->at, plan->x, a);
    vv_joint_point_at(j->at + 1, plan->x, b);
    vv_sub(b, a, d);
    l->low = plan->limited ? plan->low : vv_norm(d);
    l->high = plan->limited ? plan->high : vv_norm(d);
    j->measured = 0;
    return VV_OK;
}

static vvStatus make_hinge(const vv_joint_plan *plan, vv_joint *j, vvError *error)
{
    vv_link *angle;
    vvStatus status = VV_OK;
    for (int end = -1; end <= 1 && status == VV_OK; end += 2) {
        double place[3];
        place_at(plan, end, 0, 0, place);
        status = tie(plan, place, 0.5 * plan->stiffness, j, error);
    }
    if (status == VV_OK)
        status = add_angle(plan, plan->stiffness * plan->reach * plan->reach, j, &angle, error);
    if (status == VV_OK)
        drive(plan, j);
    return status;
}

/* The corners of a regular tetrahedron about `at`: equally stiff in all directions. */
static vvStatus make_fixed(const vv_joint_plan *plan, vv_joint *j, vvError *error)
{
    static const double corner[4][3] = { { 1, 1, 1 }, { 1, -1, -1 }, { -1, 1, -1 }, { -1, -1, 1 } };
    const double scale = 1 / sqrt(3);
    vvStatus status = VV_OK;
    for (int i = 0; i < 4 && status == VV_OK; i++) {
        double place[3];
        place_at(plan, scale * corner[i][0], scale * corner[i][1], scale * corner[i][2], place);
        status = tie(plan, place, 0.25 * plan->stiffness, j, error);
    }
    return status;
}

/* Two points of the second body on the first one's line, and one beside it on a line that is parallel. */
static vvStatus make_slider(const vv_joint_plan *plan, vv_joint *j, vvError *error)
{
    static const double points[3][2] = { { -1, 0 }, { 1, 0 }, { 0, 1 } };
    vv_link *l;
    vvStatus status = VV_OK;
    for (int i = 0; i < 3 && status == VV_OK; i++) {
        double place[3];
        place_at(plan, points[i][0], points[i][1], 0, place);
        status = add_line(plan, VV_LINK_LINE, place, plan->stiffness / 3, j, &l, error);
    }
    if (status == VV_OK)
        status = add_line(plan, VV_LINK_TRAVEL, plan->at, plan->stiffness, j, &l, error);
    if (status == VV_OK)
        drive(plan, j);
    return status;
}

static const vv_joint_kind kinds[] = {
    { .info = { "ball", "a point of each body together" }, .make = make_ball },
    { .info = { "distance", "two points at a distance, or within limits (a rope: at most its length)" },
      .ends = true,
      .wide = INFINITY,
      .make = make_distance },
    { .info = { "hinge", "an axis of each body together" },
      .axis = true,
      .turns = true,
      .narrow = -180,
      .wide = 180,
      .make = make_hinge },
    { .info = { "fixed", "all of both bodies together, as a weld" }, .make = make_fixed },
    { .info = { "slider", "the second body on a line of the first, without rotation" },
      .axis = true,
      .travels = true,
      .narrow = -INFINITY,
      .wide = INFINITY,
      .make = make_slider },
};
enum { KINDS = sizeof kinds / sizeof *kinds };

const vv_joint_kind *vv_joint_kind_at(int index) { return index >= 0 && index < KINDS ? kinds + index : NULL; }

const vv_joint_kind *vv_joint_kind_find(const char *name)
{
    for (int i = 0; name && i < KINDS; i++)
        if (strcmp(kinds[i].info.name, name) == 0)
            return kinds + i;
    return NULL;
}

const vvInfo *vvJointKindInfo(int index) { return vv_joint_kind_at(index) ? &kinds[index].info : NULL; }
