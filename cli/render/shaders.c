/* The painter's shaders (GLSL 3.30).
 *
 * Light and shape are sampled apart. Light: on a grid as fine as the picture's pixels or twice as coarse, one look
 * finds what part of the key light (a disc) and of the sky each point of a surface sees, from a shadow map for each
 * of their points. Shape: the bodies are drawn several times, each time shifted by a part of a pixel, and take the
 * light from the points of the grid that lie on the same surface. So edges are smooth, shadows soft, and what the sky
 * cannot reach is dark. Planes are smooth without that, and drawn once. */
#include "render/gl.h"

const char *const vv_shader_shadow_vertex = "#version 330 core\n"
                                            "layout(location = 0) in vec3 position;\n"
                                            "uniform mat4 light;\n"
                                            "void main() { gl_Position = light * vec4(position, 1.0); }\n";

const char *const vv_shader_shadow_fragment = "#version 330 core\n"
                                              "void main() {}\n";

const char *const vv_shader_screen_vertex = "#version 330 core\n"
                                            "void main() {\n"
                                            "    vec2 p = vec2((gl_VertexID & 1) * 4 - 1, (gl_VertexID & 2) * 2 - 1);\n"
                                            "    gl_Position = vec4(p, 1.0, 1.0);\n"
                                            "}\n";

/* The backdrop's colour at a height of the picture: shared by what fades into it. */
#define BACKDROP                                                                        \
    "uniform vec2 screen;\n"                                                            \
    "uniform vec3 skyLow, skyHigh;\n"                                                   \
    "uniform float horizon;\n"                                                          \
    "vec3 backdrop() {\n"                                                               \
    "    vec2 p = gl_FragCoord.xy / screen;\n"                                          \
    "    float t = smoothstep(0.0, 1.0, (p.y - horizon) / max(1.15 - horizon, 0.2));\n" \
    "    return mix(skyLow, skyHigh, t);\n"                                             \
    "}\n"

const char *const vv_shader_backdrop_fragment = "#version 330 core\n" BACKDROP "out vec4 colour;\n"
                                                "void main() { colour = vec4(backdrop(), 1.0); }\n";

const char *const vv_shader_scene_vertex = "#version 330 core\n"
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

#define SURFACE       \
    "in vec3 P, N;\n" \
    "in vec4 C;\n"    \
    "in vec3 corner;\n"

/* A normal in 24 bits of a float: its parts to the right and up in the picture; the third is that towards the
 * camera. */
#define PACK                                                                      \
    "uniform vec3 right, above, back;\n"                                          \
    "float pack(vec3 n) {\n"                                                      \
    "    vec2 v = floor(vec2(dot(n, right), dot(n, above)) * 2047.0 + 2048.5);\n" \
    "    return v.x * 4096.0 + v.y;\n"                                            \
    "}\n"                                                                         \
    "vec2 unpack(float p) {\n"                                                    \
    "    float x = floor(p / 4096.0);\n"                                          \
    "    return (vec2(x, p - 4096.0 * x) - 2048.0) / 2047.0;\n"                   \
    "}\n" /* 1 for normals that are alike, 0 from 35 degrees on */                \
    "float alike(vec2 n, float p) {\n"                                            \
    "    n -= unpack(p);\n"                                                       \
    "    float c = max(1.0 - 3.0 * dot(n, n), 0.0);\n"                            \
    "    return c * c;\n"                                                         \
    "}\n"

/* Place and normal; a fourth number below 0 where there is nothing. */
const char *const vv_shader_geometry_fragment =
    "#version 330 core\n" SURFACE PACK "out vec4 colour;\n"
    "void main() {\n"
    "    vec3 n = normalize(gl_FrontFacing ? N : -N);\n"
    "    n -= min(dot(n, back), 0.0) * back;\n" /* smooth normals may look away */
    "    colour = vec4(P, pack(normalize(n)));\n"
    "}\n";

/* What parts of the key light and of the sky a point sees: (distance from the eye, normal, key, sky). A row of a
 * light's matrix, times the point, is a coordinate in its shadow map. Between two neighbouring points of a light the
 * edges of shadows are blurred over what lies between them at the distance of what throws the shadow, which a look
 * straight on and one nearby find; three looks then decide, turned from point to point in squares of four by four.
 * They follow the surface's slope, so that it does not shadow itself. */
