/* visviva list: the program's tables, one line a row; as Markdown the same for the documentation. */
#include "list/list.h"

#include <string.h>

typedef struct printer {
    bool markdown;
    bool alone; /* one list was asked for, not all of them */
} printer;

/* ---- names with a line each ---- */

static void put_title(const char *title)
{
    vv_cli_heading(title);
    putchar('\n');
}

static void head(const printer *p, const char *title, const char *first)
{
    if (p->markdown)
        printf("### %s\n\n| %s | what it is |\n| --- | --- |\n", title, first);
    else
        put_title(title);
}

/* Markdown needs its vertical bars escaped. */
static void put_cell(const char *text)
{
    for (; *text; text++)
        printf(*text == '|' ? "\\|" : "%c", *text);
}

static void print_row(const printer *p, const vvInfo *info)
{
    if (p->markdown) {
        printf("| `%s` | ", info->name);
        put_cell(info->summary);
        puts(" |");
    } else {
        printf("  %-20s %s\n", info->name, info->summary);
    }
}

static void print_names(const printer *p, const char *title, const vvInfo *(*get)(int))
{
    head(p, title, "name");
    for (int i = 0; get(i); i++)
        print_row(p, get(i));
    putchar('\n');
}

/* With what each needs, in words. */
static void list_contact(const printer *p)
{
    const vvInfo *info, *need;
    head(p, "contact", "name");
    for (int i = 0; (info = vvContactModelInfo(i)); i++) {
        print_row(p, info);
        for (int k = 0; (need = vvContactNeedInfo(k)) && !p->markdown; k++)
            if (vvContactModelFind(info->name)->needs >> k & 1)
                printf("      %-20s needs %s\n", need->name, need->summary);
    }
    putchar('\n');
}

/* ---- parameters ---- */

static void put_fallback(const vvParam *param)
{
    if (isnan(param->fallback[0]) || param->choiceCount) {
        fputs(param->choiceCount ? param->choices[(int)param->fallback[0]].name : "centre of mass", stdout);
        return;
    }
    for (int k = 0; k < param->size; k++)
        printf("%s%.9g", k ? ", " : param->size > 1 ? "[" : "", param->fallback[k]);
    fputs(param->size > 1 ? "]" : "", stdout);
}

static void put_range(const vvParam *param)
{
    for (int i = 0; i < param->choiceCount; i++)
        printf("%s%s", i ? ", " : "", param->choices[i].name);
    if (param->choiceCount)
        return;
    if (param->min == 0 && param->max == 0)
        fputs("any", stdout);
    else
        printf("%.9g to %.9g", param->min, param->max);
}

/* ". NAME: what it is; NAME: what it is", behind a summary. */
static void put_choices(const printer *p, const vvParam *param)
{
    for (int i = 0; i < param->choiceCount; i++) {
        printf("%s%s: ", i ? "; " : ". ", param->choices[i].name);
        if (p->markdown)
            put_cell(param->choices[i].summary);
        else
            fputs(param->choices[i].summary, stdout);
    }
}

static const char *noun(const vvParam *param)
{
    return param->choiceCount ? "word" : param->integer ? "whole number" : "number";
}

static void print_param(const printer *p, const vvInfo *info, const vvParam *param)
{
    if (p->markdown)
        printf("| `%s.%s` | %s%s%s | %s | ", info->name, param->name, param->size == 3 ? "3 " : "", noun(param),
               param->size == 1 ? "" : "s", param->unit);
    else
        printf("      %-16s %s%s%s; default ", param->name, param->summary, param->unit[0] ? ", " : "", param->unit);
    put_fallback(param);
    fputs(p->markdown ? " | " : "; ", stdout);
    put_range(param);
    if (p->markdown) {
        fputs(" | ", stdout);
        put_cell(param->summary);
        put_choices(p, param);
        fputs(" |", stdout);
    }
    for (int i = 0; i < param->choiceCount && !p->markdown; i++)
        printf("\n        %-14s %s", param->choices[i].name, param->choices[i].summary);
    putchar('\n');
}

