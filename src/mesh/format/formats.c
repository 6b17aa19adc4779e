/* The list of mesh formats, and reading and writing through it. A new format is one file that ends in its row, and one
 * line here. */
#include "base/memory.h"
#include "base/stop.h"
#include "base/text/text.h"
#include "mesh/builder.h"
#include "mesh/format/output.h"
#include "mesh/format/source.h"

#include <string.h>

extern const vv_format vv_format_msh2, vv_format_msh2_binary, vv_format_msh4, vv_format_msh4_binary, vv_format_obj,
    vv_format_seg, vv_format_pt, vv_format_stl, vv_format_stl_binary, vv_format_medit, vv_format_medit_binary,
    vv_format_tetgen;
extern const vv_format vv_format_ply, vv_format_ply_binary, vv_format_vtk, vv_format_vtk_binary, vv_format_vtu,
    vv_format_vtp, vv_format_off, vv_format_gltf, vv_format_inp;

/* In the order in which they examine a file: OBJ recognises its own by one word, which may also occur in a binary
 * file or in the title of a VTK file. */
static const vv_format *const formats[] = {
    &vv_format_msh2,       &vv_format_msh2_binary, &vv_format_msh4,       &vv_format_msh4_binary,  &vv_format_ply,
    &vv_format_ply_binary, &vv_format_vtk,         &vv_format_vtk_binary, &vv_format_vtu,          &vv_format_vtp,
    &vv_format_stl,        &vv_format_stl_binary,  &vv_format_medit,      &vv_format_medit_binary, &vv_format_gltf,
    &vv_format_off,        &vv_format_inp,         &vv_format_obj,        &vv_format_tetgen,       &vv_format_seg,
    &vv_format_pt,
};
enum { FORMATS = sizeof formats / sizeof *formats };

const vvInfo *vvMeshFormatInfo(int index) { return index >= 0 && index < FORMATS ? &formats[index]->info : NULL; }

const vv_format *vv_mesh_format(int index) { return index >= 0 && index < FORMATS ? formats[index] : NULL; }

static bool ends_with(const char *path, const char *endings)
{
    for (const char *e = endings; *e; e += *e == ' ') {
        size_t m = strcspn(e, " ");
        if (vv_has_ending(path, e, m))
            return true;
        e += m;
    }
    return false;
}

static const vv_format *by_ending(const char *path)
{
    for (int i = 0; i < FORMATS; i++)
        if (ends_with(path, formats[i]->endings))
            return formats[i];
    return NULL;
}

/* A format whose signature is in the content; else that of the path's ending; else one of a matching family. */
static const vv_format *detect(const vv_source *s, const char *path, bool *certain)
{
    const vv_format *family = NULL;
    for (int i = 0; i < FORMATS; i++) {
        vv_match match = formats[i]->match(s->p, (size_t)(s->end - s->p));
        *certain = match == VV_MATCH_YES;
        if (*certain)
            return formats[i];
        if (match == VV_MATCH_FAMILY && !family)
            family = formats[i];
    }
    const vv_format *ending = by_ending(path);
    return ending ? ending : family;
}

/* Refuses files that no reader here could handle, whatever their ending says. */
static vvStatus refuse_known(const vv_source *s, vvError *error)
{
    static const struct {
        const char *start, *what;
    } known[] = {
        { "\xff\xfe", "UTF-16 text; save it as UTF-8 or plain ASCII" },
        { "\xfe\xff", "UTF-16 text; save it as UTF-8 or plain ASCII" },
        { "\x1f\x8b", "compressed (gzip); unpack it first" },
        { "BZh", "compressed (bzip2); unpack it first" },
        { "\xfd\x37zXZ", "compressed (xz); unpack it first" },
        { "version https://git-lfs", "a pointer of Git LFS and not the mesh itself; fetch it with git lfs pull" },
        { "Kaydara FBX", "an FBX file, which is not read; export OBJ, PLY or STL" },
        { "BLENDER", "a Blender file; export OBJ, PLY or STL from it" },
        { "ISO-10303-21", "a STEP file: it holds curved surfaces; mesh it first, with Gmsh for instance" },
        { "\x89HDF", "an HDF5 file; no meshes are read from it" },
        { "MFEM ", "a mesh of MFEM, which is not read; write MEDIT, Gmsh or VTK" },
        { "mesh3d", "a mesh of Netgen, which is not read; write Gmsh 2" },
        { "<!DOCTYPE html", "a web page" },
        { "<html", "a web page" },
    };
    static const char zip[] = "PK\x03\x04", part[] = "3D/3dmodel.model";
    if (s->size > 4 && memcmp(s->data, zip, 4) == 0)
        return vv_fail(error, VV_ERROR_INPUT, "%s: the file is %s", s->shown,
                       memmem(s->data, s->size, part, sizeof part - 1)
                           ? "a 3MF file, which is not read; export STL, OBJ or PLY"
                           : "compressed (zip); unpack it first");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        size_t length = strlen(known[i].start);
        if (s->size >= length && memcmp(s->data, known[i].start, length) == 0)
            return vv_fail(error, VV_ERROR_INPUT, "%s: the file is %s", s->shown, known[i].what);
    }
    return VV_OK;
}

