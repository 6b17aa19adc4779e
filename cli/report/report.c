/* visviva report: runs as one HTML page that needs nothing else. */
#include "cli.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "child.h"
#include "plot/plot.h"
#include "report/report.h"

static const double usual_error = 1e-4; /* of the box's diagonal */
static const char usual_fields[] = "speed,strain";

#ifdef VV_HAVE_ZLIB
static const bool can_deflate = true;
#else
static const bool can_deflate = false;
#endif

/* ---- reading runs ---- */

/* Adds a line of the ledger: its first cells as they are, the rest to six digits. */
static void put_line(vv_report_buffer *out, const char *line, const char *end, int exact)
{
    for (int cell = 0; line < end; cell++) {
        size_t length = strcspn(line, ",\n");
        if (cell > 0)
            vv_report_raw(out, ",");
        if (cell < exact || length < 8)
            vv_report_put(out, line, length);
        else
            vv_report_format(out, "%.6g", strtod(line, NULL));
        line += length + 1;
    }
    vv_report_raw(out, "\n");
}

/* The end of the first line, outside of quotes: names may hold anything. NULL: there is none. */
static const char *end_of_names(const char *text)
{
    bool quoted = false;
    for (; text && *text; text++) {
        quoted = quoted != (*text == '"');
        if (*text == '\n' && !quoted)
            return text;
    }
    return NULL;
}

/* What is of single bodies stands behind the ledger's own columns, and its names are quoted. With a hundred bodies it
 * would be most of the page. */
static void round_bodies(vv_report_buffer *csv)
{
    vv_report_buffer out = { 0 };
    const char *at = (const char *)csv->bytes, *stop = at + csv->size, *end = end_of_names(at);
    int exact = 0;
    if (csv->failed || !end)
        return;
    for (const char *p = at; p < end && *p != '"'; p++)
        exact += *p == ',';
    vv_report_put(&out, at, (size_t)(end + 1 - at));
    for (at = end + 1; at < stop && (end = strchr(at, '\n')); at = end + 1)
        put_line(&out, at, end, exact);
    vv_report_free(csv);
    *csv = out;
}

/* The ledger as `visviva export` writes it: what the page draws its curves of, and saves. */
static int read_csv(vv_report_run *run)
{
    vvExportDef def = vvDefaultExportDef();
    vvError error = { 0 };
    char folder[4096], path[4200], bytes[65536];
    size_t count;
    def.format = "csv";
    if (vvRunFrameCount(run->run) < 1)
        return VV_CLI_GO;
    if (!vv_temporary_folder(folder))
        return VV_EXIT_FAILED;
    snprintf(path, sizeof path, "%s/ledger.csv", folder);
    vvStatus status = vvRunExport(run->run, &def, path, &error);
    FILE *file = status == VV_OK ? fopen(path, "rb") : NULL;
    while (file && (count = fread(bytes, 1, sizeof bytes, file)) > 0)
        vv_report_put(&run->csv, bytes, count);
    if (file)
        fclose(file);
    vv_temporary_remove(folder);
    if (status != VV_OK)
        return vv_cli_error(&error);
    round_bodies(&run->csv);
    if (file && !run->csv.failed)
        return VV_CLI_GO;
    vv_cli_wrong("report: the ledger of %s could not be read back from %s", run->path, folder);
    return VV_EXIT_FAILED;
}

static int read_ledger(vv_report_run *run)
{
    vvError error = { 0 };
    run->rowCount = vvRunRowCount(run->run);
    run->rows = malloc(((size_t)run->rowCount + 1) * sizeof *run->rows);
    if (!run->rows) {
        vv_cli_wrong("no memory for the ledger of %s (%d rows)", run->path, run->rowCount);
        return VV_EXIT_FAILED;
    }
    if (run->rowCount > 0 && vvRunReadRows(run->run, 0, run->rowCount, run->rows, &error) != VV_OK)
        return vv_cli_error(&error);
    return read_csv(run);
}

