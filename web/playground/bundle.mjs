// Makes the playground's folder, and the package beside it: bundle.mjs ROOT CORE OUT. CORE: the folder with the library's two builds.
import fs from 'node:fs';
import path from 'node:path';

const [root, core, out] = process.argv.slice(2),
    web = path.join(root, 'web'),
    read = name => fs.readFileSync(path.join(web, name), 'utf8'),
    write = (name, text) => fs.writeFileSync(path.join(out, name), text);

fs.mkdirSync(out, { recursive: true });
// one module, in the order in which its parts need each other; what draws and plots is the report's
const parts = [
    'playground/live.js',
    'playground/remote.js',
    'report/orbit.js',
    'report/shaders.js',
    'report/shown.js',
    'report/draw.js',
    'report/charts.js',
    'report/controls.js',
    'playground/link.js',
    'playground/panel.js',
    'playground/advice.js',
    'playground/threads.js',
    'playground/main.js',
];
write('playground.js', parts.map(read).join('\n'));
write('playground.css', ['report/uplot/uPlot.min.css', 'report/page.css', 'playground/page.css'].map(read).join('\n'));
write('uplot.js', read('report/uplot/uPlot.iife.min.js'));
write('index.html', read('playground/page.html'));
write('worker.js', read('playground/worker.js'));
// the library, with one thread and with several; a visitor gets one of them
const MODULE = ['visviva.js', 'helpers.js'],
    BUILT = [
        'visviva-core.js',
        'visviva-core.wasm',
        'visviva-threads.js',
        'visviva-threads.wasm',
        'visviva-threads.worker.js',
        'licences.txt',
    ];
const copy = (from, names, to) => names.forEach(name => fs.copyFileSync(path.join(from, name), path.join(to, name)));
copy(path.join(web, 'module'), MODULE, out);
copy(core, BUILT, out);

const scenes = JSON.parse(read('playground/scenes.json')).map(({ scene, title, set = [] }) => {
    const text = fs.readFileSync(path.join(root, 'scenes', `${scene}.json`), 'utf8');
    return { name: scene, title: title ?? JSON.parse(text).name, text, set };
});
write('scenes.json', JSON.stringify(scenes));

// the package: https://docs.npmjs.com/cli/commands/npm-pack makes the file of this folder
const folder = path.join(out, '..', 'npm');
fs.rmSync(folder, { recursive: true, force: true });
fs.mkdirSync(folder);
const base = fs.readFileSync(path.join(root, 'include/visviva/base.h'), 'utf8'),
    version = ['MAJOR', 'MINOR', 'PATCH'].map(word => new RegExp(`VV_VERSION_${word} (\\d+)`).exec(base)[1]).join('.');
const own = [...MODULE, 'node-helper.js', 'visviva.d.ts'],
    about = { ...JSON.parse(read('module/package.json')), files: [...own, ...BUILT], version };
fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify(about, null, 4) + '\n');
copy(path.join(web, 'module'), own, folder);
copy(core, BUILT, folder);
// of its README what a user needs; what follows is for who changes it
fs.writeFileSync(path.join(folder, 'README.md'), read('module/README.md').split('\n## ')[0]);
