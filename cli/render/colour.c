/* Colours: a palette for bodies, a scale for fields, and the fields themselves (speed, stretch). */
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

void vv_palette_body(int index, float rgb[4])
{
    /* warm, alike in weight, and far enough apart to be told from each other */
    static const unsigned colours[] = {
        0xe5694a, 0xefae45, 0xb6506f, 0x8f9f4f, 0xd98c73, 0x7d5a86, 0xc9803a, 0x5f9087
    };
    int count = (int)(sizeof colours / sizeof *colours);
    vv_linear_colour(colours[index % count], rgb);
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

/* ---- fields ---- */

static void stretch_elements(const int *nodes, int count, int corners, const double *rest, const double *x, double *field)
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
