/* A view as options write it: where the camera and the lamp stand. */
#include "cli.h"
#include "render/render.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double key_azimuth = -46, key_elevation = 56;

vv_view vv_default_view(void)
{
    return (vv_view){
        .azimuth = NAN, .elevation = NAN, .zoom = 1, .fov = 24, .keyAzimuth = key_azimuth, .keyElevation = key_elevation
    };
}

static bool read_numbers(const char *name, const char *text, int least, int most, double *values)
{
    int count = 0;
    const char *at = text;
    while (count < most) {
        char *end;
        values[count] = strtod(at, &end);
        if (end == at || !isfinite(values[count]))
            break;
        count++;
        at = end;
        if (*at != ',')
            break;
        at++;
    }
    if (*at == 0 && count >= least)
        return true;
    vv_cli_wrong("%s \"%s\": %d%s%s numbers with commas between them, without spaces", name, text, least,
                 most > least ? " to " : "", most > least ? (most == 3 ? "3" : "more") : "");
    return false;
}

bool vv_view_parse_camera(vv_view *view, const char *text, bool zoom)
{
    double v[3] = { NAN, NAN, 1 };
    if (!text || strcmp(text, "auto") == 0)
        return true;
    if (!read_numbers("--camera", text, 2, zoom ? 3 : 2, v))
        return false;
    if (fabs(v[1]) > 90 || !(v[2] >= 0.01 && v[2] <= 1000)) {
        vv_cli_wrong("--camera \"%s\": AZIMUTH,ELEVATION%s: elevation -90 to 90 degrees%s", text, zoom ? "[,ZOOM]" : "",
                     zoom ? ", zoom 0.01 to 1000" : "");
        return false;
    }
    view->azimuth = v[0];
    view->elevation = v[1];
    view->zoom = v[2];
    return true;
}

bool vv_view_parse_light(vv_view *view, const char *text)
{
    double v[2];
    if (!text)
        return true;
    if (!read_numbers("--light", text, 2, 2, v))
        return false;
    if (!(v[1] >= 1 && v[1] <= 90)) {
        vv_cli_wrong("--light \"%s\": give AZIMUTH,ELEVATION in degrees, with an elevation from 1 to 90", text);
        return false;
    }
    view->keyAzimuth = v[0];
    view->keyElevation = v[1];
    return true;
}

bool vv_view_parse_place(vv_view *view, const char *eye, const char *target)
{
    if (!eye && !target)
        return true;
    if (!eye || !target) {
        vv_cli_wrong("--eye and --target go together: where the camera stands, and what it looks at");
        return false;
    }
    view->fixedEye = true;
    return read_numbers("--eye", eye, 3, 3, view->eye) && read_numbers("--target", target, 3, 3, view->target);
}
