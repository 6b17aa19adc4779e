/* The visviva program: a table of subcommands, each in a file of this folder. */
#include "cli.h"

#include <signal.h>
#include <string.h>

typedef struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
} command;

static const command commands[] = {
    { "run", vv_cli_run, "simulate a scene, write a run file, show where every joule went" },
    { "check", vv_cli_check,
      "validate a scene (keys, meshes, penetration, energies at the start) or test a run's frames" },
    { "info", vv_cli_info, "show the contents of a scene, a mesh or a run file" },
    { "list", vv_cli_list, "list every scheme, policy, solver, material, obstacle, generator, format, scene key" },
    { "export", vv_cli_export, "convert a run to files for other programs" },
    { "plot", vv_cli_plot, "draw the energies, ledger, alpha, momenta and iterations of runs" },
    { "spectrum", vv_cli_spectrum,
      "show which vibration modes hold a body's energy, over time, in a table and a picture" },
    { "view", vv_cli_view, "run a scene live in a window: turn, drag, switch methods, watch the ledger" },
    { "render", vv_cli_render, "draw a run's frames (PNG, MP4)" },
    { "sheet", vv_cli_sheet, "draw one picture of one or several runs: frames above, energies below" },
    { "report", vv_cli_report,
      "write runs as one HTML page to send: the motion in 3D, the ledger's curves, the scene" },
    { "truth", vv_cli_truth,
      "measure a scene's motion at small steps, from several starts: the reference for integrators" },
    { "compare", vv_cli_compare, "run a scene under several settings and compare figures, curves and frames" },
    { "reproduce", vv_cli_reproduce,
      "run the experiments of the papers: published values beside measured ones, and verdicts" },
    { "settle", vv_cli_settle, "find the static equilibrium of a scene" },
    { "mesh", vv_cli_mesh, "fill a closed surface (OBJ, STL, PLY) with tets" },
    { "new", vv_cli_new, "make a ready-to-run scene from your own model" },
    { "bench", vv_cli_bench, "measure the speed of this build on this machine" },
    { NULL, NULL, NULL }
};

static void usage(FILE *out)
{
    fprintf(out, "visviva %s: elastic bodies in motion, with every joule accounted for\n\n", vvVersion());
    fprintf(out, "%susage:%s visviva COMMAND ... (visviva COMMAND --help says more)\n\n",
            vv_style(out, VV_STYLE_HEADING), vv_style(out, VV_STYLE_PLAIN));
    for (const command *c = commands; c->name; c++)
        fprintf(out, "  %-9s %s\n", c->name, c->summary);
    fprintf(out, "\n  visviva run critter-drop --set integrator.policy=none\n");
}

static int unknown_command(const char *word)
{
    enum { MOST = 32 };
    const char *words[MOST];
    char names[512], hint[VV_HINT];
    size_t used = 0;
    int count = 0;
    for (const command *c = commands; c->name && count < MOST && used < sizeof names; c++) {
        words[count++] = c->name;
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", c == commands ? "" : ", ", c->name);
    }
    return vv_cli_wrong("\"%s\" is not a command%s (the commands are: %s)", word, vv_cli_hint(hint, word, words, count),
                        names);
}

static int run_command(const command *c, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "-q") == 0 || strcmp(argv[i], "--quiet") == 0)
            vv_cli_mute_phases();
    vv_cli_phase("%s: at work", c->name);
    vv_cli_expect_interrupt();
    int code = c->run(argc, argv);
    vv_cli_phase(NULL);
    if (!vv_cli_interrupted())
        return code;
    if (!strstr(vv_cli_last_error(), "interrupted"))
        vv_cli_wrong("interrupted");
    return VV_EXIT_INTERRUPTED;
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        usage(stdout);
        return VV_EXIT_OK;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
        usage(stdout);
        return VV_EXIT_OK;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("visviva %s\n%s\n", vvVersion(), vvBuildDescription());
        return VV_EXIT_OK;
    }
    for (const command *c = commands; c->name; c++)
        if (strcmp(argv[1], c->name) == 0)
            return run_command(c, argc - 1, argv + 1);
    return unknown_command(argv[1]);
}

int main(int argc, char **argv)
{
    signal(SIGXFSZ, SIG_IGN); /* a file that has reached its limit: the write fails, and its message says why */
    return vv_cli_leave(dispatch(argc, argv));
}
