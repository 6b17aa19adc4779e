/* Checks of a world's definition; its names become the tables' own. */
#include "base/error.h"
#include "world/members.h"
#include "world/settings.h"

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
    char names[512];
    vv_list_names(names, sizeof names, get);
    const char *near = *name ? vv_nearest_name(*name, get) : NULL;
    return vv_fail(error, VV_ERROR_INPUT, "%s: \"%s\" is not known%s%s%s; there are: %s", what,
                   *name ? *name : "(none)", near ? "; did you mean \"" : "", near ? near : "", near ? "\"" : "",
                   names);
}
