/* visviva reproduce: runs the papers' experiments and writes pages with the published values beside the measured
 * ones. */
#include "reproduce/reproduce.h"

#include "child.h"

#include <string.h>

enum { MOST_NAMES = 64 };

static int read_options(vv_repro *r, int argc, char **argv, const char *names[MOST_NAMES], int *count)
{
    *r = (vv_repro){ .folder = "out/reproduce" };
    const vv_option options[] = {
        { "--quick", 0, VV_OPTION_FLAG, &r->quick, NULL, "short forms, to check that everything runs", 0, 0 },
        { "--short", 0, VV_OPTION_FLAG, &r->brief, NULL, "only rows that are compared and whose runs take minutes", 0,
          0 },
        { "--judge", 0, VV_OPTION_FLAG, &r->judge, NULL,
          "runs nothing: judges the runs kept in FOLDER, whatever program made them", 0, 0 },
        { "--record", 0, VV_OPTION_FLAG, &r->record, NULL, "copies the verdicts to results.csv beside each paper", 0,
          0 },
        { "--list", 0, VV_OPTION_FLAG, &r->list, NULL, "lists everything, and runs nothing", 0, 0 },
        { "--output", 'o', VV_OPTION_TEXT, &r->folder, "FOLDER", "for pages, plots and runs; default: out/reproduce", 0,
          0 },
        { "--json", 0, VV_OPTION_TEXT, &r->json, "FILE", "writes all rows and runs as JSON", 0, 0 },
        { "--jobs", 'j', VV_OPTION_INTEGER, &r->jobs, "N", "runs at a time; default 0: as many as there are cores", 0,
          1024 },
        { "--threads", 0, VV_OPTION_INTEGER, &r->threads, "N",
          "threads of each run; default 0: the cores divided by the runs at a time", 0, 1024 },
        { "--again", 0, VV_OPTION_FLAG, &r->again, NULL, "repeats the runs kept in FOLDER", 0, 0 },
        { "--experiments", 0, VV_OPTION_TEXT, &r->from, "FOLDER",
          "your own experiments, in place of those that come with visviva", 0, 0 },
        { "--quiet", 'q', VV_OPTION_FLAG, &r->quiet, NULL, "no progress, no table; only errors", 0, 0 },
        { .name = NULL },
    };
    const vv_command_line line = {
        .usage = "[PAPER [ITEM ...] ...] [options]",
        .summary = "Runs the experiments of the papers that visviva's methods come from, or those of one paper, or one "
                   "of them, and writes a page\n"
                   "for each paper (Markdown and HTML) with each published value beside the measured one and a "
                   "verdict: reproduced, differs (by\n"
                   "how much), relation holds, not comparable (why). A difference is not a failure. Runs are kept and "
                   "reused while scene and\nprogram are the same.\n"
                   "Exit codes: 0 done, 1 a run failed that may not, 2 wrong input, 130 interrupted.",
        .examples = "  visviva reproduce --list\n"
                    "  visviva reproduce a-search appendix-c\n"
                    "  visviva reproduce a-search table1 -j 1 --threads 2      (all items that are named table-1-...)\n"
                    "  visviva reproduce --short -o out/short                  (two hours on two cores; continues "
                    "after an interruption)\n"
                    "  visviva reproduce fepr fig16 fig18 avf --judge -o out/short\n"
                    "  visviva reproduce --quick -o out/quick --json out/quick.json",
        .options = options,
        .least = 0,
        .most = MOST_NAMES,
    };
    return vv_cli_parse(&line, argc, argv, names, count);
}

static void print_list(const vv_repro *r)
{
    for (int p = 0; p < r->paperCount; p++) {
        printf("%s: %s\n", r->papers[p].name, json_string_value(json_object_get(r->papers[p].json, "title")));
        for (int i = 0; i < r->papers[p].itemCount; i++) {
            const vv_repro_item *item = &r->papers[p].items[i];
            const char *takes = json_string_value(json_object_get(item->json, "long"));
            printf("  %-28s %s (%s); %d row%s, %d run%s%s%s%s\n", item->name,
                   json_string_value(json_object_get(item->json, "title")),
                   json_string_value(json_object_get(item->json, "where")), item->rowCount,
                   item->rowCount == 1 ? "" : "s", item->runCount, item->runCount == 1 ? "" : "s",
                   takes ? "; takes " : "", takes ? takes : "", takes ? ", runs only by its name" : "");
        }
    }
}

