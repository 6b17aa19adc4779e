/* visviva view in a build without a window. */
#include "cli.h"

#if !(defined(VV_HAVE_SDL2) && defined(VV_HAVE_EGL))
int vv_cli_view(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return vv_cli_wrong("this build opens no windows: it was made without libsdl2-dev, libsdl2-ttf-dev, libegl-dev or libopengl-dev. Install "
                        "them and build again; visviva render draws without a window");
}
#endif
