/* visviva settle: the static equilibrium of a scene, its energy, and the shape as a run file; or one after the other
 * while loads go on by their keys (over.c). */
#include "settle/settle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct settle_options {
    vv_option_list sets;
    const char *output;
    double over; /* s; 0: one equilibrium */
    int count;
} settle_options;

static double farthest(const vvWorld *world, const double *before)
{
    const double *x = vvWorldPositions(world);
    double most = 0;
    for (int i = 0; i < vvWorldNodeCount(world); i++) {
        double d[3] = { x[3 * i] - before[3 * i], x[3 * i + 1] - before[3 * i + 1], x[3 * i + 2] - before[3 * i + 2] };
        most = fmax(most, sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]));
    }
    return most;
}

/* A run of two frames: the start and the equilibrium, in which the world is. */
static vvStatus write_run(const char *path, vvWorld *world, const vvScene *scene, const vvSnapshot *start,
                          vvError *error)
{
    vvRunWriter *writer = NULL;
    vvSnapshot *rest = NULL;
    vvStatus status = vvWorldSnapshot(world, &rest, error);
    if (status == VV_OK)
        status = vvWorldRestore(world, start, error);
    if (status == VV_OK) /* where it settled, gaps of the start may have changed */
        status = vvWorldBake(world, error);
    if (status == VV_OK)
        status = vvRunCreate(path, world, vvSceneName(scene), vvSceneText(scene), &writer, error);
    if (status == VV_OK)
        status = vvRunAddFrame(writer, world, error);
    if (status == VV_OK)
        status = vvWorldRestore(world, rest, error);
    if (status == VV_OK)
        status = vvRunAddFrame(writer, world, error);
    if (writer) {
        vvStatus closed = vvRunClose(writer, status == VV_OK ? "done" : "failed", status == VV_OK ? error : NULL);
        status = status == VV_OK ? closed : status;
    }
    vvSnapshotDestroy(rest);
    return status;
}

static void print_warning(void *user, vvLogLevel level, const char *message)
{
    (void)user;
    if (level == VV_LOG_WARNING)
        vv_cli_warn("%s", message);
}

/* Ready for a first solve; else the exit code, after a message. */
static int bake(const char *path, const vvScene *scene, vvWorld *world, const char *output, vvError *error)
{
    if (output && vv_cli_check_run_output(output) != VV_CLI_GO)
        return VV_EXIT_WRONG;
    vvWorldSetCancel(world, vv_cli_cancel, NULL);
    vv_cli_phase("settle: preparing %d nodes", vvWorldNodeCount(world));
    if (vvWorldBake(world, error) == VV_OK)
        return VV_CLI_GO;
    char name[256], run[4200], mesh[4300];
    vv_cli_stem(path, name, sizeof name);
    snprintf(run, sizeof run, output ? "%.4000s" : "out/%.4000s", output ? output : name);
    vv_hits_path(run, mesh, sizeof mesh);
    return vv_cli_start_error(path, scene, world, mesh, error);
}

static int settle(const vvScene *scene, vvWorld *world, const char *output, vvError *error)
{
    double energy = 0, begin = vv_cli_seconds();
    size_t bytes = 3 * (size_t)vvWorldNodeCount(world) * sizeof(double);
    vvSnapshot *snapshot = NULL;
    double *start = malloc(bytes);
    if (!start)
        return vv_cli_wrong("out of memory");
    memcpy(start, vvWorldPositions(world), bytes);
    if (vvWorldSnapshot(world, &snapshot, error) != VV_OK) {
        free(start);
        return vv_cli_error(error);
    }
    int code = VV_EXIT_OK;
    vv_cli_phase("settle: looking for the equilibrium");
    vvStatus settled = vvWorldSettle(world, true, &energy, error);
    vv_cli_phase(NULL);
    if (settled != VV_OK) {
        code = vv_cli_error(error);
    } else {
        char text[VV_TEXT], moved[VV_TEXT], took[VV_TEXT];
        printf("equilibrium of %s: energy %.9g J (%s), farthest node moved %s, in %s\n", vvSceneName(scene), energy,
               vv_text_quantity(text, energy, "J"), vv_text_quantity(moved, farthest(world, start), "m"),
               vv_text_duration(took, vv_cli_seconds() - begin));
        printf("to use it as ground level: --set integrator.ground_energy=%.9g\n", energy);
        if (output && (!vv_cli_make_folders(output) || write_run(output, world, scene, snapshot, error) != VV_OK))
            code = error->status == VV_OK || vv_cli_error(error) ? VV_EXIT_FAILED : VV_EXIT_OK;
        else if (output)
            printf("start and equilibrium: %s\n", output);
    }
    vvSnapshotDestroy(snapshot);
    free(start);
    return code;
}