static void print_tally(const vv_repro_tally *tally)
{
    const char *separator = "";
    for (int v = 0; v < VV_REPRO_VERDICTS; v++)
        if (tally->all[v]) {
            const vv_repro_verdict_text *text = &vv_repro_verdict_texts[v];
            printf("%s%d %s", separator, tally->all[v], tally->all[v] == 1 ? text->name : text->many);
            separator = ", ";
        }
    printf("\n");
}

static void print_verdicts(const vv_repro *r)
{
    for (int p = 0; p < r->paperCount; p++)
        for (int i = 0; i < r->papers[p].itemCount; i++) {
            const vv_repro_item *item = &r->papers[p].items[i];
            const vv_repro_tally tally = vv_repro_count(item, 1);
            printf("%s %s: ", r->papers[p].name, item->name);
            print_tally(&tally);
            for (int k = 0; k < item->rowCount; k++)
                if (item->rows[k].verdict == VV_REPRO_DIFFERS || item->rows[k].verdict == VV_REPRO_BETTER)
                    printf("  %s: %s: %s, measured %s (%s)\n", vv_repro_verdict_texts[item->rows[k].verdict].name,
                           json_string_value(json_object_get(item->rows[k].spec, "label")), item->rows[k].published,
                           item->rows[k].measured, item->rows[k].differs);
        }
    printf("%s/index.html\n", r->folder);
}

static int write_pages(vv_repro *r)
{
    int code = VV_EXIT_OK;
    r->drawn = vv_child_exists("gnuplot");
    for (int p = 0; p < r->paperCount; p++)
        for (int i = 0; i < r->papers[p].itemCount && code == VV_EXIT_OK; i++) {
            vv_repro_judge(&r->papers[p].items[i]);
            if (!r->brief)
                code = vv_repro_plots_draw(r, &r->papers[p], &r->papers[p].items[i]);
        }
    if (code == VV_EXIT_OK)
        code = vv_repro_write_markdown(r);
    if (code == VV_EXIT_OK)
        code = vv_repro_write_html(r);
    if (code == VV_EXIT_OK)
        code = vv_repro_write_results(r);
    return code == VV_EXIT_OK && r->json ? vv_repro_write_json(r, r->json) : code;
}

static int work(vv_repro *r)
{
    bool failed = false;
    char inside[4200];
    snprintf(inside, sizeof inside, "%.4000s/runs/", r->folder);
    if (!vv_cli_make_folders(inside))
        return VV_EXIT_FAILED;
    vv_cli_catch_interrupt();
    int code = vv_repro_keep_begin(r);
    if (code == VV_CLI_GO)
        code = vv_repro_work(r, &failed);
    if (code != VV_CLI_GO)
        return code;
    code = write_pages(r);
    if (code == VV_EXIT_OK && !r->quiet)
        print_verdicts(r);
    return code == VV_EXIT_OK && failed ? VV_EXIT_FAILED : code;
}

int vv_cli_reproduce(int argc, char **argv)
{
    vv_repro r;
    const char *names[MOST_NAMES];
    int count = 0, code = read_options(&r, argc, argv, names, &count);
    if (code != VV_CLI_GO)
        return code;
    if (r.quick && (r.brief || r.record))
        return vv_cli_wrong("--quick goes without --short and --record: its runs are not those that are compared");
    code = vv_repro_open(&r, names, count);
    if (code == VV_CLI_GO) {
        code = VV_EXIT_OK;
        if (r.list)
            print_list(&r);
        else
            code = work(&r);
    }
    vv_repro_close(&r);
    return code;
}
