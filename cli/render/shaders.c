/* The painter's shaders (GLSL 3.30).
 *
 * A picture is the mean of many passes. Each pass shifts the camera by a part of a pixel and is lit by VV_LIGHTS lights
 * with a shadow map each: one point of the key light's disc, the others points of the sky. So edges are smooth, shadows
 * soft, and what the sky cannot reach is dark, all from the same mean. */
#include "render/gl.h"

const char *const vv_shader_shadow_vertex =
    "#version 330 core\n"
    "layout(location = 0) in vec3 position;\n"
    "uniform mat4 light;\n"
    "void main() { gl_Position = light * vec4(position, 1.0); }\n";

const char *const vv_shader_shadow_fragment =
    "#version 330 core\n"
    "void main() {}\n";

const char *const vv_shader_screen_vertex =
    "#version 330 core\n"
    "void main() {\n"
    "    vec2 p = vec2((gl_VertexID & 1) * 4 - 1, (gl_VertexID & 2) * 2 - 1);\n"
    "    gl_Position = vec4(p, 1.0, 1.0);\n"
    "}\n";

/* The backdrop's colour at a height of the picture: shared by what fades into it. */
#define BACKDROP \
    "uniform vec2 screen;\n" \
    "uniform vec3 skyLow, skyHigh;\n" \
    "uniform float horizon;\n" \
    "vec3 backdrop() {\n" \
    "    vec2 p = gl_FragCoord.xy / screen;\n" \
    "    float t = smoothstep(0.0, 1.0, (p.y - horizon) / max(1.15 - horizon, 0.2));\n" \
    "    return mix(skyLow, skyHigh, t);\n" \
    "}\n"

const char *const vv_shader_backdrop_fragment =
    "#version 330 core\n"
    BACKDROP
    "out vec4 colour;\n"
    "void main() { colour = vec4(backdrop(), 1.0); }\n";

const char *const vv_shader_scene_vertex =
    "#version 330 core\n"
    "layout(location = 0) in vec3 position;\n"
    "layout(location = 1) in vec3 normal;\n"
    "layout(location = 2) in vec4 tint;\n"
    "uniform mat4 camera;\n"
    "out vec3 P, N;\n"
    "out vec4 C;\n"
    "out vec3 corner;\n"
    "void main() {\n"
    "    P = position; N = normal; C = tint;\n"
    "    int k = gl_VertexID % 3;\n"
    "    corner = vec3(k == 0, k == 1, k == 2);\n"
    "    gl_Position = camera * vec4(position, 1.0);\n"
    "}\n";

/* lightRow: the rows of each light's matrix, so that dot(row, (P, 1)) is the place in its shadow map. lightColour[0] is
 * the key light's. */
#define LIT \
    "in vec3 P, N;\n" \
    "in vec4 C;\n" \
    "in vec3 corner;\n" \
    "uniform sampler2DArrayShadow shadows;\n" \
    "uniform vec3 lightDirection[4];\n" \
    "uniform vec3 lightColour[4];\n" \
    "uniform vec4 lightRow[12];\n" \
    "uniform float texel, bias;\n" \
    "uniform vec3 eye, up;\n" \
    "out vec4 colour;\n" \
    "vec3 place(int i, vec4 p) {\n" \
    "    return vec3(dot(lightRow[3 * i], p), dot(lightRow[3 * i + 1], p), dot(lightRow[3 * i + 2], p));\n" \
    "}\n" \
    "float lit(int i, vec3 s) { return texture(shadows, vec4(s.xy, float(i), clamp(s.z - bias, 0.0, 1.0))); }\n"

const char *const vv_shader_body_fragment =
    "#version 330 core\n"
    LIT
    "uniform vec3 bounce, rim;\n"
    "uniform float groundHeight, reach, wire;\n"
    "void main() {\n"
    "    vec3 view = normalize(eye - P);\n"
    "    vec3 n = normalize(gl_FrontFacing ? N : -N);\n"
    "    vec4 p = vec4(P + n * (1.5 * texel), 1.0);\n"
    "    vec3 diffuse = vec3(0.0);\n"
    "    float key = 0.0;\n"
    "    for (int i = 0; i < 4; i++) {\n"
    "        float v = max(dot(n, lightDirection[i]), 0.0) * lit(i, place(i, p));\n"
    "        diffuse += lightColour[i] * v;\n"
    "        if (i == 0) key = v;\n"
    "    }\n"
    "    vec3 h = normalize(lightDirection[0] + view);\n"
    "    float f = 0.04 + 0.96 * pow(1.0 - max(dot(h, view), 0.0), 5.0);\n"
    "    vec3 gloss = lightColour[0] * (min(4.0 * key, 1.0) * f * 4.5 * pow(max(dot(n, h), 0.0), 40.0));\n"
    "    float below = 0.5 - 0.5 * dot(n, up);\n"
    "    float height = clamp((dot(P, up) - groundHeight) / reach, 0.0, 1.0);\n"
    "    diffuse += bounce * (below * mix(0.25, 1.0, sqrt(height)));\n"
    "    float grazing = pow(1.0 - max(dot(n, view), 0.0), 4.0);\n"
    "    gloss += rim * (grazing * (0.35 + 0.65 * (1.0 - below)));\n"
    "    vec3 base = gl_FrontFacing ? C.rgb : C.rgb * 0.8;\n"
    "    if (wire > 0.0) {\n"
    "        vec3 e = corner / fwidth(corner);\n"
    "        float line = clamp(min(e.x, min(e.y, e.z)) - 0.2, 0.0, 1.0);\n"
    "        base *= mix(1.0 - wire, 1.0, line);\n"
    "    }\n"
    "    colour = vec4(base * diffuse + gloss * C.a, 1.0);\n"
    "}\n";