const char *const vv_shader_light_fragment =
    "#version 330 core\n" PACK "uniform sampler2D geometry;\n"
    "uniform sampler2DArray keyMaps, skyMaps;\n"
    "uniform vec4 keyRow[3 * 32], skyRow[3 * 64], middleRow[3];\n"
    "uniform int keys, skies;\n"
    "uniform float diameter, lift, spread;\n"
    "uniform vec2 keyBlur, skyBlur;\n" /* in widths of a map: at a distance of one, and at least */
    "uniform vec3 eye, up, haloCentre;\n"
    "uniform vec2 brightness, halo;\n"
    "out vec4 colour;\n"
    "vec3 place(vec4 a, vec4 b, vec4 c, vec4 p) { return vec3(dot(a, p), dot(b, p), dot(c, p)); }\n"
    "vec2 slope(vec4 a, vec4 b, vec4 c, vec3 n) {\n"
    "    return clamp(vec2(dot(a.xyz, n), dot(b.xyz, n)) / max(-dot(c.xyz, n), 0.2 / diameter), -4.0, 4.0);\n"
    "}\n"
    "float look(sampler2DArray maps, int i, vec3 s, vec2 g, vec2 o) {\n"
    "    return step(min(s.z + dot(g, o), 1.0), textureLod(maps, vec3(s.xy + o, float(i)), 0.0).r);\n"
    "}\n"
    "float seen(sampler2DArray maps, int i, vec3 s, vec2 g, vec2 a, vec2 blur) {\n"
    "    s.z -= blur.y;\n"
    "    vec2 near = a.yx * (blur.x * s.z * sqrt(fract(7.13 * a.x + 3.77 * a.y)));\n"
    "    float over = s.z - textureLod(maps, vec3(s.xy, float(i)), 0.0).r;\n"
    "    over = max(over, max(s.z + dot(g, near) - textureLod(maps, vec3(s.xy + near, float(i)), 0.0).r, 0.0));\n"
    "    vec2 r = max(blur.x * over, blur.y) * a, q = vec2(-r.y, r.x) * 0.8660254;\n"
    "    return (look(maps, i, s, g, r) + look(maps, i, s, g, q - 0.5 * r) + look(maps, i, s, g, -q - 0.5 * r)) / "
    "3.0;\n"
    "}\n"
    "int order(ivec2 c) { return ((c.x ^ c.y) & 1) * 2 + (c.y & 1); }\n" /* 0 to 3, in squares of two */
    "void main() {\n"
    "    vec4 at = texelFetch(geometry, ivec2(gl_FragCoord.xy), 0);\n"
    "    bool empty = at.w < 0.0;\n"
    "    vec2 v = unpack(max(at.w, 0.0));\n"
    "    vec3 n = normalize(v.x * right + v.y * above + sqrt(max(1.0 - dot(v, v), 0.0)) * back);\n"
    "    vec4 p = vec4(at.xyz + n * lift, 1.0);\n"
    "    ivec2 c = ivec2(gl_FragCoord.xy), d = c >> 1;\n"
    "    float phase = 2.0943951 / 16.0 * float(order(c) * 4 + order(d));\n"
    "    vec2 a = vec2(cos(phase), sin(phase));\n"
    "    const mat2 turn = mat2(-0.7373688, 0.6754903, -0.6754903, -0.7373688);\n" /* the golden angle */
    "    float key = 0.0, sky = 0.0, most = 0.0;\n"
    "    vec3 middle = place(middleRow[0], middleRow[1], middleRow[2], p);\n"
    "    empty = empty || max(abs(middle.x - 0.5), abs(middle.y - 0.5)) > 0.5 + spread * max(middle.z, 0.0);\n"
    "    int count = empty ? 0 : keys, every = min(keys, 2), taken = 0;\n"
    "    for (int i = (c.x ^ c.y) & (every - 1); i < count; i += every, taken++) {\n"
    "        vec4 x = keyRow[3 * i], y = keyRow[3 * i + 1], z = keyRow[3 * i + 2];\n"
    "        key += seen(keyMaps, i, place(x, y, z, p), slope(x, y, z, n), a, keyBlur);\n"
    "        a = turn * a;\n"
    "    }\n"
    "    count = at.w < 0.0 ? 0 : skies;\n"
    "    for (int i = order(c); i < count; i += 4) {\n"
    "        vec4 x = skyRow[3 * i], y = skyRow[3 * i + 1], z = skyRow[3 * i + 2];\n"
    "        vec3 towards = z.xyz * -diameter;\n"
    "        float w = max(dot(n, towards), 0.0) * mix(brightness.x, brightness.y, dot(up, towards));\n"
    "        sky += w * seen(skyMaps, i, place(x, y, z, p), slope(x, y, z, n), a, skyBlur);\n"
    "        most += w;\n"
    "        a = turn * a;\n"
    "    }\n"
    "    sky = most > 0.0 ? sky / most : 1.0;\n"
    "    sky = mix(sky, 1.0, smoothstep(halo.x, halo.y, length(at.xyz - haloCentre)));\n"
    "    colour = vec4(length(at.xyz - eye), at.w, taken > 0 ? key / float(taken) : 1.0, sky);\n"
    "}\n";

