// visviva in JavaScript: worlds made from scenes (JSON), stepped by the library in WebAssembly. See visviva.d.ts.

import { freeHelpers, sharedMemory, findWhyOneThread } from './helpers.js';

/** What the library refused, in its own words. */
export class VisvivaError extends Error {
    constructor(message, status) {
        super(message.replaceAll(`${FOLDER}/`, ''));
        this.name = 'VisvivaError';
        this.status = STATUS[status] ?? 'error';
    }
}
const STATUS = ['ok', 'input', 'io', 'memory', 'solver', 'unsupported', 'cancelled'];
const FOLDER = '/scene';

/** The bytes of a file beside this one, in a browser or in Node.js. */
async function beside(name) {
    const url = new URL(name, import.meta.url);
    if (url.protocol === 'file:' && typeof process === 'object') {
        const { readFile } = await import('node:fs/promises');
        return readFile(url);
    }
    const answer = await fetch(url);
    if (!answer.ok) throw new Error(`${name} cannot be loaded: ${answer.status} ${answer.statusText}`);
    return answer.arrayBuffer();
}

/** The build whose memory workers share. */
async function loadThreads(wasm) {
    const wasmMemory = sharedMemory(),
        { default: create } = await import('./visviva-threads.js');
    // outside a worker Emscripten warns of waiting for a thread; a world waits for microseconds
    const printErr = text => text.startsWith('Blocking on the main thread') || console.error(text);
    return create({ wasmMemory, printErr, wasmBinary: wasm ?? (await beside('visviva-threads.wasm')) });
}

async function loadOne(wasm) {
    const { default: create } = await import('./visviva-core.js');
    return create({ wasmBinary: wasm ?? (await beside('visviva-core.wasm')) });
}

/** Loads the library once; every world is made by it. `threads`: one whose worlds can have several, where that is possible. */
export async function load({ wasm, threads = false } = {}) {
    let core = null,
        whyOneThread = threads ? findWhyOneThread() : 'it was loaded without threads';
    if (!whyOneThread)
        try {
            core = await loadThreads(wasm);
        } catch (error) {
            whyOneThread = error.message;
        }
    core ??= await loadOne(threads ? undefined : wasm);
    core.FS.mkdir(FOLDER);
    return new Visviva(core, whyOneThread);
}

export class Visviva {
    #core;

    constructor(core, whyOneThread) {
        this.#core = core;
        /** Why worlds have one thread only; '': they can have several. */
        this.whyOneThread = whyOneThread;
        const text = core._web_tables();
        /** Menus: schemes, policies, solvers, materials, keys; the ledger's columns. */
        this.tables = JSON.parse(core.UTF8ToString(text));
        core._free(text);
        this.version = this.tables.version;
        this.build = this.tables.build;
        this.columns = this.tables.columns;
    }

    /** Bytes of memory that are in use, or were. */
    get memory() {
        return this.#core.HEAPU8.byteLength;
    }

    /** Puts a file where scenes find it by its name. */
    addFile(name, bytes) {
        if (!/^[^/\\]+$/.test(name) || name === '.' || name === '..')
            throw new VisvivaError(`a file's name has no folders: found ${JSON.stringify(name)}`, 1);
        this.#core.FS.writeFile(`${FOLDER}/${name}`, typeof bytes === 'string' ? bytes : new Uint8Array(bytes));
    }

    /** What is in a mesh that was added: how many tets, triangles, edges, points, its box. */
    mesh(name) {
        const core = this.#core,
            world = core._web_new(),
            at = core._malloc(core.lengthBytesUTF8(name) + 1);
        try {
            core.stringToUTF8(name, at, core.lengthBytesUTF8(name) + 1);
            const text = core._web_mesh(world, at);
            if (!text) throw new VisvivaError(core.UTF8ToString(core._web_message(world)), 1);
            return JSON.parse(core.UTF8ToString(text));
        } finally {
            core._free(at);
            core._web_delete(world);
        }
    }

    /** A world of a scene, its JSON as text or an object; `set` are overrides: ["integrator.policy=none"]. */
    world(scene, { set = [] } = {}) {
        return new World(this.#core, this.columns, scene, set);
    }
}

export class World {
    #core;
    #columns;
    #at;

    constructor(core, columns, scene, set) {
        this.#core = core;
        this.#columns = columns;
        this.#at = core._web_new();
        if (!this.#at) throw new VisvivaError('out of memory for a world', 3);
        try {
            this.open(scene, set);
        } catch (error) {
            this.close();
            throw error;
        }
    }

    #bytes(text) {
        const room = this.#core.lengthBytesUTF8(text) + 1,
            at = this.#core._malloc(room);
        if (!at) throw new VisvivaError('out of memory for a text', 3);
        this.#core.stringToUTF8(text, at, room);
        return at;
    }

    #text(at) {
        return this.#core.UTF8ToString(at);
    }

    #check(status) {
        if (status !== 0) throw new VisvivaError(this.#text(this.#core._web_message(this.#at)), status);
    }

    /** Calls with texts, which are freed again. */
    #with(texts, call) {
        const at = [];
        try {
            for (const text of texts) at.push(this.#bytes(text));
            return call(...at);
        } finally {
            for (const place of at) this.#core._free(place);
        }
    }

