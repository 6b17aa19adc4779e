// The programs of WebGL. Places are relative to the middle of a run's picture, so that single precision is enough
// far from the origin.

// cream to plum: the order reads in grey too
const STOPS = [0xf3e3c3, 0xf5bd7c, 0xea8450, 0xc64a52, 0x8b2a63, 0x43195c];
const BODIES = [0xe5694a, 0xefae45, 0xb6506f, 0x8f9f4f, 0xd98c73, 0x7d5a86, 0xc9803a, 0x5f9087];
const colourOf = hex => [(hex >> 16) & 255, (hex >> 8) & 255, hex & 255].map(x => x / 255);

// as uniforms are
const COLOURS = STOPS.flatMap(colourOf),
    BODY_COLOURS = BODIES.map(colourOf);

const HEAD = '#version 300 es\nprecision highp float;\n';
/* The light comes with the camera: `key` from where, `middle` between there and the eye. */
const LIGHT = `
uniform vec3 eye, up, key, middle, colour, stops[6];
uniform bool scaled;
vec3 base(float s) {
    if (!scaled)
        return colour;
    float at = clamp(s, 0., 1.) * 5.;
    int i = min(int(at), 4);
    return mix(stops[i], stops[i + 1], at - float(i));
}
vec4 lit(vec3 n, vec3 place, float s) {
    if (dot(n, eye - place) < 0.)
        n = -n;
    float d = max(dot(n, key), 0.), sky = .5 + .5 * dot(n, up), gloss = max(dot(n, middle), 0.);
    gloss *= gloss;
    gloss *= gloss;
    gloss *= gloss;
    gloss *= gloss;
    return vec4(base(s) * (.46 + .24 * sky + .46 * d) + .1 * gloss * gloss, 1.);
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
/* A plane hides what is behind it; its grid fades with distance, and where lines come close to each other. */
const PLANE = {
    vertex: `layout(location=0) in vec3 place; uniform mat4 view;
void main() { gl_Position = view * vec4(place, 1.); }`,
    fragment: `uniform vec3 paper; out vec4 o;
void main() { o = vec4(paper, 1.); }`,
};
const GRID = {
    vertex: `layout(location=0) in vec3 place; uniform mat4 view; uniform vec3 offset; out vec3 x;
void main() { x = place + offset; gl_Position = view * vec4(x, 1.); }`,
    fragment: `uniform vec3 eye, normal, centre, line; uniform float cell, reach, pixels; in vec3 x; out vec4 o;
void main() {
    float apart = .5 * cell * pixels * gl_FragCoord.w * abs(dot(normalize(eye - x), normal)); // pixels
    float far = smoothstep(.2, 1., length(x - centre) / reach), dense = 1. - smoothstep(1.5, 5., apart);
    o = vec4(line, .38 * (1. - far) * (1. - dense));
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
