/* The window by SDL2. Pictures come from the program's own painter, which draws without a window: so they look the
 * same everywhere. */
#include "view/window.h"

#include "cli.h"

#ifdef VV_HAVE_SDL2
#include <SDL.h>
#include <SDL_ttf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { GLYPHS = 256, POINTS = 13, LEAST_WIDTH = 200, LEAST_HEIGHT = 150 };
static const char FONT[] = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf";

struct vv_window {
    SDL_Window *window;
    SDL_Renderer *renderer;
    SDL_Texture *picture;
    int width, height;
    TTF_Font *font;
    SDL_Texture *glyph[GLYPHS];
    int advance[GLYPHS], glyph_width[GLYPHS], glyph_height[GLYPHS];
};

/* ---- opening ---- */

static void say_no_window(void)
{
    const char *x = getenv("DISPLAY");
    vv_cli_wrong(
        "no window can be opened (%s; DISPLAY is \"%s\"). Needed: a display that answers (DISPLAY or "
        "WAYLAND_DISPLAY); without one, "
        "visviva render draws a run that visviva run wrote, and xvfb-run visviva view SCENE opens an invisible window",
        SDL_GetError(), x ? x : "");
}

/* Without a display that answers, SDL would draw where nobody sees it, or take over the console, unless it was asked
 * for that. */
static bool displayed(void)
{
    const char *x = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY"), *asked = getenv("SDL_VIDEODRIVER");
    if (asked && *asked)
        return true;
    if ((x && *x) || (wayland && *wayland)) {
        SDL_SetHint(SDL_HINT_VIDEODRIVER, x && *x ? "x11,wayland" : "wayland");
        return true;
    }
    SDL_SetError("neither DISPLAY nor WAYLAND_DISPLAY is set");
    return false;
}

/* Each character once, white; it is coloured when it is drawn. Without the font there are no words. */
static void make_glyphs(vv_window *w)
{
    if (TTF_Init() != 0 || !(w->font = TTF_OpenFont(FONT, POINTS))) {
        vv_cli_warn("the window will show no text: %s. They need the package fonts-dejavu-core", TTF_GetError());
        return;
    }
    for (int c = 32; c < GLYPHS; c++) {
        SDL_Surface *s = TTF_RenderGlyph32_Blended(w->font, (Uint32)c, (SDL_Color){ 255, 255, 255, 255 });
        if (!s)
            continue;
        w->glyph[c] = SDL_CreateTextureFromSurface(w->renderer, s);
        w->glyph_width[c] = s->w, w->glyph_height[c] = s->h;
        SDL_FreeSurface(s);
        TTF_GlyphMetrics32(w->font, (Uint32)c, NULL, NULL, NULL, NULL, &w->advance[c]);
    }
}

vv_window *vv_window_open(const char *title, int width, int height)
{
    SDL_SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "1"); /* Ctrl-C is the program's */
    SDL_SetHint(SDL_HINT_VIDEO_HIGHDPI_DISABLED, "1");
    SDL_SetHint(SDL_HINT_FRAMEBUFFER_ACCELERATION, "0"); /* the painter has the only OpenGL context of the program */
    vv_window *w = calloc(1, sizeof *w);
    if (!w) {
        vv_cli_wrong("no memory for a window");
        return NULL;
    }
    if (!displayed() || SDL_Init(SDL_INIT_VIDEO) != 0) {
        say_no_window();
        free(w);
        return NULL;
    }
    w->window =
        SDL_CreateWindow(title, SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED, width, height, SDL_WINDOW_RESIZABLE);
    w->renderer = w->window ? SDL_CreateRenderer(w->window, -1, SDL_RENDERER_SOFTWARE) : NULL;
    if (!w->renderer) {
        say_no_window();
        vv_window_close(w);
        return NULL;
    }
    SDL_SetWindowMinimumSize(w->window, LEAST_WIDTH, LEAST_HEIGHT);
    SDL_SetRenderDrawBlendMode(w->renderer, SDL_BLENDMODE_BLEND);
    make_glyphs(w);
    return w;
}

