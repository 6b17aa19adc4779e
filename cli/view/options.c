/* The options of visviva view. */
#include "view/options.h"

#include <sys/stat.h>
#include <unistd.h>

#include "view/keys.h"

enum { WIDTH = 1000, HEIGHT = 700, LEAST_WIDTH = 200, LEAST_HEIGHT = 150, MOST = 4096 };

static int read_size(vv_view_options *o)
{
    char rest;
    o->width = WIDTH, o->height = HEIGHT;
    if (!o->size || (sscanf(o->size, "%dx%d%c", &o->width, &o->height, &rest) == 2 && o->width >= LEAST_WIDTH &&
                     o->width <= MOST && o->height >= LEAST_HEIGHT && o->height <= MOST))
        return VV_CLI_GO;
    return vv_cli_wrong("--size is \"%s\"; allowed: WIDTHxHEIGHT, from %dx%d to %dx%d pixels", o->size, LEAST_WIDTH,
                        LEAST_HEIGHT, MOST, MOST);
}

static int check_summary(const vv_view_options *o)
{
    struct stat what;
    if (o->summary && stat(o->summary, &what) == 0 && S_ISDIR(what.st_mode))
        return vv_cli_wrong("--summary %s is a folder; name a file in it", o->summary);
    if (o->summary && vv_cli_same_file(o->summary, o->scene))
        return vv_cli_wrong("--summary %s would overwrite the scene; choose another name", o->summary);
    return VV_CLI_GO;
}

int vv_view_read_options(vv_view_options *o, int argc, char **argv)
{
    char keys[2000], summary[2600];
    vv_key_list(keys, sizeof keys);
    snprintf(summary, sizeof summary,
             "Runs a scene live in a window, past the scene's end, until the window is closed; or plays a run, and "
             "continues live\n"
             "from any of its frames. SCENE is a scene file, or the name of one that comes with visviva; RUN a run "
             "file. Pictures and "
             "recordings are written to the current folder.\n\nMouse "
             "and keys:\n%s",
             keys);
    const vv_option options[] = {
        { "--set", 0, VV_OPTION_LIST, &o->sets, "PATH=VALUE",
          "overrides a value of the scene (of a run: of its continuation); may be repeated", 0, 0 },
        { "--size", 's', VV_OPTION_TEXT, &o->size, "WxH", "pixels; default: 1000x700", 0, 0 },
        { "--color", 0, VV_OPTION_TEXT, &o->colour, "FIELD",
          "colours by a field of the current state: visviva list fields", 0, 0 },
        { "--color-max", 0, VV_OPTION_NUMBER, &o->colourMax, "VALUE",
          "with --color: value of the darkest colour; default 0: the largest so far", 0, 1e300 },
        { "--paused", 0, VV_OPTION_FLAG, &o->paused, NULL, "waits for the space bar", 0, 0 },
        { "--threads", 0, VV_OPTION_INTEGER, &o->threads, "N", "of the world; 0: all cores but one, which draws", 0,
          1024 },
        { "--seconds", 0, VV_OPTION_NUMBER, &o->seconds, "S", "closes the window after this many seconds", 0, 1e9 },
        { "--stats", 0, VV_OPTION_FLAG, &o->stats, NULL,
          "at the end: pictures a second, milliseconds and iterations a step", 0, 0 },
        { "--summary", 0, VV_OPTION_TEXT, &o->summary, "FILE",
          "at the end: the same, and the work of dragging, as JSON", 0, 0 },
        { .name = NULL },
    };
    const vv_command_line line = {
        .usage = "SCENE|RUN [options]",
        .summary = summary,
        .examples = "  visviva view critter-drop\n"
                    "  visviva view jelly --set integrator.policy=blend --paused\n"
                    "  visviva view jelly --size 800x600 --seconds 10 --stats\n"
                    "  visviva view jelly --color von-mises\n"
                    "  visviva view out/critter-drop.vtkhdf\n"
                    "  visviva view out/critter-drop.vtkhdf --set integrator.policy=none",
        .options = options,
        .least = 1,
        .most = 1,
    };
    int count;
    int code = vv_cli_parse(&line, argc, argv, &o->scene, &count);
    if (code == VV_CLI_GO)
        code = read_size(o);
    if (code == VV_CLI_GO && o->colour && !vv_cli_field(o->colour))
        code = VV_EXIT_WRONG;
    if (code == VV_CLI_GO && o->colourMax > 0 && !o->colour)
        code = vv_cli_wrong("--color-max needs --color FIELD");
    if (code == VV_CLI_GO && !vv_cli_is_run_file(o->scene))
        code = vv_cli_want_scene(&o->scene, o->found);
    return code == VV_CLI_GO ? check_summary(o) : code;
}