/* ---- schemes, with what they declare ---- */

static const char *yes(bool value) { return value ? "yes" : "-"; }

static void list_schemes(const printer *p)
{
    if (p->markdown)
        puts("### schemes\n\n| name | what it is | order | A-stable | L-stable | symplectic | measured order |\n"
             "| --- | --- | --- | --- | --- | --- | --- |");
    else {
        put_title("schemes");
        printf("  %-20s %5s %8s %8s %10s\n", "", "order", "A-stable", "L-stable", "symplectic");
    }
    vv_listed row;
    for (int i = 0; vv_listed_scheme(i, &row); i++) {
        vvSchemeCheck check = { 0 };
        vvError error;
        bool known = vvSchemeSelfCheck(i, &check, &error) == VV_OK;
        char order[16] = "?", measured[16] = "-";
        if (known)
            snprintf(order, sizeof order, "%d", check.order);
        if (known && isfinite(check.measuredOrder) && check.measuredOrder > 0)
            snprintf(measured, sizeof measured, "%.2f", check.measuredOrder);
        if (p->markdown) {
            printf("| `%s` | ", row.info->name);
            put_cell(row.info->summary);
            printf(" | %s | %s | %s | %s | %s |\n", order, yes(check.aStable), yes(check.lStable),
                   yes(check.symplectic), measured);
        } else {
            printf("  %-20s %5s %8s %8s %10s  %s\n", row.info->name, order, yes(check.aStable), yes(check.lStable),
                   yes(check.symplectic), row.info->summary);
        }
        for (int k = 0; k < row.count && !p->markdown; k++) /* in Markdown they stand among the scene's keys */
            print_param(p, row.info, row.params + k);
    }
    putchar('\n');
}

/* ---- things with parameters ---- */

static void print_typed(const printer *p, const vv_listed *row)
{
    if (!p->markdown)
        print_row(p, row->info);
    else {
        printf("| **`%s`** | object | | {} | | ", row->info->name);
        put_cell(row->info->summary);
        puts(" |");
    }
    for (int i = 0; i < row->count; i++)
        print_param(p, row->info, row->params + i);
}

static void typed_head(const printer *p, const char *title)
{
    if (p->markdown)
        printf("### %s\n\n| key | value | unit | default | allowed | what it is |\n| --- | --- | --- | --- | --- | --- "
               "|\n",
               title);
    else
        put_title(title);
}

static void print_things(const printer *p, const char *title, vv_listed_get *get)
{
    vv_listed row;
    typed_head(p, title);
    for (int i = 0; get(i, &row); i++)
        print_typed(p, &row);
    putchar('\n');
}

#define THINGS(name, type, get)                                                   \
    static bool name(int i, vv_listed *row)                                       \
    {                                                                             \
        const type *thing = get(i);                                               \
        if (thing)                                                                \
            *row = (vv_listed){ &thing->info, thing->params, thing->paramCount }; \
        return thing != NULL;                                                     \
    }
THINGS(generators, vvMeshGenerator, vvMeshGeneratorInfo)
THINGS(states, vvInitialState, vvInitialStateInfo)
THINGS(obstacles, vvObstacleType, vvObstacleInfo)
THINGS(potentials, vvPotential, vvPotentialInfo)

bool vv_listed_scheme(int i, vv_listed *row)
{
    row->info = vvSchemeInfo(i);
    row->params = vvSchemeParams(i, &row->count);
    return row->info != NULL;
}

static bool policies(int i, vv_listed *row)
{
    row->info = vvPolicyInfo(i);
    row->params = vvPolicyParams(i, &row->count);
    return row->info != NULL;
}

/* ---- policies, and parameters of schemes and policies: keys of the integrator ---- */

static void list_policies(const printer *p)
{
    head(p, "policies", "name");
    vv_listed row;
    for (int i = 0; policies(i, &row); i++) {
        print_row(p, row.info);
        for (int k = 0; k < row.count && !p->markdown; k++)
            print_param(p, row.info, row.params + k);
    }
    putchar('\n');
}

