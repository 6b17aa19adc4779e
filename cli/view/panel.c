/* What the window says over the picture. */
#include "cli.h"

#if defined(VV_HAVE_SDL2) && defined(VV_HAVE_EGL)
#include "view/panel.h"

#include <math.h>
#include <string.h>

static const unsigned char WHITE[3] = { 240, 242, 244 }, PALE[3] = { 160, 168, 176 }, RED[3] = { 255, 120, 100 };
static const unsigned char TOTAL[3] = { 255, 255, 255 }, TARGET[3] = { 255, 190, 70 }, KINETIC[3] = { 90, 190, 255 }, ELASTIC[3] = { 140, 220, 120 };
enum { MARGIN = 10, PAD = 8, STRIP = 110 };

typedef struct pen {
    vv_window *window;
    int x, y;
} pen;

static void say(pen *p, const unsigned char rgb[3], const char *text)
{
    vv_window_words(p->window, p->x, p->y, rgb, text);
    p->y += vv_window_line(p->window);
}

/* ---- what runs ---- */

static void describe(const vv_panel *panel, vv_window *w, const vv_live_look *look)
{
    const vv_live_row *last = look->rows > 0 ? look->row + look->rows - 1 : NULL;
    char lines[6][500];
    int count = 0, widest = 0;
    snprintf(lines[count++], 500, "%.2f s%s%s", look->time, look->paused ? "   paused" : "", look->late ? "   slower than the clock" : "");
    snprintf(lines[count++], 500, "%s + %s, %s, h = %.4g ms", look->choice[VV_LIVE_SCHEME], look->choice[VV_LIVE_POLICY],
             look->choice[VV_LIVE_SOLVER], 1e3 * look->step);
    if (last)
        snprintf(lines[count++], 500, "%.1f ms and %d iterations a step; %.0f pictures a second", last->milliseconds, last->iterations, panel->rate);
    if (look->recording[0])
        snprintf(lines[count++], 500, "recording %.200s: %lld frames", look->recording, (long long)look->recorded);
    if (panel->note[0])
        snprintf(lines[count++], 500, "%.300s", panel->note);
    if (look->message[0])
        snprintf(lines[count++], 500, "%.140s%s", look->message, strlen(look->message) > 140 ? " ..." : "");
    for (int i = 0; i < count; i++) {
        const int width = vv_window_width_of(w, lines[i]);
        widest = width > widest ? width : widest;
    }
    vv_window_panel(w, MARGIN, MARGIN, widest + 2 * PAD, count * vv_window_line(w) + 2 * PAD);
    pen p = { w, MARGIN + PAD, MARGIN + PAD };
    for (int i = 0; i < count; i++)
        say(&p, look->message[0] && i == count - 1 ? RED : i == 0 ? WHITE : PALE, lines[i]);
}

/* ---- the ledger ---- */

typedef double column(const vv_live_row *row);
static double total(const vv_live_row *row) { return row->total; }
static double target(const vv_live_row *row) { return row->target; }
static double kinetic(const vv_live_row *row) { return row->kinetic; }
static double elastic(const vv_live_row *row) { return row->elastic; }

typedef struct axes {
    double x, y, width, height, low, high, begin, end; /* pixels; J; s */
} axes;

static void curve(vv_window *w, const axes *a, const vv_live_look *look, column *value, const unsigned char rgb[3])
{
    float points[2 * VV_LIVE_ROWS];
    int count = 0;
    for (int i = 0; i < look->rows; i++) {
        const double v = value(look->row + i);
        if (!isfinite(v))
            continue;
        points[2 * count] = (float)(a->x + a->width * (look->row[i].time - a->begin) / (a->end - a->begin));
        points[2 * count++ + 1] = (float)(a->y + a->height * (1 - (fmin(fmax(v, a->low), a->high) - a->low) / (a->high - a->low)));
    }
    if (count > 1)
        vv_window_curve(w, points, count, rgb);
}

