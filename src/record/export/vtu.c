/* VTK's XML format: name.pvd lists the frames with their times, name/name_000000.vtu and so on hold them, binary
 * ("appended, raw", 64-bit lengths). Points and velocities in double precision, the body's index with each cell;
 * fields of the deformation; of shells normals and texture coordinates. Points are the run's nodes; of an affine body
 * the vertices of its surface. Tets of order 2 are VTK's quadratic ones. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text/number.h"
#include "base/text/text.h"
#include "record/cells.h"
#include "record/export/asked.h"
#include "record/export/vtu_fields.h"
#include "record/export/export.h"
#include "record/place.h"

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define BYTE_ORDER_NAME "LittleEndian"
#else
#define BYTE_ORDER_NAME "BigEndian"
#endif

typedef struct vv_vtu {
    const vv_export_job *job;
    char *stem, *path;
    size_t path_size;
    vv_cells cells;
    double *x, *v, *own;
    vv_vtu_fields fields;
    vv_asked asked;
    /* the run's vertices that are written: nodes but directors and those of affine bodies; surfaces of the latter */
    int *kept, kept_count;
    bool carried;          /* there are some of the last kind */
    int64_t *connectivity; /* of the cells, counted among these */
} vv_vtu;

/* One array: its line in the XML, and its bytes in the appended part. */
typedef struct vv_vtu_array {
    const char *section, *name, *type;
    int components;
    const void *data; /* NULL: this run has none */
    uint64_t bytes;
} vv_vtu_array;

static void declare(FILE *f, const vv_vtu_array *a, uint64_t *offset)
{
    fprintf(f,
            "    <DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"appended\" offset=\"%llu\"/>\n",
            a->type, a->name, a->components, (unsigned long long)*offset);
    *offset += sizeof a->bytes + a->bytes;
}

static void append(FILE *f, const vv_vtu_array *a)
{
    fwrite(&a->bytes, sizeof a->bytes, 1, f);
    if (a->bytes)
        fwrite(a->data, 1, a->bytes, f);
}

/* The lines of the arrays of one section. */
static void declare_all(FILE *f, const vv_vtu_array *arrays, int count, const char *section, const char *active,
                        uint64_t *offset)
{
    fprintf(f, "   <%s%s>\n", section, active);
    for (int i = 0; i < count; i++)
        if (arrays[i].data && strcmp(arrays[i].section, section) == 0)
            declare(f, &arrays[i], offset);
    fprintf(f, "   </%s>\n", section);
}

enum { OWN_ARRAYS = 15 };

/* The arrays of every run, and the requested ones, in the order of the sections; returns their number. */
static int list_arrays(const vv_vtu *o, vv_vtu_array list[OWN_ARRAYS + VV_ASKED_MOST])
{
    const vv_cells *c = &o->cells;
    const vv_vtu_fields *d = &o->fields;
    const bool both = vvRunShowsMotion(o->job->run);
    const uint64_t nodes = (uint64_t)o->kept_count, cells = (uint64_t)c->count;
    const vv_vtu_array own[OWN_ARRAYS] = {
        { "PointData", "velocity", "Float64", 3, o->v, nodes * 24 },
        { "PointData", "state_velocity", "Float64", 3, both ? o->own : NULL, nodes * 24 },
        { "PointData", "normal", "Float32", 3, d->normal, nodes * 12 },
        { "PointData", "curvature", "Float64", 1, d->curvature, nodes * 8 },
        { "PointData", "rest_curvature", "Float64", 1, d->rest_curvature, nodes * 8 },
        { "PointData", "uv", "Float32", 2, d->uv, nodes * 8 },
        { "CellData", "body", "Int32", 1, c->body, cells * 4 },
        { "CellData", "strain", "Float64", 1, d->strain, cells * 8 },
        { "CellData", "least_strain", "Float64", 1, d->least_strain, cells * 8 },
        { "CellData", "bending_energy", "Float64", 1, d->bending, cells * 8 },
        { "CellData", "corner_uv", "Float32", 6, d->corner_uv, cells * 24 },
        { "Points", "Points", "Float64", 3, o->x, nodes * 24 },
        { "Cells", "connectivity", "Int64", 1, o->connectivity, (uint64_t)c->connectivity_count * 8 },
        { "Cells", "offsets", "Int64", 1, c->offsets + 1, cells * 8 }, /* VTK's XML counts from each cell's end */
        { "Cells", "types", "UInt8", 1, c->types, cells },
    };
    int count = 0;
    for (int i = 0; i < OWN_ARRAYS; i++) {
        /* before the first of the next section */
        for (int k = 0; i > 0 && strcmp(own[i].section, own[i - 1].section) != 0 && k < o->asked.count; k++) {
            const vv_asked_field *f = o->asked.item + k;
            if (strcmp(f->nodes ? "PointData" : "CellData", own[i - 1].section) == 0)
                list[count++] = (vv_vtu_array){
                    own[i - 1].section,   f->name,   "Float64",
                    f->field->components, f->values, 8 * (uint64_t)f->field->components * (f->nodes ? nodes : cells)
                };
        }
        list[count++] = own[i];
    }
    return count;
}

