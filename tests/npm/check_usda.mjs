// Reads a .usda with TinyUSDZ and with three.js and compares it with the run: the stage's numbers, each body's topology and
// points, and every time sample.
//
// usage: node check_usda.mjs FILE.usda EXPECTED.json      (exit code 0: equal; 1: not, with a line that says where)
//
// EXPECTED.json as for check_glb.mjs, and rate (samples a second), codes (time code of each frame), velocities (bool), and of
// each body: id (prim name), velocities (frames)
import fs from 'node:fs';
import { createRequire } from 'node:module';
import { USDLoader } from 'three/addons/loaders/USDLoader.js';

const [file, expectedFile] = process.argv.slice(2);
const expected = JSON.parse(fs.readFileSync(expectedFile, 'utf8'));
const bytes = new Uint8Array(fs.readFileSync(file));

function fail(message) {
    console.log(`WRONG: ${file}: ${message}`);
    process.exit(1);
}
function same(what, found, wanted) {
    if (JSON.stringify(found) !== JSON.stringify(wanted))
        fail(`${what}: ${JSON.stringify(found)?.slice(0, 200)} instead of ${JSON.stringify(wanted)?.slice(0, 200)}`);
}

// TinyUSDZ is built for browsers and refuses others.
process.type = 'renderer';
globalThis.window = globalThis;
const { default: load } = await import('tinyusdz/tinyusdz.js');
const wasm = fs.readFileSync(createRequire(import.meta.url).resolve('tinyusdz/tinyusdz.wasm'));
const native = await load({ wasmBinary: wasm });

// ---- as a scene: meshes with their topology and first points ----

const scene = new native.TinyUSDZLoaderNative();
if (!scene.loadFromBinary(bytes, 'stage.usda'))
    fail(`TinyUSDZ: ${scene.error()}`);
const meshes = new Map();
for (let i = 0; i < scene.numMeshes(); i++)
    meshes.set(scene.getMesh(i).absPath, scene.getMesh(i));

// ---- as a layer: TinyUSDZ's own text of what it read ----

const layer = new native.TinyUSDZLoaderNative();
if (!layer.loadAsLayerFromBinary(bytes, 'stage.usda'))
    fail(`TinyUSDZ: ${layer.error()}`);
const text = layer.layerToString();
const number = (name) => Number(new RegExp(`^    ${name} = (.*)$`, 'm').exec(text)?.[1]);
same('metersPerUnit', number('metersPerUnit'), 1);
same('startTimeCode', number('startTimeCode'), 0);
same('endTimeCode', number('endTimeCode'), expected.codes.at(-1));
if (Math.abs(number('timeCodesPerSecond') / expected.rate - 1) > 1e-6)
    fail(`timeCodesPerSecond ${number('timeCodesPerSecond')} instead of ${expected.rate}`);
same('upAxis', /upAxis = "(.)"/.exec(text)?.[1], expected.up);

// The braces after `def TYPE "id"`.
function prim(type, id) {
    const start = new RegExp(`def ${type} "${id}"`).exec(text)?.index;
    if (start === undefined)
        fail(`no ${type} "${id}"`);
    const next = text.indexOf('\n        def ', start + 1);
    return text.slice(start, next < 0 ? undefined : next);
}
function triples(list) {
    return list.match(/-?[\d.]+(?:e[-+]?\d+)?/g).map(Number);
}
function samples(body, name) {
    const block = new RegExp(`${name}\\.timeSamples = \\{([^}]*)\\}`).exec(body)?.[1];
    const rows = [...(block ?? '').matchAll(/^\s*([\d.e+-]+): \[(.*)\],?$/gm)];
    return rows.map((row) => ({ code: Number(row[1]), values: triples(row[2]) }));
}
function integers(body, name) {
    return new RegExp(`${name} = \\[([^\\]]*)\\]`).exec(body)?.[1].split(',').map(Number);
}

let compared = 0;
function near(what, found, wanted) {
    same(`${what}: numbers`, found.length, wanted.length);
    found.forEach((x, i) => {
        compared++;
        if (!(Math.abs(x - Math.fround(wanted[i])) <= 3e-7 * Math.max(Math.abs(wanted[i]), 1e-3)))
            fail(`${what}, number ${i}: ${x} instead of ${wanted[i]}`);
    });
}

// Curves repeat points; their order is that of `order`.
function spread(values, order) {
    return order ? order.flatMap((v) => values.slice(3 * v, 3 * v + 3)) : values;
}

// The vertices that a curve goes through, found by their first positions, and whether it has every edge once.
function curveOrder(body, block) {
    const first = samples(block, 'point3f\\[\\] points')[0].values, at = new Map();
    for (let v = 0; v < body.frames[0].length / 3; v++)
        at.set(body.frames[0].slice(3 * v, 3 * v + 3).map((x) => Math.fround(x).toPrecision(6)).join(), v);
    const order = [];
    for (let i = 0; i < first.length; i += 3)
        order.push(at.get(first.slice(i, i + 3).map((x) => Math.fround(x).toPrecision(6)).join()));
    const edges = [];
    let begin = 0;
    for (const length of integers(block, 'curveVertexCounts')) {
        for (let i = begin; i + 1 < begin + length; i++)
            edges.push([order[i], order[i + 1]].sort((a, b) => a - b).join());
        begin += length;
    }
    same(`body "${body.name}": points`, begin, order.length);
    const wanted = [];
    for (let e = 0; e < body.edges.length; e += 2)
        wanted.push([body.edges[e], body.edges[e + 1]].sort((a, b) => a - b).join());
    same(`body "${body.name}": edges`, edges.sort(), wanted.sort());
    return order;
}