static void draw_ledger(vv_window *w, const vv_live_look *look, int width, int height)
{
    static column *const columns[] = { kinetic, elastic, target, total };
    static const unsigned char *const colours[] = { KINETIC, ELASTIC, TARGET, TOTAL };
    static const char *const names[] = { "kinetic", "elastic", "target T", "total H" };
    const int line = vv_window_line(w), top = height - STRIP - MARGIN;
    axes a = { MARGIN + PAD, top + line + PAD, width - 2 * (MARGIN + PAD), STRIP - line - 2 * PAD, INFINITY, -INFINITY, 0, 0 };
    for (int i = 0; i < look->rows; i++)
        for (int c = 0; c < 4; c++) {
            const double v = columns[c](look->row + i);
            if (isfinite(v))
                a.low = fmin(a.low, v), a.high = fmax(a.high, v);
        }
    vv_window_panel(w, MARGIN, top, width - 2 * MARGIN, STRIP);
    pen p = { w, MARGIN + PAD, top + PAD / 2 };
    for (int c = 3; c >= 0; c--) {
        vv_window_words(w, p.x, p.y, colours[c], names[c]);
        p.x += vv_window_width_of(w, names[c]) + 2 * PAD;
    }
    if (look->rows < 2 || !(a.low < a.high))
        return;
    char text[200];
    const vv_live_row *last = look->row + look->rows - 1;
    snprintf(text, sizeof text, "H = %.4g J   T = %.4g J   work %.3g J   from %.3g to %.3g J", last->total, last->target, last->work, a.low, a.high);
    vv_window_words(w, width - MARGIN - PAD - vv_window_width_of(w, text), p.y, PALE, text);
    a.begin = look->row[0].time, a.end = last->time;
    for (int c = 0; c < 4 && a.end > a.begin; c++)
        curve(w, &a, look, columns[c], colours[c]);
}

/* ---- the hand ---- */

static void draw_hand(vv_window *w, const vv_live_look *look, const vv_camera *camera, int width, int height)
{
    double grip[2], hand[2];
    if (!look->holds)
        return;
    vv_camera_project(camera, look->grip, width, height, grip);
    vv_camera_project(camera, look->hand, width, height, hand);
    const float points[4] = { (float)grip[0], (float)grip[1], (float)hand[0], (float)hand[1] };
    vv_window_curve(w, points, 2, TARGET);
}

static void draw_help(vv_window *w, int width)
{
    static const char *const lines[] = { "left: drag what is met", "right: turn    middle: shift    wheel: zoom", "space: pause    .: one step    r: start again",
                                         "s, p, o: scheme, policy, solver (shift: back)", "+ -: double, halve the step", "l: ledger    w: mesh    f: first view",
                                         "c: picture    v: record    q: quit" };
    const int count = (int)(sizeof lines / sizeof *lines);
    int widest = 0;
    for (int i = 0; i < count; i++) {
        const int wide = vv_window_width_of(w, lines[i]);
        widest = wide > widest ? wide : widest;
    }
    vv_window_panel(w, width - MARGIN - widest - 2 * PAD, MARGIN, widest + 2 * PAD, count * vv_window_line(w) + 2 * PAD);
    pen p = { w, width - MARGIN - widest - PAD, MARGIN + PAD };
    for (int i = 0; i < count; i++)
        say(&p, PALE, lines[i]);
}

void vv_panel_draw(const vv_panel *panel, vv_window *window, const vv_live_look *look, const vv_camera *camera, int width, int height)
{
    draw_hand(window, look, camera, width, height);
    describe(panel, window, look);
    if (panel->ledger && height > 3 * STRIP)
        draw_ledger(window, look, width, height);
    if (panel->help)
        draw_help(window, width);
    else
        vv_window_words(window, width - MARGIN - vv_window_width_of(window, "h: help"), MARGIN, PALE, "h: help");
}

void vv_panel_count(vv_panel *panel, double seconds, double time)
{
    const double between = time - panel->last;
    panel->drawing += 0.1 * (seconds - panel->drawing);
    if (panel->last > 0 && between > 0)
        panel->rate = panel->rate > 0 ? 1 / (0.9 / panel->rate + 0.1 * between) : 1 / between;
    if (panel->pictures++ == 0)
        panel->first = time;
    else
        panel->longest = fmax(panel->longest, between);
    panel->last = time;
}

#endif
