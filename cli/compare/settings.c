/* --with: which settings can be compared.
 *
 *   --with LIST      elements with commas between them
 *   element          [LABEL:]item[;item...]
 *   item             NAME, NAME+NAME (of a scheme and a policy), "scene" (as it is), or PATH=VALUE as for --set
 *
 * Commas and semicolons in brackets, braces or quotes belong to a value. */
#include "compare/compare.h"

#include <stdlib.h>
#include <string.h>

/* ---- cutting ---- */

/* Where the text ends or the first of the `stops` stands that is in no bracket. */
static size_t span(const char *text, const char *stops)
{
    int depth = 0;
    bool quoted = false;
    size_t n = 0;
    for (; text[n]; n++) {
        if (text[n] == '"' && (n == 0 || text[n - 1] != '\\'))
            quoted = !quoted;
        else if (!quoted && strchr("[{", text[n]))
            depth++;
        else if (!quoted && depth > 0 && strchr("]}", text[n]))
            depth--;
        else if (!quoted && depth == 0 && strchr(stops, text[n]))
            break;
    }
    return n;
}

/* Cuts a label off the front: what stands before a colon, if nothing of an override does. */
static char *cut_label(vv_compare_setting *s, char *text)
{
    size_t n = strcspn(text, ":=;[{\"+");
    if (text[n] != ':' || n == 0)
        return text;
    snprintf(s->label, sizeof s->label, "%.*s", (int)n, text);
    s->named = true;
    return text + n + 1;
}

/* ---- names ---- */

/* Names that stand for a setting each. */
enum { SCHEME, POLICY, NAMED };
static const struct {
    const char *key, *plural;
    const vvInfo *(*get)(int);
} named[NAMED] = {
    [SCHEME] = { "integrator.scheme", "schemes", vvSchemeInfo },
    [POLICY] = { "integrator.policy", "policies", vvPolicyInfo },
};

/* Of which setting it is a name; NAMED: of none. */
static int find_named(const char *name)
{
    for (int of = 0; of < NAMED; of++)
        for (int i = 0; named[of].get(i); i++)
            if (strcmp(named[of].get(i)->name, name) == 0)
                return of;
    return NAMED;
}

static int unknown_name(const char *name)
{
    enum { MOST = 64 };
    char lists[1024], hint[VV_HINT];
    const char *words[MOST] = { "scene" };
    int count = 1;
    size_t used = 0;
    for (int of = 0; of < NAMED; of++)
        for (int i = 0; named[of].get(i) && count < MOST && used < sizeof lists; i++) {
            words[count++] = named[of].get(i)->name;
            used += (size_t)snprintf(lists + used, sizeof lists - used, "%s%s%s%s",
                                     i    ? ", "
                                     : of ? "; "
                                          : "",
                                     i ? "" : named[of].plural, i ? "" : ": ", words[count - 1]);
        }
    return vv_cli_wrong(
        "--with: \"%s\" is neither a scheme nor a policy nor PATH=VALUE%s (%s; or \"scene\": as the scene is)", name,
        vv_cli_hint(hint, name, words, count), lists);
}

static int add_set(vv_compare_setting *s, const char *text)
{
    if (s->sets.count == VV_OPTION_LIST_MAX)
        return vv_cli_wrong("--with: too many overrides in \"%s\"", s->label);
    s->sets.values[s->sets.count++] = text;
    return VV_CLI_GO;
}

/* One name or two with a plus sign. A scheme alone is meant without a policy. The overrides are put behind the
 * element's text. */
static int read_names(vv_compare_setting *s, char *item, char **room)
{
    const char *values[NAMED] = { NULL };
    for (char *name = item, *next; name; name = next) {
        next = strchr(name, '+');
        if (next)
            *next++ = 0;
        const int of = find_named(name);
        if (of == NAMED)
            return unknown_name(name);
        if (values[of])
            return vv_cli_wrong("--with: \"%s\" names two %s", s->label, named[of].plural);
        values[of] = name;
    }
    if (values[SCHEME] && !values[POLICY])
        values[POLICY] = "none";
    int code = VV_CLI_GO;
    for (int i = 0; i < NAMED && code == VV_CLI_GO; i++)
        if (values[i]) {
            code = add_set(s, *room);
            *room += sprintf(*room, "%s=%s", named[i].key, values[i]) + 1;
        }
    return code;
}

static int read_item(vv_compare_setting *s, char *item, char **room)
{
    if (strchr(item, '=')) {
        s->named = true;
        return add_set(s, item);
    }
    return strcmp(item, "scene") == 0 ? VV_CLI_GO : read_names(s, item, room);
}

/* ---- elements ---- */

/* The text is followed by room for what names stand for: at most two overrides an item. */
static char *copy_element(const char *element, size_t length)
{
    char *text = calloc(1, 40 * (length + 2));
    if (text)
        memcpy(text, element, length);
    return text;
}

static int read_element(vv_compare_setting *s, const char *element, size_t length)
{
    *s = (vv_compare_setting){ .text = copy_element(element, length), .element = element, .elementLength = length };
    if (!s->text) {
        vv_cli_wrong("out of memory");
        return VV_EXIT_FAILED;
    }
    char *room = s->text + length + 1;
    snprintf(s->label, sizeof s->label, "%s", s->text);
    for (char *item = cut_label(s, s->text), *next; item; item = next) {
        size_t n = span(item, ";");
        next = item[n] ? item + n + 1 : NULL;
        item[n] = 0;
        if (n == 0 && length == 0)
            return vv_cli_wrong("--with: there is an empty item: two commas in a row, or one at an end");
        if (n == 0)
            return vv_cli_wrong("--with: there is an empty item in \"%.*s\"", (int)length, element);
        int code = read_item(s, item, &room);
        if (code != VV_CLI_GO)
            return code;
    }
    return VV_CLI_GO;
}

static int add_element(vv_compare *c, const char *element, size_t length)
{
    if (c->count == c->most)
        return vv_cli_wrong("--with: at most %d settings can be compared%s", c->most,
                            c->most == VV_COMPARE_MOST ? ", the truth among them" : "");
    vv_compare_setting *s = &c->settings[c->count++];
    int code = read_element(s, element, length);
    for (int i = 0; i + 1 < c->count && code == VV_CLI_GO; i++)
        if (strcmp(c->settings[i].label, s->label) == 0)
            return vv_cli_wrong("--with: two settings are called \"%s\"; put LABEL: before one", s->label);
    return code;
}

int vv_compare_read_settings(vv_compare *c, const vv_option_list *with)
{
    int code = VV_CLI_GO;
    for (int i = 0; i < with->count; i++)
        for (const char *at = with->values[i]; at && code == VV_CLI_GO;) {
            size_t n = span(at, ",");
            code = add_element(c, at, n);
            at = at[n] ? at + n + 1 : NULL;
        }
    return code;
}

void vv_compare_free(vv_compare *c)
{
    for (int i = 0; i < VV_COMPARE_ROOM; i++) {
        vv_compare_setting *s = &c->settings[i];
        for (int k = 0; s->jobs && k < s->starts; k++)
            vv_study_job_clear(&s->jobs[k]);
        json_decref(s->figures);
        vv_study_plan_free(&s->plan);
        free(s->jobs);
        free(s->text);
    }
}