static void write_grid(FILE *f, const vv_vtu *o, double time)
{
    vv_vtu_array arrays[OWN_ARRAYS + VV_ASKED_MOST];
    const vv_vtu_fields *d = &o->fields;
    const uint64_t nodes = (uint64_t)o->kept_count, cells = (uint64_t)o->cells.count;
    const int count = list_arrays(o, arrays);
    uint64_t offset = 0;
    char text[VV_NUMBER_LENGTH], active[96];
    fprintf(f,
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"" BYTE_ORDER_NAME
            "\" header_type=\"UInt64\">\n <UnstructuredGrid>\n");
    vv_format_double(text, time);
    fprintf(f,
            "  <FieldData>\n   <DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">%s"
            "</DataArray>\n  </FieldData>\n",
            text);
    fprintf(f, "  <Piece NumberOfPoints=\"%llu\" NumberOfCells=\"%llu\">\n", (unsigned long long)nodes,
            (unsigned long long)cells);
    snprintf(active, sizeof active, " Vectors=\"velocity\"%s%s",
             d->normal && d->all_shells ? " Normals=\"normal\"" : "", d->uv ? " TCoords=\"uv\"" : "");
    declare_all(f, arrays, count, "PointData", active, &offset);
    declare_all(f, arrays, count, "CellData", " Scalars=\"body\"", &offset);
    declare_all(f, arrays, count, "Points", "", &offset);
    declare_all(f, arrays, count, "Cells", "", &offset);
    fputs("  </Piece>\n </UnstructuredGrid>\n <AppendedData encoding=\"raw\">\n_", f);
    for (int i = 0; i < count; i++)
        if (arrays[i].data)
            append(f, &arrays[i]);
    fputs("\n </AppendedData>\n</VTKFile>\n", f);
}

/* Keeps the values of the written vertices. */
static void squeeze(const vv_vtu *o, void *values, size_t each)
{
    for (size_t i = 0; values && i < (size_t)o->kept_count; i++)
        memmove((char *)values + i * each, (char *)values + (size_t)o->kept[i] * each, each);
}

