// Reads a .glb with Khronos' validator and with three.js, plays its animation, and compares every triangle corner, line end
// or point with the run's positions.
//
// usage: node check_glb.mjs FILE.glb EXPECTED.json      (exit code 0: equal; 1: not, with a line that says where)
//
// EXPECTED.json: { times: [s], up: "Y"|"Z", bodies: [{ name, triangles: [i...], edges: [i...], frames: [[x, y, z, ...], ...] }],
// obstacles: n }
import fs from 'node:fs';
import validator from 'gltf-validator';
globalThis.self = globalThis; // three.js' loader looks for a browser's or a worker's global
const THREE = await import('three');
const { GLTFLoader } = await import('three/addons/loaders/GLTFLoader.js');

const [file, expectedFile] = process.argv.slice(2);
const expected = JSON.parse(fs.readFileSync(expectedFile, 'utf8'));
const bytes = new Uint8Array(fs.readFileSync(file));

function fail(message) {
    console.log(`WRONG: ${file}: ${message}`);
    process.exit(1);
}

const report = await validator.validateBytes(bytes, { maxIssues: 10 });
if (report.issues.numErrors + report.issues.numWarnings > 0)
    fail(`the validator says: ${JSON.stringify(report.issues.messages, null, 1)}`);

const gltf = await new GLTFLoader().parseAsync(bytes.buffer, '');
const moving = expected.times.length > 1;
if (gltf.animations.length !== (moving ? 1 : 0))
    fail(`${gltf.animations.length} animations`);
const mixer = new THREE.AnimationMixer(gltf.scene);
const action = moving ? mixer.clipAction(gltf.animations[0]).setLoop(THREE.LoopOnce) : null;
if (moving) {
    action.clampWhenFinished = true;
    const length = expected.times.at(-1) - expected.times[0];
    if (Math.abs(gltf.animations[0].duration - length) > 1e-6 * length)
        fail(`lasts ${gltf.animations[0].duration} s instead of ${length} s`);
}

// The scene as it is so many seconds after its beginning.
function show(time) {
    action?.reset().play();
    if (moving)
        mixer.setTime(time);
    gltf.scene.updateMatrixWorld(true);
}

// The run's axes to glTF's, whose y is up.
function turned([x, y, z]) {
    return expected.up === 'Z' ? [x, z, -y] : [x, y, z];
}

function drawn(object) {
    for (let o = object; o; o = o.parent)
        if (o.scale.x === 0)
            return false;
    return true;
}

// Of a body: the one mesh that is seen now.
function seen(name) {
    const found = [];
    gltf.scene.traverse((o) => {
        if (!(o.isMesh || o.isLine || o.isPoints) || !drawn(o))
            return;
        for (let p = o; p; p = p.parent)
            if (p.userData.name === name)
                found.push(o);
    });
    const different = [...new Set(found)];
    if (different.length !== 1)
        fail(`body "${name}": ${different.length} meshes are seen at once`);
    return different[0];
}

function corners(body) {
    if (body.triangles.length)
        return body.triangles;
    return body.edges.length ? body.edges : body.frames[0].filter((_, i) => i % 3 === 0).map((_, i) => i);
}

// three.js moves meshes, lines and points in its shaders; Mesh.getVertexPosition does the same in JavaScript for all of them.
function position(object, i, out) {
    return THREE.Mesh.prototype.getVertexPosition.call(object, i, out).applyMatrix4(object.matrixWorld);
}

const size = Math.max(...expected.bodies.flatMap((body) => body.frames.flat().map(Math.abs)));
let largest = 0, compared = 0;
function compare(body, values, what, tolerance) {
    const object = seen(body.name), index = object.geometry.index, at = corners(body), point = new THREE.Vector3();
    const count = index ? index.count : object.geometry.attributes.position.count;
    if (count !== at.length)
        fail(`body "${body.name}": ${count} corners instead of ${at.length}`);
    for (let c = 0; c < count; c++) {
        position(object, index ? index.getX(c) : c, point);
        const want = turned(values.slice(3 * at[c], 3 * at[c] + 3));
        const error = Math.hypot(point.x - want[0], point.y - want[1], point.z - want[2]);
        largest = Math.max(largest, error / size);
        compared++;
        if (!(error <= tolerance * size))
            fail(`body "${body.name}", ${what}, corner ${c}: ${point.toArray()} instead of ${want}`);
    }
    return object;
}

// Normals point the way of their triangle, but for what a smooth edge may fold.
function checkNormals(body, object) {
    const g = object.geometry, a = new THREE.Vector3(), b = new THREE.Vector3(), c = new THREE.Vector3(), n = new THREE.Vector3();
    for (let t = 0; t < g.index.count; t += 3) {
        [a, b, c].forEach((v, k) => v.fromBufferAttribute(g.attributes.position, g.index.getX(t + k)));
        const area = b.sub(a).cross(c.sub(a)).normalize();
        for (let k = 0; k < 3; k++)
            if (n.fromBufferAttribute(g.attributes.normal, g.index.getX(t + k)).dot(area) < 0.5)
                fail(`body "${body.name}": a normal of triangle ${t / 3} points elsewhere`);
    }
}

expected.times.forEach((time, i) => {
    show(time - expected.times[0]);
    for (const body of expected.bodies) {
        const object = compare(body, body.frames[i], `frame ${i}`, 2e-6);
        if (i === 0 && body.triangles.length)
            checkNormals(body, object);
    }
});
for (let i = 0; i + 1 < expected.times.length; i += 7) { // in between: the mean
    show((expected.times[i] + expected.times[i + 1]) / 2 - expected.times[0]);
    for (const body of expected.bodies)
        compare(body, body.frames[i].map((x, k) => (x + body.frames[i + 1][k]) / 2), `after frame ${i}`, 1e-4);
}

let obstacles = 0;
gltf.scene.traverse((o) => { obstacles += o.isMesh && o.material.name === 'obstacle' ? 1 : 0; });
if (obstacles !== expected.obstacles)
    fail(`${obstacles} obstacles instead of ${expected.obstacles}`);
console.log(`${file}: valid; ${expected.times.length} frames, ${compared} corners compared, largest relative error ` +
            `${largest.toExponential(1)}`);
