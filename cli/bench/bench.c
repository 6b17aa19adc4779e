/* visviva bench: medians of several runs with the machine's own limits beside them, as text, JSON and Markdown. */
#include "bench/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const vv_bench_group *const groups[] = { &vv_bench_elastic, &vv_bench_contact, &vv_bench_realtime,
                                                &vv_bench_optimizer };
enum { GROUPS = sizeof groups / sizeof groups[0] };

double vv_bench_median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, vv_by_number);
    return count == 0 ? NAN : count % 2 ? values[count / 2] : 0.5 * (values[count / 2 - 1] + values[count / 2]);
}

bool vv_bench_find_mesh(const vv_bench_options *options, const char *name, char *out, size_t size)
{
    const char *const folders[] = { options->meshes, getenv("VISVIVA_MESHES"), "meshes" };
    for (int i = 0; i < 3; i++) {
        if (!folders[i])
            continue;
        snprintf(out, size, "%s/%s", folders[i], name);
        if (access(out, R_OK) == 0)
            return true;
    }
    return false;
}

static int write_json(const char *path, json_t *root)
{
    if (!vv_cli_make_folders(path))
        return VV_EXIT_FAILED;
    if (json_dump_file(root, path, JSON_INDENT(2)) != 0)
        return vv_cli_wrong("cannot write %s", path);
    printf("written: %s\n", path);
    return VV_EXIT_OK;
}

static json_t *machine_json(const vv_bench_machine *m)
{
    return json_pack("{s:i, s:s, s:f, s:f, s:f, s:f}", "cores", m->cores, "build", vvBuildDescription(), "copy_gbs",
                     m->copy_gbs[2], "copy_gbs_1t", m->copy_gbs[1], "dgemm_gflops", m->dgemm_gflops[2],
                     "dgemm_gflops_1t", m->dgemm_gflops[1]);
}

int vv_cli_bench(int argc, char **argv)
{
    vv_bench_options settings = { .repeats = 5 };
    const char *only = NULL, *json = NULL, *markdown = NULL;
    int count = 0;
    const vv_option options[] = {
        { "--only", 0, VV_OPTION_TEXT, &only, "GROUP", "one group: elastic, contact, real-time, optimizer", 0, 0 },
        { "--picture", 0, VV_OPTION_TEXT, &settings.picture, "FILE",
          "of the group real-time: error against time, .svg or .png", 0, 0 },
        { "--json", 0, VV_OPTION_TEXT, &json, "FILE", "write machine and rows as JSON", 0, 0 },
        { "--markdown", 0, VV_OPTION_TEXT, &markdown, "FILE", "write them as tables in Markdown", 0, 0 },
        { "--repeats", 0, VV_OPTION_INTEGER, &settings.repeats, "N", "measured runs of each case; default: 5", 1,
          1000 },
        { "--meshes", 0, VV_OPTION_TEXT, &settings.meshes, "DIR",
          "where the named meshes are; default: $VISVIVA_MESHES, meshes", 0, 0 },
        { "--quick", 0, VV_OPTION_FLAG, &settings.quick, NULL, "only the smallest case of each group", 0, 0 },
        { NULL, 0, VV_OPTION_FLAG, NULL, NULL, NULL, 0, 0 }
    };
    const vv_command_line line = {
        "[options]",
        "Measures this build on this machine: medians after a warm-up, each phase separately,\n"
        "with one and two threads.",
        "  visviva bench --only elastic --json out/bench.json",
        options,
        0,
        0
    };
    if (argc > 1 && strcmp(argv[1], "--elastic-case") == 0)
        return vv_bench_elastic_child(argc, argv);
    if (argc > 1 && strcmp(argv[1], "--contact-case") == 0)
        return vv_bench_contact_child(argc, argv);
    if (argc > 1 && strcmp(argv[1], "--cloud-case") == 0)
        return vv_bench_cloud_child(argc, argv);
    int code = vv_cli_parse(&line, argc, argv, NULL, &count);
    if (code != VV_CLI_GO)
        return code;
    bool known = !only;
    for (int i = 0; i < GROUPS; i++)
        known = known || strcmp(groups[i]->name, only) == 0;
    if (!known) {
        fprintf(stderr, "visviva: bench has no group \"%s\"; the groups are:", only);
        for (int i = 0; i < GROUPS; i++)
            fprintf(stderr, " %s", groups[i]->name);
        fputc('\n', stderr);
        return VV_EXIT_WRONG;
    }
    vv_bench_machine machine = vv_bench_measure_machine();
    printf("%s\n%d cores; copy %.1f GB/s on one thread, %.1f on two; dgemm %.0f and %.0f GFLOP/s\n",
           vvBuildDescription(), machine.cores, machine.copy_gbs[1], machine.copy_gbs[2], machine.dgemm_gflops[1],
           machine.dgemm_gflops[2]);
    json_t *rows = json_array();
    code = VV_EXIT_OK;
    for (int i = 0; i < GROUPS && code == VV_EXIT_OK; i++)
        if (!only || strcmp(groups[i]->name, only) == 0)
            code = groups[i]->run(&settings, &machine, rows);
    if (json && code == VV_EXIT_OK) {
        json_t *root = json_pack("{s:o, s:O}", "machine", machine_json(&machine), "rows", rows);
        code = write_json(json, root);
        json_decref(root);
    }
    if (markdown && code == VV_EXIT_OK)
        code = vv_bench_write_markdown(markdown, &machine, rows);
    json_decref(rows);
    return code;
}
