/* The mouse's hand in the world: a spring from the point that the ray met to where the hand is. */
#include <math.h>
#include <string.h>

#include "view/live_own.h"

static const double GRAVITY = 9.81; /* m/s^2: where there is none, or less */
static const double STRETCH = 0.1;  /* of the body's size: by how much its weight stretches the spring */

/* N/m. Not left to the library (vvDragDef.stiffness 0), as the hand's work is counted with it. */
static double stiffness_of(const vvWorld *world, int first, int count)
{
    const double *x = vvWorldPositions(world), *g = vvWorldGetDef(world)->gravity;
    double mass = 0, square = 0;
    for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (int i = first; i < first + count; i++) {
            low = fmin(low, x[3 * (size_t)i + (size_t)k]);
            high = fmax(high, x[3 * (size_t)i + (size_t)k]);
        }
        square += (high - low) * (high - low);
    }
    for (int i = first; i < first + count; i++)
        mass += vvWorldMasses(world)[i];
    const double weight = mass * fmax(sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]), GRAVITY);
    return square > 0 && weight > 0 ? weight / (STRETCH * sqrt(square)) : 0;
}

static void see_grip(vv_hand *hand, const vvWorld *world) { vvDragGetPoint(world, hand->drag, hand->grip); }

vvStatus vv_hand_grab(vv_hand *hand, vvWorld *world, const double origin[3], const double direction[3], bool *met,
                      vvError *error)
{
    vvRay ray = vvDefaultRay();
    vvRayHit hit;
    int first, count;
    vvStatus status = vv_hand_release(hand, world, error);
    *met = false;
    if (status != VV_OK)
        return status;
    memcpy(ray.origin, origin, sizeof ray.origin);
    memcpy(ray.direction, direction, sizeof ray.direction);
    status = vvWorldCastRay(world, &ray, &hit, met, error);
    *met = *met && hit.body.index1 != 0 && hit.node >= 0;
    if (status != VV_OK || !*met)
        return status;
    vvBodyNodes(world, hit.body, &first, &count);
    vvDragDef def = vvDragAtHit(&hit);
    def.stiffness = hand->pull = stiffness_of(world, first, count);
    status = vvWorldStartDrag(world, &def, &hand->drag, error);
    *met = hand->holds = status == VV_OK;
    if (*met) {
        see_grip(hand, world);
        memcpy(hand->at, hand->grip, sizeof hand->at);
        memcpy(hand->led, hand->grip, sizeof hand->led);
    }
    return status;
}

vvStatus vv_hand_move(vv_hand *hand, vvWorld *world, const double origin[3], const double direction[3],
                      const double normal[3], vvError *error)
{
    double along = 0, away = 0;
    if (!hand->holds)
        return VV_OK;
    for (int k = 0; k < 3; k++) {
        along += direction[k] * normal[k];
        away += (hand->at[k] - origin[k]) * normal[k];
    }
    if (!(fabs(along) > 1e-9) || !(away / along > 0)) /* beside the plane, or behind the eye */
        return VV_OK;
    for (int k = 0; k < 3; k++)
        hand->at[k] = origin[k] + away / along * direction[k];
    return vvWorldMoveDrag(world, hand->drag, hand->at, error);
}

vvStatus vv_hand_release(vv_hand *hand, vvWorld *world, vvError *error)
{
    const bool held = hand->holds;
    hand->holds = false;
    for (int k = 0; k < 3 && held; k++) /* what the spring holds goes back to the hand */
        hand->work -= 0.5 * hand->pull * (hand->led[k] - hand->grip[k]) * (hand->led[k] - hand->grip[k]);
    return held && vvDragIsValid(world, hand->drag) ? vvWorldEndDrag(world, hand->drag, error) : VV_OK;
}

/* Force times way, as the world's scheme sees the hand (docs/ledger.md): the mean of the spring's forces at both ends
 * of the path, with the point where it was when the step began or, if forces are those of the step's end, at both ends
 * of its own path. */
void vv_hand_count(vv_hand *hand, const vvWorld *world)
{
    if (!hand->holds)
        return;
    double before[3];
    memcpy(before, hand->grip, sizeof before);
    see_grip(hand, world);
    const bool end = vvSchemeEndForces(vvWorldGetDef(world)->integrator.scheme);
    for (int k = 0; k < 3; k++) {
        const double way = hand->at[k] - hand->led[k], node = end ? 0.5 * (before[k] + hand->grip[k]) : before[k];
        hand->work += hand->pull * (0.5 * (hand->at[k] + hand->led[k]) - node) * way;
    }
    memcpy(hand->led, hand->at, sizeof hand->led);
}
