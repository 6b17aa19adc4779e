/* visviva new: the scene as a file, and in words. */
#include "new/new.h"

#include <math.h>
#include <string.h>

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

/* Bodies that are parts of the model have a material each way. */
static int regions_of(const vv_proposal *p) { return p->parts.count == 0 && !p->affine ? p->regions.count : 0; }

static void put_materials(FILE *f, const vv_proposal *p)
{
    fputs("  \"materials\": {\n", f);
    if (p->affine)
        fprintf(f, "    \"solid\": { \"model\": \"affine\", \"young\": %.6g, \"density\": %.6g }\n", p->young,
                (double)VV_NEW_DENSITY);
    else if (p->cloth)
        fprintf(f,
                "    \"cotton\": { \"model\": \"stvk-membrane\", \"young\": %.6g, \"poisson\": 0.3, \"density\": %.6g, "
                "\"thickness\": %.6g,\n      \"damping\": { \"drag\": 2, \"rayleigh\": 0.002 } },\n"
                "    \"folds\": { \"like\": \"cotton\", \"model\": \"hinge\", \"damping\": { \"drag\": 0, "
                "\"rayleigh\": 0.02 } }\n",
                p->young, (double)VV_NEW_CLOTH, p->thickness);
    else
        fprintf(f,
                "    \"flesh\": { \"model\": \"neo-hookean\", \"young\": %.6g, \"poisson\": %.6g, \"density\": %.6g }",
                p->young, poisson, (double)VV_NEW_DENSITY);
    for (int i = 0; i < regions_of(p); i++)
        if (strcmp(p->regions.names[i], "flesh") != 0) {
            fputs(",\n    ", f);
            put_json_text(f, p->regions.names[i]);
            fprintf(f, ": { \"like\": \"flesh\", \"young\": %.6g, \"density\": %.6g }", p->young,
                    (double)VV_NEW_DENSITY);
        }
    fputs(p->affine || p->cloth ? "  },\n" : "\n  },\n", f);
}

/* One, or one for each region. */
static void put_material(FILE *f, const vv_proposal *p)
{
    if (!regions_of(p)) {
        fprintf(f, ",\n      \"material\": %s,\n",
                p->affine  ? "\"solid\""
                : p->cloth ? "[\"cotton\", \"folds\"]"
                           : "\"flesh\"");
        return;
    }
    fputs(",\n      \"materials\": {", f);
    for (int i = 0; i < regions_of(p); i++) {
        fputs(i ? ", " : " ", f);
        put_json_text(f, p->regions.names[i]);
        fputs(": ", f);
        put_json_text(f, p->regions.names[i]);
    }
    fputs(" },\n", f);
}

static void put_body(FILE *f, const vv_proposal *p, const char *name, const char *mesh, const char *surface)
{
    fputs("    {\n      \"name\": ", f);
    put_json_text(f, name);
    put_material(f, p);
    if (p->cloth)
        fprintf(f, "      \"thickness\": %.6g,\n", p->thickness);
    fputs("      \"mesh\": { \"file\": ", f);
    put_json_text(f, mesh);
    fputs(p->order == 2 ? ", \"order\": 2" : "", f);
    if (p->onto[0]) {
        fputs(", \"onto\": ", f);
        put_json_text(f, p->onto);
    }
    fputs(" },\n", f);
    if (surface[0]) {
        fputs("      \"surface\": { \"file\": ", f);
        put_json_text(f, surface);
        fputs(p->collides ? ", \"collides\": true },\n" : " },\n", f);
    }
    fprintf(f, "      \"place\": { \"scale\": %.9g, \"rotate\": [%d, 0, 0], \"translate\": [%.9g, %.9g, %.9g] }\n    }",
            p->scale, p->z_up ? -90 : 0, p->translate[0], p->translate[1], p->translate[2]);
}

static void put_bodies(FILE *f, const vv_proposal *p)
{
    fputs("  \"bodies\": [\n", f);
    if (p->parts.count == 0)
        put_body(f, p, "body", p->mesh, p->surface);
    for (int i = 0; i < p->parts.count; i++) {
        const vv_new_part *part = &p->parts.list[i];
        fputs(i ? ",\n" : "", f);
        put_body(f, p, part->name, part->mesh, part->surface);
    }
    fputs("\n  ],\n", f);
}