/* The scene with more overrides: an arbitrary ground level, so that it is not solved for twice, and for --over a scheme
 * of load steps. The time step stays: joints are as stiff as it says. */
static vvStatus load_quick(const char *path, const settle_options *o, vvScene **scene, vvError *error)
{
    static const char *const more[] = { "integrator.ground_energy=0", "integrator.scheme=backward-euler",
                                        "integrator.policy=none" };
    vv_option_list quick = o->sets;
    for (int i = 0; i < (o->over > 0 ? 3 : 1) && quick.count < VV_OPTION_LIST_MAX; i++)
        quick.values[quick.count++] = more[i];
    return vvSceneLoad(path, quick.values, quick.count, scene, error);
}

/* One equilibrium, or several. */
static int find(const char *path, const vvScene *scene, const vvScene *quick, vvWorld *world, const settle_options *o)
{
    vvError error = { 0 };
    int code = bake(path, scene, world, o->output, &error);
    if (code != VV_CLI_GO)
        return code;
    if (o->over <= 0)
        return settle(scene, world, o->output, &error);
    vv_settle_over over = { quick, world, o->over / o->count, o->count, o->output };
    return vv_settle_over_keys(&over);
}

int vv_cli_settle(int argc, char **argv)
{
    settle_options o = { .count = 10 };
    const char *path = NULL;
    char found[VV_SCENE_ROOM];
    int threads = 0, count = 0;
    const vv_option options[] = {
        { "--set", 0, VV_OPTION_LIST, &o.sets, "PATH=VALUE", "overrides a value of the scene; may be repeated", 0, 0 },
        { "--over", 0, VV_OPTION_NUMBER, &o.over, "SECONDS",
          "follows the keys of loads, supports and obstacles for this time, with several equilibria", 0, 1e9 },
        { "--count", 0, VV_OPTION_INTEGER, &o.count, "N", "with --over: equilibria after the first; default: 10", 1,
          1000000 },
        { "--output", 'o', VV_OPTION_TEXT, &o.output, "FILE",
          "writes start and equilibrium, or each equilibrium, as a run file", 0, 0 },
        { "--threads", 0, VV_OPTION_INTEGER, &threads, "N", "0: as many as there are cores", 0, 1024 },
        { NULL, 0, VV_OPTION_FLAG, NULL, NULL, NULL, 0, 0 }
    };
    const vv_command_line line = {
        "SCENE [options]",
        "Finds the static equilibrium under gravity, loads, attachments and obstacles, by steps without\nvelocity and "
        "of growing length. Its energy is the ground level that a decay aims at.\nFriction is ignored.",
        "  visviva settle twisted-bar -o out/settled.vtkhdf\n"
        "  visviva settle arm.json --over 5 --count 5 -o curve.vtkhdf      (a load-displacement curve)",
        options,
        1,
        1
    };
    int code = vv_cli_parse(&line, argc, argv, &path, &count);
    if (code == VV_CLI_GO)
        code = vv_cli_want_scene(&path, found);
    if (code != VV_CLI_GO)
        return code;
    vvError error = { 0 };
    vvScene *scene = NULL, *quick = NULL;
    vvWorld *world = NULL;
    const vvHost host = { .log = { print_warning, NULL } };
    vv_cli_catch_interrupt();
    vv_cli_phase("settle: reading %s", path);
    vvStatus status = vvSceneLoad(path, o.sets.values, o.sets.count, &scene, &error);
    if (status == VV_OK)
        status = load_quick(path, &o, &quick, &error);
    if (status == VV_OK)
        status = vvSceneCreateHostedWorld(quick, threads, &host, &world, &error);
    code = status == VV_OK ? find(path, scene, quick, world, &o) : vv_cli_error(&error);
    vvWorldDestroy(world);
    vvSceneDestroy(quick);
    vvSceneDestroy(scene);
    return code;
}
