/* The field by which the window colours bodies, found after each step of the world. */
#include "view/live_own.h"

#include <stdlib.h>
#include <string.h>

#include "cli.h"

static size_t size_of(const vv_tint *t) { return t->of.field ? (size_t)vvRunVertexCount(t->of.run) : 0; }

bool vv_tint_open(vv_tint *t, const vv_live_field *of)
{
    *t = (vv_tint){ .of = *of };
    t->found = calloc(size_of(t) + 1, sizeof *t->found);
    t->shown = calloc(size_of(t) + 1, sizeof *t->shown);
    return t->found && t->shown;
}

void vv_tint_close(vv_tint *t)
{
    free(t->found);
    free(t->shown);
}

void vv_tint_find(vv_tint *t, vvWorld *world, char message[VV_LIVE_TEXT])
{
    vvError error = { 0 };
    if (t->of.field && vv_cli_run_field(t->of.run, world, t->of.field, t->found, &error) != VV_OK)
        snprintf(message, VV_LIVE_TEXT, "%s: %.1000s", t->of.field->info.name, error.message);
}

void vv_tint_show(vv_tint *t) { memcpy(t->shown, t->found, size_of(t) * sizeof *t->shown); }

void vv_tint_copy(const vv_tint *t, double *to)
{
    if (to)
        memcpy(to, t->shown, size_of(t) * sizeof *to);
}
