/* visviva plot: what a run's ledger says, as curves. */
#include "cli.h"
#include "plot/plot.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { PANELS = 8, MOST_PANELS = 24 };

typedef struct plot_options {
    const char *output, *what, *fields, *title;
    vv_option_list labels;
    int width;
} plot_options;

static const char *const kinds[] = { "energy", "visible", "ledger", "alpha", "momentum", "iterations" };
enum { ENERGY, VISIBLE, LEDGER, ALPHA, MOMENTUM, ITERATIONS, KINDS };

/* ---- which panels ---- */

static bool read_what(const char *text, bool wanted[KINDS])
{
    if (strcmp(text, "all") == 0) {
        for (int k = 0; k < KINDS; k++)
            wanted[k] = true;
        return true;
    }
    for (const char *p = text; *p;) {
        size_t n = strcspn(p, ",");
        int found = -1;
        for (int k = 0; k < KINDS; k++)
            if (strlen(kinds[k]) == n && strncmp(kinds[k], p, n) == 0)
                found = k;
        if (found < 0) {
            vv_cli_wrong(
                "--what \"%s\": \"%.*s\" is not one of: energy, visible, ledger, alpha, momentum, iterations, all",
                text, (int)n, p);
            return false;
        }
        wanted[found] = true;
        p += n + (p[n] == ',');
    }
    return true;
}

static bool any(const vv_plot_set *set, int column)
{
    for (int r = 0; r < set->count; r++)
        if (vv_plot_has(set, r, column))
            return true;
    return false;
}

/* One curve a run where several are compared. */
static void add_runs(vv_panel *panel, const vv_plot_set *set, int column, const char *style)
{
    for (int r = 0; r < set->count; r++)
        if (column != VV_ALPHA || vv_plot_has(set, r, column))
            vv_panel_add(panel, r, column, set->count > 1 ? set->runs[r].label : NULL, set->runs[r].colour, style);
}

typedef struct part {
    int column;
    const char *label;
    int colour;
} part;

static void add_parts(vv_panel *panel, const vv_plot_set *set, const part *parts, int count)
{
    for (int i = 0; i < count; i++)
        if (vv_plot_has(set, 0, parts[i].column))
            vv_panel_add(panel, 0, parts[i].column, parts[i].label, vv_plot_colour(parts[i].colour), "lw 1.6");
}

static void energy_panel(vv_panel *panel, const vv_plot_set *set)
{
    static const part parts[] = { { VV_KINETIC, "kinetic", VV_COLOUR_KINETIC },
                                  { VV_VISIBLE, "visible kinetic", VV_COLOUR_VISIBLE },
                                  { VV_ELASTIC, "elastic", 1 },
                                  { VV_GRAVITY, "gravity", 2 },
                                  { VV_CONTACT, "contact", 3 },
                                  { VV_ATTACHMENT, "attachment", 4 },
                                  { VV_JOINT, "joint", VV_COLOUR_JOINT } };
    *panel = (vv_panel){ .unit = "J", .energy = true, .fromZero = true, .line = NAN, .height = 330 };
    snprintf(panel->title, sizeof panel->title, "{/:Bold Energy}");
    if (set->count == 1) {
        add_parts(panel, set, parts, 7);
        vv_panel_add(panel, 0, VV_TOTAL, "total", "#222222", "lw 2.6");
        vv_panel_add(panel, 0, VV_TARGET, "target", "#777777", "lw 1.6 dt (9,6)");
        return;
    }
    snprintf(panel->title, sizeof panel->title, "{/:Bold Total energy}, targets dashed");
    for (int r = 0; r < set->count; r++)
        vv_panel_add(panel, r, VV_TARGET, NULL, set->runs[r].colour, "lw 1.4 dt (9,6)");
    add_runs(panel, set, VV_TOTAL, "lw 2.2");
}

/* Kinetic energy as booked, and as positions show it. */
static void visible_panel(vv_panel *panel, const vv_plot_set *set)
{
    static const part parts[] = { { VV_VISIBLE_CENTRE, "of centres", 2 },
                                  { VV_VISIBLE_ROTATION, "of rotation", 4 },
                                  { VV_VISIBLE_DEFORMATION, "of deformation", 3 } };
    *panel = (vv_panel){ .unit = "J", .energy = true, .fromZero = true, .line = NAN, .height = 230 };
    snprintf(panel->title, sizeof panel->title, "{/:Bold Visible kinetic energy}, of the motion that positions show");
    if (set->count > 1) {
        add_runs(panel, set, VV_VISIBLE, "lw 1.8");
        return;
    }
    vv_panel_add(panel, 0, VV_KINETIC, "kinetic, booked", vv_plot_colour(VV_COLOUR_KINETIC), "lw 1.4 dt (9,6)");
    add_parts(panel, set, parts, 3);
    vv_panel_add(panel, 0, VV_VISIBLE, "visible, all", vv_plot_colour(VV_COLOUR_VISIBLE), "lw 2.4");
}

