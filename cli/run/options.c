/* The command line of visviva run. */
#include "run/run.h"

#include <math.h>

int vv_run_read_options(vv_run_options *o, int argc, char **argv)
{
    const vv_option options[] = {
        { "--output", 'o', VV_OPTION_TEXT, &o->output, "FILE", "the run file; default: out/NAME.vtkhdf", 0, 0 },
        { "--force", 0, VV_OPTION_FLAG, &o->force, NULL, "overwrites an existing run", 0, 0 },
        { "--set", 0, VV_OPTION_LIST, &o->sets, "PATH=VALUE", "overrides a value of the scene; may be repeated", 0, 0 },
        { "--until", 0, VV_OPTION_NUMBER, &o->until, "SECONDS",
          "end of the run, instead of the scene's; 0: the start alone", 0, 1e7 },
        { "--substeps", 0, VV_OPTION_INTEGER, &o->substeps, "N", "cuts each step into N, as time.substeps does", 1,
          100000 },
        { "--threads", 0, VV_OPTION_INTEGER, &o->threads, "N", "0: as many as there are cores", 0, 1024 },
        { "--summary", 0, VV_OPTION_TEXT, &o->summary, "FILE", "writes the ledger's sums, iterations and times as JSON",
          0, 0 },
        { "--report", 0, VV_OPTION_TEXT, &o->report, "FILE",
          "writes the run as one HTML page, too, as visviva report does", 0, 0 },
        { "--resume", 0, VV_OPTION_FLAG, &o->resume, NULL,
          "continues from the run file's last frame, with the same bits", 0, 0 },
        { "--from", 0, VV_OPTION_INTEGER, &o->from_frame, "FRAME", "with --resume: continues from this frame instead",
          -1, 1000000000 },
        { "--paranoid", 0, VV_OPTION_FLAG, &o->paranoid, NULL,
          "tests exactly, after each step, that no surfaces intersect; ends the run if some do", 0, 0 },
        { "--strict", 0, VV_OPTION_FLAG, &o->strict, NULL, "ends the run at the first warning, with exit code 1", 0,
          0 },
        { "--on-stall", 0, VV_OPTION_TEXT, &o->on_stall, "FOLDER",
          "writes scenes that reproduce the first step whose solve stops short, and a step that fails", 0, 0 },
        { "--quiet", 'q', VV_OPTION_FLAG, &o->quiet, NULL, "no progress, no ledger; only errors", 0, 0 },
        { .name = NULL },
    };
    const vv_command_line line = {
        .usage = "SCENE [options]",
        .summary = "Simulates a scene and writes one run file. SCENE is a scene file, or the name of a scene that "
                   "comes with visviva\n"
                   "(visviva list scenes); with --resume it may be a run file, which holds its scene. Prints where "
                   "every joule went.\n"
                   "Ctrl-C stops after writing a frame; --resume continues from there.\n"
                   "With --set it continues with other settings, from any frame (--from). With -o it writes a new "
                   "file, and the old\n"
                   "run stays as it is.\n"
                   "Schemes and policies have parameters (--set integrator.beta=[0,0.1]); visviva list schemes, or "
                   "policies, shows them.\n"
                   "Exit codes: 0 done, 1 a step failed (with --strict: or a warning), 2 wrong input, 130 interrupted.",
        .examples =
            "  visviva run rotating-cube --set integrator.policy=search --until 2\n"
            "  visviva run critter-drop -o out/drop.vtkhdf --summary out/drop.json\n"
            "  visviva run critter-drop --force --report out/drop.html\n"
            "  visviva run out/drop.vtkhdf --resume --until 5\n"
            "  visviva run critter-drop --paranoid --until 0.5\n"
            "  visviva run out/drop.vtkhdf --resume --from 60 --set integrator.policy=none -o out/branch.vtkhdf",
        .options = options,
        .least = 1,
        .most = 1,
    };
    int count;
    *o = (vv_run_options){ .until = NAN, .from_frame = -1 };
    int code = vv_cli_parse(&line, argc, argv, &o->scene, &count);
    if (code == VV_CLI_GO)
        code = vv_cli_want_scene(&o->scene, o->found);
    if (code == VV_CLI_GO && o->from_frame >= 0 && !o->resume)
        return vv_cli_wrong("--from needs --resume");
    return code;
}
