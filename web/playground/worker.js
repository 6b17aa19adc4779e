// Runs one world, away from the page. A message { id, call, args } is answered by { id, result } or { id, error }.

import { load } from './visviva.js';

let library = null,
    world = null;

const copy = array => array.slice();

function shape() {
    const { name, parts, planes, up, timeStep, end, settings, text, time } = world;
    return {
        ...{ name, parts, planes, up, timeStep, end, settings, text, time },
        triangles: new Uint32Array(world.triangles),
        edges: new Uint32Array(world.edges),
        solid: copy(world.solid),
        positions: copy(world.positions),
        row: copy(world.row),
    };
}

const calls = {
    async load() {
        library = await load();
        return library.tables;
    },

    /** Another scene; on failure the one before stays. */
    open(text, set, files) {
        for (const [name, bytes] of files) library.addFile(name, bytes);
        if (world) world.open(text, set);
        else world = library.world(text, { set });
        return shape();
    },

    mesh(name, bytes) {
        library.addFile(name, bytes);
        return library.mesh(name);
    },

    /** Up to `count` steps: where they end, and a row of the ledger each. `room`: an array to send back in. */
    step(count, room) {
        const width = library.columns.length,
            rows = new Float64Array(count * width);
        let done = 0,
            error = null;
        const begin = performance.now();
        try {
            for (; done < count; done++) {
                world.step();
                rows.set(world.row, done * width);
            }
        } catch (e) {
            error = said(e);
        }
        const ms = performance.now() - begin,
            now = world.positions,
            positions = room?.length === now.length ? room : new Float32Array(now.length);
        positions.set(now);
        const { time, note, hand } = world;
        return {
            positions,
            rows: rows.subarray(0, done * width),
            done,
            ms,
            error,
            time,
            note,
            hand,
            memory: library.memory,
        };
    },

    set(overrides) {
        world.set(...overrides);
        return { settings: world.settings, timeStep: world.timeStep, text: world.text };
    },

    grab: (origin, direction) => (world.grab(origin, direction) ? world.hand : null),
    drag(origin, direction, normal) {
        world.drag(origin, direction, normal);
        return world.hand;
    },
    release: () => world.release(),
    save: () => world.save(),

    /** Of the nodes, to the last bit. */
    async hash() {
        const { nodes } = world,
            digest = await crypto.subtle.digest('SHA-256', copy(nodes));
        return Array.from(new Uint8Array(digest), b => b.toString(16).padStart(2, '0')).join('');
    },
};

function said(error) {
    if (error.name === 'VisvivaError') return { message: error.message, status: error.status };
    // what the library cannot say itself: its memory is at its end, or it has gone astray
    return { message: `The library stopped: ${error.message}`, status: 'lost' };
}

onmessage = async ({ data: { id, call, args } }) => {
    try {
        const result = await calls[call](...args);
        postMessage({ id, result }, result?.positions ? [result.positions.buffer] : []);
    } catch (error) {
        postMessage({ id, error: said(error) });
    }
};