static int read_run(vv_report_run *run, const vv_report_def *def)
{
    int code = read_ledger(run);
    if (code != VV_CLI_GO || vvRunFrameCount(run->run) < 1)
        return code;
    if (!vv_stage_open(&run->stage, run->run))
        return VV_EXIT_FAILED;
    run->drawn = true;
    if (!vv_report_shape_make(&run->shape, &run->stage, 1))
        return VV_EXIT_FAILED;
    run->vertexCount = run->shape.vertexCount;
    vv_progress progress;
    vv_progress_start(&progress, "report", 2 * vvRunFrameCount(run->run), def->quiet);
    code = vv_report_motion_read(&run->motion, &run->stage, &run->shape, def->error > 0 ? def->error : usual_error,
                                 run->path, def->fields ? def->fields : usual_fields, &progress);
    vv_progress_finish(&progress);
    if (run->motion.why[0])
        vv_cli_warn("%s: %s", run->path, run->motion.why);
    return code;
}

static int open_runs(vv_report *report, const vv_report_def *def)
{
    const vvRun *runs[VV_REPORT_RUNS];
    char stems[VV_REPORT_RUNS][160], names[VV_REPORT_RUNS][VV_LABEL];
    int code = VV_CLI_GO;
    for (int i = 0; i < def->count && code == VV_CLI_GO; i++) {
        vv_report_run *run = &report->runs[i];
        *run = (vv_report_run){ .path = def->paths[i], .stride = 1 };
        vv_cli_stem(run->path, run->stem, sizeof run->stem);
        memcpy(stems[i], run->stem, sizeof stems[i]);
        code = vv_cli_open_run(run->path, &run->run);
        runs[i] = run->run;
        report->count += code == VV_CLI_GO;
    }
    if (code != VV_CLI_GO)
        return code;
    vv_plot_names(runs, stems, def->count, def->labels, def->labelCount, names);
    for (int i = 0; i < def->count && code == VV_CLI_GO; i++) {
        memcpy(report->runs[i].label, names[i], sizeof names[i]);
        code = read_run(&report->runs[i], def);
    }
    return code;
}

static void close_runs(vv_report *report)
{
    for (int i = 0; i < report->count; i++) {
        vv_report_run *run = &report->runs[i];
        vv_report_motion_free(&run->motion);
        vv_report_shape_free(&run->shape);
        if (run->drawn)
            vv_stage_close(&run->stage);
        vv_report_free(&run->csv);
        free(run->rows);
        vvRunFree(run->run);
    }
}

/* ---- writing ---- */

int vv_report_check_output(const char *option, const char *path)
{
    if (!can_deflate)
        return vv_cli_wrong(
            "this build makes no reports: it was built without zlib. Install zlib1g-dev, then build again");
    const char *ending = vv_cli_ending(path);
    if (strcasecmp(ending, ".html") != 0 && strcasecmp(ending, ".htm") != 0)
        return vv_cli_wrong("%s %s: a report ends in .html", option, path);
    if (vv_cli_is_run_file(path))
        return vv_cli_wrong("%s %s is a run file; choose another name", option, path);
    return VV_CLI_GO;
}

/* The name is there only once the page is whole. */
static int write_page(const vv_report_buffer *page, const char *path)
{
    char part[4200];
    snprintf(part, sizeof part, "%.4000s.part", path);
    if (!vv_cli_make_folders(path))
        return VV_EXIT_FAILED;
    FILE *file = fopen(part, "wb");
    bool good = file && fwrite(page->bytes, 1, page->size, file) == page->size;
    int why = errno;
    if (file && fclose(file) != 0 && good)
        good = false, why = errno;
    if (good && rename(part, path) != 0)
        good = false, why = errno;
    if (good)
        return VV_EXIT_OK;
    unlink(part);
    vv_cli_wrong("cannot write the report %s: %s", path, strerror(why));
    return VV_EXIT_FAILED;
}

static int make_page(vv_report *report, const vv_report_def *def)
{
    vv_report_buffer page = { 0 };
    char text[VV_TEXT];
    int code = VV_CLI_GO;
    if (def->size > 0)
        code = vv_report_fit(report, def->size, &page);
    else
        vv_report_page(&page, report);
    if (code == VV_CLI_GO && page.failed) {
        vv_cli_wrong("report: no memory for the page");
        code = VV_EXIT_FAILED;
    }
    if (code == VV_CLI_GO)
        code = write_page(&page, def->output);
    if (code == VV_EXIT_OK && !def->quiet)
        printf("%s: %s\n", def->output, vv_text_bytes(text, (double)page.size));
    vv_report_free(&page);
    return code;
}

