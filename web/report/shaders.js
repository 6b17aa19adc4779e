// The programs of WebGL. Places are relative to the middle of a run's picture, so that single precision is enough
// far from the origin.

// cream to plum: the order reads in grey too
const STOPS = [0xf3e3c3, 0xf5bd7c, 0xea8450, 0xc64a52, 0x8b2a63, 0x43195c];
const BODIES = [0xe5694a, 0xefae45, 0xb6506f, 0x8f9f4f, 0xd98c73, 0x7d5a86, 0xc9803a, 0x5f9087];
const colourOf = hex => [(hex >> 16) & 255, (hex >> 8) & 255, hex & 255].map(x => x / 255);

const HEAD = '#version 300 es\nprecision highp float;\n';
const LIGHT = `
uniform vec3 eye, up, colour, stops[6];
uniform bool scaled;
vec3 base(float s) {
    if (!scaled)
        return colour;
    float at = clamp(s, 0., 1.) * 5.;
    int i = min(int(at), 4);
    return mix(stops[i], stops[i + 1], at - float(i));
}
vec4 lit(vec3 n, vec3 place, float s) {
    vec3 v = normalize(eye - place);
    if (dot(n, v) < 0.)
        n = -n;
    vec3 aside = normalize(cross(up, v) + vec3(1e-6));
    vec3 key = normalize(v * .55 + up * .9 - aside * .45), middle = normalize(key + v);
    float d = max(dot(n, key), 0.), sky = .5 + .5 * dot(n, up), gloss = pow(max(dot(n, middle), 0.), 36.);
    return vec4(base(s) * (.46 + .24 * sky + .46 * d) + .1 * gloss, 1.);
}
`;
const SURFACE = {
    vertex: `layout(location=0) in vec3 place; layout(location=1) in vec3 normal; layout(location=2) in float value;
uniform mat4 view; out vec3 x, n; out float s;
void main() { x = place; n = normal; s = value; gl_Position = view * vec4(place, 1.); }`,
    fragment: `${LIGHT} in vec3 x, n; in float s; out vec4 o;
void main() { o = lit(normalize(n), x, s); }`,
};
/* Balls: squares that face the eye. */
const BALLS = {
    vertex: `layout(location=0) in vec3 place; layout(location=2) in float value;
uniform mat4 view; uniform float radius, pixels; out vec3 x; out float s;
void main() {
    x = place;
    s = value;
    gl_Position = view * vec4(place, 1.);
    gl_PointSize = max(2., radius * pixels / gl_Position.w);
}`,
    fragment: `${LIGHT} uniform vec3 right, above, back; in vec3 x; in float s; out vec4 o;
void main() {
    vec2 p = 2. * gl_PointCoord - 1.;
    float square = dot(p, p);
    if (square > 1.)
        discard;
    o = lit(right * p.x - above * p.y + back * sqrt(1. - square), x, s);
}`,
};
/* Planes: lines every `cell`, which fade with distance; `strength` 0: only what they hide. */
const PLANE = {
    vertex: `layout(location=0) in vec3 place; uniform mat4 view; out vec3 x;
void main() { x = place; gl_Position = view * vec4(place, 1.); }`,
    fragment: `uniform vec3 first, second, paper, line, centre; uniform float cell, reach; in vec3 x; out vec4 o;
void main() {
    vec2 at = vec2(dot(x, first), dot(x, second)) / cell, width = fwidth(at);
    vec2 near = abs(fract(at - .5) - .5) / width;
    float far = smoothstep(.2, 1., length(x - centre) / reach), dense = smoothstep(.2, .7, max(width.x, width.y));
    float shown = (1. - min(min(near.x, near.y), 1.)) * (1. - far) * (1. - dense);
    o = vec4(mix(paper, line, .38 * shown), 1.);
}`,
};
/* The shadow on the ground: all places moved along the light until they lie in it. */
const SHADOW = {
    vertex: `layout(location=0) in vec3 place;
uniform mat4 view; uniform vec3 normal, light; uniform float level; out float high;
void main() {
    high = dot(place, normal) - level;
    gl_Position = view * vec4(place - light * (high / dot(light, normal)) + normal * (1e-3 * max(0., -level)), 1.);
}`,
    fragment: `uniform float depth, fade; in float high; out vec4 o;
void main() { if (high < 0.) discard; o = vec4(0., 0., 0., depth / (1. + high / fade)); }`,
};

function makeProgram(gl, source) {
    const program = gl.createProgram();
    for (const [kind, text] of [
        [gl.VERTEX_SHADER, source.vertex],
        [gl.FRAGMENT_SHADER, source.fragment],
    ]) {
        const shader = gl.createShader(kind);
        gl.shaderSource(shader, HEAD + text);
        gl.compileShader(shader);
        gl.attachShader(program, shader);
        if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS) && !gl.isContextLost())
            throw new Error(`WebGL: ${gl.getShaderInfoLog(shader)}`);
    }
    gl.linkProgram(program);
    const places = {},
        count = gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS) || 0;
    for (let i = 0; i < count; i++) {
        const name = gl.getActiveUniform(program, i).name.replace('[0]', '');
        places[name] = gl.getUniformLocation(program, name);
    }
    return { program, places };
}
