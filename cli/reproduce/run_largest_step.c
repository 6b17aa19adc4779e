/* A run of kind "largest-step": the largest time step at which a scene reaches its end, by bisection between two
 * steps. A run counts as lost if a step fails, or if its energy ever exceeds `explodes` times that of the start. */
#include "reproduce/reproduce.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct search {
    double low, high, part, explodes;
} search;

static int read_search(const vv_repro_item *item, const vv_repro_run *run, const char *path, search *s)
{
    json_t *spec = run->spec, *part = json_object_get(spec, "part"), *explodes = json_object_get(spec, "explodes");
    *s = (search){ json_number_value(json_object_get(spec, "low")), json_number_value(json_object_get(spec, "high")),
                   part ? json_number_value(part) : 0.02, explodes ? json_number_value(explodes) : 10 };
    if (!(s->low > 0) || !(s->high > s->low))
        return vv_repro_wrong(item, path, "\"low\" and \"high\" must be time steps in s, with 0 < low < high");
    if (!(s->part > 0 && s->part < 1))
        return vv_repro_wrong(item, path, "\"part\", how closely the step is found, must lie between 0 and 1");
    if (!(s->explodes > 1))
        return vv_repro_wrong(item, path, "\"explodes\" must be a factor larger than 1");
    return VV_CLI_GO;
}

static int check(const vv_repro_item *item, vv_repro_run *run, const char *path)
{
    search s;
    return read_search(item, run, path, &s);
}

/* `why`: filled if that cannot be said. */
static bool stays(vv_repro_run *run, double factor, char why[VV_REPRO_WHY])
{
    double zero, first = vv_repro_run_done(run) ? vv_repro_run_energy(run, &zero, why) : NAN;
    if (isnan(first))
        return false;
    for (int i = 0; i < run->rowCount; i++)
        if (!(run->rows[i].total - zero <= factor * first))
            return false;
    return true;
}

static int try_step(const vv_repro *r, const vv_repro_item *item, const vv_repro_run *run, const search *s, double h,
                    bool *survives, char why[VV_REPRO_WHY])
{
    char text[64];
    vv_option_list more = { .values = { text }, .count = 1 };
    vv_repro_run trial = { .spec = json_incref(run->spec), .vars = json_incref(run->vars), .kind = run->kind },
                 *list = &trial;
    snprintf(trial.name, sizeof trial.name, "%.80s, h = %.6g s", run->name, h);
    snprintf(text, sizeof text, "time.step=%.17g", h);
    int code = vv_repro_run_plan(item, &trial, "", &more, &trial.plan);
    if (code == VV_CLI_GO)
        code = vv_repro_work_runs(r, &list, 1);
    *survives = code == VV_CLI_GO && stays(&trial, s->explodes, why);
    vv_repro_run_free(&trial);
    return code;
}

static void keep(vv_repro_run *run, const search *s, double low, double high, int tried)
{
    run->figures =
        json_pack("{s:s, s:o, s:o, s:i}", "status", "done", "survives", low > 0 ? json_real(low) : json_null(), "fails",
                  high < INFINITY ? json_real(high) : json_null(), "tried", tried);
    (void)s;
}

static int work(const vv_repro *r, const vv_repro_item *item, vv_repro_run *run)
{
    search s;
    char why[VV_REPRO_WHY] = "";
    bool low_good = false, high_good = false, good;
    int tried = 2, code = read_search(item, run, "", &s);
    if (code == VV_CLI_GO)
        code = try_step(r, item, run, &s, s.low, &low_good, why);
    if (code == VV_CLI_GO && !why[0])
        code = try_step(r, item, run, &s, s.high, &high_good, why);
    double low = s.low, high = s.high;
    while (code == VV_CLI_GO && !why[0] && low_good && !high_good && high > low * (1 + s.part)) {
        double middle = sqrt(low * high);
        code = try_step(r, item, run, &s, middle, &good, why);
        *(good ? &low : &high) = middle;
        tried++;
    }
    if (code == VV_CLI_GO && why[0])
        run->figures = json_pack("{s:s}", "status", why);
    else if (code == VV_CLI_GO)
        keep(run, &s, high_good ? s.high : low_good ? low : 0, high_good ? INFINITY : low_good ? high : s.low, tried);
    return code;
}

const vv_repro_run_kind vv_repro_run_largest_step = { "largest-step", "low high part explodes", check, work };
