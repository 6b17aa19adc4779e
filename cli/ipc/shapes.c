/* visviva new --from-ipc: the lines of an input file of IPC that list meshes. */
#include "ipc/ipc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A backslash alone continues a shape in the next line; what follows '#' is a comment. False: the shape has no more
 * words. */
static bool next_word(vv_ipc *c, char word[VV_IPC_WORD])
{
    while (vv_ipc_take(&c->text, word)) {
        bool comment = word[0] == '#', more = strcmp(word, "\\") == 0;
        while (comment && vv_ipc_take(&c->text, word))
            more = more || strcmp(word, "\\") == 0;
        if (!comment && !more)
            return true;
        if (!more || !vv_ipc_next_line(&c->text))
            return false;
    }
    return false;
}

/* The same for `count` numbers. */
static int numbers(vv_ipc *c, const char *word, const char *form, int count, double *values)
{
    char found[VV_IPC_WORD];
    for (int i = 0; i < count; i++) {
        if (!next_word(c, found))
            return vv_ipc_wrong(c, c->text.line, "%s: found %d numbers; needed: %d, %s", word, i, count, form);
        if (!vv_ipc_is_number(found, &values[i]))
            return vv_ipc_wrong(c, c->text.line, "%s: found \"%s\", where a number is needed (%d of %d: %s)", word,
                                found, i + 1, count, form);
    }
    return VV_CLI_GO;
}

/* ---- the words after a shape's place, one row each ---- */

typedef struct option {
    const char *word;
    int (*read)(vv_ipc *c, vv_ipc_shape *s);
} option;

static int read_material(vv_ipc *c, vv_ipc_shape *s)
{
    double v[3];
    int code = numbers(c, "material", "DENSITY YOUNG POISSON", 3, v);
    if (code != VV_CLI_GO)
        return code;
    if (!(v[0] > 0 && v[1] > 0)) { /* IPC warns and goes on */
        vv_ipc_note_line(c, VV_IPC_LOST, c->text.line,
                         "material %.9g %.9g %.9g: density and Young's modulus must be above 0; the scene's "
                         "own material is taken, as IPC does",
                         v[0], v[1], v[2]);
        return VV_CLI_GO;
    }
    if (!(v[2] > -1 && v[2] < 0.5))
        return vv_ipc_wrong(c, c->text.line, "material: found Poisson's ratio %.9g; allowed: above -1 and below 0.5",
                            v[2]);
    s->density = v[0];
    s->young = v[1];
    s->poisson = v[2];
    return VV_CLI_GO;
}

static int read_linear(vv_ipc *c, vv_ipc_shape *s)
{
    s->moves = true;
    return numbers(c, "linearVelocity", "VX VY VZ", 3, s->linear);
}

static int read_angular(vv_ipc *c, vv_ipc_shape *s)
{
    s->spins = true;
    return numbers(c, "angularVelocity", "DEGREES A SECOND ABOUT X Y Z", 3, s->angular);
}

static int read_start(vv_ipc *c, vv_ipc_shape *s)
{
    double v[6];
    int code = numbers(c, "initVel", "VX VY VZ, DEGREES A SECOND ABOUT X Y Z", 6, v);
    s->starts = true;
    memcpy(s->start_linear, v, sizeof s->start_linear);
    memcpy(s->start_angular, v + 3, sizeof s->start_angular);
    return code;
}

/* Up to two numbers, if numbers come next. */
static void optional_range(vv_ipc *c, double *begin, double *end)
{
    double *range[2] = { begin, end };
    *begin = 0;
    *end = INFINITY;
    for (int i = 0; i < 2; i++) {
        const char *next;
        char word[VV_IPC_WORD];
        double value;
        size_t n = vv_ipc_peek(&c->text, &next);
        snprintf(word, sizeof word, "%.*s", (int)(n < VV_IPC_WORD ? n : VV_IPC_WORD - 1), next);
        if (!vv_ipc_is_number(word, &value))
            return;
        *range[i] = value;
        vv_ipc_take(&c->text, word);
    }
}

