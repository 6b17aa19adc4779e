/* What is read without a script: what each run is, how it ended, what is odd about it, its energies, its settings and
 * its scene. */
#include "cli.h"
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- rows of tables ---- */

static void put_row(vv_report_buffer *out, const char *name, const char *value)
{
    vv_report_raw(out, "<tr><th scope=\"row\">");
    vv_report_escaped(out, name);
    vv_report_raw(out, "</th><td>");
    vv_report_escaped(out, value);
    vv_report_raw(out, "</td></tr>\n");
}

static void put_cells(vv_report_buffer *out, const char *name, const double *values, int count, double scale)
{
    char cell[VV_TEXT];
    vv_report_raw(out, "<tr><th scope=\"row\">");
    vv_report_raw(out, name);
    vv_report_raw(out, "</th>");
    for (int i = 0; i < count; i++) {
        vv_report_raw(out, "<td>");
        if (isfinite(values[i]))
            vv_report_escaped(out, vv_text_quantity(cell, values[i] + 0.0, "J"));
        vv_report_raw(out, "</td>");
    }
    if (scale > 0 && isfinite(values[count - 1]))
        vv_report_format(out, "<td>%.2f%%</td>", 100 * (values[count - 1] + 0.0) / scale);
    vv_report_raw(out, "</tr>\n");
}

/* ---- what the run is ---- */

static void put_counts(vv_report_buffer *out, const vvRun *run)
{
    char line[200];
    int bodies = 0, obstacles = vvRunObstacleCount(run);
    for (int b = 0; b < vvRunBodyCount(run); b++) {
        bodies += !vvRunGetBody(run, b)->kinematic;
        obstacles += vvRunGetBody(run, b)->kinematic;
    }
    snprintf(line, sizeof line, "%d, with %d nodes; obstacles: %d", bodies, vvRunNodeCount(run), obstacles);
    put_row(out, "bodies", line);
}

/* Which frames are here, how exactly, and what was left out. */
static void put_film(vv_report_buffer *out, const vv_report_run *run)
{
    const vv_report_motion *m = &run->motion;
    char line[400], text[VV_TEXT];
    const int all = vvRunFrameCount(run->run), here = (m->frameCount + run->stride - 1) / run->stride;
    if (!run->drawn || here == 0) {
        put_row(out, "film", all ? "none: no frame can be shown" : "none: the run has no frames");
        return;
    }
    snprintf(line, sizeof line, "%d frames of %d, t = %.6g to %.6g s; %d vertices, %d triangles", here, all,
             vvRunFrameTime(run->run, 0), vvRunFrameTime(run->run, (here - 1) * run->stride), run->shape.vertexCount,
             run->shape.triangleCount);
    put_row(out, "film", line);
    snprintf(line, sizeof line, "at most %s from the run's%s", vv_text_quantity(text, m->error, "m"),
             m->diagonal > 0 ? "" : "; nothing moves");
    if (m->diagonal > 0)
        snprintf(line + strlen(line), sizeof line - strlen(line), ", %.2g of the box's diagonal",
                 m->error / m->diagonal);
    put_row(out, "positions here", line);
    if (run->stride > 1) {
        snprintf(line, sizeof line, "all but one of %d, for the requested size", run->stride);
        put_row(out, "frames left out", line);
    }
    if (run->shape.vertexCount < run->vertexCount) {
        snprintf(line, sizeof line,
                 "%d of %d are kept, for the requested size; the others are at most %s from "
                 "the surface here",
                 run->shape.vertexCount, run->vertexCount, vv_text_quantity(text, run->off, "m"));
        put_row(out, "vertices left out", line);
    }
}

static void put_about(vv_report_buffer *out, const vv_report_run *run)
{
    char line[200];
    vv_report_raw(out, "<table class=\"facts\">\n");
    put_row(out, "scene", vvRunSceneName(run->run));
    put_row(out, "ended", vvRunStatusText(run->run));
    put_row(out, "scheme", vvRunScheme(run->run));
    put_row(out, "energy policy", vvRunPolicy(run->run));
    snprintf(line, sizeof line, "%.6g s; steps: %d", vvRunTimeStep(run->run),
             run->rowCount > 0 ? run->rowCount - 1 : 0);
    put_row(out, "time step", line);
    if (vvRunContactModel(run->run)[0])
        put_row(out, "contact", vvRunContactModel(run->run));
    put_counts(out, run->run);
    put_film(out, run);
    put_row(out, "made by", vvRunMadeBy(run->run)[0] ? vvRunMadeBy(run->run) : "an older version, which did not say");
    vv_report_raw(out, "</table>\n");
}

/* ---- energies ---- */

/* Sums over the steps, and how often something was the case. */
typedef struct sums {
    double work, friction, damping, decay, springs, error, off, most_off, gap, det;
    int astray, divided;
    int64_t newton, solves, pcg;
} sums;