static void ledger_panel(vv_panel *panel, const vv_plot_set *set)
{
    static const part parts[] = { { VV_WORK, "work", 0 },
                                  { VV_FRICTION, "lost to friction", 4 },
                                  { VV_DAMPING, "lost to damping", 3 },
                                  { VV_DECAY, "intended decay", 2 } };
    *panel = (vv_panel){ .unit = "J", .fromZero = true, .line = 0, .height = 230 };
    if (set->count == 1) {
        snprintf(panel->title, sizeof panel->title, "{/:Bold Ledger}, sums since the start");
        add_parts(panel, set, parts, 4);
        vv_panel_add(panel, 0, VV_ERROR, "numerical error", vv_plot_colour(1), "lw 2.4");
        return;
    }
    snprintf(panel->title, sizeof panel->title, "{/:Bold Numerical error}, sum since the start");
    panel->energy = false;
    add_runs(panel, set, VV_ERROR, "lw 2.2");
}

static void simple_panel(vv_panel *panel, const vv_plot_set *set, int column, const char *title, const char *unit,
                         double line, const char *style)
{
    *panel = (vv_panel){ .unit = unit, .line = line, .fromZero = column != VV_ALPHA, .height = 150 };
    snprintf(panel->title, sizeof panel->title, "%s", title);
    add_runs(panel, set, column, style);
}

static int choose_panels(const vv_plot_set *set, const bool wanted[KINDS], bool all, vv_panel panels[PANELS])
{
    int n = 0;
    if (wanted[ENERGY])
        energy_panel(&panels[n++], set);
    if (wanted[VISIBLE] && any(set, VV_VISIBLE)) /* not in runs of older versions */
        visible_panel(&panels[n++], set);
    if (wanted[LEDGER])
        ledger_panel(&panels[n++], set);
    if (wanted[ALPHA] && (!all || any(set, VV_ALPHA)))
        simple_panel(&panels[n++], set, VV_ALPHA, "{/:Bold α} of the energy policy", NULL, 1, "lw 1.4");
    if (wanted[MOMENTUM]) {
        simple_panel(&panels[n++], set, VV_MOMENTUM, "{/:Bold Momentum} |P|", "kg m/s", NAN, "lw 1.6");
        simple_panel(&panels[n++], set, VV_ANGULAR, "{/:Bold Angular momentum} |L| about the centre of mass", "kg m²/s",
                     NAN, "lw 1.6");
    }
    if (wanted[ITERATIONS] && any(set, VV_NEWTON))
        simple_panel(&panels[n++], set, VV_NEWTON, "{/:Bold Newton iterations} a step", NULL, NAN, "lw 1");
    if (wanted[ITERATIONS] && any(set, VV_PCG))
        simple_panel(&panels[n++], set, VV_PCG, "{/:Bold PCG iterations} a step", NULL, NAN, "lw 1");
    return n;
}

/* Whether a column is of a field and has values: a body may lack what there is of others. */
static bool is_column_of(const vv_plot_fields *f, int c, const char *what)
{
    bool any = false;
    for (int i = 0; i < f->frames && !any; i++)
        any = isfinite(f->values[(size_t)i * (size_t)f->columns + (size_t)c]);
    return any && strcmp(f->column[c].what, what) == 0;
}

static int columns_of(const vv_plot_fields *f, const char *what)
{
    int count = 0;
    for (int c = 0; c < f->columns; c++)
        count += is_column_of(f, c, what);
    return count;
}

/* Of one run a curve for each body, support and load, of several in the runs' colours; at most `most`. */
static void add_field(vv_panel *panel, const vv_plot_set *set, int run, const char *what, int most)
{
    const vv_plot_fields *f = &set->runs[run].fields;
    const bool alone = set->count == 1;
    for (int c = 0, curve = 0; c < f->columns && curve < most; c++) {
        if (!is_column_of(f, c, what))
            continue;
        const char *label = alone ? f->column[c].of : curve == 0 ? set->runs[run].label : NULL;
        const char *colour = alone ? vv_plot_colour(curve % VV_PLOT_RUNS) : set->runs[run].colour;
        vv_panel_add(panel, run, VV_COLUMNS + c, label, colour, "lw 1.8");
        curve++;
    }
}

