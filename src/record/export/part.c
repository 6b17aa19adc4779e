/* The parts of an export, and other things that several formats need. */
#include "record/export/part.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "record/export/backdrop.h"
#include "record/reader.h"

unsigned vv_part_colour(const vvRun *run, int body)
{
    if (run->bodies[body].kinematic)
        return VV_BACKDROP_COLOUR;
    if (run->bodies[body].colour >= 0)
        return (unsigned)run->bodies[body].colour;
    /* as in `visviva render` */
    static const unsigned palette[] = {
        0xe5694a, 0xefae45, 0xb6506f, 0x8f9f4f, 0xd98c73, 0x7d5a86, 0xc9803a, 0x5f9087
    };
    return palette[body % (int)(sizeof palette / sizeof *palette)];
}

/* ---- which nodes become vertices ---- */

static void range(const int *nodes, int count, int *low, int *high)
{
    for (int i = 0; i < count; i++) {
        *low = nodes[i] < *low ? nodes[i] : *low;
        *high = nodes[i] > *high ? nodes[i] : *high;
    }
}

/* index[node - low]: the vertex, in the order of the nodes. */
static int number_vertices(const int *elements, int count, int low, int size, int *index)
{
    int next = 0;
    for (int i = 0; i < count; i++)
        index[elements[i] - low] = 1;
    for (int i = 0; i < size; i++)
        index[i] = index[i] ? next++ : -1;
    return next;
}

static bool take_elements(vv_part *part, const int *elements, int count, int *out)
{
    int low = INT_MAX, high = -1;
    range(elements, count, &low, &high);
    int size = high - low + 1, *index = vv_alloc((size_t)size, sizeof *index);
    if (!index)
        return false;
    part->first_node = low;
    part->node_count = size;
    part->vertex_count = number_vertices(elements, count, low, size, index);
    part->nodes = vv_alloc((size_t)part->vertex_count, sizeof *part->nodes);
    for (int i = 0; part->nodes && i < size; i++)
        if (index[i] >= 0)
            part->nodes[index[i]] = i;
    for (int i = 0; i < count; i++)
        out[i] = index[elements[i] - low];
    vv_free(index);
    return part->nodes != NULL;
}

/* The surface that the body carries: a vertex is a weighted sum of four nodes. */
static bool take_surface(vv_part *part, const vvRun *run, const vvRunBody *body)
{
    int64_t first = body->firstVertex - run->sizes.nodes, count = body->vertexCount;
    int low = INT_MAX, high = -1;
    part->vertex_count = body->vertexCount;
    part->triangle_count = body->drawnTriangleCount;
    part->triangles = vv_alloc((size_t)part->triangle_count * 3, sizeof *part->triangles);
    part->nodes = vv_alloc((size_t)count * 4, sizeof *part->nodes);
    if (!part->triangles || !part->nodes)
        return false;
    part->weights = run->surface_weights + 4 * first;
    memcpy(part->nodes, run->surface_nodes + 4 * first, (size_t)count * 4 * sizeof *part->nodes);
    range(part->nodes, 4 * part->vertex_count, &low, &high);
    part->first_node = low;
    part->node_count = high - low + 1;
    for (int i = 0; i < 4 * part->vertex_count; i++)
        part->nodes[i] -= low;
    for (int i = 0; i < 3 * part->triangle_count; i++)
        part->triangles[i] = body->drawnTriangles[i] - body->firstVertex;
    return true;
}

static bool take_points(vv_part *part, const vvRunBody *body)
{
    part->first_node = body->firstNode;
    part->node_count = part->vertex_count = body->nodeCount;
    part->nodes = vv_alloc((size_t)body->nodeCount, sizeof *part->nodes);
    for (int i = 0; part->nodes && i < body->nodeCount; i++)
        part->nodes[i] = i;
    return part->nodes != NULL;
}

