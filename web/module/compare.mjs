// The library in WebAssembly beside a native build (web/module/compare makes it): compare.mjs ROOT NPM WEB_NATIVE [STEPS]. WEB_NATIVE: a build without AVX and
// with the same CHOLMOD. A line a scene; exit code 1 where they differ by more than 1e-9 of the box's diagonal or of S, or in iterations,
// refusals or their messages, or where the build with threads, with three of them, differs in a bit from the one with one.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [root, npm, native, steps = '20'] = process.argv.slice(2),
    { load } = await import(pathToFileURL(path.resolve(npm, 'visviva.js')));
const shown = JSON.parse(fs.readFileSync(path.join(root, 'web/playground/scenes.json'), 'utf8'));
const CASES = [
    ...shown,
    ...['hanging-cloth', 'box-stack', 'twisted-bar', 'dominoes'].map(scene => ({ scene })),
    { scene: 'bouncing-ball', set: ['solver.method=lbfgs', 'solver.budget=8'] },
    { scene: 'bouncing-ball', set: ['solver.method=local-global'] },
    { scene: 'bouncing-ball', set: ['integrator.policy=nothing'] },
    { scene: 'bouncing-ball', set: ['materials.ball.young=-3'] },
];
const LIMIT = 1e-9;
const library = await load(),
    shared = await load({ threads: true }),
    at = Object.fromEntries(library.columns.map(({ name }, i) => [name, i])),
    energies = ['kinetic', 'elastic', 'gravity', 'contact', 'total'],
    counts = ['newton_iterations', 'linear_solves', 'pcg_iterations', 'line_search_steps'];

async function run(library, text, set, threads) {
    const lines = [];
    let world = null;
    try {
        world = library.world(text, { set });
        if (threads > 1) await world.setThreads(threads);
        for (let i = 0; i <= +steps; i++) {
            const begin = performance.now();
            if (i) world.step();
            lines.push({ ms: performance.now() - begin, row: [...world.row], nodes: [...world.nodes] });
        }
    } catch (error) {
        lines.push({ message: error.message });
    }
    world?.close();
    return lines;
}

const median = list => list.sort((a, b) => a - b)[list.length >> 1];
let bad = 0;
for (const { scene, set = [] } of CASES) {
    const file = path.join(root, 'scenes', `${scene}.json`),
        done = spawnSync(native, [file, steps, ...set], { maxBuffer: 1 << 30, encoding: 'utf8' }),
        there = done.stdout
            .trim()
            .split('\n')
            .map(line => JSON.parse(line)),
        text = fs.readFileSync(file, 'utf8'),
        here = await run(library, text, set, 1),
        bits = lines => JSON.stringify(lines.map(({ message, row, nodes }) => [message, row, nodes].map(part => part ?? null))),
        threaded = bits(await run(shared, text, set, 3)) === bits(here);
    const low = [Infinity, Infinity, Infinity],
        high = [-Infinity, -Infinity, -Infinity];
    let places = 0,
        energy = 0,
        iterations = 0;
    (here[0].nodes ?? []).forEach((x, i) => {
        low[i % 3] = Math.min(low[i % 3], x);
        high[i % 3] = Math.max(high[i % 3], x);
    });
    const box = Math.hypot(...low.map((x, k) => high[k] - x));
    here.forEach((line, i) => {
        if (!line.nodes || !there[i]?.nodes) return;
        line.nodes.forEach((x, n) => (places = Math.max(places, Math.abs(x - there[i].nodes[n]) / box)));
        const scale = line.row[at.scale] || 1;
        for (const name of energies)
            energy = Math.max(energy, Math.abs(line.row[at[name]] - there[i].row[at[name]]) / scale);
        for (const name of counts) iterations += line.row[at[name]] !== there[i].row[at[name]];
    });
    const said = [here, there].map(lines => lines.at(-1).message ?? ''),
        good =
            here.length === there.length &&
            said[0] === said[1].replaceAll('/scene/', '') &&
            places <= LIMIT &&
            energy <= LIMIT &&
            !iterations &&
            threaded;
    bad += !good;
    const ms = [here, there].map(lines => median(lines.slice(1).map(line => line.ms)));
    console.log(
        `${good ? 'same' : 'OTHER'}  ${scene} ${set.join(' ')}: places ${places.toExponential(1)}, energies ${energy.toExponential(1)}, other counts ${iterations}, with threads ${threaded ? 'the same bits' : 'OTHER BITS'}` +
            (ms[1] ? `, ms ${ms[0].toFixed(2)} and ${ms[1].toFixed(2)}` : '') +
            (said[0] || said[1] ? `\n       ${said.join('\n       ')}` : ''),
    );
}
process.exit(bad ? 1 : 0);
