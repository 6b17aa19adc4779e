/* Ledgers of runs as columns of numbers for gnuplot; the runs' names. */
#include "cli.h"
#include "plot/plot.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_POINTS = 6000 };

/* ---- names ---- */

/* "backward-euler" as people write it. */
static void tidy_name(const char *name, char *out, size_t size)
{
    static const char *const known[][2] = { { "search", "A-search" },
                                            { "a1", "A-1" },
                                            { "bdf2", "BDF2" },
                                            { "sdirk2", "SDIRK2" },
                                            { "sdirk2-coupled", "SDIRK2 coupled" },
                                            { "tr-bdf2", "TR-BDF2" },
                                            { "avf-simpson", "AVF-Simpson" },
                                            { "avf-gauss-2", "AVF-Gauss-2" },
                                            { "avf-gauss-3", "AVF-Gauss-3" },
                                            { "backward-euler", "Backward Euler" },
                                            { "forward-euler", "Forward Euler" },
                                            { "symplectic-euler", "Symplectic Euler" } };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(name, known[i][0]) == 0) {
            snprintf(out, size, "%s", known[i][1]);
            return;
        }
    snprintf(out, size, "%s", name);
    out[0] = (char)toupper((unsigned char)out[0]);
    for (char *p = out; *p; p++)
        if (*p == '-')
            *p = ' ';
}

void vv_plot_setting(const char *scheme, const char *policy, char *out, size_t size)
{
    char first[64], second[64];
    tidy_name(scheme, first, sizeof first);
    tidy_name(policy, second, sizeof second);
    bool plain = strcmp(policy, "none") == 0 || !policy[0];
    snprintf(out, size, "%s%s%s", first, plain ? "" : " + ", plain ? "" : second);
}

void vv_plot_names(const vvRun *const *runs, char (*stems)[160], int count, const char *const *labels, int labelCount,
                   char (*names)[VV_LABEL])
{
    bool scenes = false, clash = false;
    for (int i = 1; i < count; i++)
        scenes = scenes || strcmp(vvRunSceneName(runs[i]), vvRunSceneName(runs[0])) != 0;
    for (int i = 0; i < count; i++) {
        char setting[132];
        vv_plot_setting(vvRunScheme(runs[i]), vvRunPolicy(runs[i]), setting, sizeof setting);
        snprintf(names[i], VV_LABEL, "%.60s%s%s", scenes ? vvRunSceneName(runs[i]) : "", scenes ? ": " : "", setting);
        for (int j = 0; j < i; j++)
            clash = clash || strcmp(names[i], names[j]) == 0;
    }
    for (int i = 0; i < count; i++) {
        if (i < labelCount)
            snprintf(names[i], VV_LABEL, "%s", labels[i]);
        else if (clash)
            memcpy(names[i], stems[i], sizeof stems[i]);
    }
}

static void name_runs(vv_plot_set *set, const char *const *labels, int label_count)
{
    const vvRun *runs[VV_PLOT_RUNS];
    char stems[VV_PLOT_RUNS][160], names[VV_PLOT_RUNS][VV_LABEL];
    for (int i = 0; i < set->count; i++) {
        runs[i] = set->runs[i].run;
        memcpy(stems[i], set->runs[i].stem, sizeof stems[i]);
    }
    vv_plot_names(runs, stems, set->count, labels, label_count, names);
    for (int i = 0; i < set->count; i++)
        memcpy(set->runs[i].label, names[i], sizeof names[i]);
}

/* ---- values ---- */

static double size3(const double v[3]) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

double vv_plot_value(const vv_plot_set *set, int run, int row, int column)
{
    const vv_plot_run *r = &set->runs[run];
    if (column >= VV_COLUMNS)
        return r->fields.values[(size_t)row * (size_t)r->fields.columns + (size_t)(column - VV_COLUMNS)];
    const vvLedgerRow *w = &r->rows[row];
    switch (column) {
    case VV_TIME: return w->time;
    case VV_TOTAL: return w->total - r->zero;
    case VV_TARGET: return w->target - r->zero;
    case VV_KINETIC: return w->kinetic;
    case VV_ELASTIC: return w->elastic;
    case VV_GRAVITY: return w->gravity - r->zero;
    case VV_CONTACT: return w->contact;
    case VV_ATTACHMENT: return w->attachment;
    case VV_JOINT: return w->joint;
    case VV_ALPHA: return w->alpha;
    case VV_MOMENTUM: return size3(w->momentum);
    case VV_ANGULAR: return size3(w->angularMomentumCentre);
    case VV_NEWTON: return row ? w->newtonIterations : NAN;
    case VV_VISIBLE: return w->visible;
    case VV_VISIBLE_CENTRE: return w->visibleCentre;
    case VV_VISIBLE_ROTATION: return w->visibleRotation;
    case VV_VISIBLE_DEFORMATION: return w->visibleDeformation;
    case VV_PCG: return row ? w->pcgIterations : NAN;
    default: return r->sums[5 * row + column - VV_WORK];
    }
}

int vv_plot_rows(const vv_plot_set *set, int run, int column)
{
    return column >= VV_COLUMNS ? set->runs[run].fields.frames : set->runs[run].count;
}

bool vv_plot_has(const vv_plot_set *set, int run, int column)
{
    for (int i = 0; i < vv_plot_rows(set, run, column); i++) {
        double value = vv_plot_value(set, run, i, column);
        if (isfinite(value) && value != 0)
            return true;
    }
    return false;
}

static bool write_row(FILE *file, const vv_plot_set *set, int run, int row)
{
    bool good = true;
    for (int c = VV_TIME; good && c < VV_COLUMNS; c++) {
        double value = vv_plot_value(set, run, row, c);
        if (isfinite(value))
            good = fprintf(file, "%.9g%c", value, c + 1 < VV_COLUMNS ? ' ' : '\n') > 0;
        else
            good = fprintf(file, "NaN%c", c + 1 < VV_COLUMNS ? ' ' : '\n') > 0;
    }
    return good;
}

