/* Runs the points of compare --cost that are not there, and measures them. Coarse steps run first: what --cap leaves no
 * time for is the finest. Each run's figures are kept as soon as it has ended. */
#include "compare/cost_work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- points that have run ---- */

static bool reached_end(const json_t *figures)
{
    const char *status = json_string_value(json_object_get(figures, "status"));
    return status && strcmp(status, "done") == 0;
}

static void add_start(const vv_cost_truth *truth, json_t *figures, vv_cost_point *p)
{
    const vv_cost_error e = vv_cost_measure(truth, figures);
    const double n = ++p->done;
    p->error = n > 1 ? p->error + (e.total - p->error) / n : e.total;
    p->low = n > 1 ? fmin(p->low, e.total) : e.total;
    p->high = n > 1 ? fmax(p->high, e.total) : e.total;
    for (int i = 0; i < VV_COST_PARTS; i++)
        p->parts[i] = n > 1 ? p->parts[i] + (e.parts[i] - p->parts[i]) / n : e.parts[i];
}

static double cost_of(json_t *figures, const char *path)
{
    json_t *value = vv_study_find(figures, path);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* Costs are of the runs that reached the end; of all, if none did. */
static void measure_point(vv_cost_work *w, int point)
{
    vv_cost_point *p = &w->c.points[point];
    json_t **figures = &w->figures[point * w->o->starts];
    double newton = 0, processor = 0;
    int counted = 0, failed = -1;
    for (int k = 0; k < p->starts; k++) {
        if (reached_end(figures[k]))
            add_start(&w->c.truth, figures[k], p);
        else
            failed = failed < 0 ? k : failed;
        p->memory = fmax(p->memory, cost_of(figures[k], "cost.peak_memory") / 1e6);
    }
    for (int k = 0; k < p->starts; k++)
        if (p->done == 0 || reached_end(figures[k])) {
            newton += cost_of(figures[k], "cost.newton_iterations");
            processor += cost_of(figures[k], "cost.processor");
            counted++;
        }
    p->newton = newton / counted;
    p->processor = processor / counted;
    snprintf(p->status, sizeof p->status, "done");
    if (failed >= 0)
        snprintf(p->status, sizeof p->status, "%d of %d starts failed; start %d %.1100s", p->starts - p->done,
                 p->starts, failed, json_string_value(json_object_get(figures[failed], "status")));
    p->there = true;
}

/* Once all of its starts have ended. */
static void finish_point(vv_cost_work *w, int point)
{
    for (int k = 0; k < w->o->starts; k++)
        if (!w->figures[point * w->o->starts + k])
            return;
    measure_point(w, point);
    if (!vv_cost_table_put(&w->table, &w->c.points[point]) || !vv_cost_table_write(&w->table, w->csv))
        w->failed = true;
}

/* ---- runs ---- */

static void add_job(vv_cost_work *w, int m, int s, int start)
{
    char text[256], scene[VV_STUDY_DIGEST], digest[VV_STUDY_DIGEST];
    const int point = m * w->c.stepCount + s, job = w->jobCount;
    const vv_study_plan *plan = &w->plans[point];
    vv_study_scene_key(plan, scene);
    snprintf(text, sizeof text, "%s %d %.17g %d %s", scene, start, w->o->shift, plan->perFrame, w->build);
    snprintf(w->keeps[job], sizeof w->keeps[job], "%.4000s/runs/%s.json", w->c.folder, vv_study_digest(text, digest));
    json_t *kept = w->o->again ? NULL : json_load_file(w->keeps[job], 0, NULL);
    if (kept) {
        w->figures[point * w->o->starts + start] = kept;
        finish_point(w, point);
        return;
    }
    w->of[job] = point;
    w->jobs[job] = (vv_study_job){
        .plan = plan,
        .start = start,
        .shift = w->o->shift,
        .threads = 1, /* of seconds that are compared */
        .weight = (plan->end - plan->begin) / plan->step,
        .limit = w->o->limit,
        .mayFail = true,
        .keep = w->keeps[job],
    };
    w->jobCount++;
}

/* Coarse steps first, all methods side by side. */
static bool make_jobs(vv_cost_work *w)
{
    const size_t most = (size_t)w->methods->count * (size_t)w->c.stepCount * (size_t)w->o->starts;
    w->jobs = calloc(most, sizeof *w->jobs);
    w->of = calloc(most, sizeof *w->of);
    w->keeps = calloc(most, sizeof *w->keeps);
    w->expected = calloc(most, sizeof *w->expected);
    if (!w->jobs || !w->of || !w->keeps || !w->expected)
        return false;
    for (int s = 0; s < w->c.stepCount; s++)
        for (int m = 0; m < w->methods->count; m++)
            for (int k = 0; k < w->o->starts && !vv_cost_at(&w->c, m, s)->there; k++)
                add_job(w, m, s, k);
    return true;
}

/* s of processors that a run of the point will take: as many as those of its start before, or, step by step, of the
 * next longer step. */
static double expect(const vv_cost_work *w, int point)
{
    for (int k = 0; k < w->o->starts; k++) {
        json_t *figures = w->figures[point * w->o->starts + k];
        if (figures)
            return cost_of(figures, "cost.processor");
    }
    for (int k = 1; k <= point % w->c.stepCount; k++) {
        const vv_cost_point *coarser = &w->c.points[point - k];
        if (coarser->there && isfinite(coarser->processor))
            return coarser->processor * coarser->step / w->c.steps[point % w->c.stepCount];
    }
    return 0;
}

/* A point is begun with its first start if all of them will be in time. */
static bool is_wanted(void *user, int job)
{
    vv_cost_work *w = user;
    vv_cost_point *p = &w->c.points[w->of[job]];
    int left = 0;
    for (int k = 0; k < w->o->starts; k++)
        left += w->figures[w->of[job] * w->o->starts + k] == NULL;
    const double each = expect(w, w->of[job]);
    if (p->begun || (!vv_cost_left_out(p) && !(w->spent + left * each > w->o->cap))) {
        p->begun = true;
        w->expected[job] = each;
        w->spent += each;
        return true;
    }
    snprintf(p->status, sizeof p->status, "left out: --cap %g", w->o->cap);
    return false;
}

static void has_ended(void *user, int job)
{
    vv_cost_work *w = user;
    const int point = w->of[job];
    const double took = cost_of(w->jobs[job].figures, "cost.processor");
    w->spent += (isfinite(took) ? took : 0) - w->expected[job];
    w->figures[point * w->o->starts + w->jobs[job].start] = json_incref(w->jobs[job].figures);
    finish_point(w, point);
}

/* What has been left out stands in the table, too, without numbers. */
static int note_left_out(vv_cost_work *w)
{
    bool any = false, good = true;
    for (int i = 0; i < w->methods->count * w->c.stepCount; i++)
        if (!w->c.points[i].there && vv_cost_left_out(&w->c.points[i])) {
            any = true;
            good = good && vv_cost_table_put(&w->table, &w->c.points[i]);
        }
    return good && (!any || vv_cost_table_write(&w->table, w->csv)) ? VV_EXIT_OK : VV_EXIT_FAILED;
}

int vv_cost_run(vv_cost_work *w)
{
    char folder[4300];
    const vv_study_orders orders = { .atOnce = w->o->jobs,
                                     .command = "compare",
                                     .quiet = w->o->quiet,
                                     .wanted = is_wanted,
                                     .ended = has_ended,
                                     .user = w };
    snprintf(folder, sizeof folder, "%.4000s/runs/figures", w->c.folder);
    if (!vv_cli_make_folders(folder) || !make_jobs(w))
        return VV_EXIT_FAILED;
    int code = w->jobCount ? vv_study_work_as(w->jobs, w->jobCount, &orders) : VV_EXIT_OK;
    if (code == VV_EXIT_OK)
        code = w->failed ? VV_EXIT_FAILED : note_left_out(w);
    return code;
}
