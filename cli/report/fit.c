/* A page no larger than asked: every n-th frame while enough are left, then fewer vertices, then fewer frames still. */
#include "cli.h"
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double slowest = 0.1;    /* s: from frame to frame, while vertices can go instead */
enum { FRAMES = 20, VERTICES = 300 }; /* so many of a run stay until the last */

/* What a run has before it is thinned. */
typedef struct whole {
    vv_report_shape shape;
    vv_report_motion motion;
} whole;

typedef struct fitter {
    vv_report *report;
    whole wholes[VV_REPORT_RUNS];
    double limit, fixed; /* bytes: of the page; of it what is no film */
    vv_report_buffer *page;
    bool thinned; /* the runs have shapes of their own beside the whole ones */
} fitter;

static int kept(const vv_report_run *run, int stride) { return (run->motion.frameCount + stride - 1) / stride; }

static void make(fitter *f)
{
    f->page->size = 0;
    vv_report_page(f->page, f->report);
}

static bool fits(const fitter *f) { return (double)f->page->size <= f->limit; }

/* By how much the film is too large, a little more. */
static double excess(const fitter *f)
{
    return 1.03 * ((double)f->page->size - f->fixed) / fmax(1, f->limit - f->fixed);
}

/* ---- frames ---- */

static bool enough(const vv_report_run *run, int stride, bool last)
{
    if (!run->drawn || run->motion.frameCount == 0)
        return true;
    if (last)
        return kept(run, stride) >= 2;
    const double time = vvRunFrameTime(run->run, run->motion.frameCount - 1) - vvRunFrameTime(run->run, 0);
    return kept(run, stride) >= FRAMES && time / (kept(run, stride) - 1) <= slowest;
}

static bool all_enough(const vv_report *report, int stride, bool last)
{
    for (int i = 0; i < report->count; i++)
        if (!enough(&report->runs[i], stride, last))
            return false;
    return true;
}

static void thin_frames(fitter *f, bool last)
{
    int stride = f->report->runs[0].stride;
    while (!fits(f) && !f->page->failed && !vv_cli_interrupted()) {
        int next = (int)fmax(stride + 1, fmin(1e6, floor(stride * excess(f))));
        while (next > stride && !all_enough(f->report, next, last))
            next--;
        if (next == stride)
            return;
        stride = next;
        for (int i = 0; i < f->report->count; i++)
            f->report->runs[i].stride = stride;
        make(f);
    }
}

/* ---- vertices ---- */

static void forget_thinned(vv_report_run *run)
{
    vv_report_shape_free(&run->shape);
    vv_report_motion_free(&run->motion);
}

static bool thin_run(vv_report_run *run, const whole *w, double part)
{
    vv_report_shape fewer;
    bool good = vv_report_shape_make(&fewer, &run->stage, part);
    run->shape = fewer;
    good = good && vv_report_motion_pick(&w->motion, &w->shape, &run->shape, &run->motion);
    run->off = good ? vv_report_off_surface(&w->motion, &w->shape, &run->shape, run->stride) : NAN;
    return good && isfinite(run->off);
}

static bool thin_runs(fitter *f, double part)
{
    bool good = true;
    for (int i = 0; i < f->report->count && good; i++) {
        vv_report_run *run = &f->report->runs[i];
        if (!run->drawn || run->motion.frameCount == 0)
            continue;
        if (f->thinned)
            forget_thinned(run);
        run->motion = (vv_report_motion){ 0 };
        good = thin_run(run, &f->wholes[i], part);
    }
    f->thinned = true;
    return good;
}

static int most_vertices(const vv_report *report)
{
    int most = 0;
    for (int i = 0; i < report->count; i++)
        most = report->runs[i].shape.vertexCount > most ? report->runs[i].shape.vertexCount : most;
    return most;
}

static bool thin_vertices(fitter *f)
{
    double part = 1;
    const int most = most_vertices(f->report);
    while (!fits(f) && !f->page->failed && part * most > VERTICES && !vv_cli_interrupted()) {
        part *= fmin(0.9, fmax(0.3, 1 / excess(f)));
        if (!thin_runs(f, part))
            return false;
        make(f);
    }
    return true;
}

/* ---- all of it ---- */

static size_t measure_rest(fitter *f)
{
    bool drawn[VV_REPORT_RUNS];
    for (int i = 0; i < f->report->count; i++) {
        drawn[i] = f->report->runs[i].drawn;
        f->report->runs[i].drawn = false;
    }
    make(f);
    for (int i = 0; i < f->report->count; i++)
        f->report->runs[i].drawn = drawn[i];
    return f->page->size;
}

int vv_report_fit(vv_report *report, double size, vv_report_buffer *page)
{
    fitter f = { .report = report, .limit = size, .page = page };
    char a[VV_TEXT], b[VV_TEXT];
    for (int i = 0; i < report->count; i++)
        f.wholes[i] = (whole){ report->runs[i].shape, report->runs[i].motion };
    f.fixed = (double)measure_rest(&f);
    if (f.fixed > size)
        return vv_cli_wrong("--size %s: without any film the page is %s (script, text, ledger); ask for more, or for "
                            "fewer runs",
                            vv_text_bytes(a, size), vv_text_bytes(b, f.fixed));
    make(&f);
    thin_frames(&f, false);
    bool good = thin_vertices(&f);
    if (good)
        thin_frames(&f, true);
    if (f.thinned)
        for (int i = 0; i < report->count; i++)
            if (report->runs[i].drawn && f.wholes[i].motion.frameCount) {
                vv_report_shape_free(&f.wholes[i].shape);
                vv_report_motion_free(&f.wholes[i].motion);
            }
    if (vv_cli_interrupted())
        return VV_EXIT_INTERRUPTED;
    if (!good || page->failed) {
        vv_cli_wrong("report: no memory for the page");
        return VV_EXIT_FAILED;
    }
    return fits(&f) ? VV_CLI_GO
                    : vv_cli_wrong("--size %s: the smallest page of so many bodies is %s; ask for that",
                                   vv_text_bytes(a, size), vv_text_bytes(b, (double)page->size));
}