void vv_window_close(vv_window *w)
{
    if (!w)
        return;
    for (int c = 0; c < GLYPHS; c++)
        if (w->glyph[c])
            SDL_DestroyTexture(w->glyph[c]);
    if (w->font)
        TTF_CloseFont(w->font);
    if (TTF_WasInit())
        TTF_Quit();
    if (w->picture)
        SDL_DestroyTexture(w->picture);
    if (w->renderer)
        SDL_DestroyRenderer(w->renderer);
    if (w->window)
        SDL_DestroyWindow(w->window);
    SDL_Quit();
    free(w);
}

void vv_window_size(const vv_window *w, int *width, int *height) { SDL_GetWindowSize(w->window, width, height); }

bool vv_window_visible(const vv_window *w)
{
    return !(SDL_GetWindowFlags(w->window) & (SDL_WINDOW_MINIMIZED | SDL_WINDOW_HIDDEN));
}

/* ---- events ---- */

static int key_of(SDL_Keycode key)
{
    switch (key) {
    case SDLK_LEFT: return VV_KEY_LEFT;
    case SDLK_RIGHT: return VV_KEY_RIGHT;
    case SDLK_UP: return VV_KEY_UP;
    case SDLK_DOWN: return VV_KEY_DOWN;
    case SDLK_KP_PLUS: return '+';
    case SDLK_KP_MINUS: return '-';
    case SDLK_KP_PERIOD: return '.';
    default: return key > 0 && key < 128 ? (int)key : 0;
    }
}

static int button_of(int button)
{
    return button == SDL_BUTTON_LEFT     ? VV_BUTTON_LEFT
           : button == SDL_BUTTON_MIDDLE ? VV_BUTTON_MIDDLE
           : button == SDL_BUTTON_RIGHT  ? VV_BUTTON_RIGHT
                                         : 0;
}

static int lowest_button(Uint32 state)
{
    return state & SDL_BUTTON_LMASK   ? VV_BUTTON_LEFT
           : state & SDL_BUTTON_MMASK ? VV_BUTTON_MIDDLE
           : state & SDL_BUTTON_RMASK ? VV_BUTTON_RIGHT
                                      : 0;
}

bool vv_window_event(vv_window *w, vv_event *event)
{
    SDL_Event e;
    (void)w;
    *event = (vv_event){ 0 };
    if (!SDL_PollEvent(&e))
        return false;
    switch (e.type) {
    case SDL_QUIT: event->kind = VV_EVENT_CLOSE; break;
    case SDL_WINDOWEVENT:
        event->kind = e.window.event == SDL_WINDOWEVENT_SIZE_CHANGED ? VV_EVENT_SIZE : VV_EVENT_NONE;
        break;
    case SDL_KEYDOWN:
        *event = (vv_event){ .kind = VV_EVENT_KEY,
                             .key = key_of(e.key.keysym.sym),
                             .shift = (e.key.keysym.mod & KMOD_SHIFT) != 0,
                             .again = e.key.repeat != 0 };
        break;
    case SDL_MOUSEBUTTONDOWN:
    case SDL_MOUSEBUTTONUP:
        *event = (vv_event){ .kind = e.type == SDL_MOUSEBUTTONDOWN ? VV_EVENT_PRESS : VV_EVENT_RELEASE,
                             .button = button_of(e.button.button),
                             .shift = (SDL_GetModState() & KMOD_SHIFT) != 0,
                             .x = e.button.x,
                             .y = e.button.y };
        break;
    case SDL_MOUSEMOTION:
        *event = (vv_event){ .kind = VV_EVENT_MOTION,
                             .button = lowest_button(e.motion.state),
                             .shift = (SDL_GetModState() & KMOD_SHIFT) != 0,
                             .x = e.motion.x,
                             .y = e.motion.y,
                             .dx = e.motion.xrel,
                             .dy = e.motion.yrel };
        break;
    case SDL_MOUSEWHEEL: *event = (vv_event){ .kind = VV_EVENT_WHEEL, .dy = e.wheel.y }; break;
    default: break;
    }
    return true;
}

/* ---- drawing ---- */

