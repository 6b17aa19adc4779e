/* Cutting vertices along seams of texture coordinates, and finding creases in the right frame. */
#include "record/export/seams.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"

/* The cut vertex of `vertex` with these coordinates; `first` and `next` chain those of each vertex. */
static int cut_at(vv_seams *s, int vertex, const float uv[2], int *first, int *next)
{
    int *link = &first[vertex];
    for (; *link >= 0; link = &next[*link])
        if (s->uv[2 * *link] == uv[0] && s->uv[2 * *link + 1] == uv[1])
            return *link;
    int made = s->count++;
    *link = made;
    next[made] = -1;
    s->source[made] = vertex;
    s->uv[2 * made] = uv[0], s->uv[2 * made + 1] = uv[1];
    return made;
}

vvStatus vv_seams_find(const int *vertices, int count, int triangle_count, const double *uvs, vv_seams *seams,
                       vvError *error)
{
    size_t corners = 3 * (size_t)triangle_count;
    int *first = vv_alloc((size_t)count, sizeof *first), *next = vv_alloc(corners, sizeof *next);
    *seams = (vv_seams){ 0, vv_alloc(corners, sizeof(int)), vv_alloc(corners, sizeof(int)),
                         vv_alloc(2 * corners, sizeof(float)) };
    bool ok = first && next && seams->source && seams->corners && seams->uv;
    for (int v = 0; ok && v < count; v++)
        first[v] = -1;
    for (size_t c = 0; ok && c < corners; c++) {
        const float uv[2] = { (float)uvs[2 * c], (float)uvs[2 * c + 1] };
        seams->corners[c] = cut_at(seams, vertices[c], uv, first, next);
    }
    vv_free(first);
    vv_free(next);
    if (ok)
        return VV_OK;
    vv_seams_free(seams);
    return vv_fail_memory(error, "an export");
}

void vv_seams_free(vv_seams *seams)
{
    vv_free(seams->source);
    vv_free(seams->corners);
    vv_free(seams->uv);
    *seams = (vv_seams){ 0 };
}

vvStatus vv_part_creases(const vv_export_job *job, const vv_part *part, vv_creases *creases, vvError *error)
{
    const int frames[3] = { 0, job->count / 2, job->count - 1 };
    float *positions = vv_alloc((size_t)part->vertex_count * 3, sizeof *positions);
    double least = INFINITY;
    int best = 0;
    vvStatus status = positions ? VV_OK : vv_fail_memory(error, "an export");
    for (int k = 0; status == VV_OK && k < 4; k++) { /* the last pass reads the best one again */
        int frame = vv_export_frame(job, k < 3 ? frames[k] : best);
        status = vv_part_read(job->run, part, frame, positions, NULL, error);
        double roughness = k < 3 ? vv_creases_roughness(part->triangles, part->triangle_count, positions) : INFINITY;
        if (status == VV_OK && isnan(roughness))
            status = vv_fail_memory(error, "an export");
        if (roughness < least) {
            least = roughness;
            best = frames[k];
        }
    }
    if (status == VV_OK)
        status = vv_creases_find(part->triangles, part->triangle_count, positions, creases, error);
    vv_free(positions);
    return status;
}

vvStatus vv_creases_of_vertices(const vv_creases *creases, int vertex_count, int **of_vertex, vvError *error)
{
    *of_vertex = NULL;
    if (creases->count != vertex_count)
        return VV_OK;
    int *of = vv_alloc((size_t)vertex_count, sizeof *of);
    if (!of)
        return vv_fail_memory(error, "an export");
    bool cut = false;
    for (int v = 0; v < vertex_count; v++)
        of[v] = -1;
    for (int i = 0; i < creases->count; i++) {
        cut = cut || of[creases->source[i]] >= 0;
        of[creases->source[i]] = i;
    }
    if (cut)
        vv_free(of);
    *of_vertex = cut ? NULL : of;
    return VV_OK;
}
