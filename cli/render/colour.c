/* Colours: a palette for bodies, a scale for fields, and the fields themselves (speed, stretch, curvature, bending
 * energy). */
#include "cli.h"
#include "render/render.h"

#include <math.h>
#include <stdlib.h>

static double to_linear(double s) { return s <= 0.04045 ? s / 12.92 : pow((s + 0.055) / 1.055, 2.4); }

void vv_linear_colour(unsigned hex, float rgb[4])
{
    for (int k = 0; k < 3; k++)
        rgb[k] = (float)to_linear(((hex >> (16 - 8 * k)) & 255) / 255.0);
    rgb[3] = 0;
}

void vv_palette_body(int index, int own, float rgb[4])
{
    /* warm, alike in weight, and far enough apart to be told from each other */
    static const unsigned colours[] = {
        0xe5694a, 0xefae45, 0xb6506f, 0x8f9f4f, 0xd98c73, 0x7d5a86, 0xc9803a, 0x5f9087
    };
    int count = (int)(sizeof colours / sizeof *colours);
    vv_linear_colour(own >= 0 ? (unsigned)own : colours[index % count], rgb);
    rgb[3] = 1;
}

/* The scale's colour as sRGB, 0 to 255. Mixed as sRGB, where steps look even. */
static void mix_field(double t, double srgb[3])
{
    /* cream to plum: lightness falls evenly, so the order reads in grey too */
    static const unsigned stops[] = { 0xf3e3c3, 0xf5bd7c, 0xea8450, 0xc64a52, 0x8b2a63, 0x43195c };
    int last = (int)(sizeof stops / sizeof *stops) - 1;
    double at = t >= 1 ? last : t > 0 ? t * last : 0;
    int i = at >= last ? last - 1 : (int)at;
    for (int k = 0; k < 3; k++) {
        double a = (stops[i] >> (16 - 8 * k)) & 255, b = (stops[i + 1] >> (16 - 8 * k)) & 255;
        srgb[k] = a + (at - i) * (b - a);
    }
}

void vv_palette_field(double t, float rgb[4])
{
    double srgb[3];
    mix_field(t, srgb);
    for (int k = 0; k < 3; k++)
        rgb[k] = (float)to_linear(srgb[k] / 255);
    rgb[3] = 1;
}

void vv_palette_bytes(double t, unsigned char rgb[3])
{
    double srgb[3];
    mix_field(t, srgb);
    for (int k = 0; k < 3; k++)
        rgb[k] = (unsigned char)lround(srgb[k]);
}

/* ---- what colours show ---- */

static const vv_colour_words plain[] = {
    [VV_COLOUR_BODY] = { "body", "", "" },
    [VV_COLOUR_VELOCITY] = { "velocity", "speed", "m/s" },
    [VV_COLOUR_STRAIN] = { "strain", "strain: largest |stretch − 1|", "" },
    [VV_COLOUR_CURVATURE] = { "curvature", "curvature", "1/m" },
    [VV_COLOUR_BENDING] = { "bending", "bending energy", "J/m², of rods J/m" },
};

vv_colour_words vv_colouring_words(vv_colouring colouring)
{
    if (colouring < VV_COLOUR_FIELD)
        return plain[colouring];
    const vvField *f = vvFieldInfo((int)colouring - VV_COLOUR_FIELD);
    return f ? (vv_colour_words){ f->info.name, f->info.summary, f->unit } : (vv_colour_words){ NULL, NULL, NULL };
}

vv_colouring vv_colouring_of(const vvField *field)
{
    int i = 0;
    while (vvFieldInfo(i) && vvFieldInfo(i) != field)
        i++;
    return (vv_colouring)(VV_COLOUR_FIELD + i);
}

/* ---- fields ---- */

static void stretch_elements(const int *nodes, int count, int corners, const double *rest, const double *x,
                             double *field)
{
    for (int e = 0; e < count; e++) {
        const int *node = nodes + (size_t)corners * (size_t)e;
        double most, least;
        vvElementStrain(rest, x, node, corners, &most, &least);
        double s = fmax(fabs(most), fabs(least));
        for (int i = 0; i < corners; i++)
            if (s > field[node[i]])
                field[node[i]] = s;
    }
}