/* Takes the mean over neighbours, so that all points of a square count alike: of two by two for the key light, whose
 * shadows may be sharp, of four by four for the sky. On bodies only neighbours on the same surface count. */
#define SMOOTH(extra, reach, share)                                                                          \
    "#version 330 core\n" PACK "uniform sampler2D light;\n"                                                  \
    "uniform float tolerance;\n"                                                                             \
    "out vec4 colour;\n"                                                                                     \
    "void main() {\n"                                                                                        \
    "    ivec2 at = ivec2(gl_FragCoord.xy), most = textureSize(light, 0) - 1;\n"                             \
    "    vec4 here = texelFetch(light, at, 0);\n"                                                            \
    "    vec2 sum = vec2(0.0), whole = vec2(0.0);\n" extra "    int reach = " reach ";\n"                    \
    "    for (int y = -2; y <= reach; y++)\n"                                                                \
    "        for (int x = -2; x <= reach; x++) {\n"                                                          \
    "            vec4 l = texelFetch(light, clamp(at + ivec2(x, y), ivec2(0), most), 0);\n"                  \
    "            vec2 away = abs(vec2(x, y)), wide = 2.0 - step(1.5, away), tight = max(2.0 - away, 0.0);\n" \
    "            vec2 w = vec2(tight.x * tight.y, wide.x * wide.y)" share ";\n"                              \
    "            sum += w * l.zw;\n"                                                                         \
    "            whole += w;\n"                                                                              \
    "        }\n"                                                                                            \
    "    colour = vec4(here.xy, whole.x > 0.0 ? sum / whole : here.zw);\n"                                   \
    "}\n"

const char *const vv_shader_smooth_fragment = SMOOTH(
    "    vec2 n = unpack(max(here.y, 0.0));\n"
    "    float far = 1.0 / (tolerance * here.x), d;\n",
    "here.y < 0.0 ? -3 : 2", " * ((d = (l.x - here.x) * far) < 1.0 && d > -1.0 && l.y >= 0.0 ? alike(n, l.y) : 0.0)");
const char *const vv_shader_smooth_plane_fragment = SMOOTH("", "2", " * (l.y < 0.0 ? 0.0 : 1.0)");

#define LIT                                                                                                           \
    "uniform sampler2D light;\n"                                                                                      \
    "uniform vec3 eye, up;\n"                                                                                         \
    "uniform vec3 keyDirection, keyColour, skyColour;\n"                                                              \
    "uniform vec2 brightness, shift;\n"                                                                               \
    "uniform float scale, tolerance;\n"                                                                               \
    "out vec4 colour;\n" /* what an open sky sends to a surface whose normal has this cosine with `up`, in parts of   \
                            what level ground gets */                                                                 \
    "float open(float c) {\n"                                                                                         \
    "    float t = acos(clamp(c, -1.0, 1.0)), s = sqrt(max(1.0 - c * c, 0.0)), rise = brightness.y - brightness.x;\n" \
    "    float even = 0.5 + 0.5 * c, lift = (s + (3.1415927 - t) * c) * 0.2122066;\n"                                 \
    "    return (brightness.x * even + rise * lift) / (brightness.x + rise * 0.6666667);\n"                           \
    "}\n"