static vvStatus write_frame(vv_vtu *o, int frame, vvError *error)
{
    double *const moving[] = { o->x, o->v, o->own };
    vvStatus status = vvRunReadFrame(o->job->run, frame, o->x, o->v, error);
    if (status == VV_OK)
        status = vvRunReadStateVelocities(o->job->run, frame, o->own, error);
    for (int k = 0; o->carried && k < 3; k++)
        vvRunCarry(o->job->run, 3, moving[k]);
    if (status == VV_OK)
        status = vv_vtu_fields_find(&o->fields, o->job->run, &o->cells, o->x, error);
    if (status == VV_OK)
        status = vv_asked_find(&o->asked, o->job, frame, &o->cells, error);
    if (status != VV_OK)
        return status;
    for (int k = 0; k < 3; k++)
        squeeze(o, moving[k], 3 * sizeof(double));
    squeeze(o, o->fields.curvature, sizeof(double));
    squeeze(o, o->fields.normal, 3 * sizeof(float));
    for (int k = 0; k < o->asked.count; k++)
        if (o->asked.item[k].nodes)
            squeeze(o, o->asked.item[k].values, (size_t)o->asked.item[k].field->components * sizeof(double));
    snprintf(o->path, o->path_size, "%s/%s_%06d.vtu", o->stem, vv_place_name(o->stem), frame);
    vv_export_file file;
    status = vv_export_begin(&file, o->path, error);
    if (status != VV_OK)
        return status;
    write_grid(file.file, o, vvRunFrameTime(o->job->run, frame));
    return vv_export_end(&file, VV_OK, error);
}

static void attribute_text(FILE *f, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '&': fputs("&amp;", f); break;
        case '<': fputs("&lt;", f); break;
        case '"': fputs("&quot;", f); break;
        default: fputc(*text, f);
        }
}

/* Written last, so that it lists only existing files. */
static vvStatus write_list(vv_vtu *o, vvError *error)
{
    const char *name = vv_place_name(o->stem);
    snprintf(o->path, o->path_size, "%s.pvd", o->stem);
    vv_export_file file;
    vvStatus status = vv_export_begin(&file, o->path, error);
    if (status != VV_OK)
        return status;
    FILE *f = file.file;
    char time[VV_NUMBER_LENGTH];
    fputs("<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"" BYTE_ORDER_NAME
          "\">\n <Collection>\n",
          f);
    for (int i = 0; i < o->job->count; i++) {
        int frame = o->job->first + i * o->job->every;
        vv_format_double(time, vvRunFrameTime(o->job->run, frame));
        fprintf(f, "  <DataSet timestep=\"%s\" group=\"\" part=\"0\" file=\"", time);
        attribute_text(f, name);
        fputc('/', f);
        attribute_text(f, name);
        fprintf(f, "_%06d.vtu\"/>\n", frame);
    }
    fputs(" </Collection>\n</VTKFile>\n", f);
    return vv_export_end(&file, VV_OK, error);
}

static vvStatus gather_cells(const vvRun *run, vv_cells *cells, vvError *error)
{
    int bodies = vvRunBodyCount(run);
    vv_cell_source *sources = vv_alloc((size_t)bodies, sizeof *sources);
    if (!sources)
        return vv_fail_memory(error, "an export");
    for (int b = 0; b < bodies; b++) {
        const vvRunBody *body = vvRunGetBody(run, b);
        sources[b] =
            body->affine
                ? (vv_cell_source){ .triangle_count = body->drawnTriangleCount, .triangles = body->drawnTriangles }
                : (vv_cell_source){ body->firstNode,  body->nodeCount, body->tetCount,  body->triangleCount,
                                    body->edgeCount,  body->tets,      body->triangles, body->edges,
                                    body->tet10Count, body->tets10 };
    }
    vvStatus status = vv_cells_build(sources, bodies, cells, error);
    vv_free(sources);
    return status;
}

/* Leaves out what is not to be seen (unless a cell names it, as in no file of ours) and numbers the vertices of cells
 * anew. */