static void find_strains(const vvRun *run, const double *rest, const double *x, double *field)
{
    for (int b = 0; b < vvRunBodyCount(run); b++) {
        const vvRunBody *body = vvRunGetBody(run, b);
        stretch_elements(body->tets, body->tetCount, 4, rest, x, field);
        if (body->tetCount == 0)
            stretch_elements(body->triangles, body->triangleCount, 3, rest, x, field);
        if (body->tetCount == 0 && body->triangleCount == 0)
            stretch_elements(body->edges, body->edgeCount, 2, rest, x, field);
    }
}

/* Each node of these elements gets their average, weighted by how large they are. `weight`: a number a node, 0 as
 * yet. */
static void average(const int *nodes, int count, int corners, const double *rest, const double *density, double *weight,
                    double *field)
{
    for (int e = 0; e < count; e++) {
        const int *node = nodes + (size_t)corners * (size_t)e;
        double side[2][3] = { { 0 } }, normal[3];
        for (int k = 0; k < 3; k++)
            for (int i = 1; i < corners; i++)
                side[i - 1][k] = rest[3 * (size_t)node[i] + (size_t)k] - rest[3 * (size_t)node[0] + (size_t)k];
        for (int k = 0; k < 3; k++)
            normal[k] = side[0][(k + 1) % 3] * side[1][(k + 2) % 3] - side[0][(k + 2) % 3] * side[1][(k + 1) % 3];
        double size = corners == 3 ? 0.5 * sqrt(vv_dot3(normal, normal)) : sqrt(vv_dot3(side[0], side[0]));
        for (int i = 0; i < corners; i++) {
            field[node[i]] += size * density[e];
            weight[node[i]] += size;
        }
    }
}

static bool find_bending(const vvRun *run, const double *x, double *field)
{
    size_t triangles = 0, edges = 0;
    for (int b = 0; b < vvRunBodyCount(run); b++) {
        triangles += (size_t)vvRunGetBody(run, b)->triangleCount;
        edges += (size_t)vvRunGetBody(run, b)->edgeCount;
    }
    double *of_triangle = calloc(triangles + 1, sizeof *of_triangle), *of_edge = calloc(edges + 1, sizeof *of_edge);
    double *weight = calloc((size_t)vvRunNodeCount(run) + 1, sizeof *weight);
    const double *triangle = of_triangle, *edge = of_edge;
    vvError error;
    bool good = of_triangle && of_edge && weight;
    if (!good)
        vv_cli_wrong("no memory for colours");
    else if (vvRunBendingEnergy(run, x, of_triangle, of_edge, &error) != VV_OK) {
        vv_cli_error(&error);
        good = false;
    }
    for (int b = 0; good && b < vvRunBodyCount(run); b++) {
        const vvRunBody *body = vvRunGetBody(run, b);
        if (body->tetCount == 0 && body->triangleCount > 0)
            average(body->triangles, body->triangleCount, 3, vvRunRestPositions(run), triangle, weight, field);
        else if (body->tetCount == 0)
            average(body->edges, body->edgeCount, 2, vvRunRestPositions(run), edge, weight, field);
        triangle += body->triangleCount;
        edge += body->edgeCount;
    }
    for (int i = 0; good && i < vvRunNodeCount(run); i++)
        field[i] = weight[i] > 0 ? field[i] / weight[i] : 0;
    free(of_triangle);
    free(of_edge);
    free(weight);
    return good;
}

bool vv_field_compute(const vvRun *run, vv_colouring colouring, const double *reference, const double *positions,
                      const double *velocities, double *field)
{
    int n = vvRunNodeCount(run);
    for (int i = 0; i < vvRunVertexCount(run); i++) {
        const double *v = velocities ? velocities + 3 * i : NULL;
        field[i] = colouring == VV_COLOUR_VELOCITY && v ? sqrt(vv_dot3(v, v)) : 0;
    }
    if (colouring == VV_COLOUR_VELOCITY)
        return true;
    const double *rest = vvRunRestPositions(run);
    vvError error;
    if (colouring == VV_COLOUR_STRAIN) {
        find_strains(run, rest ? rest : reference, positions, field);
    } else if (colouring == VV_COLOUR_BENDING) {
        if (!find_bending(run, positions, field))
            return false;
    } else if (vvRunCurvature(run, positions, field, &error) != VV_OK) {
        vv_cli_error(&error);
        return false;
    }
    for (int i = 0; i < n; i++)
        field[i] = fabs(field[i]);
    vvRunCarry(run, 1, field);
    for (int i = n; i < vvRunVertexCount(run); i++)
        field[i] = fmax(field[i], 0); /* weights that extrapolate may go below */
    return true;
}
