/* visviva check of a run file: every frame is tested exactly. */
#include "json.h"

#include <stdlib.h>
#include <string.h>

enum { FRAMES_SHOWN = 20 };

typedef struct frame_check {
    const vvRun *run;
    double *positions;
    int frames, bad; /* tested; with something wrong */
    int first;       /* in which surfaces intersect; -1: none */
    int64_t pairs;
    /* of what is seen and does not collide: how far the worst one stands out, in which frame; frames and pairs in which
     * it intersects; all 0: nothing of the kind */
    vvRunShown shown;
    int shown_frame, shown_frames, met_frame;
    vvRunShown met; /* where shown surfaces meet first */
    int64_t shown_pairs;
    json_t *found; /* a list of the frames with something wrong, or NULL */
    /* motions between frames: tested, not those of one whole step, in which bodies pass each other */
    int motions, unknown, passed;
    bool moves; /* they are tested */
} frame_check;

static int count_broken(const frame_check *c)
{
    int broken = 0;
    for (int i = 0; i < vvRunNodeCount(c->run); i++) {
        const double *x = c->positions + 3 * (size_t)i;
        broken += !(isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]));
    }
    return broken;
}

static vvStatus look_at_frame(frame_check *c, int frame, vvError *error)
{
    vvRunShown shown;
    vvStatus status = vvRunMeasureShown(c->run, frame, &shown, error);
    if (status != VV_OK || shown.body < 0)
        return status;
    if (c->shown.body < 0 || shown.outside > c->shown.outside)
        c->shown = shown, c->shown_frame = frame;
    if (shown.intersections > 0 && c->shown_pairs == 0)
        c->met = shown, c->met_frame = frame;
    c->shown_frames += shown.intersections > 0;
    c->shown_pairs += shown.intersections;
    return VV_OK;
}

static json_t *json_of_meeting(const frame_check *c)
{
    const vvRunShown *m = &c->met;
    return c->shown_pairs > 0
               ? json_pack("{s:i, s:[s, s], s:[f, f, f]}", "frame", c->met_frame, "bodies",
                           vvRunGetBody(c->run, m->meeting[0])->name, vvRunGetBody(c->run, m->meeting[1])->name,
                           "point", m->point[0], m->point[1], m->point[2])
               : json_null();
}

/* What is seen is not what collides: nothing that the test above says holds for it. */
static void print_outside(const frame_check *c, json_t *json)
{
    char text[VV_TEXT];
    const char *name = c->shown.body >= 0 ? vvRunGetBody(c->run, c->shown.body)->name : NULL;
    if (json)
        json_object_set_new(json, "shown",
                            name ? json_pack("{s:s, s:f, s:i, s:I, s:i, s:o}", "body", name, "outside",
                                             c->shown.outside, "outside_frame", c->shown_frame, "intersections",
                                             (json_int_t)c->shown_pairs, "frames", c->shown_frames, "first",
                                             json_of_meeting(c))
                                 : json_null());
    if (!name)
        return;
    printf("  the shown surface of \"%s\" protrudes up to %s from the surface that collides for it (frame %d)\n", name,
           vv_text_quantity(text, c->shown.outside, "m"), c->shown_frame);
    if (c->shown_pairs > 0)
        vv_cli_warn("shown surfaces intersect, in %lld pairs of elements over %d frame%s, first in frame %d, those of "
                    "\"%s\" and \"%s\" near (%.4g, %.4g, %.4g) m: let carried surfaces collide (surface.collides), or "
                    "give the body a thickness",
                    (long long)c->shown_pairs, c->shown_frames, c->shown_frames == 1 ? "" : "s", c->met_frame,
                    vvRunGetBody(c->run, c->met.meeting[0])->name, vvRunGetBody(c->run, c->met.meeting[1])->name,
                    c->met.point[0], c->met.point[1], c->met.point[2]);
}