static vvStatus choose_nodes(vv_vtu *o, vvError *error)
{
    const vvRun *run = o->job->run;
    int nodes = vvRunNodeCount(run), vertices = vvRunVertexCount(run);
    int *place = vv_alloc((size_t)vertices, sizeof *place);
    o->kept = vv_alloc((size_t)vertices, sizeof *o->kept);
    o->connectivity = vv_alloc((size_t)o->cells.connectivity_count, sizeof *o->connectivity);
    if (!place || !o->kept || !o->connectivity) {
        vv_free(place);
        return vv_fail_memory(error, "an export");
    }
    for (int b = 0; b < vvRunBodyCount(run); b++) {
        const vvRunBody *body = vvRunGetBody(run, b);
        for (int i = 0; i < body->directorCount; i++)
            place[body->firstNode + body->nodeCount + i] = -1;
        for (int i = 0; body->affine && i < body->nodeCount; i++)
            place[body->firstNode + i] = -1;
        o->carried = o->carried || body->affine;
    }
    for (int i = nodes; i < vertices; i++)
        place[i] = -1;
    for (int64_t i = 0; i < o->cells.connectivity_count; i++)
        place[o->cells.connectivity[i]] = 0;
    for (int i = 0; i < vertices; i++)
        if (place[i] == 0) {
            place[i] = o->kept_count;
            o->kept[o->kept_count++] = i;
        }
    for (int64_t i = 0; i < o->cells.connectivity_count; i++)
        o->connectivity[i] = place[o->cells.connectivity[i]];
    squeeze(o, o->fields.rest_curvature, sizeof(double)); /* constant; the others are computed for each frame */
    squeeze(o, o->fields.uv, 2 * sizeof(float));
    vv_free(place);
    return VV_OK;
}

static vvStatus make_folder(const char *path, vvError *error)
{
    struct stat info;
    if (mkdir(path, 0777) == 0 || (errno == EEXIST && stat(path, &info) == 0 && S_ISDIR(info.st_mode)))
        return VV_OK;
    return vv_fail(error, VV_ERROR_IO, "the folder %s for the frames cannot be made: %s", path, strerror(errno));
}

static vvStatus write_vtu(const vv_export_job *job, vvError *error)
{
    const char *const ending = vv_has_ending(job->path, ".vtu", 4) ? ".vtu" : ".pvd";
    vv_vtu o = { .job = job, .stem = vv_export_stem(job->path, ending) };
    size_t vertices = (size_t)vvRunVertexCount(job->run);
    o.path_size = 2 * strlen(job->path) + 32;
    o.path = vv_alloc(o.path_size, 1);
    o.x = vv_alloc(vertices * 3, sizeof *o.x);
    o.v = vv_alloc(vertices * 3, sizeof *o.v);
    o.own = vv_alloc(vertices * 3, sizeof *o.own);
    vvStatus status = o.stem && o.path && o.x && o.v && o.own ? gather_cells(job->run, &o.cells, error)
                                                              : vv_fail_memory(error, "an export");
    if (status == VV_OK)
        status = vv_vtu_fields_make(&o.fields, job->run, &o.cells, error);
    if (status == VV_OK)
        status = vv_asked_make(&o.asked, job, &o.cells, error);
    if (status == VV_OK)
        status = choose_nodes(&o, error);
    if (status == VV_OK)
        status = make_folder(o.stem, error);
    for (int i = 0; status == VV_OK && i < job->count; i++) {
        status = write_frame(&o, job->first + i * job->every, error);
        if (status == VV_OK)
            status = vv_export_progress(job, i + 1, error);
    }
    if (status == VV_OK)
        status = write_list(&o, error);
    vv_cells_free(&o.cells);
    vv_vtu_fields_free(&o.fields);
    vv_asked_free(&o.asked);
    vv_free(o.stem);
    vv_free(o.path);
    vv_free(o.x);
    vv_free(o.v);
    vv_free(o.own);
    vv_free(o.kept);
    vv_free(o.connectivity);
    return status;
}

const vv_exporter vv_export_vtu = {
    { "vtu", "VTK files, binary, double precision, with a .pvd list of the frames (ParaView, VisIt, PyVista)" },
    write_vtu,
    VV_EXPORT_FIELDS
};