/* `seen`: what the point sees of key light and sky, from the four nearest points of the grid that lie on its
 * surface. */
#define SEEN                                                                                          \
    PACK "void gather(ivec2 at, float share, vec2 n, float away, float near, inout vec3 sum) {\n"     \
         "    vec4 l = texelFetch(light, at, 0);\n"                                                   \
         "    float d = (l.x - away) * near;\n"                                                       \
         "    d *= d;\n"                                                                              \
         "    float w = l.y < 0.0 ? 0.0 : share * (alike(n, l.y) / (1.0 + d * d) + 1e-5);\n"          \
         "    sum += w * vec3(l.zw, 1.0);\n"                                                          \
         "}\n"                                                                                        \
         "vec2 seen(vec3 normal) {\n"                                                                 \
         "    vec2 n = vec2(dot(normal, right), dot(normal, above));\n"                               \
         "    vec2 f = (gl_FragCoord.xy - shift) / scale - 0.5, g = floor(f);\n"                      \
         "    ivec2 low = ivec2(g), most = textureSize(light, 0) - 1, high = min(low + 1, most);\n"   \
         "    low = clamp(low, ivec2(0), most);\n"                                                    \
         "    f -= g;\n"                                                                              \
         "    float away = length(P - eye), near = 1.0 / (tolerance + 2.0 * scale * fwidth(away));\n" \
         "    vec3 sum = vec3(0.0);\n"                                                                \
         "    gather(low, (1.0 - f.x) * (1.0 - f.y), n, away, near, sum);\n"                          \
         "    gather(ivec2(high.x, low.y), f.x * (1.0 - f.y), n, away, near, sum);\n"                 \
         "    gather(ivec2(low.x, high.y), (1.0 - f.x) * f.y, n, away, near, sum);\n"                 \
         "    gather(high, f.x * f.y, n, away, near, sum);\n"                                         \
         "    return sum.z > 0.0 ? sum.xy / sum.z : vec2(1.0);\n"                                     \
         "}\n"

const char *const vv_shader_body_fragment =
    "#version 330 core\n" SURFACE LIT SEEN "uniform vec3 bounce, rim;\n"
    "uniform float groundHeight, reach, wire;\n"
    "void main() {\n"
    "    vec3 view = normalize(eye - P);\n"
    "    vec3 n = normalize(gl_FrontFacing ? N : -N);\n"
    "    vec2 part = seen(n);\n"
    "    float key = max(dot(n, keyDirection), 0.0) * part.x;\n"
    "    vec3 diffuse = keyColour * key + skyColour * (open(dot(n, up)) * part.y);\n"
    "    vec3 h = normalize(keyDirection + view);\n"
    "    float f = 0.04 + 0.96 * pow(1.0 - max(dot(h, view), 0.0), 5.0);\n"
    "    vec3 gloss = keyColour * (min(4.0 * key, 1.0) * f * 4.5 * pow(max(dot(n, h), 0.0), 40.0));\n"
    "    float below = 0.5 - 0.5 * dot(n, up);\n"
    "    float height = clamp((dot(P, up) - groundHeight) / reach, 0.0, 1.0);\n"
    "    diffuse += bounce * (below * mix(0.25, 1.0, sqrt(height)));\n"
    "    float grazing = pow(1.0 - max(dot(n, view), 0.0), 4.0);\n"
    "    gloss += rim * (grazing * (0.35 + 0.65 * (1.0 - below)));\n"
    "    vec3 base = gl_FrontFacing ? C.rgb : C.rgb * 0.8;\n"
    "    if (wire > 0.0) {\n"
    "        vec3 w = fwidth(corner), e = corner / w;\n"
    "        float line = clamp(min(e.x, min(e.y, e.z)) - 0.2, 0.0, 1.0);\n"
    "        float small = clamp(1.5 - 6.0 * max(w.x, max(w.y, w.z)), 0.0, 1.0);\n" /* lines of a few pixels' distance
                                                                                       are noise */
    "        base *= mix(1.0 - wire * small, 1.0, line);\n"
    "    }\n"
    "    colour = vec4(base * diffuse + gloss * C.a, 1.0);\n"
    "}\n";

