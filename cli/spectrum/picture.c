/* The picture of spectra: for each run a map of time and mode, coloured by energy; below them the means over time. */
#include "spectrum/spectrum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* most columns of a map; its rows per row of the strip "beyond"; most groups of modes */
enum { COLUMNS = 900, STRIP = 18, GROUPS = 50 };
static const double DECADES = 6; /* of energies that colours tell apart */

typedef struct picture {
    FILE *out;
    const vv_plot_set *set;
    const vv_spectrum *spectra;
    int size[2];
    double scale, font, left, right; /* pixels */
    double least, most;              /* J: of the colours */
} picture;

static double energy(const vv_spectrum *s, int frame, int mode)
{
    return s->energies[(size_t)frame * ((size_t)s->modes + 1) + (size_t)mode];
}

/* How many rows of a map the strip "beyond" has, and the gap below it. */
static int strip(const vv_spectrum *s) { return s->modes / STRIP + 1; }

static void find_colours(picture *p)
{
    p->most = 0;
    for (int i = 0; i < p->set->count; i++)
        for (int f = 0; f < p->spectra[i].frames; f++)
            for (int k = 0; k <= p->spectra[i].modes; k++)
                p->most = fmax(p->most, energy(&p->spectra[i], f, k));
    p->most = p->most > 0 ? p->most : 1;
    p->least = p->most * pow(10, -DECADES);
}

static void data_name(const picture *p, int run, const char *what, char out[4300])
{
    snprintf(out, 4300, "%s/%s%d.txt", p->set->folder, what, run);
}

/* Several frames in a column of the map: their mean. */
static bool write_map(const picture *p, int run)
{
    char name[4300];
    const vv_spectrum *s = &p->spectra[run];
    int each = (s->frames + COLUMNS - 1) / COLUMNS, wide = strip(s);
    data_name(p, run, "map", name);
    FILE *file = fopen(name, "w");
    for (int row = 1; file && row <= s->modes + 2 * wide; row++) {
        for (int f = 0; f < s->frames; f += each) {
            int mode = row <= s->modes ? row - 1 : s->modes, count = 0;
            double sum = 0, time = 0;
            for (int i = f; i < f + each && i < s->frames; i++, count++)
                sum += energy(s, i, mode), time += s->times[i];
            if (row > s->modes && row <= s->modes + wide) /* the gap */
                fprintf(file, "%.9g %d NaN\n", time / count, row);
            else
                fprintf(file, "%.9g %d %.6g\n", time / count, row, fmax(sum / count, p->least));
        }
        fputc('\n', file);
    }
    bool good = file && !ferror(file);
    return file && fclose(file) == 0 && good;
}

static int group_size(const vv_spectrum *s) { return (s->modes + GROUPS - 1) / GROUPS; }

/* The energies of so many neighbouring modes together, mean over time: as steps. */
static bool write_means(const picture *p, int run)
{
    char name[4300];
    const vv_spectrum *s = &p->spectra[run];
    int size = group_size(s);
    data_name(p, run, "means", name);
    FILE *file = fopen(name, "w");
    for (int k = 0; file && k < s->modes; k += size) {
        double sum = 0;
        int end = k + size < s->modes ? k + size : s->modes;
        for (int i = k; i < end; i++)
            sum += vv_spectrum_mean(s, i);
        fprintf(file, "%g %.6g\n%g %.6g\n", k + 0.5, fmax(sum, 1e-6 * p->least), end + 0.5, fmax(sum, 1e-6 * p->least));
    }
    bool good = file && !ferror(file);
    return file && fclose(file) == 0 && good;
}

static void place(const picture *p, double top, double height)
{
    fprintf(p->out,
            "set lmargin at screen %.6f\nset rmargin at screen %.6f\nset tmargin at screen %.6f\nset bmargin at screen "
            "%.6f\n",
            p->left / p->size[0], p->right / p->size[0], 1 - top / p->size[1], 1 - (top + height) / p->size[1]);
}

static void put_title(const picture *p, int number, const char *text, const char *colour, double left, double top,
                      double size)
{
    char quoted[1500];
    vv_plot_text(quoted, sizeof quoted, text);
    fprintf(p->out, "set label %d %s at screen %.6f, screen %.6f left noenhanced font ',%g' tc rgb '%s'\n", number,
            quoted, left / p->size[0], 1 - top / p->size[1], size, colour);
}

