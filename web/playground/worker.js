// Runs one world, away from the page. A message { id, call, args } is answered by { id, result } or { id, error }.

import { load } from './visviva.js';

const PATIENCE = 4000; // ms: for what is asked beside the steps

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
        library = await load({ threads: true });
        return { ...library.tables, whyOneThread: library.whyOneThread };
    },

    /** Another scene; on failure the one before stays. */
    open(text, set, files) {
        for (const [name, bytes] of files) library.addFile(name, bytes);
        if (world) world.open(text, set);
        else world = library.world(text, { set });
        return shape();
    },

    threads: count => world.setThreads(count),

    mesh(name, bytes) {
        library.addFile(name, bytes);
        return library.mesh(name);
    },

    /** Up to `count` steps: where they end; of each its row of the ledger and how long it took. `room`: an array to send back in. */
    step(count, room) {
        const width = library.columns.length,
            rows = new Float64Array(count * width),
            each = []; // ms
        let error = null;
        try {
            while (each.length < count) {
                const begin = performance.now();
                world.step();
                rows.set(world.row, each.length * width);
                each.push(performance.now() - begin);
            }
        } catch (e) {
            error = said(e);
        }
        const now = world.positions,
            positions = room?.length === now.length ? room : new Float32Array(now.length);
        positions.set(now);
        const { time, note, hand, asleep } = world;
        return {
            positions,
            rows: rows.subarray(0, each.length * width),
            each,
            error,
            time,
            note,
            hand,
            asleep,
            memory: library.memory,
        };
    },

    set(overrides) {
        world.set(...overrides);
        return { settings: world.settings, timeStep: world.timeStep, text: world.text };
    },

    /** Of some names for a key those that the program does not take in that scene: why, in its words, by name. As many as there is time for. */
    refused(text, files, path, names) {
        for (const [name, bytes] of files) library.addFile(name, bytes);
        const takes = set => {
            try {
                library.world(text, { set }).close();
                return null;
            } catch (error) {
                if (error.name !== 'VisvivaError') throw error;
                return error.message;
            }
        };
        const why = {},
            begin = performance.now();
        for (const name of names) {
            const refusal = takes([`${path}=${name}`]);
            // as the page does it: a scheme may be chosen that does not go with the policy
            if (refusal && (path !== 'integrator.scheme' || takes(['integrator.policy=none', `${path}=${name}`])))
                why[name] = refusal;
            if (performance.now() - begin > PATIENCE) break;
        }
        return why;
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
