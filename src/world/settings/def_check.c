/* Checks of a world's definition; its names become the tables' own. */
#include "base/error.h"
#include "base/text/range.h"
#include "solve/linear/linear.h"
#include "world/settings/members.h"
#include "world/settings/settings.h"

#include <string.h>

/* The row's own string for `name`, so that the world keeps no pointer of the caller's; the error lists the known
 * names. */
vvStatus vv_def_name(const char **name, const char *what, const vvInfo *(*get)(int), vvError *error)
{
    const vvInfo *row;
    for (int i = 0; *name && (row = get(i)); i++)
        if (strcmp(row->name, *name) == 0) {
            *name = row->name;
            return VV_OK;
        }
    const char *left_out = get == vvLinearSolverInfo ? vv_linear_left_out(*name) : NULL;
    return left_out ? vv_fail(error, VV_ERROR_UNSUPPORTED, "%s: \"%s\": %s", what, *name, left_out)
                    : vv_fail_unknown(error, what, *name, get);
}

vvStatus vv_check_threads(int threads, vvError *error)
{
    return vv_range_check(&(vv_range){ 0, 1024, .integer = true, .unit = "" }, threads, "threads", error);
}

vvStatus vv_check_friction(double *friction, const char *what, vvError *error)
{
    if (*friction < 0)
        *friction = -1;
    return *friction < 0 ? VV_OK
                         : vv_range_check(&(vv_range){ 0, VV_MOST_FRICTION, .unit = "(below 0: none of its own)" },
                                          *friction, what, error);
}
