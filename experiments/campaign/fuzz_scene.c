/* Scenes: any text is a scene or refused, a scene's own text is the same scene, and it makes a world or is refused.
 * Its files, if it names some, are not there. */
#include "fuzz.h"

static void take_world(const vvScene *scene)
{
    vvError error = { 0 };
    vvWorld *world = NULL;
    const vvHost host = { .allocator = fuzz_memory };
    const vvStatus status = vvSceneCreateHostedWorld(scene, 1, &host, &world, &error);
    holds((status == VV_OK) == (world != NULL), "a status that does not fit", error.message);
    if (status != VV_OK)
        holds_message(&error);
    else if (vvWorldBake(world, &error) != VV_OK)
        holds_message(&error);
    vvWorldDestroy(world);
}

static void take_text_again(const vvScene *scene)
{
    vvError error = { 0 };
    vvScene *again = NULL;
    holds(vvSceneParse(vvSceneText(scene), "again", empty_folder(), NULL, 0, &again, &error) == VV_OK ||
              strstr(error.message, "memory"),
          "the text of a good scene is refused", error.message);
    holds(!again || strcmp(vvSceneText(scene), vvSceneText(again)) == 0, "the text of a scene changes",
          vvSceneText(scene));
    vvSceneDestroy(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    vvError error = { 0 };
    vvScene *scene = NULL;
    char *text = malloc(size + 1);
    memcpy(text, data, size), text[size] = 0;
    vvSetThreadAllocator(&fuzz_memory, NULL);
    if (vvSceneParse(text, "fuzz", empty_folder(), NULL, 0, &scene, &error) != VV_OK) {
        holds_message(&error);
    } else {
        take_text_again(scene);
        take_world(scene);
    }
    vvSceneDestroy(scene);
    vvSetThreadAllocator(NULL, NULL);
    holds(fuzz_bytes == 0, "memory was kept", "");
    free(text);
    return 0;
}
