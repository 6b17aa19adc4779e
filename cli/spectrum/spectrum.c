/* visviva spectrum: which vibration modes hold a body's energy, over time. */
#include "spectrum/spectrum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- the table ---- */

static double at(const vv_spectrum *s, int frame, int mode)
{
    return s->energies[(size_t)frame * ((size_t)s->modes + 1) + (size_t)mode];
}

/* Energies of modes low .. high - 1: the mean, at the start, at the end. */
static void print_row(const vv_spectrum *s, const char *name, int low, int high, double whole)
{
    double mean = 0, start = 0, end = 0;
    char a[VV_TEXT], b[VV_TEXT], c[VV_TEXT];
    for (int k = low; k < high; k++)
        mean += vv_spectrum_mean(s, k), start += at(s, 0, k), end += at(s, s->frames - 1, k);
    printf("  %-34s %11s %6.1f%% %11s %11s\n", name, vv_text_quantity(a, mean, "J"), whole > 0 ? 100 * mean / whole : 0,
           vv_text_quantity(b, start, "J"), vv_text_quantity(c, end, "J"));
}

static void print_bands(const vv_spectrum *s, double whole)
{
    static const int ends[] = { 10, 25, 50, 100, 200, 500, 1000, 100000 };
    char name[80];
    int low = 0;
    for (size_t i = 0; i < sizeof ends / sizeof *ends && low < s->modes; i++) {
        int high = ends[i] < s->modes ? ends[i] : s->modes;
        snprintf(name, sizeof name, "modes %d to %d (%.3g to %.3g Hz)", low + 1, high, s->frequencies[low],
                 s->frequencies[high - 1]);
        print_row(s, name, low, high, whole);
        low = high;
    }
    print_row(s, "beyond these modes", s->modes, s->modes + 1, whole);
}

static void print_strongest(const vv_spectrum *s, double whole)
{
    enum { SHOWN = 3 };
    int shown[SHOWN];
    char name[80];
    for (int i = 0; i < SHOWN && i < s->modes; i++) {
        int best = -1;
        for (int k = 0; k < s->modes; k++) {
            bool before = false;
            for (int j = 0; j < i; j++)
                before = before || shown[j] == k;
            if (!before && (best < 0 || vv_spectrum_mean(s, k) > vv_spectrum_mean(s, best)))
                best = k;
        }
        shown[i] = best;
        snprintf(name, sizeof name, "%s mode %d (%.3g Hz)", i ? "then" : "most in", best + 1, s->frequencies[best]);
        print_row(s, name, best, best + 1, whole);
    }
}

static void print_spectrum(const vv_spectrum *s)
{
    double whole = 0;
    int still = 0;
    char title[VV_LABEL + 160];
    for (int k = 0; k <= s->modes; k++)
        whole += vv_spectrum_mean(s, k);
    while (still < s->modes && s->frequencies[still] < 1e-4 * s->frequencies[s->modes - 1])
        still++;
    snprintf(title, sizeof title, "\"%s\", %s", s->body, s->run->label);
    vv_cli_heading(title);
    printf("\n  %d modes, %.3g to %.3g Hz%s; %d frame%s, t = %.6g to %.6g s\n", s->modes,
           s->modes ? s->frequencies[0] : 0, s->modes ? s->frequencies[s->modes - 1] : 0,
           s->rigid ? "; rigid motion is in none" : "", s->frames, s->frames == 1 ? "" : "s", s->times[0],
           s->times[s->frames - 1]);
    if (still)
        printf(
            "  %d of them have no stiffness at rest: there the body moves without force, as cloth does across itself\n",
            still);
    printf("  %-34s %11s %7s %11s %11s\n", "energy", "mean", "", "start", "end");
    print_bands(s, whole);
    print_strongest(s, whole);
}

/* ---- the command ---- */

static int check_outputs(const vv_spectrum_options *o, const char *const *paths, int count)
{
    const char *const files[] = { o->csv, o->json, o->plot };
    size_t n = o->plot ? strlen(o->plot) : 0;
    for (int i = 0; i < 3; i++)
        for (int r = 0; r < count; r++)
            if (files[i] && vv_cli_same_file(files[i], paths[r]))
                return vv_cli_wrong("%s would overwrite the run; choose another name", files[i]);
    if (o->plot && (n < 5 || (strcasecmp(o->plot + n - 4, ".png") != 0 && strcasecmp(o->plot + n - 4, ".svg") != 0)))
        return vv_cli_wrong("--plot %s: a plot ends in .png or .svg", o->plot);
    if (o->plot && !vv_child_exists("gnuplot"))
        return vv_cli_wrong("--plot needs gnuplot, which is not installed: apt-get install gnuplot-nox");
    if (!(o->from < o->until))
        return vv_cli_wrong("--from %g is not before --until %g", o->from, o->until);
    return VV_CLI_GO;
}