static vvStatus check_frame(frame_check *c, int frame, vv_progress *progress, vvError *error)
{
    int pairs = 0;
    vvStatus status = vvRunFindIntersections(c->run, frame, NULL, 0, &pairs, error);
    if (status == VV_OK)
        status = vvRunReadFrame(c->run, frame, c->positions, NULL, error);
    if (status == VV_OK)
        status = look_at_frame(c, frame, error);
    if (status != VV_OK)
        return status;
    int broken = count_broken(c);
    c->frames++;
    c->pairs += pairs;
    if (pairs && c->first < 0)
        c->first = frame;
    if (!pairs && !broken)
        return VV_OK;
    vv_progress_finish(progress);
    if (c->found)
        json_array_append_new(c->found,
                              json_pack("{s:i, s:I, s:f, s:i, s:i}", "frame", frame, "step",
                                        (json_int_t)vvRunFrameStep(c->run, frame), "time",
                                        vvRunFrameTime(c->run, frame), "intersections", pairs, "broken_nodes", broken));
    if (c->bad++ < FRAMES_SHOWN) {
        printf("  frame %d (step %lld, t = %.6g s):", frame, (long long)vvRunFrameStep(c->run, frame),
               vvRunFrameTime(c->run, frame));
        if (pairs)
            printf(" %d pair%s of elements intersect%s", pairs, pairs == 1 ? "" : "s", broken ? ";" : "");
        if (broken)
            printf(" %d nodes have positions that are not finite", broken);
        putchar('\n');
    }
    return VV_OK;
}

/* Whether frame - 1 and frame are the start and the end of one step that was made whole. */
static vvStatus is_whole_step(const vvRun *run, int frame, bool *whole, vvError *error)
{
    const int64_t step = vvRunFrameStep(run, frame);
    vvLedgerRow start, row;
    *whole = step == vvRunFrameStep(run, frame - 1) + 1;
    vvStatus status = *whole ? vvRunReadRows(run, 0, 1, &start, error) : VV_OK;
    if (status == VV_OK && *whole)
        status = vvRunReadRows(run, (int)(step - start.step), 1, &row, error);
    *whole = *whole && status == VV_OK && row.parts <= 1;
    return status;
}

static vvStatus check_motion(frame_check *c, int frame, vv_progress *progress, vvError *error)
{
    bool whole, passed = false;
    vvRunPassing passing;
    vvStatus status = is_whole_step(c->run, frame, &whole, error);
    c->unknown += status == VV_OK && !whole;
    if (status == VV_OK && whole)
        status = vvRunFindPassing(c->run, frame, &passing, &passed, error);
    c->motions += status == VV_OK && whole;
    if (status != VV_OK || !passed)
        return status;
    vv_progress_finish(progress);
    if (c->passed++ < FRAMES_SHOWN)
        printf("  step %lld: \"%s\" and \"%s\" pass each other: they move by %.3g m relative to each other\n",
               (long long)vvRunFrameStep(c->run, frame), vvRunGetBody(c->run, passing.body[0])->name,
               vvRunGetBody(c->run, passing.body[1])->name, passing.travel);
    return VV_OK;
}

static void print_motions(const frame_check *c)
{
    if (c->motions > 0 && c->passed)
        printf("  bodies pass each other in %d of %d steps\n", c->passed, c->motions);
    else if (c->motions > 0)
        printf("  no bodies pass each other in %d step%s\n", c->motions, c->motions == 1 ? "" : "s");
    if (c->unknown > 0 && vvRunBodyCount(c->run) > 1)
        printf("  not tested: whether bodies pass each other before %d frame%s, as not every step is recorded\n",
               c->unknown, c->unknown == 1 ? "" : "s");
}

static vvStatus print_least(const vvRun *run, json_t *json, vvError *error)
{
    double gap = INFINITY, det = INFINITY;
    char text[VV_TEXT];
    for (int r = 0; r < vvRunRowCount(run); r++) {
        vvLedgerRow row;
        vvStatus status = vvRunReadRows(run, r, 1, &row, error);
        if (status != VV_OK)
            return status;
        gap = fmin(gap, row.minGap);
        det = fmin(det, row.minJ);
    }
    if (json) {
        json_object_set_new(json, "min_gap", vv_json_number(gap));
        json_object_set_new(json, "min_J", vv_json_number(det));
    }
    if (isfinite(gap))
        printf(gap < 0 ? "  deepest penetration over all steps: %s\n" : "  smallest gap over all steps: %s\n",
               vv_text_quantity(text, fabs(gap), "m"));
    if (isfinite(det))
        printf("  smallest det F over all steps: %.4g\n", det);
    return VV_OK;
}

