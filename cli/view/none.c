/* visviva view in a build without a window. */
#include "view/options.h"

#if !(defined(VV_HAVE_SDL2) && defined(VV_HAVE_EGL))
#include <stdlib.h>

int vv_cli_view(int argc, char **argv)
{
    vv_view_options *o = calloc(1, sizeof *o);
    if (!o)
        return vv_cli_wrong("no memory for the options");
    const int code = vv_view_read_options(o, argc, argv);
    free(o);
    if (code != VV_CLI_GO)
        return code;
    vv_cli_wrong("this build opens no windows: it was built without SDL2 or OpenGL. Install libsdl2-dev, "
                 "libsdl2-ttf-dev, libegl-dev and "
                 "libopengl-dev (and, to run, libegl-mesa0 libgl1-mesa-dri fonts-dejavu-core), then build again; "
                 "visviva run and visviva "
                 "render do without a window");
    return VV_EXIT_FAILED;
}
#endif
