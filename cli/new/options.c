/* visviva new: the command line. */
#include "new/new.h"

#include <string.h>
#include <unistd.h>

static bool find_unit(const char *name, double *metres)
{
    static const struct {
        const char *name;
        double metres;
    } units[] = { { "m", 1 }, { "cm", 0.01 }, { "mm", 0.001 }, { "in", 0.0254 }, { "ft", 0.3048 } };
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(name, units[i].name) == 0) {
            *metres = units[i].metres;
            return true;
        }
    return false;
}

int vv_new_read_options(vv_new_options *o, int argc, char **argv)
{
    const vv_option options[] = {
        { "--output", 'o', VV_OPTION_TEXT, &o->output, "SCENE.json", "default: MODEL.json in this folder", 0, 0 },
        { "--height", 0, VV_OPTION_NUMBER, &o->height, "H", "scale the model to this height, m", 1e-6, 1e6 },
        { "--unit", 0, VV_OPTION_TEXT, &o->unit, "UNIT", "of the model's numbers: m (default), cm, mm, in or ft", 0,
          0 },
        { "--up", 0, VV_OPTION_TEXT, &o->up, "AXIS", "the model's upward axis: y (default) or z", 0, 0 },
        { "--edge", 0, VV_OPTION_NUMBER, &o->edge, "L", "for a surface: edge of its tets, in the model's units", 1e-30,
          1e30 },
        { "--keep-surface", 0, VV_OPTION_FLAG, &o->keep, NULL, "for a surface: as in visviva mesh", 0, 0 },
        { "--carry-surface", 0, VV_OPTION_FLAG, &o->carry, NULL,
          "exports show the model's own vertices, in the file's order", 0, 0 },
        { "--with", 0, VV_OPTION_TEXT, &o->with, "FILLER", "for a surface: as in visviva mesh", 0, 0 },
        { "--no-cavities", 0, VV_OPTION_FLAG, &o->no_cavities, NULL, "for a surface: as in visviva mesh", 0, 0 },
        { "--close-holes", 0, VV_OPTION_NUMBER, &o->holes, "WIDTH",
          "close holes up to this width, in the model's units; default: a tenth of the diagonal; 0: none", 0, 1e30 },
        { "--bad", 0, VV_OPTION_TEXT, &o->bad, "FILE.obj", "write what is wrong with a surface: its faulty triangles",
          0, 0 },
        { "--box", 0, VV_OPTION_FLAG, &o->box, NULL, "for an open surface: a box of tets around it carries it", 0, 0 },
        { "--affine", 0, VV_OPTION_FLAG, &o->affine, NULL,
          "a nearly rigid body: the surface is not filled, and any is cheap", 0, 0 },
        { "--cloth", 0, VV_OPTION_FLAG, &o->cloth, NULL, "the surface is cloth, and falls onto a ball", 0, 0 },
        { "--one-body", 0, VV_OPTION_FLAG, &o->one, NULL,
          "one body of a model whose parts do not touch, in place of one of each", 0, 0 },
        { "--order", 0, VV_OPTION_INTEGER, &o->order, "N",
          "2: tets of ten nodes, which bend without locking; default: 1", 1, 2 },
        { "--room", 0, VV_OPTION_FLAG, &o->room, NULL, "a closed room around the body, in place of the ground alone", 0,
          0 },
        { "--from-ipc", 0, VV_OPTION_FLAG, &o->ipc, NULL,
          "MODEL is an input file of the IPC reference program: a scene like it", 0, 0 },
        { "--force", 0, VV_OPTION_FLAG, &o->force, NULL,
          "overwrite the scene, and the tets beside it, if they are there", 0, 0 },
        { .name = NULL },
    };
    const vv_command_line line = {
        .usage = "MODEL [-o SCENE.json] [options]",
        .summary =
            "Writes a scene in which a model falls onto the ground. Material, contact distance and time step "
            "are chosen from\n"
            "its size and printed. MODEL is a mesh of tets, or a surface, which is filled first (MODEL.msh beside the "
            "scene):\n"
            "small holes are closed, and a surface that then still bounds no volume is wrapped. With --affine it stays "
            "a surface\n"
            "that moves as a nearly rigid body; --cloth makes cloth of it. Nothing is overwritten without --force.\n"
            "With --from-ipc, MODEL is an input file of the IPC reference program (.txt): the scene is like it, "
            "with its meshes where\n"
            "they lie, and lists what could not be carried over, with its line.",
        .examples = "  visviva new bunny.obj\n"
                    "  visviva new part.stl --up z --unit mm -o scenes/part.json\n"
                    "  visviva new jacket.obj --box --room\n"
                    "  visviva new gear.stl --affine --height 0.05\n"
                    "  visviva new flag.obj --cloth\n"
                    "  visviva new --from-ipc IPC/input/tutorialExamples/2cubesFall.txt\n"
                    "  visviva run bunny.json",
        .options = options,
        .least = 1,
        .most = 1,
    };
    char stem[300];
    int count;
    *o = (vv_new_options){ .up = "y", .unit = "m", .holes = -1, .order = 1 };
    int code = vv_cli_parse(&line, argc, argv, &o->model, &count);
    if (code != VV_CLI_GO)
        return code;
    if (strcmp(o->up, "y") != 0 && strcmp(o->up, "z") != 0)
        return vv_cli_wrong("--up %s: y or z", o->up);
    if (!find_unit(o->unit, &o->metres))
        return vv_cli_wrong("--unit %s: m, cm, mm, in or ft", o->unit);
    if (o->height > 0 && o->metres != 1)
        return vv_cli_wrong("--height and --unit both say how large the model is; leave one out");
    if (!o->output) {
        vv_cli_stem(o->model, stem, sizeof stem);
        snprintf(o->named, sizeof o->named, "%s.json", stem);
        o->output = o->named;
    }
    if (!vv_cli_is_utf8(o->model) || !vv_cli_is_utf8(o->output))
        return vv_cli_wrong("%s: a scene can only name files whose names are UTF-8; rename it",
                            vv_cli_is_utf8(o->model) ? o->output : o->model);
    if (strlen(o->output) > 3500)
        return vv_cli_wrong("the path is too long: %.60s...", o->output);
    if (!o->force && access(o->output, F_OK) == 0)
        return vv_cli_wrong("%s exists; choose another name with -o, or overwrite it with --force", o->output);
    if (vv_cli_same_file(o->output, o->model))
        return vv_cli_wrong("%s is the model itself; choose another name with -o", o->output);
    if (vv_cli_check_ending(o->output, "a scene", ".json") != VV_CLI_GO)
        return VV_EXIT_WRONG;
    if (o->bad && vv_cli_check_ending(o->bad, "the file of faulty triangles", ".obj") != VV_CLI_GO)
        return VV_EXIT_WRONG;
    if (o->box && (o->keep || o->with || o->no_cavities))
        return vv_cli_wrong(
            "--box fills a box, not the surface: --with, --keep-surface and --no-cavities cannot be combined with it");
    if (o->affine && (o->keep || o->with || o->box || o->carry || o->edge > 0))
        return vv_cli_wrong("--affine fills nothing: --edge, --with, --keep-surface, --carry-surface and --box cannot "
                            "be combined with it");
    if (o->cloth &&
        (o->keep || o->with || o->box || o->carry || o->affine || o->no_cavities || o->edge > 0 || o->holes >= 0))
        return vv_cli_wrong("--cloth takes the triangles as they are: --edge, --with, --keep-surface, --carry-surface, "
                            "--no-cavities, --close-holes, --box and --affine cannot be combined with it");
    if (o->order == 2 && (o->affine || o->cloth))
        return vv_cli_wrong("--order 2 is for tets; %s makes none: leave one out", o->affine ? "--affine" : "--cloth");
    if (o->ipc && (o->order == 2 || o->height > 0 || o->metres != 1 || o->edge > 0 || o->keep || o->carry || o->with ||
                   o->no_cavities || o->holes >= 0 || o->bad || o->box || o->affine || o->cloth || o->one || o->room ||
                   o->up[0] != 'y'))
        return vv_cli_wrong("--from-ipc takes -o and --force; the other options are for models");
    return vv_cli_make_folders(o->output) ? VV_CLI_GO : VV_EXIT_FAILED;
}