static void field_panel(vv_panel *panel, const vv_plot_set *set, const vv_plot_field *f)
{
    int total = 0;
    *panel = (vv_panel){ .unit = f->unit[0] ? f->unit : NULL, .fromZero = true, .line = NAN, .height = 230 };
    const int name = (int)strcspn(f->what, ",");
    snprintf(panel->title, sizeof panel->title, "{/:Bold %c%.*s}%s", toupper((unsigned char)f->what[0]), name - 1,
             f->what + 1, f->what + name);
    for (int r = 0; r < set->count; r++)
        total += columns_of(&set->runs[r].fields, f->what);
    const int most = total > VV_CURVES ? VV_CURVES / set->count : total;
    if (most < total)
        vv_cli_warn("%s: %d curves are too many for one panel: the first %d of each run are drawn; visviva export "
                    "RUN --fields writes all to a table (.csv)",
                    f->what, total, most);
    for (int r = 0; r < set->count; r++)
        add_field(panel, set, r, f->what, most);
}

/* A panel for each field that a run has, in the order in which they were asked for. */
static int field_panels(const vv_plot_set *set, vv_panel *panels, int room)
{
    int n = 0;
    for (int r = 0; r < set->count; r++) {
        const vv_plot_fields *fields = &set->runs[r].fields;
        for (int c = 0; c < fields->columns && n < room; c++) {
            bool seen = !is_column_of(fields, c, fields->column[c].what);
            for (int k = 0; k < r; k++)
                seen = seen || columns_of(&set->runs[k].fields, fields->column[c].what) > 0;
            for (int b = 0; b < c; b++)
                seen = seen || is_column_of(fields, b, fields->column[c].what);
            if (!seen)
                field_panel(&panels[n++], set, &fields->column[c]);
        }
    }
    return n;
}

/* ---- the picture ---- */

static double label_room(const vv_panel *panels, int count, double font)
{
    size_t longest = 4;
    for (int i = 0; i < count; i++)
        for (int c = 0; c < panels[i].count; c++)
            if (panels[i].curves[c].label && strlen(panels[i].curves[c].label) > longest)
                longest = strlen(panels[i].curves[c].label);
    return 0.62 * font * 4 / 3 * (double)(longest < 34 ? longest : 34) + 26;
}

/* The heading, and where runs went on with other settings: said once, drawn in all panels. Malloc'ed; may be NULL. */
static char *write_extra(const vv_plot_set *set, const char *heading, bool labels, double font)
{
    enum { LONGEST = 46 };
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (!out)
        return NULL;
    fprintf(out, "%s\n", heading);
    vv_plot_write_changes(out, set, labels, font, LONGEST);
    fclose(out);
    return text;
}

static bool draw(const vv_plot_set *set, const char *given, int width, const vv_panel *panels, int count,
                 const char *path)
{
    vv_child gnuplot;
    bool svg = strcasecmp(path + strlen(path) - 4, ".svg") == 0;
    char from[4200], title[700], text[1500], heading[1800];
    double scale = width / 1000.0, font = 10 * scale, top = 66 * scale, gap = 46 * scale, height = top;
    for (int i = 0; i < count; i++)
        height += panels[i].height * scale + (i + 1 < count ? gap : 62 * scale);
    const int size[2] = { width, (int)lround(height) };
    if (!vv_gnuplot_start(&gnuplot, set->folder, svg ? "svg" : "pngcairo", svg ? "plot.svg" : "plot.png", size, font))
        return false;
    if (given)
        snprintf(title, sizeof title, "%s", given);
    else
        snprintf(title, sizeof title, "%.300s%s%.200s", vvRunSceneName(set->runs[0].run), set->count == 1 ? ": " : "",
                 set->count == 1 ? set->runs[0].label : "");
    vv_plot_text(text, sizeof text, title);
    fprintf(gnuplot.in, "set multiplot\n");
    vv_plot_frame frame = { .left = 78 * scale, .right = width - label_room(panels, count, font) };
    snprintf(heading, sizeof heading,
             "set label 9 %s at screen %.6f, screen %.6f left noenhanced font ',%g' tc rgb '#222222'", text,
             frame.left / size[0], 1 - 22 * scale / size[1], 1.35 * font);
    for (int i = 0; i < count; i++) {
        vv_panel panel = panels[i];
        char *extra = write_extra(set, i == 0 ? heading : "", i == 0, font);
        frame.top = top;
        frame.bottom = top + panel.height * scale;
        top = frame.bottom + gap;
        panel.extra = extra;
        vv_panel_write(gnuplot.in, set, &panel, &frame, size, font, i + 1 == count);
        free(extra);
    }
    fprintf(gnuplot.in, "unset multiplot\nunset output\n");
    if (!vv_child_finish(&gnuplot))
        return false;
    snprintf(from, sizeof from, "%s/%s", set->folder, svg ? "plot.svg" : "plot.png");
    return vv_file_deliver(from, path);
}

