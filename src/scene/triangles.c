/* bodies[].triangle_thickness and triangle_stiffness of a scene: a number for each triangle of the body's mesh, as a
 * list or from a text file, one number a line, where # begins a comment. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "mesh/format/source.h"
#include "scene/document.h"

static vvStatus read_lines(vv_source *s, int count, double *numbers)
{
    int found = 0;
    for (; s->p < s->end; vv_text_skip_line(s)) {
        vv_word word;
        double value;
        char quoted[VV_QUOTED_LENGTH];
        if (!vv_text_word(s, &word) || vv_word_comment(word) == word.text)
            continue;
        const char *comment = vv_word_comment(word);
        if (comment)
            word.length = (int)(comment - word.text);
        if (!vv_word_double(word, &value) || !(value > 0 && value <= 1e9))
            return vv_source_fail(s, "found %s for triangle %d; allowed: a number above 0 and at most 1e9",
                                  vv_quote(quoted, word), found);
        if (found == count)
            return vv_source_fail(s, "more numbers than the mesh has triangles, %d", count);
        numbers[found++] = value;
        if (!comment && vv_text_word(s, &word) && vv_word_comment(word) != word.text)
            return vv_source_fail(s, "found %s after the number of triangle %d; allowed: one number a line",
                                  vv_quote(quoted, word), found - 1);
    }
    return found == count ? VV_OK : vv_source_fail(s, "found %d numbers; the mesh has %d triangles", found, count);
}

static vvStatus read_file(const char *path, int count, double *numbers, vvError *error)
{
    vv_source s;
    vvStatus status = vv_source_open(&s, path, error);
    if (status != VV_OK)
        return status;
    status = read_lines(&s, count, numbers);
    vv_source_close(&s);
    return status;
}

/* Whether triangle i of the mesh is triangle i of its file. */
static vvStatus check_mesh(vv_document *doc, const char *where, const vvMesh *mesh, const vvMeshNotes *notes)
{
    if (mesh->tetCount > 0 || mesh->triangleCount == 0)
        return vv_scene_fail(doc, where, "is for shells, but the body's mesh has %s; leave it out",
                             mesh->tetCount > 0 ? "tetrahedra" : "no triangles");
    const int dropped = notes->droppedTriangles + notes->repeatedTriangles + notes->flatTriangles;
    if (dropped > 0 || notes->mendedTriangles > 0 || notes->crossedFaces > 0)
        return vv_scene_fail(
            doc, where,
            "of the mesh file, %d triangles without area or written twice were dropped and %d triangles and faces were "
            "mended, so that its triangles have other numbers here; repair the mesh and write it again (visviva mesh)",
            dropped, notes->mendedTriangles + notes->crossedFaces);
    return VV_OK;
}

vvStatus vv_scene_triangle_numbers(vv_document *doc, const json_t *body, const char *where, const char *key,
                                   const vvMesh *mesh, const vvMeshNotes *notes, double **numbers)
{
    const json_t *value = json_object_get(body, key);
    const char *file = json_string_value(value);
    char path[VV_SCENE_PATH];
    *numbers = NULL;
    if (!value)
        return VV_OK;
    vv_scene_child(path, where, key);
    vvStatus status = check_mesh(doc, path, mesh, notes);
    if (status != VV_OK)
        return status;
    int count = mesh->triangleCount;
    if (!file && json_array_size(value) != (size_t)count)
        return vv_scene_fail(doc, path, "found a list of %zu; the mesh has %d triangles", json_array_size(value),
                             count);
    double *list = vv_alloc((size_t)count, sizeof *list);
    if (!list)
        return vv_fail_memory(doc->error, "the numbers of triangles");
    for (int i = 0; !file && i < count; i++)
        vv_scene_number(json_array_get(value, (size_t)i), list + i);
    if (file && read_file(file, count, list, doc->error)) {
        vv_free(list);
        return vv_scene_prefix(doc, path);
    }
    *numbers = list;
    return VV_OK;
}
