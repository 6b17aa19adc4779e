/* The papers and their items: folders with a paper.json below experiments/, and the other JSON files in them. */
#include "reproduce/reproduce.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PLACES = 3, MOST = 256 };
static const char paper_file[] = "paper.json";

/* Where experiments may be: here, installed beside the program, in the checkout that it was built in. */
static bool place(int index, char out[3600])
{
    static const char *const places[PLACES] = { "experiments", "/../share/visviva/experiments", "/../experiments" };
    char program[3500];
    struct stat about;
    if (index == 0) {
        snprintf(out, 3600, "%s", places[0]);
    } else {
        ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
        if (n <= 0)
            return false;
        program[n] = 0;
        char *slash = strrchr(program, '/');
        if (slash)
            *slash = 0;
        snprintf(out, 3600, "%s%s", program, places[index]);
    }
    return stat(out, &about) == 0 && S_ISDIR(about.st_mode);
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* What `wanted` says yes to, sorted: how many. Free each. */
static int list_folder(const char *folder, bool (*wanted)(const char *folder, const char *name), char *names[MOST])
{
    int count = 0;
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir)) && count < MOST;)
        if (entry->d_name[0] != '.' && wanted(folder, entry->d_name) && (names[count] = strdup(entry->d_name)))
            count++;
    if (dir)
        closedir(dir);
    qsort(names, (size_t)count, sizeof *names, by_name);
    return count;
}

static bool is_paper(const char *folder, const char *name)
{
    char path[4200];
    snprintf(path, sizeof path, "%.3600s/%.300s/%s", folder, name, paper_file);
    return access(path, F_OK) == 0;
}

static bool is_item(const char *folder, const char *name)
{
    size_t n = strlen(name);
    (void)folder;
    return n > 5 && n < VV_REPRO_NAME && strcmp(name + n - 5, ".json") == 0 && strcmp(name, paper_file) != 0;
}

/* ---- one paper ---- */

typedef struct arguments { /* words of the command line */
    const char *const *text;
    int count;
} arguments;

static int no_such(const char *what, const char *where, const char *wrong, char **names, int count)
{
    char hint[VV_HINT], all[1200] = "none";
    size_t used = 0;
    for (int i = 0; i < count; i++) {
        size_t n = strlen(names[i]);
        if (n > 5 && strcmp(names[i] + n - 5, ".json") == 0)
            names[i][n - 5] = 0;
    }
    for (int i = 0; i < count && used + strlen(names[i]) + 8 < sizeof all; i++)
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", names[i]);
    vv_cli_hint(hint, wrong, (const char *const *)names, count);
    return vv_cli_wrong("there is no %s \"%s\" in %s%s (there %s: %s)", what, wrong, where, hint,
                        count == 1 ? "is" : "are", all);
}

