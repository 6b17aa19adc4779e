/* An item's JSON: keys, the short form ("quick"), its runs and rows after variation. */
#include "reproduce/reproduce.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RUNS = 2000, MOST_ROWS = 2000 };

/* ---- messages ---- */

int vv_repro_wrong(const vv_repro_item *item, const char *path, const char *format, ...)
{
    char message[1500];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return path[0] ? vv_cli_wrong("%s: %s: %s", item->file, path, message)
                   : vv_cli_wrong("%s: %s", item->file, message);
}

int vv_repro_memory(void)
{
    vv_cli_wrong("out of memory");
    return VV_EXIT_FAILED;
}

const char *vv_repro_path(char out[VV_REPRO_PATH], const char *path, const char *key)
{
    snprintf(out, VV_REPRO_PATH, "%.150s%s%.140s", path, path[0] && key[0] != '[' ? "." : "", key);
    return out;
}

bool vv_repro_has_word(const char *words, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = words; n && (at = strstr(at, word)); at += n)
        if ((at == words || at[-1] == ' ') && (at[n] == ' ' || at[n] == 0))
            return true;
    return false;
}

static int unknown_key(const vv_repro_item *item, const char *path, const char *key, const char *allowed)
{
    enum { MOST = 64 };
    char copy[800], hint[VV_HINT], *rest = copy;
    const char *words[MOST];
    int count = 0;
    snprintf(copy, sizeof copy, "%s", allowed);
    for (char *word; count < MOST && (word = strtok_r(rest, " ", &rest));)
        words[count++] = word;
    return vv_repro_wrong(item, path, "unknown key \"%s\"%s (allowed: %s)", key, vv_cli_hint(hint, key, words, count),
                          allowed);
}

int vv_repro_keys(const vv_repro_item *item, const char *path, const json_t *object, const char *allowed,
                  const char *required)
{
    const char *key;
    json_t *value;
    char copy[400], *rest = copy;
    if (!json_is_object(object))
        return vv_repro_wrong(item, path, "must be an object with the keys: %s", allowed);
    json_object_foreach((json_t *)object, key,
                        value) if (!vv_repro_has_word(allowed, key)) return unknown_key(item, path, key, allowed);
    snprintf(copy, sizeof copy, "%s", required);
    for (char *word; (word = strtok_r(rest, " ", &rest));)
        if (!json_object_get(object, word))
            return vv_repro_wrong(item, path, "\"%s\" is missing", word);
    return VV_CLI_GO;
}

/* ---- the short form ---- */

/* A merge patch (RFC 7396): objects are merged, null removes, all else replaces. */
static void patch(json_t *target, json_t *with)
{
    const char *key;
    json_t *value;
    json_object_foreach(with, key, value)
    {
        json_t *old = json_object_get(target, key);
        if (json_is_null(value))
            json_object_del(target, key);
        else if (json_is_object(value) && json_is_object(old))
            patch(old, value);
        else
            json_object_set_new(target, key, json_deep_copy(value));
    }
}

/* ---- runs ---- */

static int add_run(void *user, const char *name, json_t *spec, json_t *vars)
{
    vv_repro_item *item = user;
    char path[VV_REPRO_PATH];
    vv_repro_path(path, "runs", name);
    if (item->runCount == MOST_RUNS)
        return vv_repro_wrong(item, "runs", "are more than %d", MOST_RUNS);
    if (strlen(name) >= VV_REPRO_NAME)
        return vv_repro_wrong(item, path, "its name is longer than %d bytes", VV_REPRO_NAME - 1);
    if (vv_repro_find_run(item, name))
        return vv_repro_wrong(item, path, "two runs have this name: put {NAME} of the \"for\" into it");
    vv_repro_run *runs = realloc(item->runs, ((size_t)item->runCount + 1) * sizeof *runs);
    if (!runs)
        return vv_repro_memory();
    item->runs = runs;
    vv_repro_run *run = &runs[item->runCount++];
    *run = (vv_repro_run){ .spec = json_incref(spec), .vars = json_deep_copy(vars) };
    snprintf(run->name, sizeof run->name, "%s", name);
    return vv_repro_run_read(item, run, path);
}

