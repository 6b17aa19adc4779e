/* What the window says over the picture. */
#include "cli.h"

#if defined(VV_HAVE_SDL2) && defined(VV_HAVE_EGL)
#include <math.h>
#include <string.h>

#include "view/keys.h"
#include "view/panel.h"

static const unsigned char WHITE[3] = { 240, 242, 244 }, PALE[3] = { 190, 197, 204 }, DARK[3] = { 60, 66, 72 },
                           RED[3] = { 255, 140, 120 };
static const unsigned char TOTAL[3] = { 255, 255, 255 }, TARGET[3] = { 255, 190, 70 }, KINETIC[3] = { 90, 190, 255 },
                           ELASTIC[3] = { 140, 220, 120 };
enum { MARGIN = 10, PAD = 8, STRIP = 130, BAR = 180, WIDEST = 620, LINES = 40, LINE = 200, MOST_WORDS = 2000 };
static const double LATELY = 1, FULL_PACE = 0.97;

/* ---- words: lines that are no wider than there is room ---- */

typedef struct page {
    vv_window *window;
    int room; /* pixels */
    int widest, count;
    char line[LINES][LINE];
    const unsigned char *colour[LINES];
} page;

/* The first bytes of the text that fit: up to a space, where there is one. At least one letter. */
static size_t that_fit(const page *p, const char *text)
{
    char part[LINE];
    size_t best = 0, end = 0;
    while (text[end] && end < LINE - 5) {
        size_t next = end + 1;
        while (((unsigned char)text[next] & 0xc0) == 0x80)
            next++;
        memcpy(part, text, next);
        part[next] = 0;
        if (end > 0 && vv_window_width_of(p->window, part) > p->room)
            return best > 0 ? best : end;
        if (text[next] == ' ')
            best = next;
        end = next;
    }
    return text[end] && best > 0 ? best : end;
}

static void put(page *p, const unsigned char rgb[3], const char *text)
{
    while (*text && p->count < LINES) {
        const size_t n = that_fit(p, text);
        char *line = p->line[p->count];
        memcpy(line, text, n);
        line[n] = 0;
        const int width = vv_window_width_of(p->window, line);
        p->widest = width > p->widest ? width : p->widest;
        p->colour[p->count++] = rgb;
        for (text += n; *text == ' '; text++) {
        }
    }
}

/* `right`: at the window's right edge, which is there. */
static void show(const page *p, int right)
{
    const int height = vv_window_line(p->window), x = right > 0 ? right - MARGIN - p->widest - 2 * PAD : MARGIN;
    vv_window_panel(p->window, x, MARGIN, p->widest + 2 * PAD, p->count * height + 2 * PAD);
    for (int i = 0; i < p->count; i++)
        vv_window_words(p->window, x + PAD, MARGIN + PAD + i * height, p->colour[i], p->line[i]);
}

/* ---- what runs ---- */

vv_lately vv_panel_lately(const vv_live_look *look)
{
    vv_lately m = { 0 };
    const vv_live_row *last = look->row + look->rows - 1, *first = last;
    int count = 0;
    for (const vv_live_row *r = last; look->rows > 0 && r > look->row && r->at > last->at - LATELY; r--) {
        m.milliseconds += r->milliseconds;
        m.iterations += r->iterations;
        first = r;
        count++;
    }
    if (count > 0)
        m.milliseconds /= count, m.iterations /= count;
    if (count > 1 && last->at > first->at)
        m.pace = (last->time - first->time) / (last->at - first->at);
    return m;
}

