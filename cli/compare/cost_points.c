/* The points of compare --cost: what runs, under which name, and what earlier calls have left of it. */
#include "compare/cost_work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* In single quotes where a shell would read more than words. */
static void add_word(FILE *out, const char *text, size_t length)
{
    bool plain = length > 0;
    for (size_t i = 0; i < length; i++)
        plain = plain && strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+,./:@%", text[i]);
    fputs(plain ? " " : " '", out);
    for (size_t i = 0; i < length; i++)
        if (text[i] == '\'')
            fputs("'\\''", out);
        else
            fputc(text[i], out);
    fputs(plain ? "" : "'", out);
}

static void write_command(const vv_cost_work *w, const vv_compare_setting *s, vv_cost_point *p)
{
    const vv_cost_options *o = w->o;
    char step[48], truth[4300];
    FILE *out = fmemopen(p->command, sizeof p->command, "w");
    snprintf(truth, sizeof truth, "%.4000s/truth.json", w->c.folder);
    if (!out)
        return;
    fprintf(out, "visviva compare --cost");
    add_word(out, o->given, strlen(o->given));
    fprintf(out, " --with");
    add_word(out, s->element, s->elementLength);
    fprintf(out, " --steps %s --starts %d --shift %.10g", vv_study_step_text(p->step, step), p->starts, o->shift);
    if (isfinite(o->until))
        fprintf(out, " --until %s", vv_study_step_text(o->until, step));
    for (int i = 0; i < o->sets.count - isfinite(o->until); i++) { /* the last is --until */
        fprintf(out, " --set");
        add_word(out, o->sets.values[i], strlen(o->sets.values[i]));
    }
    fprintf(out, " --truth");
    add_word(out, o->truth ? o->truth : truth, strlen(o->truth ? o->truth : truth));
    fprintf(out, " --again");
    fclose(out);
}

static void name_point(const vv_cost_work *w, const vv_compare_setting *s, const vv_study_plan *plan, double step,
                       vv_cost_point *p)
{
    char text[256], scene[VV_STUDY_DIGEST];
    size_t used = 0;
    *p = (vv_cost_point){ .step = step,
                          .until = plan->end,
                          .starts = w->o->starts,
                          .known = w->c.truth.known.total,
                          .error = NAN,
                          .low = NAN,
                          .high = NAN,
                          .newton = NAN,
                          .processor = NAN,
                          .memory = NAN };
    for (int i = 0; i < VV_COST_PARTS; i++)
        p->parts[i] = NAN;
    snprintf(p->scene, sizeof p->scene, "%s", plan->name);
    snprintf(p->method, sizeof p->method, "%s", s->label);
    for (int i = 0; i < s->sets.count && used < sizeof p->set; i++)
        used += (size_t)snprintf(p->set + used, sizeof p->set - used, "%s%s", i ? ";" : "", s->sets.values[i]);
    snprintf(p->truth, sizeof p->truth, "%s", w->c.truth.digest);
    snprintf(p->build, sizeof p->build, "%s", w->build);
    vv_study_scene_key(plan, scene);
    snprintf(text, sizeof text, "%s %d %.17g %d", scene, w->o->starts, w->o->shift, plan->perFrame);
    vv_study_digest(text, p->key);
    write_command(w, s, p);
}

static int plan_point(vv_cost_work *w, int m, int s)
{
    vv_compare_setting *method = &w->methods->settings[m];
    vv_option_list all = w->o->sets;
    vv_study_plan *plan = &w->plans[m * w->c.stepCount + s];
    for (int i = 0; i < method->sets.count; i++) {
        if (strncmp(method->sets.values[i], "time.", 5) == 0)
            return vv_cli_wrong("--with: \"%s\" sets %s; --steps and --until set the times", method->label,
                                method->sets.values[i]);
        if (all.count == VV_OPTION_LIST_MAX)
            return vv_cli_wrong("too many overrides");
        all.values[all.count++] = method->sets.values[i];
    }
    return vv_study_plan_step(plan, method->label, w->o->scene, &all, w->c.steps[s]);
}

int vv_cost_plan(vv_cost_work *w)
{
    const int count = w->methods->count * w->c.stepCount;
    int code = VV_CLI_GO;
    w->plans = calloc((size_t)count, sizeof *w->plans);
    w->c.points = calloc((size_t)count, sizeof *w->c.points);
    w->figures = calloc((size_t)count * (size_t)w->o->starts, sizeof(json_t *));
    if (!w->plans || !w->c.points || !w->figures)
        return vv_cli_wrong("out of memory");
    for (int m = 0; m < w->methods->count && code == VV_CLI_GO; m++)
        for (int s = 0; s < w->c.stepCount && code == VV_CLI_GO; s++)
            code = plan_point(w, m, s);
    return code;
}

/* Takes its place, so that rows stand in the order of --with, whichever run ends first. */
static bool hold_place(vv_cost_table *table, const vv_cost_point *p)
{
    vv_cost_point row = *p;
    snprintf(row.status, sizeof row.status, "left out: not run yet");
    return vv_cost_table_find(table, p) || vv_cost_table_put(table, &row);
}

int vv_cost_recall(vv_cost_work *w)
{
    int code = vv_cost_table_read(&w->table, w->csv);
    for (int m = 0; m < w->methods->count; m++)
        for (int s = 0; s < w->c.stepCount && code == VV_CLI_GO; s++) {
            vv_cost_point *p = vv_cost_at(&w->c, m, s);
            name_point(w, &w->methods->settings[m], &w->plans[m * w->c.stepCount + s], w->c.steps[s], p);
            if (!hold_place(&w->table, p))
                return vv_cli_wrong("out of memory");
            const vv_cost_point *row = w->o->again ? NULL : vv_cost_table_find(&w->table, p);
            if (!row || vv_cost_left_out(row) || strcmp(row->key, p->key) != 0 || strcmp(row->truth, p->truth) != 0 ||
                (!w->o->anyBuild && strcmp(row->build, p->build) != 0))
                continue;
            *p = *row;
            p->there = true;
        }
    return code;
}
