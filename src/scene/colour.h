/* The colours that a scene gives its bodies. */
#ifndef VV_SCENE_COLOUR_H
#define VV_SCENE_COLOUR_H

#include <stdbool.h>

/* "#rrggbb" as 0xrrggbb; -1: the text is none. */
int vv_scene_colour(const char *text);
/* Of bodies that were made of a scene, in their order, by the scene's text, which need not be sound: colours[count], -1
 * where it gives none. `name_of` says the name of a body. */
void vv_scene_colours(const char *text, int count, const char *(*name_of)(const void *user, int body), const void *user,
                      int *colours);

#endif
