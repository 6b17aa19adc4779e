/* The OpenGL context: EGL without a window, OpenGL 3.3 core. Mesa's surfaceless platform first (needs no display server
 * and no graphics card: llvmpipe), then EGL devices (cards' own drivers), then the default display. */
#include "render/gl.h"
#include "cli.h"

#ifdef VV_HAVE_EGL
#define EGL_EGLEXT_PROTOTYPES
#define GL_GLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/glcorearb.h>
#include <stdlib.h>
#include <string.h>

/* Under the leak sanitizer: what the driver allocates and never frees is not ours to report. */
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#define DRIVER_BEGIN() __lsan_disable()
#define DRIVER_END() __lsan_enable()
#else
#define DRIVER_BEGIN() (void)0
#define DRIVER_END() (void)0
#endif

struct vv_gl {
    EGLDisplay display;
    EGLContext context;
    EGLSurface surface;
    char renderer[128];
};

static EGLContext make_context(vv_gl *gl, EGLDisplay display)
{
    static const EGLint wanted[] = { EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE };
    static const EGLint version[] = {
        EGL_CONTEXT_MAJOR_VERSION,           3,       EGL_CONTEXT_MINOR_VERSION, 3, EGL_CONTEXT_OPENGL_PROFILE_MASK,
        EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE
    };
    static const EGLint size[] = { EGL_WIDTH, 16, EGL_HEIGHT, 16, EGL_NONE };
    EGLConfig config;
    EGLint major, minor, count = 0;
    if (display == EGL_NO_DISPLAY || !eglInitialize(display, &major, &minor))
        return EGL_NO_CONTEXT;
    if (!eglBindAPI(EGL_OPENGL_API) || !eglChooseConfig(display, wanted, &config, 1, &count) || count < 1) {
        eglTerminate(display);
        return EGL_NO_CONTEXT;
    }
    EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, version);
    gl->surface = EGL_NO_SURFACE;
    if (context != EGL_NO_CONTEXT && !eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) {
        gl->surface = eglCreatePbufferSurface(display, config, size);
        if (!eglMakeCurrent(display, gl->surface, gl->surface, context)) {
            eglDestroyContext(display, context);
            context = EGL_NO_CONTEXT;
        }
    }
    if (context == EGL_NO_CONTEXT)
        eglTerminate(display);
    return context;
}

static bool try_display(vv_gl *gl, EGLDisplay display)
{
    gl->context = make_context(gl, display);
    gl->display = display;
    return gl->context != EGL_NO_CONTEXT;
}

static bool try_platforms(vv_gl *gl)
{
    const char *known = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
    if (known && strstr(known, "EGL_EXT_platform_base")) {
        PFNEGLGETPLATFORMDISPLAYEXTPROC get =
            (PFNEGLGETPLATFORMDISPLAYEXTPROC)eglGetProcAddress("eglGetPlatformDisplayEXT");
        PFNEGLQUERYDEVICESEXTPROC query = (PFNEGLQUERYDEVICESEXTPROC)eglGetProcAddress("eglQueryDevicesEXT");
        EGLDeviceEXT devices[16];
        EGLint count = 0;
        if (get && strstr(known, "EGL_MESA_platform_surfaceless") &&
            try_display(gl, get(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL)))
            return true;
        if (get && query && strstr(known, "EGL_EXT_platform_device") && query(16, devices, &count))
            for (int i = 0; i < count; i++)
                if (try_display(gl, get(EGL_PLATFORM_DEVICE_EXT, devices[i], NULL)))
                    return true;
    }
    return try_display(gl, eglGetDisplay(EGL_DEFAULT_DISPLAY));
}

vv_gl *vv_gl_start(void)
{
    vv_gl *gl = calloc(1, sizeof *gl);
    if (!gl) {
        vv_cli_wrong("no memory for OpenGL");
        return NULL;
    }
    DRIVER_BEGIN();
    if (!try_platforms(gl)) {
        DRIVER_END();
        vv_cli_wrong(
            "OpenGL 3.3 cannot start without a window (EGL error 0x%04x). Software rendering needs no graphics "
            "card: apt-get install libegl1 libegl-mesa0 libgl1-mesa-dri libopengl0",
            (unsigned)eglGetError());
        free(gl);
        return NULL;
    }
    const char *renderer = (const char *)glGetString(GL_RENDERER);
    snprintf(gl->renderer, sizeof gl->renderer, "%s", renderer ? renderer : "unknown");
    return gl;
}

void vv_gl_stop(vv_gl *gl)
{
    if (!gl)
        return;
    eglMakeCurrent(gl->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    if (gl->surface != EGL_NO_SURFACE)
        eglDestroySurface(gl->display, gl->surface);
    eglDestroyContext(gl->display, gl->context);
    eglTerminate(gl->display);
    eglReleaseThread();
    DRIVER_END();
    free(gl);
}

const char *vv_gl_renderer(const vv_gl *gl) { return gl->renderer; }

static bool compile(GLuint program, GLenum stage, const char *text, const char *what)
{
    char log[800] = "";
    GLint good = 0;
    GLuint shader = glCreateShader(stage);
    glShaderSource(shader, 1, &text, NULL);
    glCompileShader(shader);
    glGetShaderiv(shader, GL_COMPILE_STATUS, &good);
    if (good)
        glAttachShader(program, shader);
    else
        glGetShaderInfoLog(shader, sizeof log, NULL, log);
    glDeleteShader(shader); /* lives on as long as the program */
    if (!good)
        vv_cli_wrong("the driver refuses the %s shader: %s", what, log);
    return good;
}

unsigned vv_gl_program(const char *vertex, const char *fragment, const char *what)
{
    char log[800] = "";
    GLint good = 0;
    GLuint program = glCreateProgram();
    if (compile(program, GL_VERTEX_SHADER, vertex, what) && compile(program, GL_FRAGMENT_SHADER, fragment, what)) {
        glLinkProgram(program);
        glGetProgramiv(program, GL_LINK_STATUS, &good);
        if (!good) {
            glGetProgramInfoLog(program, sizeof log, NULL, log);
            vv_cli_wrong("the driver refuses the %s shaders: %s", what, log);
        }
    }
    if (!good)
        glDeleteProgram(program);
    return good ? program : 0;
}

#endif
