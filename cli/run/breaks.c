/* Joints that break while visviva run makes a run: a line for each. */
#include "run/run.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_TOLD = 100 }; /* in a run */

static double size_of(const double v[3]) { return hypot(hypot(v[0], v[1]), v[2]); }

static const char *name_of(const vvWorld *world, vvBodyId body)
{
    return body.index1 ? vvBodyName(world, body) : "world";
}

static int number_of(const vvWorld *world, vvJointId id)
{
    int i = 0;
    while (i < vvWorldJointCount(world) && vvWorldJoint(world, i).index1 != id.index1)
        i++;
    return i;
}

static void tell_break(vvWorld *world, vvJointId id, void (*told)(void *user, const char *line), void *user)
{
    vvJointState now;
    vvError error;
    vvBodyId of[2];
    char force[VV_TEXT], torque[VV_TEXT], line[700];
    if (vvJointGetState(world, id, &now, &error) != VV_OK)
        return;
    vvJointBodies(world, id, of);
    snprintf(line, sizeof line,
             "step %lld (t = %.6g s): joints[%d] (\"%s\" of \"%.100s\" and \"%.100s\") breaks under %s, %s",
             (long long)now.brokenStep, vvWorldTime(world), number_of(world, id), vvJointKind(world, id),
             name_of(world, of[0]), name_of(world, of[1]), vv_text_quantity(force, size_of(now.force), "N"),
             vv_text_quantity(torque, size_of(now.torque), "N m"));
    told(user, line);
}

void vv_run_tell_broken(vvWorld *world, int64_t *broken, void (*told)(void *user, const char *line), void *user)
{
    const int count = vvWorldBrokenJoints(world, NULL, 0);
    vvJointId *ids = count > 0 ? malloc((size_t)count * sizeof *ids) : NULL;
    if (!ids)
        return;
    vvWorldBrokenJoints(world, ids, count);
    for (int i = 0; i < count && *broken + i < MOST_TOLD; i++)
        tell_break(world, ids[i], told, user);
    if (*broken<MOST_TOLD && * broken + count> MOST_TOLD)
        told(user, "further joints that break are not listed");
    *broken += count;
    free(ids);
}
