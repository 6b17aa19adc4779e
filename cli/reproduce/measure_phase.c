/* Where a run's time goes: the seconds that each step spent in one phase, or in all of them. */
#include "reproduce/reproduce.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* { "phase": "policy", "run": NAME, "take": "sum", "from": 0.1 } */

/* The phase of that name, VV_PHASE_COUNT for "all", -1 if there is none. */
static int phase_of(const char *name)
{
    if (name && strcmp(name, "all") == 0)
        return VV_PHASE_COUNT;
    for (int i = 0; name && i < VV_PHASE_COUNT; i++)
        if (strcmp(vvPhaseName((vvPhase)i), name) == 0)
            return i;
    return -1;
}

static int check_phase(const vv_repro_item *item, const char *path, const json_t *spec)
{
    char below[VV_REPRO_PATH], all[300] = "all";
    const char *name = json_string_value(json_object_get(spec, "phase"));
    size_t used = strlen(all);
    for (int i = 0; i < VV_PHASE_COUNT && used < sizeof all; i++)
        used += (size_t)snprintf(all + used, sizeof all - used, ", %s", vvPhaseName((vvPhase)i));
    if (phase_of(name) < 0)
        return vv_repro_wrong(item, vv_repro_path(below, path, "phase"), "must be one of: %s", all);
    return VV_CLI_GO;
}

static bool read_phase(const vv_repro_run *run, int phase, vv_repro_series *s, char why[VV_REPRO_WHY])
{
    vvError error = { 0 };
    int steps = run->rowCount - 1;
    double *seconds = calloc((size_t)run->rowCount * VV_PHASE_COUNT, sizeof *seconds);
    s->times = calloc((size_t)run->rowCount, sizeof *s->times);
    s->values = calloc((size_t)run->rowCount, sizeof *s->values);
    bool good = seconds && s->times && s->values;
    if (!good)
        vv_repro_none(why, "out of memory");
    if (good && steps > 0 && vvRunReadPhases(run->file, 0, steps, seconds, &error) != VV_OK) {
        vv_repro_none(why, "%.390s", error.message);
        good = false;
    }
    for (int i = 0; i < steps && good; i++) {
        s->times[i] = run->rows[i + 1].time;
        for (int k = 0; k < VV_PHASE_COUNT; k++)
            if (phase == VV_PHASE_COUNT || phase == k)
                s->values[i] += seconds[i * VV_PHASE_COUNT + k];
        s->count = i + 1;
    }
    free(seconds);
    return good;
}

static double phase(vv_repro_item *item, json_t *spec, char why[VV_REPRO_WHY])
{
    vv_repro_series s = { 0 };
    double value = NAN;
    vv_repro_run *run = vv_repro_find_run(item, json_string_value(json_object_get(spec, "run")));
    if (vv_repro_run_rows(run, why) && vv_repro_reached(run, spec, why) &&
        read_phase(run, phase_of(json_string_value(json_object_get(spec, "phase"))), &s, why))
        value = vv_repro_take(&s, spec, why);
    vv_repro_series_free(&s);
    return value;
}

static bool always(const json_t *spec)
{
    (void)spec;
    return true;
}

const vv_repro_measure vv_repro_measure_phase = { "phase",     "run " VV_REPRO_TAKE_KEYS,
                                                  "run",       "seconds of each step in one of its phases",
                                                  NULL,        "run",
                                                  check_phase, phase,
                                                  always };