vvStatus vv_part_build(const vv_export_job *job, int index, vv_part *part, vvError *error)
{
    int b = job->first_body + index;
    const vvRunBody *body = vvRunGetBody(job->run, b);
    *part = (vv_part){ .name = body->name, .body = b, .colour = vv_part_colour(job->run, b) };
    bool ok;
    part->uvs = body->uvs;
    if (body->carries) {
        ok = take_surface(part, job->run, body);
    } else if (body->triangleCount > 0) {
        part->triangle_count = body->triangleCount;
        part->triangles = vv_alloc((size_t)body->triangleCount * 3, sizeof *part->triangles);
        ok = part->triangles && take_elements(part, body->triangles, 3 * body->triangleCount, part->triangles);
    } else if (body->edgeCount > 0) {
        part->edge_count = body->edgeCount;
        part->edges = vv_alloc((size_t)body->edgeCount * 2, sizeof *part->edges);
        ok = part->edges && take_elements(part, body->edges, 2 * body->edgeCount, part->edges);
    } else {
        ok = take_points(part, body);
    }
    if (body->affine && ok) { /* its vertices may name fewer than its four nodes */
        for (int i = 0; i < 4 * part->vertex_count; i++)
            part->nodes[i] += part->first_node - body->firstNode;
        part->first_node = body->firstNode;
        part->node_count = 4;
        part->rest = job->run->rest + 3 * (size_t)body->firstNode;
    }
    part->x = ok ? vv_alloc((size_t)part->node_count * 3, sizeof *part->x) : NULL;
    if (part->x)
        return VV_OK;
    vv_part_free(part);
    return vv_fail_memory(error, "an export");
}

void vv_part_free(vv_part *part)
{
    vv_free(part->triangles);
    vv_free(part->edges);
    vv_free(part->nodes);
    vv_free(part->x);
    *part = (vv_part){ 0 };
}

/* ---- a frame ---- */

double vv_part_component(const vv_part *part, const double *nodes, int vertex, int k)
{
    if (!part->weights)
        return nodes[3 * part->nodes[vertex] + k];
    const int *n = part->nodes + 4 * vertex;
    const double *w = part->weights + 4 * vertex, *x = nodes + k;
    return w[0] * x[3 * n[0]] + w[1] * x[3 * n[1]] + w[2] * x[3 * n[2]] + w[3] * x[3 * n[3]];
}

static bool gather(const vv_part *part, float *out)
{
    double largest = 0;
    bool good = true;
    for (int i = 0; i < part->vertex_count; i++)
        for (int k = 0; k < 3; k++) {
            double value = vv_part_component(part, part->x, i, k);
            good = good && !isnan(value);
            largest = fmax(largest, fabs(value));
            out[3 * i + k] = (float)value;
        }
    return good && largest < FLT_MAX;
}

vvStatus vv_part_read(const vvRun *run, const vv_part *part, int frame, float *positions, float *velocities,
                      vvError *error)
{
    for (int pass = 0; pass < 2; pass++) {
        float *out = pass ? velocities : positions;
        if (!out || part->node_count == 0)
            continue;
        vvStatus status = vv_run_read_nodes(run, frame, part->first_node, part->node_count, pass ? NULL : part->x,
                                            pass ? part->x : NULL, error);
        if (status != VV_OK)
            return status;
        if (!gather(part, out))
            return vv_fail(error, VV_ERROR_INPUT,
                           "%s: frame %d, body \"%s\": %s is too large or not a number (the run exploded); export "
                           "earlier frames only",
                           run->path, frame, part->name, pass ? "a velocity" : "a coordinate");
    }
    return VV_OK;
}

vvStatus vv_part_labels(const vv_export_job *job, vv_labels *ids, vvError *error)
{
    vvStatus status = vv_labels_make(ids, job->body_count, error);
    for (int i = 0; status == VV_OK && i < job->body_count; i++)
        vv_labels_add(ids, vvRunGetBody(job->run, job->first_body + i)->name, "body");
    return status;
}

/* ---- time ---- */

static double time_of(const vv_export_job *job, int i) { return vvRunFrameTime(job->run, vv_export_frame(job, i)); }

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool lies_even(const vv_export_job *job, double start, double interval)
{
    for (int i = 1; i < job->count; i++)
        if (fabs(time_of(job, i) - start - i * interval) > 1e-4 * interval)
            return false;
    return true;
}

