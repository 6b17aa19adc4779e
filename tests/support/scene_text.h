/* What tests of scene files share: texts that are loaded into the worlds of fake_scene_world.h, and what must be said
 * of them. */
#ifndef VV_SCENE_TEXT_H
#define VV_SCENE_TEXT_H

#include "fake_scene_world.h"

#define HEAD "{ 'visviva': 1, "

static vvError last;

/* Loads a text (single quotes stand for double ones), makes the world, and leaves what happened in fake_log. */
static inline vvStatus load(const char *text, const char *const *overrides, int count)
{
    char *json = strdup(text);
    for (char *p = json; *p; p++)
        if (*p == '\'')
            *p = '"';
    vvScene *scene = NULL;
    vvWorld *world = NULL;
    fake_log[0] = 0;
    last = (vvError){ 0 };
    vvStatus status = vvSceneParse(json, "s.json", VV_SOURCE_DIR, overrides, count, &scene, &last);
    if (status)
        assert_null(scene);
    else
        status = vvSceneCreateWorld(scene, 3, &world, &last);
    assert_int_equal(status, last.status);
    assert_true(status == VV_OK ? world != NULL : world == NULL && last.message[0] != 0);
    vvWorldDestroy(world);
    vvSceneDestroy(scene);
    free(json);
    assert_int_equal(fake_worlds, 0);
    return status;
}

static inline void good(const char *text)
{
    if (load(text, NULL, 0))
        fail_msg("refused: %s\nbecause: %s", text, last.message);
}

static inline void bad(const char *text, const char *part)
{
    if (!load(text, NULL, 0))
        fail_msg("accepted: %s", text);
    assert_int_equal(last.status, VV_ERROR_INPUT);
    if (!strstr(last.message, part))
        fail_msg("message: %s\nlacks: %s\nfor: %s", last.message, part, text);
}

/* Of the last world made. */
static inline void expect(const char *part)
{
    if (!strstr(fake_log, part))
        fail_msg("missing: %s\nin:\n%s", part, fake_log);
}

static inline void never(const char *part)
{
    if (strstr(fake_log, part))
        fail_msg("should not be there: %s\nin:\n%s", part, fake_log);
}

#endif