static int read_paper_file(vv_repro_paper *paper)
{
    vv_repro_item as_item = { 0 }; /* for messages */
    json_error_t at;
    snprintf(as_item.file, sizeof as_item.file, "%.4000s/%s", paper->folder, paper_file);
    paper->json = json_load_file(as_item.file, JSON_REJECT_DUPLICATES, &at);
    if (!paper->json)
        return vv_cli_wrong("%s:%d:%d: %s", as_item.file, at.line, at.column, at.text);
    int code = vv_repro_keys(&as_item, "", paper->json, "title citation about", "title citation");
    const char *key;
    json_t *value;
    if (code == VV_CLI_GO)
        json_object_foreach(paper->json, key,
                            value) if (!json_is_string(value)) return vv_repro_wrong(&as_item, key, "must be a text");
    return code;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Past hyphens, and zeros that a number begins with; digit: the character before is of a number, too. */
static const char *next_that_counts(const char *at, bool digit)
{
    for (; *at == '-' || (*at == '0' && !digit && is_digit(at[1])); at++)
        digit = digit && *at != '-';
    return at;
}

/* Item names are matched without hyphens, and zeros before numbers: "table1" is table-1, and every part of it,
 * table-1-ball too, but not table-12; "fig2" is fig-02. */
static bool begins_with_words(const char *name, const char *words, bool *whole)
{
    for (bool digit = false; *(words = next_that_counts(words, digit)); words++) {
        name = next_that_counts(name, digit);
        if (*name++ != *words)
            return false;
        digit = is_digit(*words);
    }
    *whole = !*name;
    return !*name || *name == '-';
}

/* Marks what the word names: the item of that name, else all that it begins; and whether it is its whole name.
 * Returns how many. */
static int choose_word(char *const *names, int count, const char *word, bool chosen[MOST], bool named[MOST])
{
    bool mine[MOST], whole[MOST], exact = false;
    int found = 0;
    for (int i = 0; i < count; i++) {
        char name[VV_REPRO_NAME];
        snprintf(name, sizeof name, "%.*s", (int)(strlen(names[i]) - 5), names[i]);
        whole[i] = false;
        mine[i] = begins_with_words(name, word, &whole[i]);
        exact = exact || (mine[i] && whole[i]);
    }
    for (int i = 0; i < count; i++)
        if (mine[i] && (whole[i] || !exact)) {
            chosen[i] = true;
            named[i] = named[i] || whole[i];
            found++;
        }
    return found;
}

/* `only`: words (none: all are chosen). */
static int choose(const vv_repro_paper *paper, char **names, int count, const arguments *only, bool chosen[MOST],
                  bool named[MOST])
{
    for (int i = 0; i < count; i++)
        chosen[i] = only->count == 0, named[i] = false;
    for (int w = 0; w < only->count; w++)
        if (choose_word(names, count, only->text[w], chosen, named) == 0)
            return no_such("item", paper->folder, only->text[w], names, count);
    return VV_CLI_GO;
}

static int read_items(vv_repro_paper *paper, char **names, int count, const arguments *only, const vv_repro *r)
{
    paper->items = calloc((size_t)count + 1, sizeof *paper->items);
    int left = 0;
    if (!paper->items)
        return vv_repro_memory();
    bool chosen[MOST], whole[MOST];
    int code = choose(paper, names, count, only, chosen, whole);
    if (code != VV_CLI_GO)
        return code;
    for (int i = 0; i < count; i++) {
        size_t n = strlen(names[i]) - 5;
        if (!chosen[i])
            continue;
        vv_repro_item *item = &paper->items[paper->itemCount++];
        snprintf(item->name, sizeof item->name, "%.*s", (int)n, names[i]);
        snprintf(item->folder, sizeof item->folder, "%.4000s", paper->folder);
        snprintf(item->file, sizeof item->file, "%.4000s/%s", paper->folder, names[i]);
        item->listed = r->list;
        item->named = whole[i];
        code = vv_repro_item_read(item, r->quick);
        if (code != VV_CLI_GO)
            return code;
        if (r->brief)
            vv_repro_item_brief(item);
        if (item->left && only->count && !r->quiet)
            fprintf(stderr, "%s takes %s: left out unless its whole name is given\n", item->name,
                    json_string_value(json_object_get(item->json, "long")));
        if (item->left) {
            vv_repro_item_free(item);
            paper->items[--paper->itemCount] = (vv_repro_item){ 0 };
            left++;
        }
    }
    return left > 0 && paper->itemCount == 0 && only->count
               ? vv_cli_wrong("%s %s: long items run only where their whole name is given (visviva reproduce --list "
                              "has the names)",
                              paper->name, only->text[0])
               : VV_CLI_GO;
}

static int read_paper(vv_repro_paper *paper, const char *root, const char *name, const arguments *only,
                      const vv_repro *r)
{
    char *names[MOST];
    snprintf(paper->name, sizeof paper->name, "%.120s", name);
    snprintf(paper->folder, sizeof paper->folder, "%.3600s/%.300s", root, name);
    int code = read_paper_file(paper), count = code == VV_CLI_GO ? list_folder(paper->folder, is_item, names) : 0;
    if (code == VV_CLI_GO)
        code = read_items(paper, names, count, only, r);
    for (int i = 0; i < count; i++)
        free(names[i]);
    return code;
}

/* ---- all ---- */

static int index_of(char *const *names, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

/* `wanted`: names of papers, each followed by words for its items; none: all papers. */
static int read_papers(vv_repro *r, const char *root, char **papers, int count, const arguments *wanted)
{
    const arguments all = { NULL, 0 };
    r->papers = calloc((size_t)count + (size_t)wanted->count + 1, sizeof *r->papers);
    if (!r->papers)
        return vv_repro_memory();
    int code = VV_CLI_GO;
    for (int i = 0; i < count && wanted->count == 0 && code == VV_CLI_GO; i++)
        code = read_paper(&r->papers[r->paperCount++], root, papers[i], &all, r);
    for (int w = 0; w < wanted->count && code == VV_CLI_GO;) {
        const char *name = wanted->text[w++];
        arguments items = { wanted->text + w, 0 };
        if (index_of(papers, count, name) < 0)
            return no_such("paper", root, name, papers, count);
        while (w < wanted->count && index_of(papers, count, wanted->text[w]) < 0)
            w++, items.count++;
        for (int i = 0; i < r->paperCount; i++)
            if (strcmp(r->papers[i].name, name) == 0)
                return vv_cli_wrong("%s is named twice: name its items after it", name);
        code = read_paper(&r->papers[r->paperCount++], root, name, &items, r);
    }
    return code;
}

int vv_repro_open(vv_repro *r, const char *const *names, int count)
{
    char *papers[MOST], root[3600];
    int found = 0;
    if (r->from)
        snprintf(root, sizeof root, "%.3500s", r->from);
    for (int p = 0; p < (r->from ? 1 : PLACES) && found == 0; p++)
        if (r->from || place(p, root))
            found = list_folder(root, is_paper, papers);
    if (found == 0)
        return r->from ? vv_cli_wrong("--experiments %s: no folder there holds a %s", r->from, paper_file)
                       : vv_cli_wrong("the experiments were not found: neither in ./experiments nor beside the "
                                      "program; --experiments FOLDER names "
                                      "their place");
    int code = read_papers(r, root, papers, found, &(arguments){ names, count });
    for (int i = 0; i < found; i++)
        free(papers[i]);
    return code;
}

void vv_repro_close(vv_repro *r)
{
    for (int p = 0; p < r->paperCount; p++) {
        for (int i = 0; i < r->papers[p].itemCount; i++)
            vv_repro_item_free(&r->papers[p].items[i]);
        free(r->papers[p].items);
        json_decref(r->papers[p].json);
    }
    free(r->papers);
    json_decref(r->made);
    r->papers = NULL;
    r->paperCount = 0;
}
