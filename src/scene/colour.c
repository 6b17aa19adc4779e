/* Colours of bodies, "bodies[].color": how they are shown, which the simulation knows nothing of. Run files have them
 * with their scene. */
#include "scene/colour.h"

#include <string.h>

#ifdef VV_HAVE_JANSSON
#include "scene/document.h"
#endif

int vv_scene_colour(const char *text)
{
    static const char digits[] = "0123456789abcdefABCDEF";
    int colour = 0;
    if (text[0] != '#' || strlen(text) != 7)
        return -1;
    for (const char *p = text + 1; *p; p++) {
        const char *digit = strchr(digits, *p);
        if (!digit)
            return -1;
        const int value = (int)(digit - digits);
        colour = 16 * colour + (value < 16 ? value : value - 6);
    }
    return colour;
}

#ifdef VV_HAVE_JANSSON
/* How many bodies an entry makes; `most` where it does not say a sound number. */
static int copies_of(const json_t *entry, int most)
{
    const json_t *count = json_object_get(json_object_get(entry, "copies"), "count");
    double all = 1;
    for (size_t k = 0; k < json_array_size(count); k++)
        all *= json_number_value(json_array_get(count, k));
    return all >= 1 && all < most ? (int)all : all >= 1 ? most : 1;
}

/* Whether this is the name, or the name of one of its copies. */
static bool is_of(const char *body, const char *name, bool copies)
{
    const size_t n = strlen(name);
    if (!copies)
        return strcmp(body, name) == 0;
    return strncmp(body, name, n) == 0 && body[n] == ' ';
}

static void find_colours(const char *text, int count, const char *(*name_of)(const void *user, int body),
                         const void *user, int *colours)
{
    json_error_t problem;
    json_t *root = strstr(text, "\"color\"") ? vv_scene_read_json(text, strlen(text), 0, &problem) : NULL;
    const json_t *entries = json_object_get(root, "bodies");
    int body = 0;
    for (size_t e = 0; e < json_array_size(entries); e++) {
        const json_t *entry = json_array_get(entries, e), *named = json_object_get(entry, "name");
        const char *name = json_string_value(named), *word = json_string_value(json_object_get(entry, "color"));
        const bool copies = json_object_get(entry, "copies") != NULL;
        const int colour = word ? vv_scene_colour(word) : -1, end = body + copies_of(entry, count - body);
        for (; body < end && body < count && (!name || is_of(name_of(user, body), name, copies)); body++)
            colours[body] = colour;
        if (body < end) /* bodies of another scene */
            break;
    }
    json_decref(root);
}
#endif

void vv_scene_colours(const char *text, int count, const char *(*name_of)(const void *user, int body), const void *user,
                      int *colours)
{
    for (int b = 0; b < count; b++)
        colours[b] = -1;
#ifdef VV_HAVE_JANSSON
    find_colours(text, count, name_of, user, colours);
#else
    (void)text, (void)name_of, (void)user;
#endif
}