static sums add_up(const vv_report_run *run)
{
    sums s = { .gap = INFINITY, .det = INFINITY };
    for (int i = 0; i < run->rowCount; i++) {
        const vvLedgerRow *row = &run->rows[i];
        s.gap = fmin(s.gap, row->minGap);
        s.det = fmin(s.det, row->minJ);
        if (i == 0)
            continue;
        const double off = row->scale > 0 ? fabs(row->total - row->target) / row->scale : 0;
        s.work += row->work, s.friction += row->friction, s.damping += row->damping, s.decay += row->decay;
        s.springs += row->springs, s.error += row->error;
        s.off += off / (run->rowCount - 1);
        s.most_off = fmax(s.most_off, off);
        s.astray += row->astray > 0, s.divided += row->parts > 1;
        s.newton += row->newtonIterations, s.solves += row->linearSolves, s.pcg += row->pcgIterations;
    }
    return s;
}

static void put_change(vv_report_buffer *out, const char *name, double start, double end, double scale)
{
    if (start != 0 || end != 0)
        put_cells(out, name, (const double[]){ start, end, end - start }, 3, scale);
}

static void put_flow(vv_report_buffer *out, const char *name, double amount, double scale)
{
    put_cells(out, name, (const double[]){ NAN, NAN, amount }, 3, scale);
}

static void put_ledger(vv_report_buffer *out, const vv_report_run *run, const sums *s)
{
    if (run->rowCount < 1)
        return;
    const vvLedgerRow *a = &run->rows[0], *b = &run->rows[run->rowCount - 1];
    const double scale = b->scale;
    vv_report_raw(out, "<table class=\"ledger\">\n<thead><tr><th scope=\"col\">energy</th><th scope=\"col\">start</th>"
                       "<th scope=\"col\">end</th><th scope=\"col\">change</th>");
    vv_report_raw(out, scale > 0 ? "<th scope=\"col\">of S</th></tr></thead>\n<tbody>" : "</tr></thead>\n<tbody>");
    put_change(out, "kinetic", a->kinetic, b->kinetic, scale);
    put_change(out, "elastic", a->elastic, b->elastic, scale);
    put_change(out, "gravity", a->gravity, b->gravity, scale);
    put_change(out, "contact", a->contact, b->contact, scale);
    put_change(out, "attachments", a->attachment, b->attachment, scale);
    put_change(out, "joints", a->joint, b->joint, scale);
    put_cells(out, "total H", (const double[]){ a->total, b->total, b->total - a->total }, 3, scale);
    put_change(out, "visible kinetic", a->visible, b->visible, scale);
    vv_report_raw(out, "</tbody>\n<tbody>");
    put_flow(out, "+ work", s->work, scale);
    put_flow(out, "− friction", -s->friction, scale);
    put_flow(out, "− damping", -s->damping, scale);
    put_flow(out, "− intended decay", -s->decay, scale);
    if (s->springs != 0)
        put_flow(out, "+ contact springs", s->springs, scale);
    put_flow(out, "+ numerical error", s->error, scale);
    vv_report_raw(out, "</tbody></table>\n");
    vv_report_format(out,
                     "<p>Off target |H − T|/S: mean %.3g%%, largest %.3g%%. Newton iterations %lld, linear solves "
                     "%lld, PCG iterations %lld.</p>\n",
                     100 * s->off, 100 * s->most_off, (long long)s->newton, (long long)s->solves, (long long)s->pcg);
}

/* ---- what is odd ---- */

static void put_item(vv_report_buffer *out, const char *class, const char *text)
{
    vv_report_format(out, "<li class=\"%s\">", class);
    vv_report_escaped(out, text);
    vv_report_raw(out, "</li>\n");
}

static void put_changes(vv_report_buffer *out, const vv_report_run *run)
{
    char line[400];
    for (int i = 0; i < vvRunChangeCount(run->run); i++) {
        int row = 0;
        const char *text = vvRunChange(run->run, i, &row);
        snprintf(line, sizeof line, "Continued with other settings at t = %.6g s: %.300s",
                 row >= 0 && row < run->rowCount ? run->rows[row].time : NAN, text);
        put_item(out, "note", line);
    }
}

/* What the program that made the run said of it. */
static void put_notes(vv_report_buffer *out, const vv_report_run *run)
{
    static const char warning[] = "warning: ";
    char when[VV_TEXT], line[1200];
    for (int i = 0; i < vvRunNoteCount(run->run); i++) {
        int row = 0;
        const char *text = vvRunNote(run->run, i, &row);
        const bool warns = strncmp(text, warning, strlen(warning)) == 0;
        when[0] = 0;
        if (row > 0 && row < run->rowCount && !strstr(text, "t = "))
            snprintf(when, sizeof when, " (t = %.6g s)", run->rows[row].time);
        snprintf(line, sizeof line, "%s%s", text + (warns ? strlen(warning) : 0), when);
        put_item(out, warns ? "warning" : "note", line);
    }
}

