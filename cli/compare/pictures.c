/* The pictures of a comparison: what plot and sheet draw of several runs, and a film. What cannot be drawn is said and left out. */
#include "child.h"
#include "compare/compare.h"
#include "plot/plot.h"
#include "render/render.h"

#include <string.h>

static const struct { const char *name; int bit; } kinds[] = {
    { "plot", VV_COMPARE_PLOT }, { "sheet", VV_COMPARE_SHEET }, { "film", VV_COMPARE_FILM },
    { "all", VV_COMPARE_PLOT | VV_COMPARE_SHEET | VV_COMPARE_FILM }, { "none", 0 },
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

/* ---- what is called how ---- */

static void name_setting(const vv_compare_setting *s, char *out, size_t size)
{
    if (s->named)
        snprintf(out, size, "%s", s->label);
    else
        vv_plot_setting(json_string_value(json_object_get(s->figures, "scheme")), json_string_value(json_object_get(s->figures, "policy")),
                        out, size);
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

/* ---- drawing ---- */

enum { MOST_WORDS = 3 * VV_COMPARE_MOST + 12 };
typedef struct words { char *list[MOST_WORDS + 1]; int count; } words;

static void add_word(words *w, const char *word)
{
    w->list[w->count++] = (char *)(uintptr_t)word; /* commands do not write to their arguments */
    w->list[w->count] = NULL;
}

/* COMMAND RUN... --label NAME... -o PATH, in this process. */
static int draw_by(int (*command)(int, char **), const char *name, const vv_compare *c, char names[VV_COMPARE_MOST][160], const char *path,
                   bool frames)
{
    words w = { .count = 0 };
    char quality[16];
    add_word(&w, name);
    for (int i = 0; i < c->count; i++) {
        add_word(&w, c->settings[i].path);
        add_word(&w, "--label");
        add_word(&w, names[i]);
    }
    add_word(&w, "-o");
    add_word(&w, path);
    if (frames) {
        snprintf(quality, sizeof quality, "%d", c->quality);
        add_word(&w, "--quality");
        add_word(&w, quality);
    }
    if (c->quiet)
        add_word(&w, "--quiet");
    return command(w.count, w.list);
}

static void place(const vv_compare *c, const char *name, char out[4200]) { snprintf(out, 4200, "%.4000s/%s", c->folder, name); }

static void leave_out(const char *what, const char *why)
{
    fprintf(stderr, "compare: without %s: %s\n", what, why);
}

/* Films need pictures of the bodies; a sheet has curves at least. */
static bool can_paint(void)
{
    vv_painter *probe = vv_painter_create(16, 16, 1);
    bool can = probe != NULL;
    vv_painter_destroy(probe);
    return can;
}

static int draw_film(vv_compare *c, char names[VV_COMPARE_MOST][160])
{
    char path[4200];
    place(c, "film.mp4", path);
    if (!vv_child_exists("ffmpeg"))
        return leave_out("the film", "ffmpeg is not installed (apt-get install ffmpeg)"), VV_EXIT_OK;
    if (!can_paint())
        return leave_out("the film", "nothing can be drawn here"), VV_EXIT_OK;
    int code = vv_compare_film(c, names, path);
    if (code == VV_EXIT_OK)
        memcpy(c->film, path, sizeof path);
    return code;
}

int vv_compare_draw(vv_compare *c, int wanted)
{
    char names[VV_COMPARE_MOST][160], path[4200];
    int code = VV_EXIT_OK;
    if (!wanted)
        return code;
    name_all(c, names);
    if (!vv_child_exists("gnuplot"))
        return leave_out("pictures", "gnuplot is not installed (apt-get install gnuplot-nox)"), VV_EXIT_OK;
    if (wanted & VV_COMPARE_PLOT) {
        place(c, "plot.png", path);
        code = draw_by(vv_cli_plot, "plot", c, names, path, false);
        if (code == VV_EXIT_OK)
            memcpy(c->plot, path, sizeof path);
    }
    if (code == VV_EXIT_OK && (wanted & VV_COMPARE_SHEET)) {
        place(c, "sheet.png", path);
        code = draw_by(vv_cli_sheet, "sheet", c, names, path, true);
        if (code == VV_EXIT_OK)
            memcpy(c->sheet, path, sizeof path);
    }
    if (code == VV_EXIT_OK && (wanted & VV_COMPARE_FILM))
        code = draw_film(c, names);
    return code == VV_EXIT_OK ? code : VV_EXIT_FAILED;
}
