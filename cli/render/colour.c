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

/* ---- stretch: the singular values sigma of F; the field is the largest |sigma - 1| of a node's elements ---- */

/* Largest |sigma - 1| from C = F^T F (symmetric, n = 1, 2 or 3, row-major 3x3), by its eigenvalues in closed form. */
static double worst_stretch(const double c[9], int n)
{
    double w[3] = { c[0], c[0], c[0] };
    if (n == 2) {
        double mean = (c[0] + c[4]) / 2, half = hypot((c[0] - c[4]) / 2, c[1]);
        w[0] = mean - half;
        w[1] = w[2] = mean + half;
    } else if (n == 3) {
        double q = (c[0] + c[4] + c[8]) / 3, off = c[1] * c[1] + c[2] * c[2] + c[5] * c[5];
        double a = c[0] - q, b = c[4] - q, d = c[8] - q, p = sqrt((a * a + b * b + d * d + 2 * off) / 6);
        double det = a * (b * d - c[5] * c[5]) - c[1] * (c[1] * d - c[5] * c[2]) + c[2] * (c[1] * c[5] - b * c[2]);
        double r = p > 0 ? det / (2 * p * p * p) : 0, phi = acos(r < -1 ? -1 : r > 1 ? 1 : r) / 3;
        w[0] = q + 2 * p * cos(phi);
        w[1] = q + 2 * p * cos(phi + 2 * M_PI / 3);
        w[2] = 3 * q - w[0] - w[1];
    }
    double worst = 0;
    for (int k = 0; k < 3; k++)
        worst = fmax(worst, fabs(sqrt(fmax(w[k], 0)) - 1));
    return worst;
}

/* Edge vectors of an element with n + 1 nodes, as columns of Gram products: g = D^T D. */
static void gram(const double *x, const int *node, int n, double g[9])
{
    double d[3][3];
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++)
            d[i][k] = x[3 * node[i + 1] + k] - x[3 * node[0] + k];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            g[3 * i + j] = vv_dot3(d[i], d[j]);
}

/* C = L^-1 G L^-T with the rest Gram G0 = L L^T: has the eigenvalues of F^T F. False for a degenerate rest shape. */
static bool pull_back(const double g0[9], const double g[9], int n, double c[9])
{
    double l[9] = { 0 }, t[9];
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double s = g0[3 * i + j];
            for (int k = 0; k < j; k++)
                s -= l[3 * i + k] * l[3 * j + k];
            if (i == j && !(s > 0))
                return false;
            l[3 * i + j] = i == j ? sqrt(s) : s / l[3 * j + j];
        }
    for (int col = 0; col < n; col++) /* t = L^-1 G */
        for (int i = 0; i < n; i++) {
            double s = g[3 * i + col];
            for (int k = 0; k < i; k++)
                s -= l[3 * i + k] * t[3 * k + col];
            t[3 * i + col] = s / l[3 * i + i];
        }
    for (int row = 0; row < n; row++) /* C = t L^-T */
        for (int j = 0; j < n; j++) {
            double s = t[3 * row + j];
            for (int k = 0; k < j; k++)
                s -= c[3 * row + k] * l[3 * j + k];
            c[3 * row + j] = s / l[3 * j + j];
        }
    return true;
}

static void stretch_elements(const int *nodes, int count, int n, const double *reference, const double *x,
                             double *field)
{
    for (int e = 0; e < count; e++) {
        const int *node = nodes + (n + 1) * e;
        double g0[9] = { 0 }, g[9] = { 0 }, c[9] = { 0 };
        gram(reference, node, n, g0);
        gram(x, node, n, g);
        if (!pull_back(g0, g, n, c))
            continue;
        double s = worst_stretch(c, n);
        for (int i = 0; i <= n; i++)
            if (s > field[node[i]])
                field[node[i]] = s;
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
    if (colouring != VV_COLOUR_STRAIN)
        return true;
    for (int b = 0; b < vvRunBodyCount(run); b++) {
        const vvRunBody *body = vvRunGetBody(run, b);
        stretch_elements(body->tets, body->tetCount, 3, reference, positions, field);
        if (body->tetCount == 0)
            stretch_elements(body->triangles, body->triangleCount, 2, reference, positions, field);
        if (body->tetCount == 0 && body->triangleCount == 0)
            stretch_elements(body->edges, body->edgeCount, 1, reference, positions, field);
    }
    vvRunCarry(run, 1, field);
    for (int i = n; i < vvRunVertexCount(run); i++)
        field[i] = fmax(field[i], 0); /* weights that extrapolate may go below */
    return true;
}