/* Mode numbers on the left, and what their frequencies are on the right. */
static void put_modes(const picture *p, const vv_spectrum *s)
{
    static const int steps[] = { 1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000 };
    int step = 1, wide = strip(s);
    for (size_t i = 0; i < sizeof steps / sizeof *steps && s->modes > 5 * step; i++)
        step = steps[i];
    fprintf(p->out, "set ytics nomirror (\"1\" 1");
    for (int k = step; k <= s->modes; k += step)
        if (k > 1)
            fprintf(p->out, ", \"%d\" %d", k, k);
    fprintf(p->out, ", \"beyond\" %g)\nset y2tics nomirror out scale 0.6 tc rgb '#3a3a3a' (\"%.3g\" 1",
            s->modes + 1.5 * wide + 0.5, s->modes ? s->frequencies[0] : 0);
    for (int k = step; k <= s->modes; k += step)
        if (k > 1)
            fprintf(p->out, ", \"%.3g\" %d", s->frequencies[k - 1], k);
    fprintf(p->out, ")\nset yrange [0.5:%g]\nset y2range [0.5:%g]\n", s->modes + 2 * wide + 0.5,
            s->modes + 2 * wide + 0.5);
}

static void draw_map(const picture *p, int run, double top, double height, bool last)
{
    char name[4300], quoted[4400];
    const vv_spectrum *s = &p->spectra[run];
    double begin = INFINITY, end = -INFINITY, half = 0.5;
    for (int i = 0; i < p->set->count; i++) {
        const vv_spectrum *other = &p->spectra[i];
        begin = fmin(begin, other->times[0]), end = fmax(end, other->times[other->frames - 1]);
    }
    if (s->frames > 1)
        half = 0.5 * (s->times[s->frames - 1] - s->times[0]) / (s->frames - 1);
    data_name(p, run, "map", name);
    vv_plot_text(quoted, sizeof quoted, name);
    place(p, top, height);
    put_title(p, 1, s->run->label, p->set->count > 1 ? s->run->colour : "#3a3a3a", p->left, top - 10 * p->scale,
              1.1 * p->font);
    put_modes(p, s);
    fprintf(p->out, "set logscale cb\nset cbrange [%.6g:%.6g]\nset format cb '10^{%%T}'\nset xrange [%.9g:%.9g]\n",
            p->least, p->most, begin - half, end + half);
    fprintf(p->out, "set ylabel 'mode' offset 1,0\nset y2label 'frequency (Hz)' offset -1,0\nset border 11 front lc "
                    "rgb '#8a8a8a' lw 1\n");
    if (run == 0)
        fprintf(
            p->out,
            "set colorbox user origin %.6f, %.6f size %.6f, %.6f\nset cblabel 'energy in a mode (J)' offset 0.5,0\n",
            (p->right + 86 * p->scale) / p->size[0], 1 - (top + height) / p->size[1], 14 * p->scale / p->size[0],
            height / p->size[1]);
    else
        fprintf(p->out, "unset colorbox\n");
    fprintf(p->out, "set xlabel %s\nset format x %s\n", last ? "'time (s)'" : "''", last ? "'%g'" : "''");
    fprintf(p->out, "plot %s using 1:2:3 axes x1y1 with image notitle\n", quoted);
    fprintf(p->out, "unset label 1\nunset y2tics\nunset y2label\nset ytics autofreq\n");
}