static void print_setting_key(const printer *p, const vvParam *param)
{
    bool is_switch = param->integer && param->min == 0 && param->max == 1 && !param->choiceCount;
    char path[96], kind[64];
    snprintf(path, sizeof path, "integrator.%s", param->name);
    if (param->size > 1)
        snprintf(kind, sizeof kind, "%d numbers", param->size);
    else
        snprintf(kind, sizeof kind, "%s", is_switch ? "true or false" : noun(param));
    if (p->markdown)
        printf("| `%s` | %s | %s | ", path, kind, param->unit);
    else {
        printf("  %-48s %s%s%s; %s", path, kind, param->unit[0] ? ", " : "", param->unit, param->summary);
        put_choices(p, param);
        fputs("; default: ", stdout);
    }
    if (is_switch)
        fputs(param->fallback[0] != 0 ? "true" : "false", stdout);
    else
        put_fallback(param);
    if (p->markdown) {
        fputs(" | ", stdout);
        put_cell(param->summary);
        put_choices(p, param);
        fputs(" |", stdout);
    }
    putchar('\n');
}

/* A parameter that several policies share is one key. */
static bool is_listed(const vvParam *param, const vvParam *const *listed, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(listed[i]->name, param->name) == 0)
            return true;
    return false;
}

/* Behind the integrator's own keys. */
static void list_setting_keys(const printer *p)
{
    enum { MOST = 256 };
    const vvParam *listed[MOST];
    vv_listed row;
    int done = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; pass ? policies(i, &row) : vv_listed_scheme(i, &row); i++)
            for (int k = 0; k < row.count; k++)
                if (!is_listed(row.params + k, listed, done)) {
                    print_setting_key(p, row.params + k);
                    if (done < MOST)
                        listed[done++] = row.params + k;
                }
}

/* ---- fields ---- */

static const vvInfo *field_info(int index) { return vvFieldInfo(index) ? &vvFieldInfo(index)->info : NULL; }

/* ---- scene keys ---- */

static void list_keys(const printer *p)
{
    const vvSceneKey *key;
    if (p->markdown)
        puts("### scene-keys\n\n| key | value | unit | default | what it is |\n| --- | --- | --- | --- | --- |");
    else
        put_title("scene-keys");
    bool inside = false;
    for (int i = 0; (key = vvSceneKeyInfo(i)); i++) {
        bool integrator = strncmp(key->path, "integrator", strlen("integrator")) == 0;
        if (inside && !integrator)
            list_setting_keys(p);
        inside = integrator;
        if (!p->markdown) {
            printf("  %-48s %s%s%s; %s; default: %s\n", key->path, key->type, key->unit[0] ? ", " : "", key->unit,
                   key->summary, key->fallback);
            continue;
        }
        printf("| `%s` | ", key->path);
        put_cell(key->type);
        printf(" | %s | ", key->unit);
        put_cell(key->fallback);
        fputs(" | ", stdout);
        put_cell(key->summary);
        puts(" |");
    }
    putchar('\n');
    if (p->markdown && p->alone) { /* the page of the scene file needs all of its vocabulary */
        print_things(p, "generators", generators);
        print_things(p, "initial-states", states);
        print_things(p, "obstacles", obstacles);
        print_things(p, "potentials", potentials);
    }
}

/* ---- scenes that come with the program ---- */

static void print_scene(void *user, const vvInfo *info) { print_row(user, info); }

static void list_scenes(const printer *p)
{
    printer own = *p;
    head(p, "scenes", "name");
    vv_cli_each_scene(print_scene, &own);
    putchar('\n');
}