/* The median: a run's last frame may come early, and a resumed run may have changed its step. */
static double usual_interval(const vv_export_job *job)
{
    int count = job->count - 1;
    double *steps = vv_alloc((size_t)count, sizeof *steps);
    if (!steps)
        return -1;
    for (int i = 0; i < count; i++)
        steps[i] = time_of(job, i + 1) - time_of(job, i);
    qsort(steps, (size_t)count, sizeof *steps, compare);
    double median = steps[count / 2];
    vv_free(steps);
    return median;
}

/* A single frame: its distance from its neighbour in the run. */
static double single_interval(const vv_export_job *job)
{
    int near = job->first > 0 ? job->first - 1 : job->first + 1;
    double interval = near < vvRunFrameCount(job->run) ? fabs(vvRunFrameTime(job->run, near) - time_of(job, 0))
                                                       : vvRunTimeStep(job->run);
    return interval > 0 && isfinite(interval) ? interval : 1;
}

vvStatus vv_timing_find(const vv_export_job *job, vv_timing *timing, vvError *error)
{
    int last = job->count - 1;
    *timing = (vv_timing){ .start = time_of(job, 0), .even = true };
    for (int i = 0; i < job->count; i++)
        if (!isfinite(time_of(job, i)) || (i > 0 && !(time_of(job, i) > time_of(job, i - 1))))
            return vv_fail(error, VV_ERROR_INPUT, "%s is damaged: the time of frame %d is %g s, after %g s",
                           job->run->path, vv_export_frame(job, i), time_of(job, i), i > 0 ? time_of(job, i - 1) : 0);
    timing->interval = last > 0 ? (time_of(job, last) - timing->start) / last : single_interval(job);
    if (!lies_even(job, timing->start, timing->interval)) {
        timing->even = false;
        timing->interval = usual_interval(job);
        if (timing->interval < 0)
            return vv_fail_memory(error, "an export");
    }
    double rate = 1 / timing->interval;
    timing->rate = rate >= 0.5 && fabs(rate - round(rate)) < 1e-5 * rate ? round(rate) : rate;
    return VV_OK;
}

double vv_timing_at(const vv_export_job *job, const vv_timing *timing, int i)
{
    double at = (time_of(job, i) - timing->start) / timing->interval;
    return timing->even ? i : fabs(at - round(at)) < 1e-4 ? round(at) : at;
}

/* ---- bounds, bytes, colours, axes ---- */

vv_bounds vv_bounds_none(void)
{
    return (vv_bounds){ { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
}

void vv_bounds_add(vv_bounds *bounds, const float *positions, int count)
{
    for (int i = 0; i < 3 * count; i++) {
        bounds->low[i % 3] = fmin(bounds->low[i % 3], positions[i]);
        bounds->high[i % 3] = fmax(bounds->high[i % 3], positions[i]);
    }
}

double vv_bounds_diagonal(const vv_bounds *bounds)
{
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        double d = bounds->high[k] - bounds->low[k];
        sum += d > 0 ? d * d : 0;
    }
    return sqrt(sum);
}

void vv_put_ints(FILE *f, const int32_t *values, size_t count)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if (count > 0)
        fwrite(values, sizeof *values, count, f);
#else
    for (size_t i = 0; i < count; i++) {
        uint32_t swapped = __builtin_bswap32((uint32_t)values[i]);
        fwrite(&swapped, sizeof swapped, 1, f);
    }
#endif
}

void vv_put_floats(FILE *f, const float *values, size_t count)
{
    int32_t bits[256];
    for (size_t i = 0; i < count; i += 256) {
        size_t n = count - i < 256 ? count - i : 256;
        memcpy(bits, values + i, n * sizeof *values);
        vv_put_ints(f, bits, n);
    }
}

void vv_linear_rgb(unsigned colour, double rgb[3])
{
    for (int k = 0; k < 3; k++) {
        double s = ((colour >> (16 - 8 * k)) & 255) / 255.0;
        rgb[k] = s <= 0.04045 ? s / 12.92 : pow((s + 0.055) / 1.055, 2.4);
    }
}

char vv_up_axis(const vvRun *run)
{
    double g[3];
    vvRunGravity(run, g);
    return g[2] < 0 && -g[2] > fabs(g[0]) && -g[2] > fabs(g[1]) ? 'Z' : 'Y';
}