static vvStatus show_first(const frame_check *c, const char *mesh, vvError *error)
{
    vv_hits hits = { 0 };
    vvStatus status = vv_hits_of_run(c->run, c->first, &hits, error);
    if (status == VV_OK) {
        printf("  in frame %d:\n", c->first);
        vv_hits_print(stdout, &hits);
        if (vv_hits_write(mesh, &hits))
            printf("  %s shows them in red\n", mesh);
    }
    vv_hits_free(&hits);
    return status;
}

static vvStatus check_frames(frame_check *c, const char *mesh, json_t *json, vvError *error)
{
    vvStatus status = VV_OK;
    vv_progress progress;
    vv_progress_start(&progress, "check", vvRunFrameCount(c->run), false);
    for (int f = 0; f < vvRunFrameCount(c->run) && status == VV_OK && !vv_cli_interrupted(); f++) {
        status = check_frame(c, f, &progress, error);
        if (status == VV_OK && f > 0 && c->moves)
            status = check_motion(c, f, &progress, error);
        vv_progress_update(&progress, f + 1, "");
    }
    vv_progress_finish(&progress);
    if (c->bad > FRAMES_SHOWN)
        printf("  and %d more frames\n", c->bad - FRAMES_SHOWN);
    if (status == VV_OK && c->first >= 0)
        status = show_first(c, mesh, error);
    if (status == VV_OK)
        status = print_least(c->run, json, error);
    return status;
}

static void add_found(json_t *json, const frame_check *c)
{
    json_object_set_new(json, "kind", json_string("run"));
    json_object_set_new(json, "name", json_string(vvRunSceneName(c->run)));
    json_object_set_new(json, "status", json_string(vvRunStatusText(c->run)));
    json_object_set_new(json, "contact", json_string(vvRunContactModel(c->run)));
    json_object_set_new(json, "frames", json_integer(vvRunFrameCount(c->run)));
    json_object_set_new(json, "frames_tested", json_integer(c->frames));
    json_object_set_new(json, "intersections", json_integer(c->pairs));
    json_object_set_new(json, "steps_tested", json_integer(c->motions));
    json_object_set_new(json, "steps_not_tested", json_integer(c->unknown));
    json_object_set_new(json, "passings", json_integer(c->passed));
    json_object_set(json, "bad_frames", c->found);
}

int vv_cli_check_run(const char *path, const char *mesh, json_t *json)
{
    vvRun *run = NULL;
    vvError error = { 0 };
    char beside[4200];
    vv_hits_path(path, beside, sizeof beside);
    if (vvRunOpen(path, &run, &error))
        return vv_cli_error(&error);
    const char *model = vvRunContactModel(run);
    printf("run of \"%s\": %s; %d frame%s; contact: %s\n", vvRunSceneName(run), vvRunStatusText(run),
           vvRunFrameCount(run), vvRunFrameCount(run) == 1 ? "" : "s", *model ? model : "unknown");
    const vvContactModel *contact = vvContactModelFind(model);
    frame_check c = { .run = run,
                      .first = -1,
                      .shown.body = -1,
                      .moves = contact && contact->bodies == VV_CONTACT_BARRIER,
                      .found = json ? json_array() : NULL,
                      .positions = malloc(3 * ((size_t)vvRunNodeCount(run) + 1) * sizeof(double)) };
    vvStatus status = c.positions ? check_frames(&c, mesh ? mesh : beside, json, &error) : VV_ERROR_MEMORY;
    int code = !c.positions ? vv_cli_wrong("out of memory") : status != VV_OK ? vv_cli_error(&error) : VV_EXIT_OK;
    if (status == VV_OK && c.bad == 0)
        printf("  no surfaces intersect in %d frame%s\n", c.frames, c.frames == 1 ? "" : "s");
    else if (status == VV_OK && c.pairs > 0)
        printf("  surfaces intersect in %lld pairs of elements over %d frames\n", (long long)c.pairs, c.frames);
    if (status == VV_OK)
        print_outside(&c, json);
    if (status == VV_OK)
        print_motions(&c);
    if (status == VV_OK && (c.bad > 0 || c.passed > 0))
        code = VV_EXIT_FAILED;
    else if (status == VV_OK && vv_cli_interrupted())
        code = VV_EXIT_INTERRUPTED;
    if (json)
        add_found(json, &c);
    json_decref(c.found);
    free(c.positions);
    vvRunFree(run);
    return code;
}