/* By hand, as SDL's own conversion of three bytes a pixel takes ten times as long. */
static void convert(const vv_image *picture, unsigned char *out, int pitch)
{
    for (int y = 0; y < picture->height; y++) {
        const unsigned char *from = picture->rgb + 3 * (size_t)y * (size_t)picture->width;
        unsigned char *row = out + (size_t)y * (size_t)pitch;
        for (int x = 0; x < picture->width; x++) {
            const uint32_t pixel = (uint32_t)from[3 * x] << 16 | (uint32_t)from[3 * x + 1] << 8 | from[3 * x + 2];
            memcpy(row + 4 * x, &pixel, 4);
        }
    }
}

bool vv_window_show(vv_window *w, const vv_image *picture)
{
    void *pixels;
    int pitch;
    if (!w->picture || w->width != picture->width || w->height != picture->height) {
        if (w->picture)
            SDL_DestroyTexture(w->picture);
        w->picture = SDL_CreateTexture(w->renderer, SDL_PIXELFORMAT_RGB888, SDL_TEXTUREACCESS_STREAMING, picture->width,
                                       picture->height);
        w->width = picture->width, w->height = picture->height;
    }
    if (w->picture && SDL_LockTexture(w->picture, NULL, &pixels, &pitch) == 0) {
        convert(picture, pixels, pitch);
        SDL_UnlockTexture(w->picture);
        if (SDL_RenderCopy(w->renderer, w->picture, NULL, NULL) == 0)
            return true;
    }
    vv_cli_wrong("the window cannot be drawn: %s", SDL_GetError());
    return false;
}

void vv_window_panel(vv_window *w, int x, int y, int width, int height)
{
    SDL_SetRenderDrawColor(w->renderer, 22, 26, 30, 190);
    SDL_RenderFillRect(w->renderer, &(SDL_Rect){ x, y, width, height });
}

void vv_window_curve(vv_window *w, const float *points, int count, const unsigned char rgb[3])
{
    SDL_SetRenderDrawColor(w->renderer, rgb[0], rgb[1], rgb[2], 255);
    SDL_RenderDrawLinesF(w->renderer, (const SDL_FPoint *)points, count);
}

/* Letters of Latin-1, which UTF-8 spells with two bytes; others become a question mark. */
static int next_letter(const char **text)
{
    const unsigned char *t = (const unsigned char *)*text;
    if (t[0] < 0x80) {
        *text += 1;
        return t[0];
    }
    *text += 1;
    while (((unsigned char)**text & 0xc0) == 0x80)
        *text += 1;
    return (t[0] & 0xe0) == 0xc0 && t[0] <= 0xc3 ? ((t[0] & 3) << 6 | (t[1] & 0x3f)) : '?';
}

void vv_window_words(vv_window *w, int x, int y, const unsigned char rgb[3], const char *text)
{
    while (*text) {
        const int c = next_letter(&text);
        if (w->glyph[c]) {
            SDL_SetTextureColorMod(w->glyph[c], rgb[0], rgb[1], rgb[2]);
            SDL_RenderCopy(w->renderer, w->glyph[c], NULL, &(SDL_Rect){ x, y, w->glyph_width[c], w->glyph_height[c] });
        }
        x += w->advance[c];
    }
}

int vv_window_line(const vv_window *w) { return w->font ? TTF_FontLineSkip(w->font) : 16; }

int vv_window_width_of(const vv_window *w, const char *text)
{
    int width = 0;
    while (*text)
        width += w->advance[next_letter(&text)];
    return width;
}

void vv_window_present(vv_window *w) { SDL_RenderPresent(w->renderer); }

bool vv_window_grab(vv_window *w, vv_image *image)
{
    int width, height;
    if (SDL_GetRendererOutputSize(w->renderer, &width, &height) != 0 || !vv_image_create(image, width, height))
        return false;
    if (SDL_RenderReadPixels(w->renderer, NULL, SDL_PIXELFORMAT_RGB24, image->rgb, 3 * width) == 0)
        return true;
    vv_cli_wrong("the window cannot be read: %s", SDL_GetError());
    vv_image_destroy(image);
    return false;
}

#endif