/* Planes fade into the backdrop with distance from `focus`. */
const char *const vv_shader_plane_fragment =
    "#version 330 core\n" BACKDROP SURFACE LIT "uniform vec3 focus;\n"
    "uniform vec2 fade;\n"
    "void main() {\n"
    "    vec3 n = normalize(N);\n"
    "    vec2 part = textureLod(light, gl_FragCoord.xy / (scale * vec2(textureSize(light, 0))), 0.0).zw;\n"
    "    vec3 diffuse = keyColour * (max(dot(n, keyDirection), 0.0) * part.x) + skyColour * (open(dot(n, up)) * "
    "part.y);\n"
    "    float far = smoothstep(fade.x, fade.y, length(P - focus));\n"
    "    colour = vec4(mix(C.rgb * diffuse, backdrop(), far), 1.0);\n"
    "}\n";

/* The same plane where nothing stands in any light. */
const char *const vv_shader_open_fragment =
    "#version 330 core\n" BACKDROP SURFACE "uniform vec3 focus, keyDirection, keyColour, skyColour;\n"
    "uniform vec2 fade;\n"
    "out vec4 colour;\n"
    "void main() {\n"
    "    float far = smoothstep(fade.x, fade.y, length(P - focus));\n"
    "    vec3 light = keyColour * max(dot(N, keyDirection), 0.0) + skyColour;\n"
    "    colour = vec4(mix(C.rgb * light, backdrop(), far), 1.0);\n"
    "}\n";

/* A plane that hides what is behind it, and shows the background. */
const char *const vv_shader_hidden_fragment = "#version 330 core\n"
                                              "out vec4 colour;\n"
                                              "void main() { colour = vec4(0.0); }\n";

const char *const vv_shader_add_fragment =
    "#version 330 core\n"
    "uniform sampler2DMSArray passes;\n"
    "uniform int count, samples;\n"
    "out vec4 colour;\n"
    "void main() {\n"
    "    colour = vec4(0.0);\n"
    "    for (int i = 0; i < count; i++)\n"
    "        for (int k = 0; k < samples; k++) colour += texelFetch(passes, ivec3(gl_FragCoord.xy, i), k);\n"
    "}\n";

/* Bodies over the background. Linear up to `knee`, then rolls off towards white; sRGB; a little ordered noise against
 * banding. */
const char *const vv_shader_tone_fragment =
    "#version 330 core\n"
    "uniform sampler2D sum, ground;\n"
    "uniform sampler2DMSArray passes;\n"
    "uniform ivec4 bodies;\n"
    "uniform int count, samples;\n"
    "uniform float share;\n"
    "uniform bool summed;\n"
    "out vec4 colour;\n"
    "vec3 roll(vec3 x) {\n"
    "    const float knee = 0.72;\n"
    "    vec3 high = knee + (1.0 - knee) * (1.0 - exp(-(x - knee) / (1.0 - knee)));\n"
    "    return mix(x, high, step(vec3(knee), x));\n"
    "}\n"
    "void main() {\n"
    "    ivec2 at = ivec2(gl_FragCoord.xy), in0 = at - bodies.xy;\n"
    "    bool inside = in0.x >= 0 && in0.y >= 0 && in0.x < bodies.z && in0.y < bodies.w;\n"
    "    int layers = inside ? count : 0;\n"
    "    vec4 c = inside && summed ? texelFetch(sum, at, 0) : vec4(0.0);\n"
    "    for (int i = 0; i < layers; i++)\n"
    "        for (int k = 0; k < samples; k++) c += texelFetch(passes, ivec3(at, i), k);\n"
    "    c *= share;\n"
    "    vec3 x = roll(max(c.rgb + (1.0 - c.a) * texelFetch(ground, at, 0).rgb, 0.0));\n"
    "    vec3 s = mix(12.92 * x, 1.055 * pow(x, vec3(1.0 / 2.4)) - 0.055, step(vec3(0.0031308), x));\n"
    "    uvec2 q = uvec2(gl_FragCoord.xy);\n"
    "    uint h = (q.x * 1664525u + q.y * 1013904223u) ^ (q.x * 2654435769u * (q.y + 7u));\n"
    "    h ^= h >> 15; h *= 2246822519u; h ^= h >> 13;\n"
    "    colour = vec4(s + (float(h & 1023u) / 1023.0 - 0.5) / 255.0, c.a);\n" /* c.a: what part is covered by bodies */
    "}\n";