/* More rows than pixels: of every bin the row with the lowest and the one with the highest total energy, so that peaks
 * stay. */
static bool write_rows(FILE *file, const vv_plot_set *set, int run)
{
    const vv_plot_run *r = &set->runs[run];
    int bin = r->count > MOST_POINTS ? 2 * (r->count / MOST_POINTS + 1) : 1;
    bool good = true;
    for (int start = 0; good && start < r->count; start += bin) {
        int low = start, high = start;
        for (int i = start; i < start + bin && i < r->count; i++) {
            if (r->rows[i].total < r->rows[low].total)
                low = i;
            if (r->rows[i].total > r->rows[high].total)
                high = i;
        }
        good = write_row(file, set, run, low < high ? low : high);
        if (good && low != high)
            good = write_row(file, set, run, low < high ? high : low);
    }
    return good;
}

/* ---- opening ---- */

static int read_run(vv_plot_run *r, const char *path)
{
    vvError error;
    double sums[5] = { 0 };
    vv_cli_stem(path, r->stem, sizeof r->stem);
    if (vv_cli_open_run(path, &r->run) != VV_CLI_GO)
        return VV_EXIT_WRONG;
    r->count = vvRunRowCount(r->run);
    if (r->count < 1)
        return vv_cli_wrong("%s has no step yet", path);
    r->rows = malloc((size_t)r->count * sizeof *r->rows);
    r->sums = malloc((size_t)r->count * sizeof sums);
    if (!r->rows || !r->sums) {
        vv_cli_wrong("no memory for the ledger of %s (%d rows)", path, r->count);
        return VV_EXIT_FAILED;
    }
    if (vvRunReadRows(r->run, 0, r->count, r->rows, &error) != VV_OK)
        return vv_cli_error(&error);
    for (int i = 0; i < r->count; i++) {
        const double step[5] = { r->rows[i].work, r->rows[i].friction, r->rows[i].damping, r->rows[i].decay,
                                 r->rows[i].error };
        for (int k = 0; k < 5; k++) {
            if (i > 0 && isfinite(step[k]))
                sums[k] += step[k];
            r->sums[5 * i + k] = sums[k];
        }
    }
    return VV_CLI_GO;
}

bool vv_plot_rewrite(vv_plot_set *set)
{
    for (int i = 0; i < set->count; i++) {
        vv_plot_run *r = &set->runs[i];
        snprintf(r->data, sizeof r->data, "%s/run%d.txt", set->folder, i);
        FILE *file = fopen(r->data, "w");
        bool good = file && write_rows(file, set, i);
        if (file && fclose(file) != 0)
            good = false;
        if (!good) {
            vv_cli_wrong("cannot write to the temporary folder %s (the variable TMPDIR can name another place)",
                         set->folder);
            return false;
        }
    }
    return true;
}

bool vv_plot_from_rest(vv_plot_set *set, bool *done)
{
    *done = true;
    for (int i = 0; i < set->count; i++)
        *done = *done && isfinite(set->runs[i].ground);
    for (int i = 0; i < set->count && *done; i++)
        set->runs[i].zero = set->runs[i].ground;
    return !*done || vv_plot_rewrite(set);
}

/* What the energies of a run are measured with: the same for all runs of a scene. */
static void measure(vv_plot_set *set, int run)
{
    vv_plot_run *r = &set->runs[run];
    r->ground = r->rows[r->count - 1].groundEnergy;
    for (int i = 0; i < set->count; i++) {
        const vv_plot_run *other = &set->runs[i];
        const vvLedgerRow *last = &other->rows[other->count - 1];
        if (strcmp(vvRunSceneName(other->run), vvRunSceneName(r->run)) != 0 ||
            vvRunNodeCount(other->run) != vvRunNodeCount(r->run))
            continue;
        r->scale = fmax(r->scale, last->scale);
        r->ground = isfinite(r->ground) ? r->ground : last->groundEnergy;
    }
}

int vv_plot_open(vv_plot_set *set, const char *const *paths, int count, const char *const *labels, int labelCount)
{
    *set = (vv_plot_set){ .count = count };
    double lowest = INFINITY;
    for (int i = 0; i < count; i++) {
        int code = read_run(&set->runs[i], paths[i]);
        if (code != VV_CLI_GO)
            return code;
    }
    for (int i = 0; i < count; i++)
        for (int k = 0; k < set->runs[i].count; k++) {
            const vvLedgerRow *row = &set->runs[i].rows[k];
            lowest = isfinite(row->gravity) ? fmin(lowest, row->gravity) : lowest;
            set->timeEnd = fmax(set->timeEnd, row->time);
        }
    for (int i = 0; i < count; i++)
        measure(set, i);
    for (int i = 0; i < count; i++)
        set->runs[i].zero = isfinite(lowest) ? lowest : 0;
    for (int i = 0; i < count; i++)
        set->runs[i].colour = vv_plot_colour(i);
    name_runs(set, labels, labelCount);
    return vv_temporary_folder(set->folder) && vv_plot_rewrite(set) ? VV_CLI_GO : VV_EXIT_FAILED;
}

void vv_plot_close(vv_plot_set *set)
{
    for (int i = 0; i < set->count; i++) {
        free(set->runs[i].rows);
        free(set->runs[i].sums);
        vv_plot_free_fields(&set->runs[i].fields);
        vvRunFree(set->runs[i].run);
    }
    vv_temporary_remove(set->folder);
    *set = (vv_plot_set){ 0 };
}
