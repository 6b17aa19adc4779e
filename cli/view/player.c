/* Plays a run file: the frame that is due by the clock is shown, none between two frames is made up. */
#include "view/player.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "render/render.h"

static const double SLOWEST = 1.0 / 64, FASTEST = 64; /* s of the run in a second */

static int last_frame(const vv_player *p) { return vvRunFrameCount(p->run) - 1; }

/* Work adds up from step to step, so all rows are read, a part at a time, and some kept. */
static vvStatus read_rows(vv_player *p, vvError *error)
{
    enum { PART = 256 };
    vvLedgerRow part[PART];
    const int all = vvRunRowCount(p->run), every = (all + VV_LIVE_ROWS - 1) / VV_LIVE_ROWS;
    double work = 0;
    for (int first = 0; first < all; first += PART) {
        const int count = all - first < PART ? all - first : PART;
        const vvStatus status = vvRunReadRows(p->run, first, count, part, error);
        if (status != VV_OK)
            return status;
        for (int i = 0; i < count; i++) {
            const vvLedgerRow *r = part + i;
            work += r->step > 0 && isfinite(r->work) ? r->work : 0;
            if ((first + i) % every == 0 || (first + i == all - 1 && p->rows < VV_LIVE_ROWS))
                p->row[p->rows++] = (vv_live_row){ .time = r->time,
                                                   .total = r->total,
                                                   .target = r->target,
                                                   .kinetic = r->kinetic,
                                                   .elastic = r->elastic,
                                                   .work = work,
                                                   .milliseconds = NAN,
                                                   .iterations = r->newtonIterations };
        }
    }
    return VV_OK;
}

int vv_player_open(vv_player *p, const vvRun *run, const char *path, bool paused)
{
    vvError error = { 0 };
    *p = (vv_player){ .run = run, .path = path, .paused = paused, .pace = 1, .at = vv_cli_seconds(), .version = 1 };
    if (vvRunFrameCount(run) < 1)
        return vv_cli_wrong("%s holds no frame", path);
    p->from = vvRunFrameTime(run, 0);
    return read_rows(p, &error) == VV_OK ? VV_CLI_GO : vv_cli_error(&error);
}

/* From here on the clock counts anew. */
static void start_clock(vv_player *p)
{
    p->at = vv_cli_seconds();
    p->from = vvRunFrameTime(p->run, p->frame);
    p->version++;
}

/* The frame that is due. */
static void advance(vv_player *p)
{
    const double due = p->from + p->pace * (vv_cli_seconds() - p->at);
    int frame = p->frame;
    while (!p->paused && frame < last_frame(p) && vvRunFrameTime(p->run, frame + 1) <= due)
        frame++;
    const bool ends = frame == last_frame(p) && !p->paused;
    p->version += frame != p->frame || ends;
    p->frame = frame;
    p->paused = p->paused || ends;
}

void vv_player_see(vv_player *p, vv_live_look *look)
{
    double *positions = look->positions, *field = look->field;
    advance(p);
    memset(look, 0, sizeof *look);
    look->positions = positions, look->field = field;
    look->version = p->version;
    look->frame = p->frame, look->frames = vvRunFrameCount(p->run);
    look->shown = look->time = vvRunFrameTime(p->run, p->frame);
    look->pace = p->pace;
    look->step = vvRunTimeStep(p->run);
    look->steps = vvRunFrameStep(p->run, p->frame);
    look->paused = p->paused;
    snprintf(look->choice[VV_LIVE_SCHEME], VV_LIVE_WORD, "%s", vvRunScheme(p->run));
    snprintf(look->choice[VV_LIVE_POLICY], VV_LIVE_WORD, "%s", vvRunPolicy(p->run));
    snprintf(look->file, sizeof look->file, "%.*s: %.*s", VV_LIVE_PATH - 60, p->path, 50, vvRunStatusText(p->run));
    memcpy(look->note, p->note, sizeof look->note);
    look->rows = p->rows;
    memcpy(look->row, p->row, (size_t)p->rows * sizeof *p->row);
}

void vv_player_pause(vv_player *p)
{
    p->paused = !p->paused;
    if (!p->paused && p->frame == last_frame(p))
        p->frame = 0;
    start_clock(p);
}

void vv_player_go(vv_player *p, int frame)
{
    p->frame = frame < 0 ? 0 : frame > last_frame(p) ? last_frame(p) : frame;
    start_clock(p);
}

void vv_player_go_to(vv_player *p, double time) { vv_player_go(p, vv_frame_at_time(p->run, time)); }

void vv_player_scale_pace(vv_player *p, double factor)
{
    p->pace = fmin(fmax(p->pace * factor, SLOWEST), FASTEST);
    start_clock(p);
}