static void put_warnings(vv_report_buffer *out, const vv_report_run *run, const sums *s)
{
    const double much = 0.1, scale = run->rowCount ? run->rows[run->rowCount - 1].scale : 0;
    char line[400], text[VV_TEXT];
    vv_report_raw(out, "<ul class=\"warnings\">\n");
    if (strcmp(vvRunStatusText(run->run), "done") != 0) {
        snprintf(line, sizeof line, "The run did not reach its end: %.300s", vvRunStatusText(run->run));
        put_item(out, "failure", line);
    }
    if (run->motion.why[0])
        put_item(out, "warning", run->motion.why);
    if (s->error - s->decay > much * scale || !isfinite(s->error)) {
        snprintf(line, sizeof line, "Energy from nothing: the numerical error is %.3g%% of S. Do not trust the motion.",
                 100 * (s->error - s->decay) / scale);
        put_item(out, "warning", line);
    }
    if (s->det <= 0) {
        snprintf(line, sizeof line, "Some tets were inverted: the smallest det F is %.3g.", s->det);
        put_item(out, "warning", line);
    }
    if (s->gap < 0) {
        snprintf(line, sizeof line, "Deepest penetration: %s.", vv_text_quantity(text, -s->gap, "m"));
        put_item(out, "note", line);
    }
    if (s->astray > 0) {
        snprintf(line, sizeof line, "Positions do not follow the velocities after %d of %d steps.", s->astray,
                 run->rowCount - 1);
        put_item(out, "warning", line);
    }
    if (s->divided > 0) {
        snprintf(line, sizeof line, "Steps that were repeated in parts: %d.", s->divided);
        put_item(out, "note", line);
    }
    if (!vvRunShowsMotion(run->run))
        put_item(out, "note", "A file of an older version: its velocities are the state's own, not the motion.");
    put_notes(out, run);
    put_changes(out, run);
    vv_report_raw(out, "</ul>\n");
}

/* ---- settings ---- */

enum { SETTINGS_SHOWN = 200 };

/* "integrator.policy", "search": every value below `value`. */
static void put_settings(vv_report_buffer *out, const char *path, const json_t *value, int *left)
{
    char below[300], *text;
    const char *key;
    json_t *item;
    if (*left <= 0)
        return;
    if (json_is_object(value)) {
        json_object_foreach((json_t *)value, key, item)
        {
            snprintf(below, sizeof below, "%.200s%s%.90s", path, path[0] ? "." : "", key);
            put_settings(out, below, item, left);
        }
        return;
    }
    text = json_is_string(value) ? NULL : json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(9));
    put_row(out, path, json_is_string(value) ? json_string_value(value) : text ? text : "");
    free(text);
    --*left;
}

static void put_scene(vv_report_buffer *out, const vv_report_run *run, int index)
{
    static const char *const groups[] = { "time", "gravity", "integrator", "solver", "contact", "materials" };
    json_t *scene = json_loads(vvRunSceneText(run->run), 0, NULL);
    int left = SETTINGS_SHOWN;
    if (scene) {
        vv_report_raw(out, "<details><summary>Settings</summary><table class=\"facts\">\n");
        for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
            if (json_object_get(scene, groups[i]))
                put_settings(out, groups[i], json_object_get(scene, groups[i]), &left);
        vv_report_raw(out, "</table></details>\n");
    }
    if (vvRunSceneText(run->run)[0]) {
        vv_report_format(out, "<details><summary>Scene</summary><pre id=\"scene-%d\">", index);
        vv_report_escaped(out, vvRunSceneText(run->run));
        vv_report_raw(out, "</pre></details>\n");
    }
    json_decref(scene);
}

void vv_report_heading(vv_report_buffer *out, const vv_report *report)
{
    for (int i = 0; i < report->count; i++) {
        const char *name = vvRunSceneName(report->runs[i].run);
        if (i > 0 && strcmp(name, vvRunSceneName(report->runs[i - 1].run)) == 0)
            continue;
        vv_report_raw(out, i ? ", <bdi>" : "<bdi>"); /* a name that is written from right to left turns no other */
        vv_report_escaped(out, name);
        vv_report_raw(out, "</bdi>");
    }
}

void vv_report_alarm(vv_report_buffer *out, const vv_report *report)
{
    for (int i = 0; i < report->count; i++) {
        const vv_report_run *run = &report->runs[i];
        if (strcmp(vvRunStatusText(run->run), "done") == 0)
            continue;
        vv_report_format(out, "<p class=\"alarm failure\"><a href=\"#run-%d\">", i);
        vv_report_escaped(out, report->count > 1 ? run->label : "This run");
        vv_report_raw(out, "</a> did not reach its end: ");
        vv_report_escaped(out, vvRunStatusText(run->run));
        vv_report_raw(out, "</p>\n");
    }
}

void vv_report_text(vv_report_buffer *out, const vv_report *report)
{
    for (int i = 0; i < report->count; i++) {
        const vv_report_run *run = &report->runs[i];
        const sums s = add_up(run);
        vv_report_format(out, "<article class=\"run\" id=\"run-%d\"><h2>", i);
        vv_report_escaped(out, run->label);
        vv_report_raw(out, "</h2>\n");
        put_warnings(out, run, &s);
        put_about(out, run);
        put_ledger(out, run, &s);
        put_scene(out, run, i);
        vv_report_raw(out, "</article>\n");
    }
}
