/* visviva new --from-ipc: a scene of an input file of the IPC reference program, and what of it could not be carried
 * over. */
#include "ipc/ipc.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "new/new.h"

enum { MOST_NOTES = 500 };

/* ---- what the parts share ---- */

void *vv_ipc_grow(void *list, int *count, size_t size)
{
    void *grown = realloc(list, ((size_t)*count + 1) * size);
    if (grown)
        memset((char *)grown + (size_t)*count * size, 0, size);
    else
        vv_cli_wrong("no memory for the scene");
    *count += grown != NULL;
    return grown;
}

char *vv_ipc_copy(const char *text)
{
    char *copy = strdup(text);
    if (!copy)
        vv_cli_wrong("no memory for the scene");
    return copy;
}

void vv_ipc_note_line(vv_ipc *c, vv_ipc_note_kind kind, int line, const char *format, ...)
{
    va_list args;
    vv_ipc_note note = { kind, line, "" };
    va_start(args, format);
    vsnprintf(note.text, sizeof note.text, format, args);
    va_end(args);
    for (int i = 0; i < c->note_count; i++)
        if (c->notes[i].line == line && strcmp(c->notes[i].text, note.text) == 0)
            return;
    if (c->note_count == MOST_NOTES) {
        c->more_notes[kind != VV_IPC_NEEDLESS]++;
        return;
    }
    vv_ipc_note *notes = vv_ipc_grow(c->notes, &c->note_count, sizeof *notes);
    if (!notes)
        return;
    c->notes = notes;
    notes[c->note_count - 1] = note;
}