static vvStatus unknown(const char *file, vvError *error)
{
    char names[512];
    vv_list_names(names, sizeof names, vvMeshFormatInfo);
    return vv_fail(error, VV_ERROR_INPUT, "%s: neither its content nor its ending belongs to a known mesh format: %s",
                   file, names);
}

static vvStatus read_source(vv_source *s, const char *path, bool order2, vvMesh *mesh, vvMeshNotes *notes,
                            vvError *error)
{
    bool certain = false;
    const vv_format *format = detect(s, path, &certain);
    if (vv_stop_known()) /* what it looked at may look wrong */
        return vv_source_short(s, "the mesh");
    vvStatus status = certain ? VV_OK : refuse_known(s, error);
    if (status != VV_OK)
        return status;
    if (!format)
        return unknown(s->shown, error);
    vv_builder builder = { .order2 = order2 };
    status = format->read(s, &builder);
    if (status != VV_CANCELLED && (builder.failed || vv_stop_known())) /* what was read after that may look wrong */
        status = vv_source_short(s, "the mesh");
    if (status == VV_OK) {
        vvMesh raw;
        vv_builder_take(&builder, &raw);
        const int grouped = vv_builder_make_groups(&builder, &raw);
        vv_places places = { s->shown,
                             s->binary,
                             builder.vertex_at.data,
                             builder.edge_at.data,
                             builder.triangle_at.data,
                             builder.tet_at.data,
                             builder.point_at.data,
                             builder.tet10_at.data };
        status =
            grouped && !builder.failed ? vv_mesh_finish(&raw, &places, notes, error) : vv_source_short(s, "the mesh");
        if (status != VV_OK)
            vvMeshDestroy(&raw);
        else
            *mesh = raw;
        if (status == VV_OK && notes) {
            notes->droppedTriangles += builder.dropped;
            notes->crossedFaces = builder.crossed;
            notes->straightened = builder.straightened;
            if (builder.soup)
                notes->duplicateVertices = 0;
        }
    }
    vv_builder_free(&builder);
    return status;
}

static vvStatus read_file(const char *path, bool order2, vvMesh *mesh, vvMeshNotes *notes, vvError *error)
{
    vv_source source;
    if (mesh)
        *mesh = (vvMesh){ 0 };
    if (notes)
        *notes = (vvMeshNotes){ 0 };
    vv_error_clear(error);
    if (!path || !mesh)
        return vv_fail(error, VV_ERROR_INPUT,
                       "cannot read a mesh: found no %s; give the file's path and a pointer for the mesh",
                       path ? "place for it" : "path");
    vvStatus status = vv_source_open(&source, path, error);
    if (status != VV_OK)
        return status;
    status = read_source(&source, path, order2, mesh, notes, error);
    vv_source_close(&source);
    return status;
}

vvStatus vvMeshRead(const char *path, vvMesh *mesh, vvMeshNotes *notes, vvError *error)
{
    VV_STOPPABLE(read_file(path, false, mesh, notes, error));
}

vvStatus vvMeshReadOrder2(const char *path, vvMesh *mesh, vvMeshNotes *notes, vvError *error)
{
    VV_STOPPABLE(read_file(path, true, mesh, notes, error));
}

static vvStatus find_format(const char *path, const char *name, const vv_format **found, vvError *error)
{
    *found = name ? NULL : by_ending(path);
    for (int i = 0; name && i < FORMATS; i++)
        if (strcmp(formats[i]->info.name, name) == 0)
            *found = formats[i];
    if (*found && !(*found)->write)
        return vv_fail(error, VV_ERROR_INPUT, "%.300s: the format %s is only read, not written", path,
                       (*found)->info.name);
    if (*found)
        return VV_OK;
    if (!name)
        return unknown(path, error);
    return vv_fail_unknown(error, "mesh format", name, vvMeshFormatInfo);
}

vvStatus vvMeshWrite(const vvMesh *mesh, const char *path, const char *format, vvError *error)
{
    const vv_format *row;
    vv_output output = { 0 };
    vv_error_clear(error);
    if (!path || !mesh)
        return vv_fail(error, VV_ERROR_INPUT, "cannot write a mesh: found no %s; give the mesh and the file's path",
                       path ? "mesh" : "path");
    vvStatus status = find_format(path, format, &row, error);
    if (status == VV_OK)
        status = vv_mesh_check(mesh, NULL, error);
    if (status == VV_OK)
        status = row->write(mesh, &output, error);
    if (status == VV_OK)
        status = vv_output_save(&output, path, error);
    vv_output_free(&output);
    return status;
}
