/* Figures for people: which lines a table has, and numbers with their deviation. */
#include "study/study.h"

#include <math.h>
#include <string.h>

enum { BODIES_SHOWN = 6, APEXES_SHOWN = 3 };

/* ---- lines ---- */

/* `some`: only where a run has it, other than zero. */
typedef struct line {
    const char *label, *path, *unit;
    bool some;
} line;

static const line energies[] = {
    { "kinetic, booked", "kinetic", "J", false },
    { "kinetic, visible", "visible.total", "J", false },
    { "  of the centre", "visible.centre", "J", false },
    { "  of rotation", "visible.rotation", "J", false },
    { "  of deformation", "visible.deformation", "J", false },
    { "elastic", "elastic", "J", false },
    { "contact", "contact", "J", true },
    { "attachments", "attachment", "J", true },
    { "joints", "joint", "J", true },
    { "gravity", "gravity", "J", false },
    { "total", "total", "J", false },
};
static const line sums[] = {
    { "work", "ledger.work", "J", true },
    { "lost to friction", "ledger.friction", "J", true },
    { "lost to damping", "ledger.damping", "J", true },
    { "intended decay", "ledger.decay", "J", true },
    { "numerical error", "ledger.error", "J", false },
    { "mean |H - T| / S", "ledger.mean_target_error", "%", false },
};
static const line momenta[] = {
    { "momentum |P|", "momentum.linear_end_size", "N s", true },
    { "angular |L|", "momentum.angular_end_size", "N m s", true },
};
static const line costs[] = {
    { "Newton iterations a step", "cost.newton_per_step", "", false },
    { "Newton iterations a frame", "cost.newton_per_frame", "", false },
    { "steps", "cost.steps", "", false },
    { "steps not converged", "cost.unconverged_steps", "", false },
    { "steps failed", "cost.failed_steps", "", false },
    { "time of the steps", "cost.wall", "s", false },
};
#define COUNT_OF(a) ((int)(sizeof(a) / sizeof((a)[0])))

typedef struct builder {
    json_t *const *trees;
    int treeCount, count;
    vv_study_row *rows;
} builder;

static void add(builder *b, const char *label, const char *path, const char *unit)
{
    if (b->count == VV_STUDY_ROWS)
        return;
    vv_study_row *row = &b->rows[b->count++];
    row->unit = unit;
    snprintf(row->label, sizeof row->label, "%s", label);
    snprintf(row->path, sizeof row->path, "%s", path);
}

/* Whether some tree has a number there, other than zero if `nonzero`. */
static bool has(const builder *b, const char *path, bool nonzero)
{
    for (int i = 0; i < b->treeCount; i++) {
        double high = vv_study_number(b->trees[i], path, "max"), low = vv_study_number(b->trees[i], path, "min");
        if (isfinite(high) && (!nonzero || high != 0 || low != 0))
            return true;
    }
    return false;
}

static void add_lines(builder *b, const char *heading, const char *prefix, const line *lines, int count)
{
    char path[64];
    bool headed = false;
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s%s", prefix, lines[i].path);
        if (!has(b, path, lines[i].some))
            continue;
        if (!headed)
            add(b, heading, "", "");
        headed = true;
        add(b, lines[i].label, path, lines[i].unit);
    }
}

/* `format` and `label`: of the path, and of what the line is called. */
static void add_series(builder *b, int body, const char *label, const char *format, const char *unit)
{
    char path[64], name[64];
    for (int k = 0; k < APEXES_SHOWN; k++) {
        snprintf(path, sizeof path, format, body, k);
        snprintf(name, sizeof name, label, k + 1);
        if (has(b, path, false))
            add(b, name, path, unit);
    }
}

static void add_body(builder *b, int body)
{
    char path[64];
    snprintf(path, sizeof path, "bodies.%d.name", body);
    const char *name = json_string_value(vv_study_find(b->trees[0], path));
    add(b, name ? name : "a body", "", "");
    add_series(b, body, "apex %d", "bodies.%d.apexes.%d.height", "m");
    add_series(b, body, "time of apex %d", "bodies.%d.apexes.%d.time", "s");
    add_series(b, body, "restitution %d", "bodies.%d.restitution.%d", "");
    snprintf(path, sizeof path, "bodies.%d.turns", body);
    add(b, "turns", path, "");
}

int vv_study_rows(json_t *const *trees, int count, vv_study_row rows[VV_STUDY_ROWS])
{
    builder b = { .trees = trees, .treeCount = count, .rows = rows };
    add_lines(&b, "energies, mean of the second half", "energy.second_half.", energies, COUNT_OF(energies));
    add_lines(&b, "energies at the end", "energy.end.", energies, COUNT_OF(energies));
    add_lines(&b, "since the start", "", sums, COUNT_OF(sums));
    add_lines(&b, "momenta at the end, L about the centre of mass", "", momenta, COUNT_OF(momenta));
    for (int body = 0; body < BODIES_SHOWN && body < (int)json_array_size(json_object_get(trees[0], "bodies")); body++)
        add_body(&b, body);
    add_lines(&b, "cost", "", costs, COUNT_OF(costs));
    return b.count;
}

/* ---- numbers ---- */

/* Power of 1000 with which the number has one to three digits before its point. */
static int prefix_of(double size)
{
    int step = size > 0 ? (int)floor(log10(size) / 3 + 1e-12) : 0;
    return size < 1e-12 ? 0 : step < -4 ? -4 : step > 4 ? 4 : step;
}

/* Four digits of the mean, or as many as its deviation leaves. */
static int decimals_of(double mean, double sd)
{
    double size = fmax(fabs(mean), sd);
    int shown = size > 0 ? 3 - (int)floor(log10(size)) : 0;
    if (sd > 0)
        shown = (int)fmin(shown, fmax(0, 1 - floor(log10(sd))));
    return shown < 0 ? 0 : shown > 6 ? 6 : shown;
}

static bool is_whole(double value) { return value == floor(value) && fabs(value) < 1e9; }

const char *vv_study_cell(char out[VV_TEXT * 2], double mean, double sd, const char *unit)
{
    static const char *const prefixes[] = { "p", "n", "µ", "m", "", "k", "M", "G", "T" };
    bool plain = unit[0] == 0 || unit[0] == '%';
    double factor = unit[0] == '%' ? 100 : 1;
    const char *prefix = "", *gap = unit[0] ? " " : "";
    sd = isfinite(sd) ? sd : 0;
    if (!isfinite(mean)) {
        snprintf(out, VV_TEXT * 2, "-");
        return out;
    }
    if (fmax(fabs(mean), sd) < 1e-12)
        mean = sd = 0;
    if (!plain) {
        int step = prefix_of(fmax(fabs(mean), sd));
        factor = pow(1000, -step);
        prefix = prefixes[step + 4];
    }
    mean *= factor;
    sd *= factor;
    int decimals = sd == 0 && is_whole(mean) ? 0 : decimals_of(mean, sd);
    if (sd * pow(10, decimals) >= 0.5) /* less would read "± 0" */
        snprintf(out, VV_TEXT * 2, "%.*f ± %.*f%s%s%s", decimals, mean, decimals, sd, gap, prefix, unit);
    else if (plain && mean != 0 && fabs(mean) < 1e-3)
        snprintf(out, VV_TEXT * 2, "%.3g%s%s", mean, gap, unit);
    else
        snprintf(out, VV_TEXT * 2, "%.*f%s%s%s", decimals, mean, gap, prefix, unit);
    return out;
}