int vv_ipc_wrong(const vv_ipc *c, int line, const char *format, ...)
{
    char text[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return vv_cli_wrong("%s:%d: %s", c->path, line, text);
}

/* IPC's own defaults. */
static void begin(vv_ipc *c, const char *path, const char *output, bool force)
{
    *c = (vv_ipc){ .path = path,
                   .output = output,
                   .force = force,
                   .gravity = true,
                   .beta = 0.25,
                   .gamma = 0.5,
                   .duration = 5,
                   .step = 0.025,
                   .density = 1000,
                   .young = 1e5,
                   .poisson = 0.4,
                   .size = -1,
                   .held_range = { 0, INFINITY },
                   .pulled_range = { 0, INFINITY },
                   .handle = 0.01,
                   .friction_iterations = 1,
                   .tolerance = 1e-2,
                   .distance = 1e-3,
                   .slow = 1e-3,
                   .kappa_scale = 1e11,
                   .solver = "interiorPoint" };
}

static void end(vv_ipc *c)
{
    for (int i = 0; i < c->shape_count; i++) {
        vv_ipc_shape *s = &c->shapes[i];
        free(s->path);
        free(s->sequence);
        free(s->stand_in);
        free(s->held);
        free(s->pulled);
        json_decref(s->motion);
        json_decref(s->attach);
        json_decref(s->velocity);
    }
    for (int i = 0; i < c->mesh_count; i++) {
        if (c->meshes[i]) {
            vvMeshDestroy(&c->meshes[i]->mesh);
            free(c->meshes[i]->path);
            free(c->meshes[i]->part_of);
        }
        free(c->meshes[i]);
    }
    for (int i = 0; i < c->plane_count; i++)
        json_decref(c->planes[i].motion);
    free(c->script_folder);
    free(c->planes);
    free(c->shapes);
    free(c->meshes);
    free(c->notes);
    vv_ipc_close(&c->text);
}

/* ---- trying ---- */

/* The scene must load, and its start be one that can be simulated. */
static int try_scene(const char *path)
{
    vvScene *scene;
    vvWorld *world;
    vvError error;
    vv_cli_phase("new: trying %s", path);
    vvStatus status = vv_new_start_scene(path, NULL, 0, &scene, &world, &error);
    vvWorldDestroy(world);
    vvSceneDestroy(scene);
    if (status == VV_OK)
        return VV_CLI_GO;
    vv_cli_error_in(path, &error);
    if (!vv_cli_interrupted())
        vv_cli_warn("%s was written, but cannot run as it is; visviva check %s says more", path, path);
    return VV_EXIT_FAILED;
}

/* ---- saying ---- */

static int print_notes(const vv_ipc *c, bool needless)
{
    int count = 0;
    for (int i = 0; i < c->note_count; i++) {
        const vv_ipc_note *n = &c->notes[i];
        if ((n->kind == VV_IPC_NEEDLESS) != needless)
            continue;
        if (!count++)
            puts(needless ? "left out, since it changes no motion:" : "NOT carried over:");
        printf("    %s:%d: %s\n", c->path, n->line, n->text);
    }
    int more = c->more_notes[!needless];
    if (more)
        printf("    and %d more %s\n", more, needless ? "that change no motion" : "that are NOT carried over");
    return count + more;
}

static void print_report(const vv_ipc *c, const vv_ipc_lengths *l, const json_t *scene)
{
    char a[VV_TEXT], b[VV_TEXT];
    size_t bodies = json_array_size(json_object_get(scene, "bodies")),
           obstacles = json_array_size(json_object_get(scene, "obstacles"));
    vv_ipc_print_made(c);
    printf("scene %s\n", c->output);
    printf("    %zu %s, %zu obstacle%s, %s in steps of %s\n", bodies, bodies == 1 ? "body" : "bodies", obstacles,
           obstacles == 1 ? "" : "s", vv_text_quantity(a, c->duration, "s"), vv_text_quantity(b, c->step, "s"));
    if (!c->absolute)
        printf("    lengths are parts of %s, the diagonal of the box of all tets\n",
               vv_text_quantity(a, c->diagonal, "m"));
    printf("    contact acts below %s with stiffness %s, which gives about the gaps of IPC's least stiffness\n",
           vv_text_quantity(a, l->distance, "m"), vv_text_quantity(b, l->stiffness, "Pa"));
    print_notes(c, true);
    if (!print_notes(c, false))
        puts("everything else was carried over");
    printf("visviva run %s\n", c->output);
}

/* ---- the whole ---- */

static int write_scene(vv_ipc *c, const vv_ipc_lengths *lengths, const json_t *scene)
{
    char part[4096 + 16];
    snprintf(part, sizeof part, "%s.part.json", c->output);
    if (!vv_ipc_write_json(scene, part) || rename(part, c->output) != 0) {
        remove(part);
        vv_cli_wrong("cannot write %s: does its folder exist, may you write to it, is the disk full?", c->output);
        return VV_EXIT_FAILED;
    }
    print_report(c, lengths, scene);
    fflush(stdout);
    return try_scene(c->output);
}

static int convert(vv_ipc *c)
{
    static int (*const parts[])(vv_ipc *) = { vv_ipc_read, vv_ipc_find_meshes, vv_ipc_place, vv_ipc_move };
    int code = VV_CLI_GO;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && code == VV_CLI_GO; i++)
        code = parts[i](c);
    if (code != VV_CLI_GO)
        return code;
    vv_ipc_lengths lengths;
    code = vv_ipc_measure(c, &lengths);
    if (code != VV_CLI_GO)
        return code;
    json_t *scene = vv_ipc_scene(c, &lengths);
    if (!scene)
        return vv_cli_wrong("%s: no memory, or the path of a mesh is too long", c->path);
    code = write_scene(c, &lengths, scene);
    json_decref(scene);
    return code;
}

int vv_ipc_convert(const char *path, const char *output, bool force)
{
    vv_ipc c;
    begin(&c, path, output, force);
    int code = convert(&c);
    vv_ipc_remove_made(&c, code == VV_EXIT_WRONG || vv_cli_interrupted());
    end(&c);
    return code == VV_CLI_GO ? VV_EXIT_OK : code;
}
