/* Whether a camera sees anything: triangles are cut by the sides of the picture's pyramid until something is left. */
#include "render/render.h"

#include <math.h>

enum { SIDES = 5, MOST_CORNERS = 3 + SIDES };

/* Coordinates to the right, up, and away from the camera. A plane's value is not negative inside. */
static double side_value(const vv_camera *c, int side, const double v[3])
{
    switch (side) {
    case 0: return v[2] - c->near;
    case 1: return c->tanX * v[2] - v[0];
    case 2: return c->tanX * v[2] + v[0];
    case 3: return c->tanY * v[2] - v[1];
    default: return c->tanY * v[2] + v[1];
    }
}

/* Sutherland and Hodgman. Returns how many corners are left. */
static int cut(const vv_camera *c, int side, double polygon[MOST_CORNERS][3], int count)
{
    double out[MOST_CORNERS][3];
    int kept = 0;
    for (int i = 0; i < count; i++) {
        const double *a = polygon[i], *b = polygon[(i + 1) % count];
        double p = side_value(c, side, a), q = side_value(c, side, b);
        if (p >= 0 && kept < MOST_CORNERS) {
            for (int k = 0; k < 3; k++)
                out[kept][k] = a[k];
            kept++;
        }
        if ((p >= 0) != (q >= 0) && kept < MOST_CORNERS) {
            for (int k = 0; k < 3; k++)
                out[kept][k] = a[k] + p / (p - q) * (b[k] - a[k]);
            kept++;
        }
    }
    for (int i = 0; i < kept; i++)
        for (int k = 0; k < 3; k++)
            polygon[i][k] = out[i][k];
    return kept;
}

static bool sees_triangle(const vv_camera *c, const vv_geometry *g, const unsigned *index, const double eye[3])
{
    double polygon[MOST_CORNERS][3];
    for (int i = 0; i < 3; i++) {
        const float *x = g->vertices[index[i]].position;
        double d[3] = { x[0] - eye[0], x[1] - eye[1], x[2] - eye[2] };
        polygon[i][0] = vv_dot3(d, c->right);
        polygon[i][1] = vv_dot3(d, c->up);
        polygon[i][2] = -vv_dot3(d, c->back);
    }
    int count = 3;
    for (int side = 0; side < SIDES && count > 0; side++)
        count = cut(c, side, polygon, count);
    return count > 0;
}

static bool sees_range(const vv_camera *c, const vv_geometry *g, vv_indices range, const double eye[3])
{
    for (int i = range.first; i + 2 < range.first + range.count; i += 3)
        if (sees_triangle(c, g, g->indices + i, eye))
            return true;
    return false;
}

static bool sees_geometry(const vv_camera *c, const vv_geometry *g, const double eye[3])
{
    vv_indices rest = { g->rest, g->indexCount - g->rest };
    return sees_range(c, g, g->solid[0], eye) || sees_range(c, g, g->thin[0], eye) || sees_range(c, g, rest, eye);
}

/* The bodies as a whole are so far away that they fill less than half a pixel. */
static bool too_small(const vv_camera *c, const vv_render_stage *stage, int height)
{
    double depth = 0, square = 0;
    for (int k = 0; k < 3; k++) {
        depth -= (stage->centre[k] - c->eye[k]) * c->back[k];
        square += (stage->high[k] - stage->low[k]) * (stage->high[k] - stage->low[k]);
    }
    return sqrt(square) * height < depth * c->tanY; /* the picture is 2 depth tanY high there */
}

bool vv_camera_sees(const vv_camera *camera, const vv_render_stage *stage, int height)
{
    double eye[3];
    for (int k = 0; k < 3; k++)
        eye[k] = camera->eye[k] - stage->origin[k];
    if (too_small(camera, stage, height))
        return false;
    return sees_geometry(camera, &stage->bodies, eye) || sees_geometry(camera, &stage->obstacles, eye);
}