static void describe_run(const vv_panel *panel, vv_window *w, const vv_live_look *look, int width)
{
    char text[MOST_WORDS], pace[60] = "";
    const int room = width - 2 * (MARGIN + PAD);
    page p = { .window = w, .room = room < WIDEST ? room : WIDEST };
    if (look->pace != 1)
        snprintf(pace, sizeof pace, "   %.4g of real time", look->pace);
    snprintf(text, sizeof text, "%.2f s%s%s", look->shown, look->paused ? "   paused" : "", pace);
    put(&p, WHITE, text);
    snprintf(text, sizeof text, "frame %d of %d, step %lld", look->frame, look->frames - 1, (long long)look->steps);
    put(&p, PALE, text);
    snprintf(text, sizeof text, "%s + %s, h = %.4g ms", look->choice[VV_LIVE_SCHEME], look->choice[VV_LIVE_POLICY],
             1e3 * look->step);
    put(&p, PALE, text);
    put(&p, PALE, look->file);
    put(&p, WHITE, panel->note);
    put(&p, RED, look->note);
    show(&p, 0);
}

static void describe(const vv_panel *panel, vv_window *w, const vv_live_look *look, int width)
{
    const vv_lately lately = vv_panel_lately(look);
    char text[MOST_WORDS], budget[60] = "until it converges", pace[60] = "", number[VV_TEXT];
    const int room = width - 2 * (MARGIN + PAD);
    page p = { .window = w, .room = room < WIDEST ? room : WIDEST };
    if (look->budget > 0)
        snprintf(budget, sizeof budget, "at most %d iteration%s", look->budget, look->budget == 1 ? "" : "s");
    if (!look->paused && lately.pace > 0 && lately.pace < FULL_PACE)
        snprintf(pace, sizeof pace, "   %.2g of real time", lately.pace);
    snprintf(text, sizeof text, "%.2f s%s%s", look->shown, look->paused ? "   paused" : "", pace);
    put(&p, WHITE, text);
    snprintf(text, sizeof text, "%s + %s, h = %.4g ms", look->choice[VV_LIVE_SCHEME], look->choice[VV_LIVE_POLICY],
             1e3 * look->step);
    put(&p, PALE, text);
    snprintf(text, sizeof text, "%s, %s", look->choice[VV_LIVE_SOLVER], budget);
    put(&p, PALE, text);
    snprintf(number, sizeof number, "%.3g", lately.iterations);
    snprintf(text, sizeof text, "a step: %.1f ms, %s iteration%s", lately.milliseconds, number,
             strcmp(number, "1") == 0 ? "" : "s");
    put(&p, PALE, text);
    if (!look->paused && panel->rate > 0) {
        snprintf(text, sizeof text, "%.0f pictures a second", panel->rate);
        put(&p, PALE, text);
    }
    if (look->recording[0]) {
        snprintf(text, sizeof text, "recording %s: %lld frames", look->recording, (long long)look->recorded);
        put(&p, TARGET, text);
    }
    put(&p, WHITE, panel->note);
    put(&p, WHITE, look->note);
    put(&p, RED, look->message);
    show(&p, 0);
}

/* ---- the ledger ---- */

typedef double column(const vv_live_row *row);
static double total(const vv_live_row *row) { return row->total; }
static double target(const vv_live_row *row) { return row->target; }
static double kinetic(const vv_live_row *row) { return row->kinetic; }
static double elastic(const vv_live_row *row) { return row->elastic; }

static const struct {
    column *value;
    const unsigned char *colour;
    const char *name;
} curves[] = {
    { total, TOTAL, "total H" },
    { target, TARGET, "target T" },
    { kinetic, KINETIC, "kinetic" },
    { elastic, ELASTIC, "elastic" },
};
enum { CURVES = sizeof curves / sizeof *curves };

typedef struct axes {
    double x, y, width, height, low, high, begin, end; /* pixels; J; s */
} axes;

static void draw_curve(vv_window *w, const axes *a, const vv_live_look *look, column *value, const unsigned char rgb[3])
{
    float points[2 * VV_LIVE_ROWS];
    int count = 0;
    for (int i = 0; i < look->rows; i++) {
        const double v = value(look->row + i);
        if (!isfinite(v))
            continue;
        points[2 * count] = (float)(a->x + a->width * (look->row[i].time - a->begin) / (a->end - a->begin));
        points[2 * count++ + 1] = (float)(a->y + a->height * (1 - (v - a->low) / (a->high - a->low)));
    }
    if (count > 1)
        vv_window_curve(w, points, count, rgb);
}

