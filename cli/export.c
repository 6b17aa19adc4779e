/* visviva export: converts a run to files for other programs. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct export_options {
    const char *format, *frames, *out, *body, *fields;
    bool velocities, quiet;
} export_options;

/* One number of A:B:N; an empty part keeps the default. */
static bool read_part(const char **text, int *value)
{
    if (**text && **text != ':') {
        char *end;
        long n = strtol(*text, &end, 10);
        if (end == *text || n < -1 || n > 2147483647 || (*end && *end != ':'))
            return false;
        *value = (int)n;
        *text = end;
    }
    if (**text == ':')
        (*text)++;
    return true;
}

/* "A:B", "A:B:N", "A" (that frame alone); A and B may be empty. */
static int read_frames(const char *text, vvExportDef *def)
{
    const char *t = text;
    bool range = strchr(t, ':') != NULL;
    bool read = *t && read_part(&t, &def->firstFrame) && read_part(&t, &def->lastFrame) && read_part(&t, &def->every);
    if (!read || *t || def->firstFrame < 0 || def->every < 1)
        return vv_cli_wrong("--frames needs A:B or A:B:N (first, last, every N-th; counted from 0), not \"%s\"", text);
    if (!range)
        def->lastFrame = def->firstFrame;
    return VV_CLI_GO;
}

static const char *ending_of(const char *format) { return strcmp(format, "vtu") == 0 ? "pvd" : format; }

/* A format that is none is reported with the list of those that are, later. */
static int check_ending(const char *out, const char *format)
{
    char what[80], allowed[64];
    snprintf(what, sizeof what, "an export in the format %.32s", format);
    snprintf(allowed, sizeof allowed, strcmp(format, "vtu") == 0 ? ".%.30s .%.30s" : ".%.30s", ending_of(format),
             format);
    for (int i = 0; vvExportFormatInfo(i); i++)
        if (strcmp(vvExportFormatInfo(i)->name, format) == 0)
            return vv_cli_check_ending(out, what, allowed);
    return VV_CLI_GO;
}

/* The run's name with the format's ending, in the working folder. */
static void default_name(const char *run, const char *format, char *out, size_t size)
{
    vv_cli_stem(run, out, size - 64);
    size_t used = strlen(out);
    snprintf(out + used, size - used, ".%.32s", ending_of(format));
}

/* Without --format the output's ending decides; vtu if there is neither. */
static int choose_format(export_options *options)
{
    const char *slash = options->out ? strrchr(options->out, '/') : NULL, *name = slash ? slash + 1 : options->out;
    const char *dot = name ? strrchr(name, '.') : NULL;
    const vvInfo *info;
    if (options->format)
        return options->out ? check_ending(options->out, options->format) : VV_CLI_GO;
    options->format = "vtu";
    if (!dot || dot == name)
        return VV_CLI_GO;
    for (int i = 0; (info = vvExportFormatInfo(i)); i++)
        if (strcasecmp(dot + 1, ending_of(info->name)) == 0 || strcasecmp(dot + 1, info->name) == 0) {
            options->format = info->name;
            return VV_CLI_GO;
        }
    return vv_cli_wrong("no format has the ending %s; choose one with --format (`visviva list export-formats`)", dot);
}

static void show(void *user, int done, int total)
{
    char detail[64];
    snprintf(detail, sizeof detail, "%d of %d frames", done, total);
    vv_progress_update(user, done, detail);
}

static bool stop(void *user)
{
    (void)user;
    return vv_cli_interrupted();
}

static void say_script(const char *out)
{
    size_t length = strlen(out);
    if (length > 4 && strcasecmp(out + length - 4, ".pc2") == 0)
        length -= 4;
    printf("in Blender: blender --python %.*s.blender.py\n", (int)length, out);
}