static void put_wall(FILE *f, const char *name, double x, double y, double z, int axis, int sign)
{
    fprintf(f, ",\n    { \"name\": \"%s\", \"plane\": { \"point\": [%.6g, %.6g, %.6g], \"normal\": [%d, %d, %d] } }",
            name, x, y, z, axis == 0 ? sign : 0, axis == 1 ? sign : 0, axis == 2 ? sign : 0);
}

static void put_obstacles(FILE *f, const vv_proposal *p)
{
    if (p->cloth)
        fprintf(f, "    { \"name\": \"ball\", \"sphere\": { \"center\": [0, %.6g, 0], \"radius\": %.6g } },\n", p->ball,
                p->ball);
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
    fprintf(f, "  \"contact\": { \"model\": \"barrier\", \"distance\": %.6g, ", p->distance);
    if (!p->affine && !p->cloth) /* of what is nearly rigid, or thin, its weight decides */
        fprintf(f, "\"stiffness\": %.6g, ", p->young);
    fputs("\"friction\": 0.2 },\n", f);
    put_materials(f, p);
    put_bodies(f, p);
    fputs("  \"obstacles\": [\n", f);
    put_obstacles(f, p);
    fputs("  ]\n}\n", f);
    bool good = !ferror(f);
    return fclose(f) == 0 && good;
}

void vv_new_print(const char *scene, bool scaled, const vv_proposal *p)
{
    char a[VV_TEXT], b[VV_TEXT];
    printf("scene %s\n", scene);
    if (p->parts.count > 0) {
        printf("    %d bodies, as many as the model has parts that do not touch:", p->parts.count);
        for (int i = 0; i < p->parts.count; i++)
            printf("%s %s", i ? "," : "", p->parts.list[i].name);
        puts("; --one-body makes one of them");
    }
    if (regions_of(p))
        vv_new_print_regions(&p->regions);
    if (p->cloth)
        printf("    the cloth is %s in size%s, %s thick, and falls onto a ball on the ground y = 0\n",
               vv_text_quantity(a, p->height, "m"), scaled ? " (scaled)" : "", vv_text_quantity(b, p->thickness, "m"));
    else
        printf("    the %s %s high%s, and falls from half its height onto the ground y = 0\n",
               p->parts.count > 0 ? "model is" : "body is", vv_text_quantity(a, p->height, "m"),
               scaled ? " (scaled)" : "");
    if (!scaled && (p->height > 20 || p->height < 1e-3))
        puts("    is the model in millimetres or centimetres? Add --unit mm or --unit cm, or --height H for a body of "
             "H metres");
    if (p->affine)
        printf("    it is affine: nearly rigid, on four nodes, with Young's modulus %s\n",
               vv_text_quantity(a, p->young, "Pa"));
    else if (p->cloth)
        printf("    it is a membrane of Young's modulus %s that bends at its edges, like cotton\n",
               vv_text_quantity(a, p->young, "Pa"));
    else
        printf("    Young's modulus %s = %.0f density gravity height: about 1 %% shorter when it stands, 15 %% when it "
               "lands\n",
               vv_text_quantity(a, p->young, "Pa"), (double)VV_NEW_SOFTNESS);
    printf("    contact acts below %s: a tenth of the surface's mean edge, at most 0.5 %% of the height\n",
           vv_text_quantity(a, p->distance, "m"));
    printf("    time step %s: about 18 steps in the time sqrt(height / gravity) = %s; to t = %.6g s, %g frames per "
           "second\n",
           vv_text_quantity(a, 1.0 / p->steps_a_second, "s"),
           vv_text_quantity(b, sqrt(p->height / VV_NEW_GRAVITY), "s"), p->end, (double)VV_NEW_FRAMES);
    if (p->room[0] > 0)
        printf("    the room is %s wide and %s high\n", vv_text_quantity(a, 2 * p->room[0], "m"),
               vv_text_quantity(b, p->room[1], "m"));
    if (p->surface[0])
        printf("    the tets carry the model's own surface: pictures and exports show it, with its vertices in the "
               "file's order;\n"
               "    %s\n",
               p->collides
                   ? "it also collides, instead of the tets' boundary"
                   : "the tets' boundary collides for it, which is cheaper (surface.collides: true changes that)");
    if (p->cloth)
        ;
    else if (isfinite(p->ground))
        printf("    the energy at rest is %s, stored in the scene as integrator.ground_energy\n",
               vv_text_quantity(a, p->ground, "J"));
    else
        puts("    the energy at rest was not found within 10 s; only decay_time needs it: visviva settle computes it");
    printf("    visviva run %s\n", scene);
}
