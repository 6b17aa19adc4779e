/* visviva new: the scene as a file. */
#include "new.h"

#include <math.h>

static const double poisson = 0.4;

static bool put_json_text(FILE *file, const char *text)
{
    fputc('"', file);
    for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
        if (*p == '"' || *p == '\\')
            fputc('\\', file);
        if (*p < 0x20)
            fprintf(file, "\\u%04x", *p);
        else
            fputc(*p, file);
    }
    return fputc('"', file) != EOF;
}

static void put_files(FILE *f, const vv_proposal *p)
{
    fputs("      \"mesh\": { \"file\": ", f);
    put_json_text(f, p->mesh);
    fputs(" },\n", f);
    if (p->surface[0]) {
        fputs("      \"surface\": { \"file\": ", f);
        put_json_text(f, p->surface);
        fputs(" },\n", f);
    }
    fprintf(f, "      \"place\": { \"scale\": %.9g, \"rotate\": [%d, 0, 0], \"translate\": [%.9g, %.9g, %.9g] }\n",
            p->scale, p->z_up ? -90 : 0, p->translate[0], p->translate[1], p->translate[2]);
}

static void put_wall(FILE *f, const char *name, double x, double y, double z, int axis, int sign)
{
    fprintf(f, ",\n    { \"name\": \"%s\", \"plane\": { \"point\": [%.6g, %.6g, %.6g], \"normal\": [%d, %d, %d] } }", name, x, y, z,
            axis == 0 ? sign : 0, axis == 1 ? sign : 0, axis == 2 ? sign : 0);
}

static void put_obstacles(FILE *f, const vv_proposal *p)
{
    fputs("    { \"name\": \"ground\", \"plane\": { \"point\": [0, 0, 0], \"normal\": [0, 1, 0] } }", f);
    if (p->room[0] > 0) {
        put_wall(f, "ceiling", 0, p->room[1], 0, 1, -1);
        put_wall(f, "left", -p->room[0], 0, 0, 0, 1);
        put_wall(f, "right", p->room[0], 0, 0, 0, -1);
        put_wall(f, "back", 0, 0, -p->room[0], 2, 1);
        put_wall(f, "front", 0, 0, p->room[0], 2, -1);
    }
    fputc('\n', f);
}

bool vv_new_write_scene(const char *path, const char *name, const vv_proposal *p)
{
    FILE *f = fopen(path, "wb");
    if (!f)
        return false;
    fputs("{\n  \"visviva\": 1,\n  \"name\": ", f);
    put_json_text(f, name);
    fprintf(f, ",\n  \"time\": { \"step\": \"1/%d\", \"end\": %.6g, \"record_every\": %d },\n", p->steps_a_second,
            p->end, p->record_every);
    fputs("  \"integrator\": { \"scheme\": \"backward-euler\", \"policy\": \"filtered-search\"", f);
    if (isfinite(p->ground))
        fprintf(f, ", \"ground_energy\": %.6g", p->ground);
    fputs(" },\n", f);
    fprintf(f, "  \"solver\": { \"tolerance\": %.6g },\n", p->tolerance);
    fprintf(f,
            "  \"contact\": { \"model\": \"barrier\", \"distance\": %.6g, \"stiffness\": %.6g, \"friction\": 0.2 },\n",
            p->distance, p->young);
    fputs("  \"materials\": {\n", f);
    fprintf(f, "    \"flesh\": { \"model\": \"neo-hookean\", \"young\": %.6g, \"poisson\": %.6g, \"density\": %.6g }\n",
            p->young, poisson, (double)VV_NEW_DENSITY);
    fputs("  },\n", f);
    fputs("  \"bodies\": [\n    {\n      \"name\": \"body\",\n      \"material\": \"flesh\",\n", f);
    put_files(f, p);
    fputs("    }\n  ],\n  \"obstacles\": [\n", f);
    put_obstacles(f, p);
    fputs("  ]\n}\n", f);
    bool good = !ferror(f);
    return fclose(f) == 0 && good;
}
