/* Values in a .usda file. */
#include "record/export/usda.h"

#include "base/text/number.h"

void vv_usda_number(FILE *f, double value)
{
    char text[VV_NUMBER_LENGTH];
    fwrite(text, 1, (size_t)vv_format_double(text, value), f);
}

void vv_usda_triple(FILE *f, const float v[3])
{
    char text[3 * VV_NUMBER_LENGTH + 8];
    int n = 0;
    for (int k = 0; k < 3; k++) {
        text[n++] = k ? ',' : '(';
        n += vv_format_float(text + n, v[k]);
    }
    text[n++] = ')';
    fwrite(text, 1, (size_t)n, f);
}

void vv_usda_triples(FILE *f, const float *values, const int *order, int count)
{
    fputc('[', f);
    for (int i = 0; i < count; i++) {
        if (i)
            fputs(i % 8 ? ", " : ",\n", f);
        vv_usda_triple(f, values + 3 * (order ? order[i] : i));
    }
    fputc(']', f);
}

void vv_usda_ints(FILE *f, const char *declaration, const int *values, int count)
{
    fprintf(f, "            %s = [", declaration);
    for (int i = 0; i < count; i++) {
        if (i)
            fputs(i % 24 ? ", " : ",\n", f);
        fprintf(f, "%d", values[i]);
    }
    fputs("]\n", f);
}

void vv_usda_colour(FILE *f, const char *declaration, unsigned colour, bool array)
{
    double rgb[3];
    vv_linear_rgb(colour, rgb);
    const float v[3] = { (float)rgb[0], (float)rgb[1], (float)rgb[2] };
    fprintf(f, array ? "%s = [" : "%s = ", declaration);
    vv_usda_triple(f, v);
    fputs(array ? "]" : "", f);
}

void vv_usda_time(const vv_usda *u, int i)
{
    fputs("                ", u->f);
    vv_usda_number(u->f, vv_timing_at(u->job, &u->timing, i));
    fputs(": ", u->f);
}