static int export_run(const char *path, const vvExportDef *wanted, const export_options *options)
{
    vvError error;
    vvRun *run;
    if (vv_cli_open_run(path, &run) != VV_CLI_GO)
        return VV_EXIT_WRONG;
    vvExportDef def = *wanted;
    vvWorld *world = NULL;
    int code = options->fields ? vv_cli_world_of_run(path, run, &world) : VV_CLI_GO;
    if (code != VV_CLI_GO) {
        vvRunFree(run);
        return code;
    }
    def.fields = options->fields, def.world = world;
    int last = def.lastFrame < 0 ? vvRunFrameCount(run) - 1 : def.lastFrame;
    char out[4096];
    if (options->out)
        snprintf(out, sizeof out, "%s", options->out);
    else
        default_name(path, def.format, out, sizeof out);
    if (vv_cli_is_run_file(out)) { /* the export would destroy a run, perhaps the very one that it reads */
        vvRunFree(run);
        vvWorldDestroy(world);
        return vv_cli_wrong("%s is a run file; choose another name with -o", out);
    }
    if (!vv_cli_make_folders(out)) {
        vvRunFree(run);
        vvWorldDestroy(world);
        return VV_EXIT_WRONG;
    }
    vv_progress progress;
    vv_progress_start(&progress, "export", last >= def.firstFrame ? (last - def.firstFrame) / def.every + 1 : 1,
                      options->quiet);
    vv_cli_catch_interrupt();
    def.progress = show;
    def.cancel = stop;
    def.user = &progress;
    vvStatus status = vvRunExport(run, &def, out, &error);
    vv_progress_finish(&progress);
    if (status == VV_OK && !options->quiet)
        printf("%s: %d frames of %s\n", out, (last - def.firstFrame) / def.every + 1, path);
    if (status == VV_OK && !options->quiet && strcmp(def.format, "pc2") == 0)
        say_script(out);
    vvRunFree(run);
    vvWorldDestroy(world);
    if (status == VV_ERROR_IO) { /* begun, and the disk is full or the folder is not ours */
        vv_cli_error(&error);
        return VV_EXIT_FAILED;
    }
    return status == VV_OK ? VV_EXIT_OK : vv_cli_error(&error);
}

int vv_cli_export(int argc, char **argv)
{
    export_options options = { .format = NULL };
    char formats[512] = "default: by the output's ending, else vtu; one of:", *end = formats + strlen(formats);
    const vvInfo *info;
    for (int i = 0; (info = vvExportFormatInfo(i)) && end < formats + sizeof formats - 1; i++)
        end += snprintf(end, (size_t)(formats + sizeof formats - end), " %s", info->name);
    const vv_option table[] = {
        { "--format", 'f', VV_OPTION_TEXT, &options.format, "NAME", formats, 0, 0 },
        { "--frames", 0, VV_OPTION_TEXT, &options.frames, "A:B[:N]", "frames A to B, every N-th; all by default", 0,
          0 },
        { "--body", 0, VV_OPTION_TEXT, &options.body, "NAME", "only this body (not for vtu, csv)", 0, 0 },
        { "--fields", 0, VV_OPTION_TEXT, &options.fields, "NAMES",
          "of vtu and csv: fields with commas between, such as von-mises,reaction (`visviva list fields`); after a "
          "field of "
          "tets @nodes: averaged at nodes",
          0, 0 },
        { "--velocities", 0, VV_OPTION_FLAG, &options.velocities, NULL,
          "with velocities (usda, ply; vtu always has them)", 0, 0 },
        { "--output", 'o', VV_OPTION_TEXT, &options.out, "PATH",
          "the file, or the base name of a sequence; the run's name by default", 0, 0 },
        { "--quiet", 'q', VV_OPTION_FLAG, &options.quiet, NULL, "no progress, no output", 0, 0 },
        { NULL, 0, VV_OPTION_FLAG, NULL, NULL, NULL, 0, 0 },
    };
    const vv_command_line line = {
        .usage = "RUN [options]",
        .summary =
            "Converts a run (name.vtkhdf) to files for other programs. docs/exports.md has the steps for each "
            "program.\n"
            "glb: one glTF file for web pages; usda: one USD file for Houdini and Omniverse; pc2: a point cache\n"
            "and a mesh for each body, with a script that shows them in Blender; vtu: name.pvd and a folder of\n"
            "frames for ParaView; obj, ply: name_000000.obj and so on; csv: the ledger as a table.",
        .examples = "  visviva export drop.vtkhdf -o drop.glb\n"
                    "  visviva export drop.vtkhdf -o drop.pc2 && blender --python drop.blender.py\n"
                    "  visviva export drop.vtkhdf -o drop.usda --velocities\n"
                    "  visviva export drop.vtkhdf -o frames/drop.ply --frames 0:100:10 --body critter\n"
                    "  visviva export drop.vtkhdf --format vtu -o out/drop.pvd\n"
                    "  visviva export drop.vtkhdf -o ledger.csv\n"
                    "  visviva export bracket.vtkhdf -o bracket.pvd --fields stress,von-mises@nodes,reaction",
        .options = table,
        .least = 1,
        .most = 1,
    };
    const char *positional[1];
    int count, code = vv_cli_parse(&line, argc, argv, positional, &count);
    vvExportDef def = vvDefaultExportDef();
    if (code == VV_CLI_GO && options.frames)
        code = read_frames(options.frames, &def);
    if (code == VV_CLI_GO)
        code = choose_format(&options);
    def.format = options.format;
    def.body = options.body;
    def.velocities = options.velocities;
    return code == VV_CLI_GO ? export_run(positional[0], &def, &options) : code;
}
