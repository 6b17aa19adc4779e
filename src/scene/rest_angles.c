/* Rest angles of a body's edges, as a text: a line "a b angle" for each edge, by two vertices of the mesh counted
 * from 0, the angle in degrees; what follows a # is a comment. */
#include "scene/rest_angles.h"

#include "base/error.h"
#include "base/memory.h"
#include "mesh/format/source.h"
#include "world/bodies/edges.h"

typedef struct angle_list {
    vvRestAngle *angle;
    int *line;
    size_t capacity, line_capacity;
    int count;
} angle_list;

static bool at_line_end(const vv_source *s) { return s->p == s->end || *s->p == '\n' || *s->p == '#'; }

static vvStatus read_vertex(vv_source *s, const char *what, int *vertex)
{
    int64_t value;
    vvStatus status = vv_text_int(s, what, &value);
    if (status == VV_OK && (value < 0 || value > INT32_MAX))
        status = vv_source_fail(s, "%s is %lld; vertices are counted from 0", what, (long long)value);
    *vertex = status != VV_OK ? 0 : (int)value;
    return status;
}

static vvStatus read_line(vv_source *s, angle_list *l)
{
    vvRestAngle r;
    double degrees = 0;
    if (!vv_grow((void **)&l->angle, &l->capacity, (size_t)l->count + 1, sizeof *l->angle) ||
        !vv_grow((void **)&l->line, &l->line_capacity, (size_t)l->count + 1, sizeof *l->line))
        return vv_fail_memory(s->error, "rest angles");
    l->line[l->count] = s->line;
    vvStatus status = read_vertex(s, "the edge's first vertex", &r.a);
    if (status == VV_OK)
        status = read_vertex(s, "the edge's second vertex", &r.b);
    if (status == VV_OK)
        status = vv_text_double(s, "the rest angle (degrees)", &degrees);
    if (status == VV_OK && !(degrees >= -180 && degrees <= 180))
        status = vv_source_fail(s, "the rest angle is %g degrees; allowed: -180 to 180", degrees);
    r.angle = degrees * (3.14159265358979323846 / 180);
    if (degrees == 180 || degrees == -180)
        r.angle = degrees > 0 ? 3.14159265358979323846 : -3.14159265358979323846;
    l->angle[l->count++] = r;
    return status;
}

static vvStatus read_lines(vv_source *s, angle_list *l)
{
    vvStatus status = VV_OK;
    while (status == VV_OK && s->p < s->end) {
        while (s->p < s->end && (*s->p == ' ' || *s->p == '\t' || *s->p == '\r'))
            s->p++;
        if (!at_line_end(s)) {
            status = read_line(s, l);
            while (status == VV_OK && s->p < s->end && (*s->p == ' ' || *s->p == '\t' || *s->p == '\r'))
                s->p++;
            if (status == VV_OK && !at_line_end(s))
                status = vv_source_fail(s, "more than two vertices and an angle on a line");
        }
        if (status == VV_OK)
            vv_text_skip_line(s);
    }
    return status;
}

vvStatus vv_rest_angles_read(const char *path, const vvMesh *mesh, vvRestAngle **angles, int *count, vvError *error)
{
    vv_source s;
    angle_list l = { 0 };
    int wrong;
    *angles = NULL, *count = 0;
    vvStatus status = vv_source_open(&s, path, error);
    if (status != VV_OK)
        return status;
    status = read_lines(&s, &l);
    if (status == VV_OK && l.count == 0)
        status =
            vv_fail(error, VV_ERROR_INPUT, "%s: no rest angles; a line for each: two vertices and degrees", s.shown);
    if (status == VV_OK) {
        status = vv_rest_angles_check(mesh, l.angle, l.count, &wrong, error);
        if (status != VV_OK && wrong >= 0)
            vv_fail_prefix(error, "%s:%d: ", s.shown, l.line[wrong]);
    }
    vv_source_close(&s);
    vv_free(l.line);
    if (status != VV_OK)
        vv_free(l.angle);
    else
        *angles = l.angle, *count = l.count;
    return status;
}
