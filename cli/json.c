/* What the --json of several commands shares: stdout kept for it, parts that occur in several of them. */
#include "json.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static int kept = -1; /* stdout, while people's text goes nowhere */

void vv_json_begin(void)
{
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    fflush(stdout);
    kept = dup(STDOUT_FILENO);
    if (nowhere >= 0 && kept >= 0)
        dup2(nowhere, STDOUT_FILENO);
    if (nowhere >= 0)
        close(nowhere);
}

int vv_json_end(json_t *root, int code)
{
    const char *error = vv_cli_last_error();
    fflush(stdout);
    if (kept >= 0) {
        dup2(kept, STDOUT_FILENO);
        close(kept);
        kept = -1;
    }
    if (!root)
        root = json_object();
    json_object_set_new(root, "ok", json_boolean(code == VV_EXIT_OK));
    json_object_set_new(root, "exit_code", json_integer(code));
    json_object_set_new(root, "error", code != VV_EXIT_OK && error[0] ? json_string(error) : json_null());
    json_t *warnings = json_array();
    for (int i = 0; vv_cli_warning(i); i++)
        json_array_append_new(warnings, json_string(vv_cli_warning(i)));
    json_object_set_new(root, "warnings", warnings);
    json_dumpf(root, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
    putchar('\n');
    json_decref(root);
    return code;
}

json_t *vv_json_vector(const double v[3])
{
    json_t *list = json_array();
    for (int k = 0; k < 3; k++)
        json_array_append_new(list, vv_json_number(v[k]));
    return list;
}

/* ---- meshes ---- */

void vv_json_add_mesh(json_t *object, const vvMesh *mesh, const vvMeshQuality *q)
{
    const struct {
        const char *name;
        int count;
    } counts[] = { { "vertices", mesh->vertexCount },
                   { "tets", mesh->tetCount },
                   { "triangles", mesh->triangleCount },
                   { "edges", mesh->edgeCount },
                   { "points", mesh->pointCount } };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        json_object_set_new(object, counts[i].name, json_integer(counts[i].count));
    json_t *bounds = json_array();
    json_array_append_new(bounds, vv_json_vector(q->boundsMin));
    json_array_append_new(bounds, vv_json_vector(q->boundsMax));
    json_object_set_new(object, "bounds", bounds);
    bool tets = mesh->tetCount > 0, surface = mesh->triangleCount > 0;
    const struct {
        const char *name;
        bool there;
        double value;
    } numbers[] = { { "volume", tets, q->volume },
                    { "area", surface, q->area },
                    { "min_dihedral", tets, q->minDihedral },
                    { "max_dihedral", tets, q->maxDihedral },
                    { "worst_aspect", tets, q->worstAspect },
                    { "smallest_tet_volume", tets, q->minVolume },
                    { "shortest_edge", surface, q->shortestEdge },
                    { "mean_edge", surface, q->meanEdge } };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        json_object_set_new(object, numbers[i].name, numbers[i].there ? vv_json_number(numbers[i].value) : json_null());
    json_object_set_new(object, "worst_tet", tets ? json_integer(q->worstTet) : json_null());
    json_object_set_new(object, "tets_below_10_degrees", json_integer(q->tetsBelow10Degrees));
}

/* ---- energies ---- */

json_t *vv_json_stiffness(const vvStiffness *s)
{
    return json_pack("{s:o, s:o, s:b, s:o, s:o, s:s}", "now", vv_json_number(s->now), "start", vv_json_number(s->start),
                     "chosen", s->chosen, "weight", vv_json_number(s->weight), "area", vv_json_number(s->area), "body",
                     s->body);
}

json_t *vv_json_energies(const vvLedgerRow *row)
{
    json_t *object = json_object();
    json_object_set_new(object, "kinetic", vv_json_number(row->kinetic));
    json_object_set_new(object, "elastic", vv_json_number(row->elastic));
    json_object_set_new(object, "gravity", vv_json_number(row->gravity));
    json_object_set_new(object, "contact", vv_json_number(row->contact));
    json_object_set_new(object, "attachment", vv_json_number(row->attachment));
    json_object_set_new(object, "joint", vv_json_number(row->joint));
    json_object_set_new(object, "total", vv_json_number(row->total));
    json_object_set_new(object, "visible", vv_json_number(row->visible));
    return object;
}
