/* Turns collected polygons into triangles. */
#include "mesh/format/faces.h"

#include "base/memory.h"
#include "mesh/format/polygon.h"

void vv_faces_corner(vv_faces *f, int vertex)
{
    if (f->corners.count >= VV_MESH_LIMIT || !vv_list_push(&f->corners, &vertex, sizeof vertex))
        f->failed = true;
}

void vv_faces_textured(vv_faces *f, int vertex, int texture)
{
    vv_faces_corner(f, vertex);
    if (!f->failed && !vv_list_push(&f->textures, &texture, sizeof texture))
        f->failed = true;
}

static int closed_corners(const vv_faces *f)
{
    if (!f->faces.count)
        return 0;
    const vv_face *last = (const vv_face *)f->faces.data + (f->faces.count - 1);
    return last->first + last->count;
}

int vv_faces_open(const vv_faces *f) { return (int)f->corners.count - closed_corners(f); }

void vv_faces_close(vv_faces *f, int at)
{
    vv_face face = { closed_corners(f), vv_faces_open(f), at };
    if (!vv_list_push(&f->faces, &face, sizeof face))
        f->failed = true;
}

void vv_faces_add(vv_faces *f, const int *vertices, int count, int at)
{
    for (int i = 0; i < count; i++)
        vv_faces_corner(f, vertices[i]);
    vv_faces_close(f, at);
}

void vv_faces_add_strip(vv_faces *f, const int *vertices, int count, int at)
{
    for (int i = 0; i + 2 < count; i++) {
        const int *v = vertices + i;
        int triangle[3] = { v[i % 2], v[1 - i % 2], v[2] };
        if (v[0] != v[1] && v[1] != v[2] && v[2] != v[0])
            vv_faces_add(f, triangle, 3, at);
    }
}

static bool at_one_place(const vv_builder *b, int v, int w)
{
    const double *x = (const double *)b->positions.data + 3 * (size_t)v;
    const double *y = (const double *)b->positions.data + 3 * (size_t)w;
    return x[0] == y[0] && x[1] == y[1] && x[2] == y[2];
}

/* In a face with more than three corners, merges neighbours at one position, as at the pole of a sphere. Returns
 * how many are left; a face that would have fewer than three is kept as it is. */
static int join_corners(const vv_builder *b, int *corners, int *textures, int count)
{
    int apart = 0;
    for (int i = 0; i < count; i++)
        apart += !at_one_place(b, corners[i], corners[(i + 1) % count]);
    if (count <= 3 || apart < 3 || apart == count)
        return count;
    int kept = 0, last = corners[count - 1];
    for (int i = 0; i < count; i++) {
        int v = corners[i];
        if (!at_one_place(b, last, v)) {
            if (textures)
                textures[kept] = textures[i];
            corners[kept++] = v;
        }
        last = v;
    }
    return kept;
}

/* The texture coordinates of three corners. */
static void find_uvs(const vv_faces *f, const int *corners, const int *textures, const int triangle[3], double uv[6])
{
    for (int k = 0; k < 3; k++) {
        int pair = textures ? textures[triangle[k]] : corners[triangle[k]];
        for (int c = 0; c < 2; c++)
            uv[2 * k + c] = pair < 0 ? 0 : f->uv[2 * (size_t)pair + (size_t)c];
    }
}

static vvStatus check_textures(const vv_faces *f, const vv_face *face, const int *textures, vv_source *s, int base)
{
    for (int i = 0; textures && i < face->count; i++)
        if (textures[i] >= 0 && (size_t)textures[i] >= f->uv_count) {
            vv_source_go(s, face->at);
            return vv_source_fail(s, "texture coordinate %d; the file has %zu%s", textures[i] + base, f->uv_count,
                                  base ? "" : ", counted from 0");
        }
    return VV_OK;
}

static vvStatus cut_face(vv_faces *f, const vv_face *face, vv_source *s, vv_builder *b, int base, vv_list *cut)
{
    int *corners = (int *)f->corners.data + face->first;
    int *textures = f->uv && !f->uv_of_vertices ? (int *)f->textures.data + face->first : NULL;
    vvStatus status = check_textures(f, face, textures, s, base);
    if (status != VV_OK)
        return status;
    for (int i = 0; i < face->count; i++)
        if ((size_t)corners[i] >= b->positions.count) {
            vv_source_go(s, face->at);
            return vv_source_fail(s, "vertex index %d; the file has %zu vertices%s", corners[i] + base,
                                  b->positions.count, base ? "" : ", counted from 0");
        }
    int count = join_corners(b, corners, textures, face->count);
    size_t need = 3 * ((size_t)count - 2);
    if (!vv_grow(&cut->data, &cut->capacity, need, sizeof(int)))
        return vv_source_short(s, "faces");
    int *triangles = cut->data;
    if (!vv_polygon_cut(b->positions.data, corners, count, triangles)) {
        vv_polygon_cut_crossed(b->positions.data, corners, count, triangles);
        b->crossed++;
    }
    for (size_t i = 0; i < need; i += 3) {
        double uv[6];
        if (f->uv)
            find_uvs(f, corners, textures, triangles + i, uv);
        vv_builder_triangle(b, (int[]){ corners[triangles[i]], corners[triangles[i + 1]], corners[triangles[i + 2]] },
                            face->at);
        if (f->uv)
            vv_builder_uvs(b, uv);
    }
    return VV_OK;
}

vvStatus vv_faces_cut(vv_faces *f, vv_source *s, vv_builder *b, int base)
{
    vv_list cut = { 0 };
    vvStatus status = VV_OK;
    const vv_face *faces = f->faces.data;
    b->failed |= f->failed;
    for (size_t i = 0; i < f->faces.count && status == VV_OK && !b->failed; i++)
        status = cut_face(f, &faces[i], s, b, base, &cut);
    vv_list_free(&cut);
    return status;
}

void vv_faces_fan(const vv_faces *f, vv_builder *b)
{
    const vv_face *faces = f->faces.data;
    for (size_t i = 0; i < f->faces.count; i++) {
        const int *v = (const int *)f->corners.data + faces[i].first;
        for (int k = 1; k + 1 < faces[i].count; k++)
            vv_builder_triangle(b, (int[]){ v[0], v[k], v[k + 1] }, faces[i].at);
    }
}

void vv_faces_free(vv_faces *f)
{
    vv_list_free(&f->faces);
    vv_list_free(&f->corners);
    vv_list_free(&f->textures);
}