static int spectrum(const vv_spectrum_options *o, const char *const *paths, int count)
{
    vv_plot_set set = { .count = 0 };
    vv_spectrum spectra[VV_PLOT_RUNS] = { { 0 } };
    int code = check_outputs(o, paths, count);
    if (code != VV_CLI_GO)
        return code;
    vv_cli_catch_interrupt();
    code = vv_plot_open(&set, paths, count, o->labels.values, o->labels.count);
    if (code == VV_CLI_GO)
        code = vv_spectrum_measure(&set, o, spectra);
    for (int i = 0; i < count && code == VV_CLI_GO && !o->quiet; i++)
        print_spectrum(&spectra[i]);
    bool good = code == VV_CLI_GO;
    good = good && (!o->csv || vv_spectrum_write_csv(o->csv, spectra, count));
    good = good && (!o->json || vv_spectrum_write_json(o->json, spectra, count));
    good = good && (!o->plot || vv_spectrum_draw(o->plot, &set, spectra, o));
    for (int i = 0; i < count; i++)
        vv_spectrum_free(&spectra[i]);
    vv_plot_close(&set);
    return code != VV_CLI_GO ? code : good ? VV_EXIT_OK : VV_EXIT_FAILED;
}

int vv_cli_spectrum(int argc, char **argv)
{
    vv_spectrum_options o = { .modes = 200, .every = 1, .until = INFINITY, .width = 1200 };
    const vv_option options[] = {
        { "--modes", 'n', VV_OPTION_INTEGER, &o.modes, "N", "how many modes; default: 200, or all if there are fewer",
          1, 3000 },
        { "--highest", 0, VV_OPTION_FLAG, &o.highest, NULL,
          "the modes of the highest frequencies instead of the lowest", 0, 0 },
        { "--body", 0, VV_OPTION_TEXT, &o.body, "NAME", "which body; default: the first", 0, 0 },
        { "--from", 0, VV_OPTION_NUMBER, &o.from, "SECONDS", "first frame; default: that of the start", 0, 1e7 },
        { "--until", 0, VV_OPTION_NUMBER, &o.until, "SECONDS", "last frame; default: that of the end", 0, 1e7 },
        { "--every", 0, VV_OPTION_INTEGER, &o.every, "N", "every n-th frame; default: 1", 1, 1000000 },
        { "--visible", 0, VV_OPTION_FLAG, &o.visible, NULL,
          "kinetic energy of the motion that positions show, not of the state's velocities", 0, 0 },
        { "--csv", 0, VV_OPTION_TEXT, &o.csv, "FILE", "writes all energies: run, time, mode, frequency, energy", 0, 0 },
        { "--json", 0, VV_OPTION_TEXT, &o.json, "FILE", "writes the same as JSON", 0, 0 },
        { "--plot", 'o', VV_OPTION_TEXT, &o.plot, "FILE", "draws them, .png or .svg", 0, 0 },
        { "--label", 'l', VV_OPTION_LIST, &o.labels, "TEXT",
          "a name for the next run, in order; default: its scheme and policy", 0, 0 },
        { "--title", 0, VV_OPTION_TEXT, &o.title, "TEXT", "title of the picture; default: the scene and the body", 0,
          0 },
        { "--width", 0, VV_OPTION_INTEGER, &o.width, "PIXELS", "width of the picture; default: 1200", 400, 8000 },
        { "--threads", 0, VV_OPTION_INTEGER, &o.threads, "N", "0: as many as there are cores", 0, 1024 },
        { "--quiet", 'q', VV_OPTION_FLAG, &o.quiet, NULL, "no progress, no table; only errors", 0, 0 },
        { .name = NULL },
    };
    const vv_command_line line = {
        .usage = "RUN... [options]",
        .summary = "Shows the energy in each vibration mode of a body over time: of the modes of its rest shape, from "
                   "the lowest\nfrequency up. The rigid motion of an unattached body is in none of them. The rest "
                   "is\n\"beyond\"; all together are the energy of the linearised body.\n"
                   "Several runs side by side show which modes a scheme damps and a policy feeds.",
        .examples = "  visviva spectrum out/stretching-bar.vtkhdf --plot bar.png\n"
                    "  visviva spectrum search.vtkhdf filtered.vtkhdf --modes 100 --csv modes.csv\n"
                    "  visviva spectrum out/cloth-wave.vtkhdf --highest --until 2",
        .options = options,
        .least = 1,
        .most = VV_PLOT_RUNS,
    };
    const char *positional[VV_PLOT_RUNS];
    int count, code = vv_cli_parse(&line, argc, argv, positional, &count);
    return code == VV_CLI_GO ? spectrum(&o, positional, count) : code;
}
