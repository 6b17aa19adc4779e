/* The options of visviva view, which every build understands. */
#ifndef VV_CLI_VIEW_OPTIONS_H
#define VV_CLI_VIEW_OPTIONS_H

#include "cli.h"

typedef struct vv_view_options {
    const char *scene, *size, *summary;
    const char *colour; /* a field's name; NULL: bodies */
    double colourMax;   /* 0: the largest so far */
    char found[VV_SCENE_ROOM];
    vv_option_list sets;
    int threads, width, height;
    double seconds; /* 0: until the window is closed */
    bool paused, stats;
} vv_view_options;

/* VV_CLI_GO, or an exit code. */
int vv_view_read_options(vv_view_options *options, int argc, char **argv);

#endif
