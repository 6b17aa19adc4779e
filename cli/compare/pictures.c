/* The pictures of a comparison: what plot and sheet draw of several runs, and a film. Pictures that cannot be made are
 * left out, with a note. */
#include "child.h"
#include "compare/compare.h"
#include "plot/plot.h"
#include "render/render.h"
#include "write_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    int bit;
} kinds[] = {
    { "plot", VV_COMPARE_PLOT },
    { "sheet", VV_COMPARE_SHEET },
    { "film", VV_COMPARE_FILM },
    { "all", VV_COMPARE_PLOT | VV_COMPARE_SHEET | VV_COMPARE_FILM },
    { "none", 0 },
};
enum { KINDS = sizeof kinds / sizeof *kinds };

bool vv_compare_read_pictures(const char *text, int *wanted)
{
    *wanted = 0;
    for (const char *p = text; p;) {
        size_t n = strcspn(p, ",");
        int found = -1;
        for (int k = 0; k < KINDS; k++)
            if (strlen(kinds[k].name) == n && strncmp(kinds[k].name, p, n) == 0)
                found = k;
        if (found < 0) {
            vv_cli_wrong("--pictures \"%s\": \"%.*s\" is not one of: plot, sheet, film, all, none", text, (int)n, p);
            return false;
        }
        *wanted |= kinds[found].bit;
        p = p[n] ? p + n + 1 : NULL;
    }
    return true;
}

/* ---- names ---- */

static void name_setting(const vv_compare_setting *s, char *out, size_t size)
{
    if (s->named)
        snprintf(out, size, "%s", s->label);
    else
        vv_plot_setting(json_string_value(json_object_get(s->figures, "scheme")),
                        json_string_value(json_object_get(s->figures, "policy")), out, size);
}

/* By scheme and policy where that tells them apart. */
static void name_all(const vv_compare *c, char names[VV_COMPARE_MOST][160])
{
    bool clash = false;
    for (int i = 0; i < c->count; i++) {
        name_setting(&c->settings[i], names[i], 160);
        for (int j = 0; j < i; j++)
            clash = clash || strcmp(names[i], names[j]) == 0;
    }
    for (int i = 0; i < c->count && clash; i++)
        snprintf(names[i], 160, "%s", c->settings[i].label);
}

int vv_compare_report(const vv_compare *c)
{
    char names[VV_COMPARE_MOST][160];
    const char *paths[VV_COMPARE_MOST], *labels[VV_COMPARE_MOST];
    vv_report_def def = { .paths = paths, .labels = labels, .output = c->page, .quiet = c->quiet };
    name_all(c, names);
    for (int i = 0; i < c->count; i++) {
        paths[i] = c->settings[i].path;
        labels[i] = names[i];
    }
    def.count = def.labelCount = c->count;
    return vv_report_write(&def);
}

/* ---- the runs ---- */

static double sample(const json_t *samples, size_t frame, size_t part)
{
    const json_t *value = json_array_get(json_array_get(samples, frame), part);
    return value ? json_real_value(value) : NAN;
}

/* A run file has the visible energies of its own steps. For comparison they become those of the frames, on straight
 * lines: the motion over a long step shows less than that over a short one. */
static void see_by_frames(vv_plot_run *run, const vv_compare_setting *s)
{
    json_t *samples = s->jobs[0].samples;
    const vvLedgerRow *first = &run->rows[0]; /* whose energies are those of the velocities: no frame lies before it */
    const double start[4] = { first->visible, first->visibleCentre, first->visibleRotation, first->visibleDeformation };
    double frame = vv_study_frame(&s->plan);
    for (int i = 1; i < run->count; i++) {
        vvLedgerRow *row = &run->rows[i];
        double at = (row->time - s->plan.begin) / frame, left = ceil(at - 1e-6) - 1, part = fmin(at - left, 1);
        double *parts[4] = { &row->visible, &row->visibleCentre, &row->visibleRotation, &row->visibleDeformation };
        for (size_t k = 0; k < 4; k++) {
            double before = left < 1 ? start[k] : sample(samples, (size_t)left, k);
            *parts[k] = (1 - part) * before + part * sample(samples, (size_t)left + 1, k);
        }
    }
}

