/* What the program says on stderr: errors, warnings, notes; colours on a terminal; "did you mean". */
#include "cli.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* NO_COLOR (no-color.org): set to anything but "". */
static bool coloured(FILE *to)
{
    const char *no = getenv("NO_COLOR"), *terminal = getenv("TERM");
    if ((no && no[0]) || !terminal || strcmp(terminal, "dumb") == 0)
        return false;
    return isatty(fileno(to)) == 1;
}

const char *vv_style(FILE *to, vv_style_kind kind)
{
    static const char *const codes[] = { "\033[0m", "\033[1m", "\033[1;33m", "\033[1;31m" };
    return coloured(to) ? codes[kind] : "";
}

void vv_cli_heading(const char *text)
{
    printf("%s%s%s", vv_style(stdout, VV_STYLE_HEADING), text, vv_style(stdout, VV_STYLE_PLAIN));
}

/* A file could not be written: see vv_cli_leave. */
static bool file_failed;
/* What was said, for --json. */
enum { MOST_WARNINGS = 32, LONGEST = 1024 };
static char last_error[LONGEST], *warnings[MOST_WARNINGS];
static int warning_count;

const char *vv_cli_last_error(void) { return last_error; }
const char *vv_cli_warning(int index) { return index < warning_count ? warnings[index] : NULL; }
int vv_cli_strict(bool strict, int code)
{
    return strict && code == VV_EXIT_OK && warning_count > 0 ? VV_EXIT_FAILED : code;
}

/* Whatever went to stdout comes first, also in a pipe. */
static void begin(const char *who, vv_style_kind style)
{
    fflush(stdout);
    vv_cli_clear_line();
    fprintf(stderr, "%s%s%s ", vv_style(stderr, style), who, vv_style(stderr, VV_STYLE_PLAIN));
}

int vv_cli_error(const vvError *error)
{
    begin("visviva:", VV_STYLE_ERROR);
    file_failed = file_failed || error->status == VV_ERROR_IO;
    const char *what = error->message[0] ? error->message : vvStatusName(error->status);
    snprintf(last_error, sizeof last_error, "%s", error->status == VV_CANCELLED ? "interrupted" : what);
    fprintf(stderr, "%s\n", last_error);
    switch (error->status) {
    case VV_ERROR_INPUT:
    case VV_ERROR_IO:
    case VV_ERROR_UNSUPPORTED: return VV_EXIT_WRONG;
    case VV_CANCELLED: return VV_EXIT_INTERRUPTED;
    default: return VV_EXIT_FAILED;
    }
}

int vv_cli_error_in(const char *path, const vvError *error)
{
    if (error->status != VV_ERROR_INPUT && error->status != VV_ERROR_UNSUPPORTED)
        return vv_cli_error(error);
    vvError named = { .status = error->status };
    snprintf(named.message, sizeof named.message, "%.300s: %.700s", path, error->message);
    return vv_cli_error(&named);
}

int vv_cli_wrong(const char *format, ...)
{
    va_list args;
    begin("visviva:", VV_STYLE_ERROR);
    va_start(args, format);
    vsnprintf(last_error, sizeof last_error, format, args);
    va_end(args);
    va_start(args, format);
    vfprintf(stderr, format, args); /* whole, however long */
    va_end(args);
    fputc('\n', stderr);
    return VV_EXIT_WRONG;
}

void vv_cli_warn(const char *format, ...)
{
    va_list args;
    char text[LONGEST];
    begin("visviva: warning:", VV_STYLE_WARNING);
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fprintf(stderr, "%s\n", text);
    if (warning_count < MOST_WARNINGS && (warnings[warning_count] = strdup(text)))
        warning_count++;
}

const char *vv_cli_hint(char out[VV_HINT], const char *wrong, const char *const *words, int count)
{
    const char *near = vvNearestWord(wrong, words, count);
    out[0] = 0;
    if (near)
        snprintf(out, VV_HINT, "; did you mean \"%s\"?", near);
    return out;
}

/* HDF5 1.10 crashes in its clean-up at exit if it could not close a file, as happens at a limit of file sizes. */
int vv_cli_leave(int code)
{
    errno = 0;
    if (fflush(stdout) != 0 || ferror(stdout)) { /* a full disk behind "> file" shows only now */
        vv_cli_wrong("cannot write to standard output: %s", errno ? strerror(errno) : "is the disk full?");
        code = code == VV_EXIT_OK ? VV_EXIT_FAILED : code;
    }
    if (file_failed)
        _exit(code);
    return code;
}

bool vv_cli_surfaces_may_touch(const vvWorld *world)
{
    const int bodies = vvWorldBodyCount(world);
    for (int a = 0; a < bodies; a++)
        for (int b = a; b < bodies; b++)
            if (!isnan(vvWorldFriction(world, vvWorldBody(world, a), vvWorldBody(world, b))))
                return true;
    return false;
}

bool vv_cli_has_contact(const vvWorldDef *def)
{
    const vvContactModel *model = vvContactModelFind(def->contact.model);
    return model->obstacles != VV_CONTACT_NONE || model->bodies != VV_CONTACT_NONE;
}

bool vv_cli_has_barrier(const vvWorld *world)
{
    const vvContactModel *model = vvContactModelFind(vvWorldGetDef(world)->contact.model);
    return model->bodies != VV_CONTACT_FORCE &&
           (model->obstacles != VV_CONTACT_FORCE || vv_cli_surfaces_may_touch(world));
}