    /** Another scene in this one's place; on failure this one stays. */
    open(scene, set = []) {
        const json = typeof scene === 'string' ? scene : JSON.stringify(scene);
        this.#check(this.#with([json, set.join('\n')], (a, b) => this.#core._web_open(this.#at, a, b)));
        const shape = JSON.parse(this.#text(this.#core._web_shape(this.#at)));
        this.name = shape.name;
        this.parts = shape.parts;
        this.planes = shape.planes;
        this.up = shape.up;
    }

    close() {
        if (this.#at) this.#core._web_delete(this.#at);
        this.#at = 0;
    }

    /** Runs loops on up to `count` threads, this one included, from now on: how many they are, and why not more ('' if they are). No result depends on it. */
    async setThreads(count) {
        const core = this.#core,
            most = Math.max(1, Math.floor(count) || 1);
        this.#check(core._web_threads(this.#at, 1));
        const { helpers, refused } = most > 1 ? await freeHelpers(core, most - 1) : { helpers: 0, refused: '' };
        if (!this.#at) throw new VisvivaError('the world was closed meanwhile', 1);
        this.#check(core._web_threads(this.#at, 1 + helpers));
        return { threads: 1 + helpers, refused };
    }

    /** Steps; a step that fails changes nothing. */
    step(count = 1) {
        for (let i = 0; i < count; i++) this.#check(this.#core._web_step(this.#at));
    }

    /** Other settings, at once. */
    set(...overrides) {
        this.#check(this.#with([overrides.join('\n')], a => this.#core._web_set(this.#at, a)));
    }

    /** The settings in effect, by their keys in scenes. */
    get settings() {
        return JSON.parse(this.#text(this.#core._web_settings(this.#at)));
    }

    get time() {
        return this.#core._web_time(this.#at);
    }
    get timeStep() {
        return this.#core._web_time_step(this.#at);
    }
    get end() {
        return this.#core._web_end(this.#at);
    }
    /** How many bodies sleep (solver.sleep_after). */
    get asleep() {
        return this.#core._web_asleep(this.#at);
    }
    /** What the last step has to say; may be "". */
    get note() {
        return this.#text(this.#core._web_note(this.#at));
    }

    // Views of the library's own memory, without a copy: take them anew after each call.

    #view(Type, at, count) {
        return new Type(this.#core.HEAPU8.buffer, at, count);
    }

    /** x, y, z of each vertex that is drawn, m. */
    get positions() {
        return this.#view(Float32Array, this.#core._web_vertices(this.#at), 3 * this.#core._web_vertex_count(this.#at));
    }
    get triangles() {
        return this.#view(
            Int32Array,
            this.#core._web_triangles(this.#at),
            3 * this.#core._web_triangle_count(this.#at),
        );
    }
    get edges() {
        return this.#view(Int32Array, this.#core._web_edges(this.#at), 2 * this.#core._web_edge_count(this.#at));
    }
    /** Corners of the triangles of obstacles that stand still. */
    get solid() {
        return this.#view(Float32Array, this.#core._web_solid(this.#at), 3 * this.#core._web_solid_count(this.#at));
    }
    /** Positions and velocities of the nodes, the unknowns. */
    get nodes() {
        return this.#view(Float64Array, this.#core._web_nodes(this.#at), 3 * this.#core._web_node_count(this.#at));
    }
    get velocities() {
        return this.#view(Float64Array, this.#core._web_velocities(this.#at), 3 * this.#core._web_node_count(this.#at));
    }
    /** The ledger's last row, in the order of `columns`. */
    get row() {
        return this.#view(Float64Array, this.#core._web_row(this.#at), this.#columns.length);
    }
    /** The same by name. */
    get ledger() {
        const row = this.row;
        return Object.fromEntries(this.#columns.map(({ name }, i) => [name, row[i]]));
    }

    /** The scene as JSON, with overrides. */
    get text() {
        return this.#text(this.#core._web_text(this.#at));
    }

    /** The scene as it stands, state inside: JSON that `visviva run` starts from. */
    save() {
        this.#check(this.#core._web_save(this.#at));
        const path = `${FOLDER}/saved.json`,
            text = this.#core.FS.readFile(path, { encoding: 'utf8' });
        this.#core.FS.unlink(path);
        return text.replaceAll(`"${FOLDER}/`, '"');
    }

    // The hand: a spring from the point that a ray meets to where the hand is.

    /** Takes hold of what the ray meets; false: nothing. */
    grab(origin, direction) {
        const held = this.#core._web_grab(this.#at, ...origin, ...direction);
        if (held < 0) this.#check(1);
        return held === 1;
    }

    /** Moves the hand to where the ray meets the plane through it with that normal. */
    drag(origin, direction, normal) {
        this.#check(this.#core._web_move(this.#at, ...origin, ...direction, ...normal));
    }

    release() {
        this.#check(this.#core._web_release(this.#at));
    }

    get hand() {
        const [x, y, z, X, Y, Z, stiffness, work] = this.#view(Float64Array, this.#core._web_hand(this.#at), 8);
        return { grip: [x, y, z], at: [X, Y, Z], stiffness, work };
    }
}