/* One list is of names alone, of things with parameters, or prints itself and has JSON of its own. */
static const struct {
    const char *name;
    const vvInfo *(*names)(int);
    vv_listed_get *things;
    void (*print)(const printer *p);
    json_t *(*json)(void);
} lists[] = {
    { "schemes", .print = list_schemes, .json = vv_json_schemes },
    { "policies", .things = policies, .print = list_policies },
    { "solvers", vvSolverInfo },
    { "linear-solvers", vvLinearSolverInfo },
    { "line-searches", vvLineSearchInfo },
    { "materials", vvMaterialInfo },
    { "obstacles", .things = obstacles },
    { "generators", .things = generators },
    { "initial-states", .things = states },
    { "mesh-formats", vvMeshFormatInfo },
    { "export-formats", vvExportFormatInfo },
    { "scene-keys", .print = list_keys, .json = vv_json_keys },
    { "scenes", .print = list_scenes, .json = vv_json_scenes },
    { "potentials", .things = potentials },
    { "joints", vvJointKindInfo },
    { "fields", field_info },
    { "contact", .print = list_contact, .json = vv_json_contact },
};

static void print_list(const printer *p, int i)
{
    if (lists[i].print)
        lists[i].print(p);
    else if (lists[i].names)
        print_names(p, lists[i].name, lists[i].names);
    else
        print_things(p, lists[i].name, lists[i].things);
}

static json_t *json_of(int i)
{
    return lists[i].json    ? lists[i].json()
           : lists[i].names ? vv_json_names(lists[i].names)
                            : vv_json_things(lists[i].things);
}

enum { LIST_COUNT = sizeof lists / sizeof lists[0] };

static int no_list(const char *what)
{
    const char *words[LIST_COUNT];
    char names[512], hint[VV_HINT];
    size_t used = 0;
    for (int i = 0; i < LIST_COUNT && used < sizeof names; i++) {
        words[i] = lists[i].name;
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", lists[i].name);
    }
    return vv_cli_wrong("there is no list \"%s\"%s (the lists are: %s)", what,
                        vv_cli_hint(hint, what, words, LIST_COUNT), names);
}

static int list_json(const char *what)
{
    json_t *root = json_object();
    vv_json_begin();
    int code = VV_EXIT_OK;
    for (int i = 0; i < LIST_COUNT; i++)
        if (!what || strcmp(lists[i].name, what) == 0)
            json_object_set_new(root, lists[i].name, json_of(i));
    if (json_object_size(root) == 0)
        code = no_list(what);
    return vv_json_end(root, code);
}

int vv_cli_list(int argc, char **argv)
{
    printer p = { .markdown = false };
    const char *what = NULL;
    bool json = false;
    int count;
    const vv_option options[] = {
        { "--markdown", 0, VV_OPTION_FLAG, &p.markdown, NULL, "as Markdown tables", 0, 0 },
        { "--json", 0, VV_OPTION_FLAG, &json, NULL, "as JSON", 0, 0 },
        { .name = NULL },
    };
    const vv_command_line line = {
        .usage = "[WHAT] [--markdown|--json]",
        .summary = "Prints the program's own tables, all or one. WHAT is one of: schemes, policies, solvers, "
                   "linear-solvers,\n"
                   "line-searches, materials, obstacles, potentials, joints, fields, generators, initial-states,\n"
                   "mesh-formats, export-formats,\n"
                   "scene-keys, scenes (those that come with visviva; run, check, info, settle, truth and compare take "
                   "their names).",
        .examples = "  visviva list schemes\n  visviva list scene-keys\n  visviva list materials --json",
        .options = options,
        .most = 1,
    };
    int code = vv_cli_parse(&line, argc, argv, &what, &count);
    if (code != VV_CLI_GO)
        return code;
    if (json && p.markdown)
        return vv_cli_wrong("list: give --markdown or --json, not both");
    if (json)
        return list_json(count ? what : NULL);
    bool found = false;
    p.alone = count > 0;
    for (int i = 0; i < LIST_COUNT; i++)
        if (count == 0 || strcmp(lists[i].name, what) == 0) {
            print_list(&p, i);
            found = true;
        }
    if (found)
        return VV_EXIT_OK;
    return no_list(what);
}