static int check_options(const plot_options *o, const char *output)
{
    bool wanted[KINDS] = { false };
    size_t n = strlen(output);
    if (n < 5 || (strcasecmp(output + n - 4, ".png") != 0 && strcasecmp(output + n - 4, ".svg") != 0))
        return vv_cli_wrong("-o %s: a plot ends in .png or .svg", output);
    if (o->what && !read_what(o->what, wanted))
        return VV_EXIT_WRONG;
    if (!vv_child_exists("gnuplot"))
        return vv_cli_wrong("plot needs gnuplot, which is not installed: apt-get install gnuplot-nox");
    return VV_CLI_GO;
}

int vv_plot_draw(const vv_plot_set *set, const char *what, const char *title, int width, const char *path)
{
    bool wanted[KINDS] = { false };
    vv_panel panels[MOST_PANELS];
    if (what && !read_what(what, wanted))
        return VV_EXIT_WRONG;
    int count = what ? choose_panels(set, wanted, strcmp(what, "all") == 0, panels) : 0;
    count += field_panels(set, panels + count, MOST_PANELS - count);
    if (count == 0)
        return what ? vv_cli_wrong("--what %s: these runs have no such data", what)
                    : vv_cli_wrong("--fields: no body of these runs has these fields");
    return draw(set, title, width, panels, count, path) ? VV_EXIT_OK : VV_EXIT_FAILED;
}

static int plot(const plot_options *o, const char *const *paths, int count)
{
    char path[600];
    vv_plot_set set = { .count = 0 };
    vv_cli_stem(paths[0], path, sizeof path - 16);
    strcat(path, "-plot.png");
    const char *output = o->output ? o->output : path;
    int code = check_options(o, output);
    if (code != VV_CLI_GO)
        return code;
    code = vv_plot_open(&set, paths, count, o->labels.values, o->labels.count);
    if (code == VV_CLI_GO && o->fields)
        code = vv_plot_read_fields(&set, paths, o->fields);
    if (code == VV_CLI_GO)
        code = vv_plot_draw(&set, o->what || o->fields ? o->what : "all", o->title, o->width, output);
    vv_plot_close(&set);
    if (code == VV_EXIT_OK)
        printf("%s\n", output);
    return code;
}

int vv_cli_plot(int argc, char **argv)
{
    plot_options o = { .width = 1200 };
    const vv_option options[] = {
        { "--output", 'o', VV_OPTION_TEXT, &o.output, "FILE", "the picture, .png or .svg; default: RUN-plot.png", 0,
          0 },
        { "--what", 0, VV_OPTION_TEXT, &o.what, "LIST",
          "energy,visible,ledger,alpha,momentum,iterations; default: all, or none with --fields", 0, 0 },
        { "--fields", 0, VV_OPTION_TEXT, &o.fields, "NAMES",
          "fields over the frames, with commas between, such as displacement,von-mises (`visviva list fields`), and "
          "the "
          "forces of supports and loads",
          0, 0 },
        { "--label", 'l', VV_OPTION_LIST, &o.labels, "TEXT",
          "a name for the next run, in order; default: its scheme and policy", 0, 0 },
        { "--title", 0, VV_OPTION_TEXT, &o.title, "TEXT", "title; default: the scene's name", 0, 0 },
        { "--width", 0, VV_OPTION_INTEGER, &o.width, "PIXELS", "width; default: 1200", 400, 8000 },
        { NULL, 0, VV_OPTION_FLAG, NULL, NULL, NULL, 0, 0 }
    };
    const vv_command_line line = {
        "RUN... [options]",
        "Draws a run's energies with their target, the kinetic energy that its positions show, the ledger's sums, "
        "alpha, momenta\n"
        "and iterations (needs gnuplot).\n"
        "Several runs are drawn over each other for comparison. Gravity is measured from the lowest point reached.",
        "  visviva plot out/critter-drop.vtkhdf -o critter.png\n"
        "  visviva plot euler.vtkhdf filtered.vtkhdf --what energy,ledger -o compare.svg\n"
        "  visviva plot curve.vtkhdf --fields displacement,von-mises -o curve.png",
        options,
        1,
        VV_PLOT_RUNS
    };
    const char *positional[VV_PLOT_RUNS];
    int count, code = vv_cli_parse(&line, argc, argv, positional, &count);
    return code == VV_CLI_GO ? plot(&o, positional, count) : code;
}