/* Planes fade into the backdrop with distance from `focus`. Shadows on them are blurred by what lies between two
 * neighbouring lights at the distance of what throws them, at an angle of each pixel's own: for the key light (blur.x:
 * width per depth) one look at a random place nearby finds that distance; for the sky blur.y is the width itself.
 * Beyond the halo the ground does not feel that a part of the sky is hidden. */
const char *const vv_shader_plane_fragment =
    "#version 330 core\n"
    BACKDROP
    LIT
    "uniform sampler2DArray depths;\n"
    "uniform vec3 focus, haloCentre, blur;\n"
    "uniform vec2 fade, halo;\n"
    "uniform float turn;\n"
    "float soft(int i, vec3 s, vec2 a, float r) {\n"
    "    vec2 b = vec2(-0.5 * a.x - 0.866 * a.y, 0.866 * a.x - 0.5 * a.y), c = -a - b;\n"
    "    float sum = lit(i, vec3(s.xy + r * a, s.z)) + lit(i, vec3(s.xy + r * b, s.z));\n"
    "    return (sum + lit(i, vec3(s.xy + r * c, s.z))) / 3.0;\n"
    "}\n"
    "void main() {\n"
    "    vec3 n = normalize(N);\n"
    "    vec4 p = vec4(P + n * (0.5 * texel), 1.0);\n"
    "    float noise = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))) + turn);\n"
    "    float angle = 6.2831853 * noise;\n"
    "    vec2 a = vec2(cos(angle), sin(angle));\n"
    "    vec3 s = place(0, p);\n"
    "    float reach = sqrt(fract(angle * 7.13)) * blur.x * s.z;\n"
    "    float over = max(s.z - texture(depths, vec3(s.xy + reach * a.yx, 0.0)).r, 0.0);\n"
    "    float key = max(dot(n, lightDirection[0]), 0.0) * soft(0, s, a, max(blur.x * over, blur.z));\n"
    "    vec3 diffuse = lightColour[0] * key;\n"
    "    float open = smoothstep(halo.x, halo.y, length(P - haloCentre));\n"
    "    for (int i = 1; i < 4; i++) {\n"
    "        float v = mix(soft(i, place(i, p), a, blur.y), 1.0, open);\n"
    "        diffuse += lightColour[i] * (max(dot(n, lightDirection[i]), 0.0) * v);\n"
    "    }\n"
    "    float far = smoothstep(fade.x, fade.y, length(P - focus));\n"
    "    colour = vec4(mix(C.rgb * diffuse, backdrop(), far), 1.0);\n"
    "}\n";

/* The same plane where nothing stands in any light; `openLight` is what it receives. */
const char *const vv_shader_open_fragment =
    "#version 330 core\n"
    BACKDROP
    "in vec3 P, N;\n"
    "in vec4 C;\n"
    "in vec3 corner;\n"
    "uniform vec3 focus, openLight;\n"
    "uniform vec2 fade;\n"
    "out vec4 colour;\n"
    "void main() {\n"
    "    float far = smoothstep(fade.x, fade.y, length(P - focus));\n"
    "    colour = vec4(mix(C.rgb * openLight, backdrop(), far), 1.0);\n"
    "}\n";

const char *const vv_shader_add_fragment =
    "#version 330 core\n"
    "uniform sampler2D pass;\n"
    "uniform float weight;\n"
    "out vec4 colour;\n"
    "void main() { colour = weight * texelFetch(pass, ivec2(gl_FragCoord.xy), 0); }\n";

/* Linear up to `knee`, then rolls off towards white; sRGB; a little ordered noise against banding. */
const char *const vv_shader_tone_fragment =
    "#version 330 core\n"
    "uniform sampler2D sum;\n"
    "uniform float scale;\n"
    "out vec4 colour;\n"
    "vec3 roll(vec3 x) {\n"
    "    const float knee = 0.72;\n"
    "    vec3 high = knee + (1.0 - knee) * (1.0 - exp(-(x - knee) / (1.0 - knee)));\n"
    "    return mix(x, high, step(vec3(knee), x));\n"
    "}\n"
    "void main() {\n"
    "    vec3 x = roll(max(texelFetch(sum, ivec2(gl_FragCoord.xy), 0).rgb * scale, 0.0));\n"
    "    vec3 s = mix(12.92 * x, 1.055 * pow(x, vec3(1.0 / 2.4)) - 0.055, step(vec3(0.0031308), x));\n"
    "    uvec2 q = uvec2(gl_FragCoord.xy);\n"
    "    uint h = (q.x * 1664525u + q.y * 1013904223u) ^ (q.x * 2654435769u * (q.y + 7u));\n"
    "    h ^= h >> 15; h *= 2246822519u; h ^= h >> 13;\n"
    "    colour = vec4(s + (float(h & 1023u) / 1023.0 - 0.5) / 255.0, 1.0);\n"
    "}\n";