/* What is rounding beside the curves is 0. */
static const char *joules(double value, double size, char out[VV_TEXT])
{
    return vv_text_quantity(out, fabs(value) > 1e-9 * size ? value : 0, "J");
}

/* The names of the curves with their values of now, and the work: as many as there is room for. */
static void draw_values(vv_window *w, const vv_live_row *last, double size, int x, int y, int right)
{
    char text[100], number[VV_TEXT];
    for (int i = 0; i <= CURVES; i++) {
        const double v = i < CURVES ? curves[i].value(last) : last->work;
        const unsigned char *rgb = i < CURVES ? curves[i].colour : PALE;
        if (!isfinite(v))
            continue;
        snprintf(text, sizeof text, "%s %s", i < CURVES ? curves[i].name : "work", joules(v, size, number));
        const int width = vv_window_width_of(w, text);
        if (x + width > right)
            return;
        vv_window_words(w, x, y, rgb, text);
        x += width + 2 * PAD;
    }
}

static void draw_scale(vv_window *w, const axes *a)
{
    char text[60], number[VV_TEXT];
    const int line = vv_window_line(w), right = (int)(a->x + a->width) + PAD;
    const double size = fmax(fabs(a->low), fabs(a->high));
    vv_window_words(w, right, (int)a->y - PAD / 2, PALE, joules(a->high, size, number));
    vv_window_words(w, right, (int)(a->y + a->height) - 2 * line + PAD / 2, PALE, joules(a->low, size, number));
    snprintf(text, sizeof text, "%.3g s", a->end - a->begin);
    vv_window_words(w, right, (int)(a->y + a->height) - line + PAD / 2, PALE, text);
}

static double width_of_curves(int width)
{
    enum { SCALE = 80 };
    return width - 2 * (MARGIN + PAD) - SCALE;
}

static void draw_ledger(vv_window *w, const vv_live_look *look, int width, int height)
{
    const int line = vv_window_line(w), top = height - STRIP - MARGIN;
    axes a = {
        MARGIN + PAD, top + line + PAD, width_of_curves(width), STRIP - line - 2 * PAD, INFINITY, -INFINITY, 0, 0
    };
    vv_window_panel(w, MARGIN, top, width - 2 * MARGIN, STRIP);
    if (look->rows == 0)
        return;
    const vv_live_row *last = look->row + look->rows - 1, *now = last;
    while (look->frames > 0 && now > look->row && now->time > look->shown)
        now--;
    for (int i = 0; i < look->rows; i++)
        for (int c = 0; c < CURVES; c++) {
            const double v = curves[c].value(look->row + i);
            if (isfinite(v))
                a.low = fmin(a.low, v), a.high = fmax(a.high, v);
        }
    a.begin = look->row[0].time, a.end = last->time;
    draw_values(w, now, fmax(fabs(a.low), fabs(a.high)), MARGIN + PAD, top + PAD / 2, width - MARGIN - PAD);
    if (!(a.low < a.high) || !(a.begin < a.end))
        return;
    for (int c = CURVES - 1; c >= 0; c--)
        draw_curve(w, &a, look, curves[c].value, curves[c].colour);
    draw_scale(w, &a);
    if (look->frames > 0) { /* where the run is */
        const float x = (float)(a.x + a.width * (look->shown - a.begin) / (a.end - a.begin));
        const float mark[4] = { x, (float)a.y, x, (float)(a.y + a.height) };
        vv_window_curve(w, mark, 2, PALE);
    }
}