static int read_runs(vv_repro_item *item)
{
    char path[VV_REPRO_PATH];
    const char *name;
    json_t *spec, *runs = json_object_get(item->json, "runs");
    int code = VV_CLI_GO;
    if (!json_is_object(runs) || json_object_size(runs) == 0)
        return vv_repro_wrong(item, "runs", "must be an object with a run for each name");
    json_object_foreach(runs, name, spec)
    {
        if (code != VV_CLI_GO)
            break;
        vv_repro_path(path, "runs", name);
        if (!json_is_object(spec))
            code = vv_repro_wrong(item, path, "must be an object with the keys: scene set until may_fail for kind ...");
        else
            code = vv_repro_vary(item, path, spec, name, add_run, item);
    }
    return code;
}

/* ---- rows ---- */

static int add_row(void *user, const char *path, json_t *spec, json_t *vars)
{
    vv_repro_item *item = user;
    vv_repro_row row = { .spec = spec, .value = NAN };
    (void)vars;
    int code = vv_repro_row_read(item, path, &row);
    if (code != VV_CLI_GO)
        return code;
    if (item->rowCount == MOST_ROWS)
        return vv_repro_wrong(item, "rows", "are more than %d", MOST_ROWS);
    vv_repro_row *rows = realloc(item->rows, ((size_t)item->rowCount + 1) * sizeof *rows);
    if (!rows)
        return vv_repro_memory();
    item->rows = rows;
    json_incref(spec);
    rows[item->rowCount++] = row;
    return VV_CLI_GO;
}

static int read_rows(vv_repro_item *item)
{
    char path[VV_REPRO_PATH];
    size_t index;
    json_t *spec, *rows = json_object_get(item->json, "rows");
    int code = VV_CLI_GO;
    if (!json_is_array(rows) || json_array_size(rows) == 0)
        return vv_repro_wrong(item, "rows", "must be a list of what is compared");
    json_array_foreach(rows, index, spec)
    {
        snprintf(path, sizeof path, "rows[%zu]", index);
        if (!json_is_object(spec))
            return vv_repro_wrong(item, path, "must be an object");
        code = vv_repro_vary(item, path, spec, NULL, add_row, item);
        if (code != VV_CLI_GO)
            return code;
    }
    return code;
}

/* ---- the file ---- */

static int check_texts(const vv_repro_item *item)
{
    static const char *const texts[] = { "title", "where", "what", "long" };
    for (int i = 0; i < 4; i++) {
        json_t *text = json_object_get(item->json, texts[i]);
        if ((text || i < 3) && (!json_is_string(text) || !json_string_length(text)))
            return vv_repro_wrong(item, texts[i], "must be a text");
    }
    json_t *scenes = json_object_get(item->json, "scenes");
    if (scenes && !json_is_object(scenes))
        return vv_repro_wrong(item, "scenes", "must be an object with a scene for each name");
    return VV_CLI_GO;
}

static int apply_quick(vv_repro_item *item, bool quick)
{
    json_t *with = json_object_get(item->json, "quick");
    if (with && !json_is_object(with))
        return vv_repro_wrong(item, "quick", "must be an object: what differs in the short form");
    if (quick && with) {
        json_t *copy = json_deep_copy(with);
        patch(item->json, copy);
        item->shortened = true;
        json_decref(copy);
    }
    return vv_repro_keys(item, "", item->json,
                         "title where what long problem unlike quick scenes runs rows motion plots",
                         "title where what runs rows");
}

int vv_repro_item_read(vv_repro_item *item, bool quick)
{
    json_error_t at;
    item->json = json_load_file(item->file, JSON_REJECT_DUPLICATES, &at);
    if (!item->json)
        return vv_cli_wrong("%s:%d:%d: %s", item->file, at.line, at.column, at.text);
    int code = apply_quick(item, quick);
    if (code == VV_CLI_GO)
        code = check_texts(item);
    item->left = json_object_get(item->json, "long") && !item->named && !item->listed && !item->shortened;
    if (item->left)
        return code;
    if (code == VV_CLI_GO)
        code = read_runs(item);
    if (code == VV_CLI_GO)
        code = read_rows(item);
    if (code == VV_CLI_GO)
        code = vv_repro_motion_check(item);
    if (code == VV_CLI_GO)
        code = vv_repro_plots_check(item);
    return code;
}

void vv_repro_item_free(vv_repro_item *item)
{
    for (int i = 0; i < item->runCount; i++)
        vv_repro_run_free(&item->runs[i]);
    for (int i = 0; i < item->rowCount; i++)
        json_decref(item->rows[i].spec);
    free(item->runs);
    free(item->rows);
    free(item->plots);
    json_decref(item->json);
}