static int open_runs(const vv_compare *c, vv_plot_set *set)
{
    char names[VV_COMPARE_MOST][160];
    const char *paths[VV_COMPARE_MOST], *labels[VV_COMPARE_MOST];
    name_all(c, names);
    for (int i = 0; i < c->count; i++) {
        paths[i] = c->settings[i].path;
        labels[i] = names[i];
    }
    int code = vv_plot_open(set, paths, c->count, labels, c->count);
    for (int i = 0; i < c->count && code == VV_CLI_GO; i++) {
        see_by_frames(&set->runs[i], &c->settings[i]);
        set->runs[i].reference = c->settings[i].truth;
        if (c->settings[i].truth)
            set->runs[i].colour = "#222222";
    }
    return code == VV_CLI_GO && !vv_plot_rewrite(set) ? VV_EXIT_FAILED : code;
}

/* ---- drawing ---- */

static void place(const vv_compare *c, const char *name, char out[4200])
{
    snprintf(out, 4200, "%.4000s/%s", c->folder, name);
}

static void leave_out(const char *what, const char *why) { fprintf(stderr, "compare: without %s: %s\n", what, why); }

static int draw_plot(vv_compare *c, const vv_plot_set *set)
{
    place(c, "plot.png", c->plot);
    int code = vv_plot_draw(set, "energy,visible,ledger,momentum,iterations", NULL, 1200, c->plot);
    if (code != VV_EXIT_OK)
        c->plot[0] = 0;
    else if (!c->quiet)
        printf("%s\n", c->plot);
    return code;
}

static int draw_sheet(vv_compare *c, const vv_plot_set *set)
{
    place(c, "sheet.png", c->sheet);
    int code = vv_sheet_draw(set, 1600, c->quality, c->quiet, c->sheet);
    if (code != VV_EXIT_OK)
        c->sheet[0] = 0;
    return code;
}

/* Films need pictures of the bodies; a sheet has curves at least. */
static bool can_paint(void)
{
    vv_painter *probe = vv_painter_create(16, 16, 1);
    bool can = probe != NULL;
    vv_painter_destroy(probe);
    return can;
}

static int draw_film(vv_compare *c, const vv_plot_set *set)
{
    if (!vv_child_exists("ffmpeg"))
        return leave_out("the film", "ffmpeg is not installed (apt-get install ffmpeg)"), VV_EXIT_OK;
    if (!can_paint())
        return leave_out("the film", "drawing is not possible here"), VV_EXIT_OK;
    place(c, "film.mp4", c->film);
    int code = vv_compare_film(set, (c->quality + 1) / 2, c->quiet, c->film);
    if (code != VV_EXIT_OK)
        c->film[0] = 0;
    return code;
}

int vv_compare_draw(vv_compare *c, int wanted)
{
    static const struct {
        int bit;
        int (*draw)(vv_compare *, const vv_plot_set *);
    } steps[] = { { VV_COMPARE_PLOT, draw_plot }, { VV_COMPARE_SHEET, draw_sheet }, { VV_COMPARE_FILM, draw_film } };
    if (!wanted)
        return VV_EXIT_OK;
    if (!vv_child_exists("gnuplot"))
        return leave_out("pictures", "gnuplot is not installed (apt-get install gnuplot-nox)"), VV_EXIT_OK;
    vv_plot_set *set = calloc(1, sizeof *set);
    int code = set ? open_runs(c, set) : vv_cli_wrong("out of memory");
    bool good = code == VV_CLI_GO;
    for (int i = 0; i < 3 && good; i++)
        if (wanted & steps[i].bit)
            good = steps[i].draw(c, set) == VV_EXIT_OK;
    if (set)
        vv_plot_close(set);
    free(set);
    return vv_cli_interrupted() ? VV_EXIT_INTERRUPTED : good ? VV_EXIT_OK : VV_EXIT_FAILED;
}