int vv_report_write(const vv_report_def *def)
{
    vv_report *report = calloc(1, sizeof *report);
    if (!report) {
        vv_cli_wrong("out of memory");
        return VV_EXIT_FAILED;
    }
    vv_cli_catch_interrupt();
    int code = open_runs(report, def);
    if (code == VV_CLI_GO)
        code = make_page(report, def);
    code = vv_cli_interrupted() ? VV_EXIT_INTERRUPTED : code;
    close_runs(report);
    free(report);
    return code;
}

/* ---- the command line ---- */

/* "5MB", "800kB", "2e6": bytes. */
static int read_size(const char *text, double *size)
{
    static const struct {
        const char *unit;
        double bytes;
    } units[] = { { "", 1 }, { "B", 1 }, { "kB", 1e3 }, { "MB", 1e6 }, { "GB", 1e9 } };
    char *end = NULL;
    const double number = text ? strtod(text, &end) : 0;
    if (!text)
        return VV_CLI_GO;
    while (*end == ' ')
        end++;
    for (size_t i = 0; i < sizeof units / sizeof *units && end != text; i++)
        if (strcasecmp(end, units[i].unit) == 0 && number > 0 && number * units[i].bytes <= 1e12) {
            *size = number * units[i].bytes;
            return VV_CLI_GO;
        }
    return vv_cli_wrong("--size needs a size above 0, such as 5MB or 800kB, not \"%s\"", text);
}

static int read_labels(const vv_option_list *labels, int runs)
{
    if (labels->count > runs)
        return vv_cli_wrong("--label: there are %d labels and %d run%s", labels->count, runs, runs == 1 ? "" : "s");
    return VV_CLI_GO;
}

int vv_cli_report(int argc, char **argv)
{
    vv_report_def def = { 0 };
    vv_option_list labels = { 0 };
    const char *paths[VV_REPORT_RUNS], *output = NULL, *size = NULL;
    char name[300];
    const vv_option options[] = {
        { "--output", 'o', VV_OPTION_TEXT, &output, "FILE", "the page; default: the first run's name, .html", 0, 0 },
        { "--label", 0, VV_OPTION_LIST, &labels, "TEXT", "names a run, in their order; may be repeated", 0, 0 },
        { "--fields", 0, VV_OPTION_TEXT, &def.fields, "NAMES",
          "what colours bodies, with commas between: speed, strain, curvature, bending, and fields of `visviva list "
          "fields`; default: speed,strain",
          0, 0 },
        { "--error", 0, VV_OPTION_NUMBER, &def.error, "PART",
          "allowed error of positions, as a fraction of the diagonal of everything that moves; default: 1e-4", 1e-8,
          0.01 },
        { "--size", 0, VV_OPTION_TEXT, &size, "SIZE",
          "largest size, such as 5MB: with fewer frames, then fewer vertices", 0, 0 },
        { "--quiet", 'q', VV_OPTION_FLAG, &def.quiet, NULL, "no progress, no output", 0, 0 },
        { .name = NULL },
    };
    const vv_command_line line = {
        .usage = "RUN [RUN...] [options]",
        .summary =
            "Writes one or several runs as one HTML page that any browser opens from disk, without a network: the "
            "motion in 3D,\n"
            "to turn, to play and to colour, the ledger's curves in step with it, settings, warnings and the scene "
            "as text.\n"
            "docs/report.md says what is in it, and how large it gets.",
        .examples = "  visviva report out/drop.vtkhdf -o drop.html\n"
                    "  visviva report out/none.vtkhdf out/search.vtkhdf -o both.html --label plain --label search\n"
                    "  visviva report out/drop.vtkhdf -o small.html --size 1MB\n"
                    "  visviva report out/bracket.vtkhdf -o bracket.html --fields von-mises,speed",
        .options = options,
        .least = 1,
        .most = VV_REPORT_RUNS,
    };
    int code = vv_cli_parse(&line, argc, argv, paths, &def.count);
    if (code != VV_CLI_GO)
        return code;
    vv_cli_stem(paths[0], name, sizeof name - 8);
    strcat(name, ".html");
    def.paths = paths;
    def.labels = labels.values, def.labelCount = labels.count;
    def.output = output ? output : name;
    code = read_labels(&labels, def.count);
    if (code == VV_CLI_GO)
        code = read_size(size, &def.size);
    if (code == VV_CLI_GO)
        code = vv_report_check_output("-o", def.output);
    return code == VV_CLI_GO ? vv_report_write(&def) : code;
}
