/* What visviva run was told while it made a run, shown or not: warnings, and notes of policies. The run file keeps it.
 */
#include "run/run.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST_NOTE = 1024 };

void vv_run_keep(vv_run_notes *n, bool warning, const char *text)
{
    char line[LONGEST_NOTE];
    snprintf(line, sizeof line, "%s%s", warning ? "warning: " : "", text);
    if (n->keptCount == n->keptRoom) {
        const int room = 2 * n->keptRoom + 8;
        char **more = realloc(n->kept, (size_t)room * sizeof *more);
        if (!more)
            return;
        n->kept = more, n->keptRoom = room;
    }
    if ((n->kept[n->keptCount] = strdup(line)))
        n->keptCount++;
}

bool vv_run_count_note(vv_run_notes *n, const char *text)
{
    int i = 0;
    while (i < n->count && n->list[i].text != text)
        i++;
    if (!*text || i == (int)(sizeof n->list / sizeof *n->list))
        return false;
    const bool fresh = i == n->count;
    n->list[i].text = text;
    n->list[i].steps++;
    n->count += fresh;
    return fresh;
}

static void forget(vv_run_notes *n)
{
    for (int i = 0; i < n->keptCount; i++)
        free(n->kept[i]);
    n->keptCount = 0;
}

vvStatus vv_run_put_notes(vv_run_notes *n, vvRunWriter *writer, vvError *error)
{
    vvStatus status = VV_OK;
    for (const char *warning; (warning = vv_cli_warning(n->told)); n->told++)
        vv_run_keep(n, true, warning);
    for (int i = 0; i < n->keptCount && status == VV_OK; i++)
        status = vvRunAddNote(writer, n->kept[i], error);
    if (status == VV_OK)
        forget(n);
    return status;
}

void vv_run_notes_free(vv_run_notes *n)
{
    forget(n);
    free(n->kept);
    *n = (vv_run_notes){ 0 };
}
