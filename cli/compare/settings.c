/* --with: which settings stand side by side.
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

static bool is_listed(const vvInfo *(*get)(int), const char *name)
{
    for (int i = 0; get(i); i++)
        if (strcmp(get(i)->name, name) == 0)
            return true;
    return false;
}

static size_t append_names(char *out, size_t size, size_t used, const vvInfo *(*get)(int))
{
    for (int i = 0; get(i) && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%s", i ? ", " : "", get(i)->name);
    return used;
}

static int unknown_name(const char *name)
{
    enum { MOST = 64 };
    char schemes[512], policies[256], hint[VV_HINT];
    const char *words[MOST] = { "scene" };
    int count = 1;
    for (int i = 0; vvSchemeInfo(i) && count < MOST; i++)
        words[count++] = vvSchemeInfo(i)->name;
    for (int i = 0; vvPolicyInfo(i) && count < MOST; i++)
        words[count++] = vvPolicyInfo(i)->name;
    append_names(schemes, sizeof schemes, 0, vvSchemeInfo);
    append_names(policies, sizeof policies, 0, vvPolicyInfo);
    return vv_cli_wrong("--with: \"%s\" is neither a scheme nor a policy nor PATH=VALUE%s (schemes: %s; policies: %s; "
                        "or \"scene\": as the "
                        "scene is)",
                        name, vv_cli_hint(hint, name, words, count), schemes, policies);
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
    const char *scheme = NULL, *policy = NULL;
    for (char *name = item, *next; name; name = next) {
        next = strchr(name, '+');
        if (next)
            *next++ = 0;
        bool is_scheme = is_listed(vvSchemeInfo, name), is_policy = is_listed(vvPolicyInfo, name);
        if (!is_scheme && !is_policy)
            return unknown_name(name);
        if ((is_scheme && scheme) || (is_policy && policy))
            return vv_cli_wrong("--with: \"%s\" names two %s", s->label, is_scheme ? "schemes" : "policies");
        *(is_scheme ? &scheme : &policy) = name;
    }
    if (scheme && !policy)
        policy = "none";
    int code = VV_CLI_GO;
    const char *const keys[2] = { "integrator.scheme", "integrator.policy" }, *const values[2] = { scheme, policy };
    for (int i = 0; i < 2 && code == VV_CLI_GO; i++)
        if (values[i]) {
            code = add_set(s, *room);
            *room += sprintf(*room, "%s=%s", keys[i], values[i]) + 1;
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
    *s = (vv_compare_setting){ .text = copy_element(element, length) };
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
        if (n == 0)
            return vv_cli_wrong("--with: nothing stands in one place of \"%.*s\"", (int)length, element);
        int code = read_item(s, item, &room);
        if (code != VV_CLI_GO)
            return code;
    }
    return VV_CLI_GO;
}

static int add_element(vv_compare *c, const char *element, size_t length)
{
    if (c->count == VV_COMPARE_MOST)
        return vv_cli_wrong("--with: at most %d settings stand side by side, the truth among them", VV_COMPARE_MOST);
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
    for (int i = 0; i < VV_COMPARE_MOST; i++) {
        vv_compare_setting *s = &c->settings[i];
        for (int k = 0; s->jobs && k < s->starts; k++)
            vv_study_job_clear(&s->jobs[k]);
        json_decref(s->figures);
        vv_study_plan_free(&s->plan);
        free(s->jobs);
        free(s->text);
    }
}