/* Both kinds: a region in parts of the mesh's box, a velocity or an acceleration, perhaps times. */
static int read_drive(vv_ipc *c, const char *word, const char *form, bool turns, vv_ipc_drive **list, int *count)
{
    double v[12] = { 0 };
    int line = c->text.line, code = numbers(c, word, form, turns ? 12 : 9, v);
    vv_ipc_drive *drives = code == VV_CLI_GO ? vv_ipc_grow(*list, count, sizeof **list) : NULL;
    if (!drives)
        return code == VV_CLI_GO ? VV_EXIT_FAILED : code;
    *list = drives;
    vv_ipc_drive *d = &drives[*count - 1];
    *d = (vv_ipc_drive){ .line = line };
    for (int k = 0; k < 3; k++) {
        d->low[k] = v[k];
        d->high[k] = v[3 + k];
        d->linear[k] = v[6 + k];
        d->angular[k] = v[9 + k];
    }
    optional_range(c, &d->begin, &d->end);
    return VV_CLI_GO;
}

static int read_held(vv_ipc *c, vv_ipc_shape *s)
{
    return read_drive(c, "DBC", "TWO CORNERS, VX VY VZ, DEGREES A SECOND ABOUT X Y Z [BEGIN [END]]", true, &s->held,
                      &s->held_count);
}

static int read_pulled(vv_ipc *c, vv_ipc_shape *s)
{
    return read_drive(c, "NBC", "TWO CORNERS, AX AY AZ [BEGIN [END]]", false, &s->pulled, &s->pulled_count);
}

static int read_sequence(vv_ipc *c, vv_ipc_shape *s)
{
    char word[VV_IPC_WORD];
    if (!next_word(c, word))
        return vv_ipc_wrong(c, c->text.line, "meshSeq: the folder of the meshes is missing");
    free(s->sequence);
    return (s->sequence = vv_ipc_copy(word)) ? VV_CLI_GO : VV_EXIT_FAILED;
}

static const option options[] = {
    { "material", read_material },
    { "linearVelocity", read_linear },
    { "angularVelocity", read_angular },
    { "initVel", read_start },
    { "DBC", read_held },
    { "NBC", read_pulled },
    { "meshSeq", read_sequence },
};
enum { OPTIONS = sizeof options / sizeof *options };

static int read_options(vv_ipc *c, vv_ipc_shape *s)
{
    char word[VV_IPC_WORD], hint[VV_HINT];
    const char *words[OPTIONS];
    bool told = false; /* what follows an unknown word belongs to it */
    while (next_word(c, word)) {
        const option *o = options;
        while (o < options + OPTIONS && strcmp(o->word, word) != 0)
            o++;
        if (o < options + OPTIONS) {
            int code = o->read(c, s);
            if (code != VV_CLI_GO)
                return code;
            told = false;
        } else if (!told) {
            for (int i = 0; i < OPTIONS; i++)
                words[i] = options[i].word;
            vv_ipc_note_line(c, VV_IPC_UNKNOWN, c->text.line, "%.100s: not a word of IPC's for shapes%s", word,
                             vv_cli_hint(hint, word, words, OPTIONS));
            told = true;
        }
    }
    return VV_CLI_GO;
}

/* ---- shapes ---- */

static vv_ipc_shape *add_shape(vv_ipc *c, const char *path)
{
    vv_ipc_shape *shapes = vv_ipc_grow(c->shapes, &c->shape_count, sizeof *shapes);
    if (!shapes)
        return NULL;
    c->shapes = shapes;
    vv_ipc_shape *s = &shapes[c->shape_count - 1];
    *s = (vv_ipc_shape){ .line = c->text.line,
                         .path = vv_ipc_copy(path),
                         .friction = NAN,
                         .scale = { 1, 1, 1 },
                         .count = { 1, 1, 1 },
                         .density = NAN,
                         .young = NAN,
                         .poisson = NAN };
    return s->path ? s : NULL;
}

bool vv_ipc_add_like(vv_ipc *c, int shape)
{
    char *path = vv_ipc_copy(c->shapes[shape].path);
    vv_ipc_shape *shapes = path ? vv_ipc_grow(c->shapes, &c->shape_count, sizeof *shapes) : NULL;
    if (!shapes) {
        free(path);
        return false;
    }
    c->shapes = shapes;
    shapes[c->shape_count - 1] = shapes[shape];
    shapes[c->shape_count - 1].path = path;
    return true;
}

static int check_scale(const vv_ipc *c, const vv_ipc_shape *s)
{
    for (int k = 0; k < 3; k++)
        if (s->scale[k] == 0)
            return vv_ipc_wrong(c, c->text.line, "%s: found the scale 0; allowed: any other number", s->path);
    return VV_CLI_GO;
}