static void draw_means(const picture *p, double top, double height)
{
    char name[4300], quoted[4400], title[160];
    double bottom = INFINITY, peak = 0;
    int modes = 0, size = group_size(&p->spectra[0]);
    for (int i = 0; i < p->set->count; i++) {
        const vv_spectrum *s = &p->spectra[i];
        modes = s->modes > modes ? s->modes : modes;
        for (int k = 0; k <= s->modes; k++) {
            double mean = vv_spectrum_mean(s, k);
            peak = fmax(peak, mean);
            bottom = mean > 0 ? fmin(bottom, mean) : bottom;
        }
    }
    peak = peak > 0 ? peak : 1;
    bottom = fmin(fmax(bottom, peak * 1e-8), peak * 1e-2);
    place(p, top, height);
    fprintf(p->out,
            "set border 3\nunset logscale\nset logscale y\nset xrange [0.5:%g]\nset yrange [%.6g:%.6g]\nset xtics "
            "autofreq\nset format x '%%g'\n",
            modes * 1.06 + 0.5, bottom / 2, peak * 3);
    fprintf(p->out, "set format y '10^{%%T}'\nset ylabel 'mean energy (J)' offset 1,0\nset xlabel 'mode'\n");
    if (size > 1)
        snprintf(title, sizeof title, "Mean over time, of %d modes together; triangles: beyond all of them", size);
    else
        snprintf(title, sizeof title, "Mean over time of each mode; triangles: beyond all of them");
    put_title(p, 1, title, "#3a3a3a", p->left, top - 10 * p->scale, 1.1 * p->font);
    for (int i = 0; i < p->set->count; i++) {
        data_name(p, i, "means", name);
        vv_plot_text(quoted, sizeof quoted, name);
        fprintf(p->out, "%s%s using 1:2 with lines lw %g lc rgb '%s' notitle", i ? ", " : "plot ", quoted,
                1.6 * p->scale, p->spectra[i].run->colour);
    }
    for (int i = 0; i < p->set->count; i++)
        fprintf(p->out, ", '+' using (%.6g):(%.6g) every ::0::0 with points pt 9 ps %g lc rgb '%s' notitle",
                modes * 1.03 + 0.5, fmax(vv_spectrum_mean(&p->spectra[i], p->spectra[i].modes), bottom / 2),
                1.1 * p->scale, p->spectra[i].run->colour);
    fprintf(p->out, "\n");
}

bool vv_spectrum_draw(const char *path, const vv_plot_set *set, const vv_spectrum *spectra,
                      const vv_spectrum_options *o)
{
    vv_child gnuplot;
    bool svg = strcasecmp(path + strlen(path) - 4, ".svg") == 0;
    char from[4200], title[900];
    double scale = o->width / 1000.0, top = 78 * scale, map = (set->count > 2 ? 170 : 240) * scale, gap = 40 * scale,
           means = 220 * scale;
    picture p = { .set = set,
                  .spectra = spectra,
                  .scale = scale,
                  .font = 10 * scale,
                  .left = 78 * scale,
                  .right = o->width - 165 * scale };
    p.size[0] = o->width;
    p.size[1] = (int)lround(top + set->count * (map + gap) + 46 * scale + means + 62 * scale);
    find_colours(&p);
    for (int i = 0; i < set->count; i++)
        if (!write_map(&p, i) || !write_means(&p, i)) {
            vv_cli_wrong("cannot write to the temporary folder %s (the variable TMPDIR can name another place)",
                         set->folder);
            return false;
        }
    if (!vv_cli_make_folders(path) || !vv_gnuplot_start(&gnuplot, set->folder, svg ? "svg" : "pngcairo",
                                                        svg ? "spectrum.svg" : "spectrum.png", p.size, p.font))
        return false;
    p.out = gnuplot.in;
    snprintf(title, sizeof title, "%.300s: energy in the %smodes of %.120s", vvRunSceneName(set->runs[0].run),
             o->highest ? "highest " : "", spectra[0].body);
    fprintf(
        p.out,
        "set palette defined (0 '#ffffff', 0.2 '#fde7c0', 0.4 '#f9b35b', 0.6 '#e0603b', 0.8 '#a02060', 1 '#300a4a')\n");
    fprintf(p.out, "unset grid\nset multiplot\n");
    put_title(&p, 2, o->title ? o->title : title, "#222222", p.left, 24 * scale, 1.35 * p.font);
    for (int i = 0; i < set->count; i++) {
        draw_map(&p, i, top, map, i + 1 == set->count);
        fprintf(p.out, "unset label 2\n");
        top += map + gap;
    }
    fprintf(p.out, "unset colorbox\nset grid xtics ytics lc rgb '#e4e4e4' lw 1 lt 1\n");
    draw_means(&p, top + 46 * scale, means);
    fprintf(p.out, "unset multiplot\nunset output\n");
    if (!vv_child_finish(&gnuplot))
        return false;
    snprintf(from, sizeof from, "%s/%s", set->folder, svg ? "spectrum.svg" : "spectrum.png");
    if (!vv_file_deliver(from, path))
        return false;
    if (!o->quiet)
        printf("%s\n", path);
    return true;
}