bool vv_panel_time_at(const vv_panel *panel, const vv_live_look *look, double x, double y, int width, int height,
                      bool held, double *time)
{
    const double part = (x - MARGIN - PAD) / width_of_curves(width);
    const bool inside = vv_panel_strip(panel, height) > 0 && y > height - STRIP - MARGIN && y < height - MARGIN;
    if (look->frames < 1 || look->rows < 2 || !(held || (inside && x > MARGIN && x < width - MARGIN)))
        return false;
    const double begin = look->row[0].time, end = look->row[look->rows - 1].time;
    *time = begin + fmin(fmax(part, 0), 1) * (end - begin);
    return true;
}

/* ---- the legend: words over a bar that is in the picture ---- */

bool vv_panel_bar(const vv_panel *panel, const vv_window *window, int height, int bar[4])
{
    const int line = vv_window_line(window);
    if (!panel->legend.quantity[0])
        return false;
    bar[0] = MARGIN, bar[2] = BAR, bar[3] = line / 2;
    bar[1] = height - vv_panel_strip(panel, height) - MARGIN - line - bar[3];
    return true;
}

static void draw_legend(const vv_panel *panel, vv_window *w, int height)
{
    int bar[4];
    if (!vv_panel_bar(panel, w, height, bar))
        return;
    vv_window_words(w, bar[0], bar[1] - vv_window_line(w), DARK, panel->legend.quantity);
    for (int i = 0; i < 3; i++) {
        char text[32];
        snprintf(text, sizeof text, "%.3g", 0.5 * i * panel->legend.most);
        const int wide = vv_window_width_of(w, text);
        vv_window_words(w, bar[0] + i * (bar[2] - wide) / 2, bar[1] + bar[3], DARK, text);
    }
}

/* ---- the hand, and help ---- */

static void draw_hand(vv_window *w, const vv_live_look *look, const vv_camera *camera, int width, int height)
{
    double grip[2], hand[2];
    if (!look->holds)
        return;
    vv_camera_project(camera, look->grip, width, height, grip);
    vv_camera_project(camera, look->hand, width, height, hand);
    const float points[4] = { (float)grip[0], (float)grip[1], (float)hand[0], (float)hand[1] };
    if (isfinite(grip[0] + grip[1] + hand[0] + hand[1]))
        vv_window_curve(w, points, 2, DARK);
}

static void draw_help(vv_window *w, int width)
{
    char text[MOST_WORDS];
    const int room = width - 2 * (MARGIN + PAD);
    page p = { .window = w, .room = room < WIDEST ? room : WIDEST };
    for (int i = 0; vv_key_at(i); i++) {
        snprintf(text, sizeof text, "%s: %s", vv_key_at(i)->name, vv_key_at(i)->what);
        put(&p, PALE, text);
    }
    show(&p, width);
}

int vv_panel_strip(const vv_panel *panel, int height)
{
    return panel->ledger && height > 3 * STRIP ? STRIP + MARGIN : 0;
}

void vv_panel_draw(const vv_panel *panel, vv_window *window, const vv_live_look *look, const vv_camera *camera,
                   int width, int height)
{
    static const char hint[] = "h: help";
    draw_hand(window, look, camera, width, height);
    if (look->frames > 0)
        describe_run(panel, window, look, width);
    else
        describe(panel, window, look, width);
    draw_legend(panel, window, height);
    if (vv_panel_strip(panel, height) > 0)
        draw_ledger(window, look, width, height);
    if (panel->help)
        draw_help(window, width);
    else
        vv_window_words(window, width - MARGIN - vv_window_width_of(window, hint), MARGIN, DARK, hint);
}

void vv_panel_count(vv_panel *panel, double seconds, double time)
{
    const double between = time - panel->last;
    panel->drawing += seconds;
    panel->pictures++;
    if (panel->last > 0 && between > 0) {
        panel->rate = panel->rate > 0 ? 1 / (0.9 / panel->rate + 0.1 * between) : 1 / between;
        panel->longest = fmax(panel->longest, between);
        panel->clock += between;
        panel->intervals++;
    }
    panel->last = time;
}

void vv_panel_rest(vv_panel *panel) { panel->last = 0; }

#endif