static int read_place(vv_ipc *c, vv_ipc_shape *s)
{
    double v[9];
    int code = numbers(c, s->path, "X Y Z  RX RY RZ  SX SY SZ", 9, v);
    memcpy(s->translate, v, sizeof s->translate);
    memcpy(s->rotate, v + 3, sizeof s->rotate);
    memcpy(s->scale, v + 6, sizeof s->scale);
    return code == VV_CLI_GO ? check_scale(c, s) : code;
}

int vv_ipc_read_shapes(vv_ipc *c, int count)
{
    int from = c->text.line;
    for (int i = 0; i < count;) {
        char path[VV_IPC_WORD];
        if (!vv_ipc_next_line(&c->text))
            return vv_ipc_wrong(c, from, "shapes: %d are promised, and the file ends after %d", count, i);
        if (!vv_ipc_take(&c->text, path) || path[0] == '#')
            continue;
        vv_ipc_shape *s = add_shape(c, path);
        if (!s)
            return VV_EXIT_FAILED;
        int code = read_place(c, s);
        if (code == VV_CLI_GO)
            code = read_options(c, s);
        if (code != VV_CLI_GO)
            return code;
        i++;
    }
    return VV_CLI_GO;
}

int vv_ipc_read_one_shape(vv_ipc *c)
{
    char path[VV_IPC_WORD];
    if (!vv_ipc_take(&c->text, path))
        return vv_ipc_wrong(c, c->text.line, "shape input: the mesh is missing");
    return add_shape(c, path) ? VV_CLI_GO : VV_EXIT_FAILED;
}

enum { MOST_COPIES = 10000 }; /* as scenes allow */

int vv_ipc_read_matrix(vv_ipc *c, const double count[3], const double from[3])
{
    char path[VV_IPC_WORD];
    int line = c->text.line;
    for (int k = 0; k < 3; k++)
        if (count[k] < 1)
            return vv_ipc_wrong(c, line, "shapeMatrix: found %.9g shapes along an axis; allowed: at least 1", count[k]);
    if (count[0] * count[1] * count[2] > MOST_COPIES)
        return vv_ipc_wrong(c, line, "shapeMatrix: found %.9g shapes; allowed: at most %d",
                            count[0] * count[1] * count[2], MOST_COPIES);
    if (!vv_ipc_next_line(&c->text) || !vv_ipc_take(&c->text, path))
        return vv_ipc_wrong(c, line, "shapeMatrix: the next line names no mesh");
    vv_ipc_shape *s = add_shape(c, path);
    if (!s)
        return VV_EXIT_FAILED;
    int code = read_place(c, s);
    for (int k = 0; k < 3; k++) {
        s->step[k] = s->translate[k];
        s->translate[k] = from[k];
        s->count[k] = (int)count[k];
    }
    const char *next;
    if (code == VV_CLI_GO && vv_ipc_peek(&c->text, &next) == 8 && strncmp(next, "material", 8) == 0) {
        vv_ipc_take(&c->text, path);
        code = read_material(c, s);
    }
    return code;
}

int vv_ipc_read_mesh_object(vv_ipc *c)
{
    static const char form[] = "FILE X Y Z SCALE STIFFNESS FRICTION [rotate RX RY RZ]";
    char path[VV_IPC_WORD];
    double v[6];
    if (!vv_ipc_take(&c->text, path))
        return vv_ipc_wrong(c, c->text.line, "meshCO: the mesh is missing; needed: meshCO %s", form);
    vv_ipc_shape *s = add_shape(c, path);
    if (!s)
        return VV_EXIT_FAILED;
    int code = vv_ipc_numbers(c, "meshCO", form, 6, v);
    memcpy(s->translate, v, sizeof s->translate);
    s->extent = v[3];
    s->friction = v[5]; /* its stiffness is read by nobody */
    s->apart = true;
    if (code == VV_CLI_GO && !(s->extent > 0))
        return vv_ipc_wrong(c, c->text.line, "meshCO: found the scale %.9g; allowed: numbers above 0", s->extent);
    if (code == VV_CLI_GO && !(s->friction >= 0))
        return vv_ipc_wrong(c, c->text.line, "meshCO: found the friction %.9g; allowed: numbers from 0", s->friction);
    const char *next;
    if (code == VV_CLI_GO && vv_ipc_peek(&c->text, &next) == 6 && strncmp(next, "rotate", 6) == 0) {
        vv_ipc_take(&c->text, path);
        code = vv_ipc_numbers(c, "rotate", "RX RY RZ", 3, s->rotate);
    }
    return code;
}