// In the text, for each frame: unit length, and in the mean facing as the triangles do.
function checkNormals(body, block, mesh) {
    const creased = /primvars:normals\.timeSamples/.test(block), values = samples(block, `normal3f\\[\\] ${creased ? 'primvars:' : ''}normals`);
    const index = creased ? integers(block, 'int\\[\\] primvars:normals:indices') : body.triangles;
    same(`body "${body.name}": samples of normals`, values.length, expected.codes.length);
    values.forEach((s, i) => {
        let agree = 0;
        for (let k = 0; k < s.values.length; k += 3) {
            const length = Math.hypot(...s.values.slice(k, k + 3));
            if (!(Math.abs(length - 1) < 1e-5))
                fail(`body "${body.name}", frame ${i}: a normal of length ${length}`);
        }
        for (let c = 0; c < body.triangles.length; c++) {
            const t = c - c % 3, at = [0, 1, 2].map((k) => body.frames[i].slice(3 * body.triangles[t + k], 3 * body.triangles[t + k] + 3));
            const [a, b] = [1, 2].map((k) => at[k].map((x, d) => x - at[0][d]));
            const area = [0, 1, 2].map((k) => a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3]);
            agree += area.reduce((sum, x, k) => sum + x * s.values[3 * index[c] + k], 0) / Math.hypot(...area);
        }
        if (!(agree / body.triangles.length > 0.7))
            fail(`body "${body.name}", frame ${i}: normals and triangles agree by ${agree / body.triangles.length} only`);
    });
    if (mesh.normals && mesh.normals.length === 0)
        fail(`body "${body.name}": TinyUSDZ found no normals`);
}

for (const body of expected.bodies) {
    const type = body.triangles.length ? 'Mesh' : body.edges.length ? 'BasisCurves' : 'Points', block = prim(type, body.id);
    let order = null;
    if (type === 'Mesh') {
        const mesh = [...meshes].find(([path]) => path.endsWith(`/bodies/${body.id}`))?.[1];
        if (!mesh)
            fail(`TinyUSDZ has no mesh ${body.id}`);
        // where normals or texture coordinates belong to corners, TinyUSDZ cuts vertices, as graphics cards need them
        const corner = (points, v) => [...points.slice(3 * v, 3 * v + 3)].map(Math.fround);
        same(`body "${body.name}": triangles`, integers(block, 'int\\[\\] faceVertexIndices'), body.triangles);
        same(`body "${body.name}": corners`, [...mesh.faceVertexIndices].map((v) => corner(mesh.points, v)),
            body.triangles.map((v) => corner(body.frames[0], v)));
        checkNormals(body, block, mesh);
    } else if (type === 'BasisCurves') {
        order = curveOrder(body, block);
    }
    const points = samples(block, 'point3f\\[\\] points'), extents = samples(block, 'float3\\[\\] extent');
    same(`body "${body.name}": time codes`, points.map((s) => s.code), expected.codes);
    same(`body "${body.name}": time codes of the extents`, extents.map((s) => s.code), expected.codes);
    points.forEach((s, i) => near(`body "${body.name}", frame ${i}`, s.values, spread(body.frames[i], order)));
    extents.forEach((s, i) => {
        const xs = [0, 1, 2].map((k) => body.frames[i].filter((_, n) => n % 3 === k));
        const slack = type === 'Mesh' ? 1e-6 : 0.02; // of curves and points, their width
        xs.forEach((x, k) => {
            const low = Math.min(...x), high = Math.max(...x), size = Math.max(Math.abs(low), Math.abs(high), 1e-3);
            if (!(s.values[k] <= low + 1e-6 * size && s.values[k] >= low - slack &&
                  s.values[3 + k] >= high - 1e-6 * size && s.values[3 + k] <= high + slack))
                fail(`body "${body.name}", frame ${i}: the extent does not fit`);
        });
    });
    const velocities = samples(block, 'vector3f\\[\\] velocities');
    same(`body "${body.name}": samples of velocity`, velocities.length, expected.velocities ? expected.codes.length : 0);
    velocities.forEach((s, i) => near(`body "${body.name}", velocities of frame ${i}`, s.values, spread(body.velocities[i], order)));
}

// ---- three.js ----

const group = new USDLoader().parse(new TextDecoder().decode(bytes));
const names = new Set();
group.traverse((o) => names.add(o.name));
for (const body of expected.bodies.filter((b) => b.triangles.length))
    if (!names.has(body.id))
        fail(`three.js has no mesh ${body.id}`);
console.log(`${file}: ${expected.codes.length} samples, ${compared} numbers compared`);
