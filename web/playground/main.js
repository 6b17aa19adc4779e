// Puts the playground together: worlds side by side that step as time goes by, and what the visitor does with them.

const MOST_STEPS = 12, // in one message to a worker: a slow world goes slower than the clock
    PATIENCE = 3000, // ms: from then on a step may be given up
    LARGEST_FILE = 32e6; // bytes
const BESIDE = ['integrator.scheme=backward-euler', 'integrator.policy=none'];

const button = (id, act) => byId(id).addEventListener('click', act);

class Playground {
    constructor(scenes, tables) {
        this.scenes = scenes;
        this.tables = tables;
        this.files = new Map();
        this.set = new Map(); // what the visitor has set, by key
        this.playing = false;
        this.due = 0;
        this.panel = new Panel(byId('settings'), byId('all'), tables, (override, anew) =>
            anew ? this.changeAnew(override) : this.change(override),
        );
        this.advice = new Advice(this.panel);
        for (const { name, title } of scenes) byId('scene').append(new Option(title, name));
        byId('scene').addEventListener('change', e => this.openNamed(e.target.value));
        this.threads = new Threads(this, byId('threads'), tables.whyOneThread);
        this.attachBar();
        this.attachFiles();
        attachTheme(() => {
            this.colours = coloursNow();
            this.charts?.forEach(chart => chart.draw());
            this.redraw();
        });
        this.colours = coloursNow();
        new ResizeObserver(() => this.redraw()).observe(byId('view'));
        byId('more').addEventListener('toggle', () => this.charts?.forEach(chart => chart.resize()));
        let width = 0;
        new ResizeObserver(() => {
            if (byId('charts').clientWidth === width) return;
            width = byId('charts').clientWidth;
            requestAnimationFrame(() => this.charts?.forEach(chart => chart.resize()));
        }).observe(byId('charts'));
        requestAnimationFrame(now => this.tick(now));
    }

    // ---- scenes ----

    get main() {
        return this.runs?.[0];
    }

    async newRun(index) {
        const run = new Run(index, this.tables.columns);
        await run.remote.call('load');
        return run;
    }

    /** Overrides: the scene's own in the page, and what the visitor has set. */
    overrides(source, set) {
        const named = this.scenes.find(scene => scene.name === source.scene);
        return [...(named?.set ?? []), ...Array.from(set, ([key, value]) => `${key}=${value}`)];
    }

    textOf(source) {
        if (source.text !== undefined) return source.text;
        const named = this.scenes.find(scene => scene.name === source.scene);
        if (!named)
            throw new Error(
                `There is no scene "${source.scene}" here; there are ${this.scenes.map(s => s.name).join(', ')}.`,
            );
        return named.text;
    }

    /** A scene in place of the one before; on failure that one stays, and the message is thrown. */
    async open(source, set = new Map()) {
        const text = this.textOf(source),
            list = this.overrides(source, set),
            files = [...this.files];
        this.play(false);
        await this.still();
        const [first, ...others] = this.runs;
        const shape = await first.remote.call('open', [text, list, files]);
        const shapes = [
            shape,
            ...(await Promise.all(others.map(run => run.remote.call('open', [text, [...list, ...BESIDE], files])))),
        ];
        this.runs.forEach((run, i) => run.take(shapes[i]));
        this.source = source;
        this.set = set;
        this.last = { source, set: new Map(set) };
        byId('scene').value = source.scene ?? '';
        document.title = `${shape.name} - visviva playground`;
        this.say('');
        this.show();
        this.threads.use();
    }

    async openNamed(name) {
        await this.tried(() => this.open({ scene: name }));
        byId('scene').value = this.source?.scene ?? '';
    }

    /** Says what goes wrong, and goes on. */
    async tried(act) {
        try {
            return await act();
        } catch (error) {
            await this.wrong(error);
            return undefined;
        }
    }

    async wrong(error) {
        this.play(false);
        this.say(error.message, true);
        if (error.status === 'lost') await this.revive(error.message);
    }

    /** Workers that ended begin anew, at the scene's start. */
    revive(why) {
        this.reviving ??= this.beginAnew(why).finally(() => {
            this.reviving = null;
        });
        return this.reviving;
    }

    async beginAnew(why) {
        const { source, set } = this.last ?? { source: { scene: this.scenes[0].name }, set: new Map() };
        for (const run of this.runs) run.remote.end(why);
        this.stepping = null;
        this.late = false;
        try {
            for (const run of this.runs) {
                run.remote = new Remote();
                await run.remote.call('load');
            }
            await this.open(source, set);
            this.say(`${why} The scene stands at its start again.`, true);
        } catch (error) {
            this.say(error.message, true);
        }
    }

    /** Once no step is under way. */
    async still() {
        await this.stepping;
    }

    /** Once nothing is asked of the workers. */
    async settled() {
        while (this.runs.some(run => run.remote.busy)) await new Promise(done => setTimeout(done, 5));
    }

    // ---- settings ----

    async change(override) {
        const key = override.slice(0, override.indexOf('=')),
            value = override.slice(key.length + 1);
        this.say('');
        return this.tried(async () => {
            await this.still();
            let took = [override];
            try {
                await this.main.remote.call('set', [took]);
            } catch (error) {
                // not every policy goes with every scheme
                if (
                    key !== 'integrator.scheme' ||
                    error.status === 'lost' ||
                    this.main.settings['integrator.policy'] === 'none'
                )
                    throw error;
                took = ['integrator.policy=none', override];
                await this.main.remote.call('set', [took]);
                this.say(`Policy none: ${this.main.settings['integrator.policy']} does not go with ${value}.`);
            }
            const now = await this.main.remote.call('set', [[]]);
            for (const text of took) this.set.set(text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1));
            if (!/^integrator\.(scheme|policy)$/.test(key))
                for (const run of this.runs.slice(1)) await run.remote.call('set', [[override]]);
            for (const run of this.runs) run.timeStep = now.timeStep;
            this.main.settings = now.settings;
            this.main.text = now.text;
            this.panel.scene = JSON.parse(now.text);
            this.panel.settings = now.settings;
            this.advice.ask(now.text, [...this.files]);
            this.label();
        });
    }

    /** What changes the bodies, from the scene's start. */
    async changeAnew(override) {
        const at = override.indexOf('='),
            was = this.playing;
        return this.tried(async () => {
            await this.open(this.source, new Map([...this.set, [override.slice(0, at), override.slice(at + 1)]]));
            this.play(was);
        });
    }

    // ---- time ----

    play(on) {
        this.playing = on && Boolean(this.main?.film);
        this.due = 0;
        byId('play').textContent = this.playing ? 'Stop' : 'Play';
    }

    tick(now) {
        const passed = Math.min(100, now - (this.before ?? now)) / 1000;
        this.before = now;
        if (this.playing) {
            const h = this.main.timeStep;
            this.due = Math.min(this.due + passed, Math.max(0.1, 1.5 * h));
            const count = Math.min(MOST_STEPS, Math.floor(this.due / h + 1e-9));
            if (count > 0 && !this.stepping) {
                this.due -= count * h;
                this.step(count);
            }
        }
        if (this.stepping && now - this.begun > PATIENCE && !this.late) {
            this.late = true;
            this.say(`This step takes long. "Give up" ends it.`, true);
            byId('play').textContent = 'Give up';
        }
        requestAnimationFrame(next => this.tick(next));
    }

    /** All worlds, by as many steps. */
    step(count) {
        this.begun = performance.now();
        this.late = false;
        const each = this.runs.map(run => {
            const room = run.spare;
            run.spare = null;
            return run.remote.call('step', [count, room], room ? [room.buffer] : []);
        });
        const mine = (this.stepping = Promise.all(each)
            .then(
                results => {
                    this.stepping = null;
                    this.runs.forEach((run, i) => run.move(results[i]));
                    this.moved(results, count);
                },
                error => {
                    if (this.stepping === mine) this.stepping = null;
                    return this.wrong(error);
                },
            )
            .finally(() => {
                if (this.late) byId('play').textContent = this.playing ? 'Stop' : 'Play';
                if (this.late) this.say('');
                this.late = false;
            }));
        return mine;
    }

    moved(results, count) {
        const failed = results.find(result => result.error);
        if (failed) {
            this.play(false);
            this.wrong(failed.error);
        } else if (this.runs.some(run => !sound(run))) {
            this.play(false);
            this.say('The motion has blown up: a smaller step, another scheme or Restart helps.', true);
        }
        const now = performance.now();
        this.pace(now, count);
        if (!this.fed || now - this.fed > 200) this.feed(now);
        this.redraw();
        this.label();
    }

    /** How fast the world goes beside the clock. */
    pace(now, count) {
        const dt = count * this.main.timeStep,
            wall = (now - (this.paced ?? now)) / 1000;
        this.paced = now;
        if (this.playing && wall > 0)
            this.speed = this.speed === undefined ? dt / wall : 0.95 * this.speed + (0.05 * dt) / wall;
    }

    feed(now = performance.now()) {
        this.fed = now;
        for (const run of this.runs) run.ledger.look();
        this.charts?.forEach(chart => chart.feed());
    }

    // ---- what is seen ----

    label() {
        const { main } = this;
        const bodies = main.film.parts.filter(part => !part.obstacle).length,
            asleep = main.asleep ? `, ${main.asleep} of ${bodies} asleep` : '';
        byId('clock').textContent = `${main.time.toFixed(3)} s${asleep}`;
        this.showCost();
        if (!byId('note').dataset.wrong && main.note && !this.said) byId('note').textContent = '';
        this.drawHand();
    }

    /** What steps take, beside the scene's own step: whether time in the scene passes as outside. */
    showCost() {
        const { runs, main } = this,
            own = 1000 * main.timeStep,
            took = runs.map(run => run.ms);
        const slow = this.playing ? this.speed < 0.9 : Math.max(...took) > own,
            part = this.playing ? this.speed : own / Math.max(...took);
        byId('cost').textContent = took.includes(undefined)
            ? ''
            : `step ${took.map(short).join(' and ')} of ${short(own)} ms, ${slow ? `${part.toPrecision(2)} of real time` : 'real time'}`;
        byId('cost').classList.toggle('slow', slow);
    }

    say(text, wrong = false) {
        const note = byId('note');
        this.said = text;
        note.textContent = text;
        note.classList.toggle('failure', wrong);
    }

    /** Everything of the scene that is there now. */
    show() {
        const { runs } = this;
        this.speed = undefined;
        for (const run of runs) {
            run.forgetTimes();
            run.label = runs.length > 1 ? (run.index ? 'backward Euler' : 'as set') : run.start.name;
            run.text = run.start.text;
        }
        this.draw();
        this.panel.refused.clear();
        this.panel.show(JSON.parse(this.main.text), this.main.settings);
        this.advice.ask(this.main.text, [...this.files]);
        this.makeCharts();
        byId('wait').hidden = true;
        byId('wrong').hidden = true;
        if (byId('editor').open) byId('json').value = this.jsonNow();
        for (const id of ['play', 'single', 'restart']) byId(id).disabled = false;
        this.label();
        document.documentElement.dataset.ready = 'yes';
    }

    draw() {
        const { runs } = this;
        if (this.orbit) this.orbit.look(runs);
        else this.orbit = new Orbit(runs);
        if (this.painter === undefined) this.makePainter();
        else this.painter?.show(runs);
        byId('tiles').replaceChildren();
        if (runs.length > 1)
            for (const run of runs) {
                const name = byId('tiles').appendChild(document.createElement('span'));
                name.textContent = run.label;
                name.style.color = `color-mix(in srgb, ${CURVES[run.index % CURVES.length]} 75%, var(--ink))`;
            }
        this.redraw();
    }

    makePainter() {
        const view = byId('view');
        try {
            this.painter = new Painter(view, this.runs, this.orbit);
        } catch (error) {
            this.painter = null;
            byId('blind').textContent =
                'This browser has no WebGL 2 here, so the motion cannot be drawn. The scene runs, and the curves show it.';
            byId('blind').hidden = false;
            return;
        }
        attachOrbit(view, this.orbit, () => this.redraw(), {
            grab: e => this.grab(e),
            move: e => this.drag(e),
            release: () => this.release(),
        });
        view.addEventListener('webglcontextlost', () => {
            byId('blind').textContent =
                'The browser took the drawing surface away. Loading the page again brings it back.';
            byId('blind').hidden = false;
            this.painter = null;
        });
    }

    redraw() {
        if (this.drawing || !this.painter || !this.main?.film) return;
        this.drawing = true;
        requestAnimationFrame(() => {
            this.drawing = false;
            this.paint(false);
            clearTimeout(this.rest);
            this.rest = setTimeout(() => this.playing || this.paint(true), 250);
        });
    }

    paint(fine) {
        const { painter } = this;
        if (!painter) return;
        for (const tile of painter.tiles) tile.shown.set(tile.run.frame, 0, painter.middle);
        const { columns, rows } = painter.layout();
        byId('tiles').style.gridTemplate = `repeat(${rows}, 1fr) / repeat(${columns}, 1fr)`;
        painter.draw({ colours: this.colours, scaled: false, fine, follow: tile => this.away(tile.run) });
        this.pictures = (this.pictures ?? 0) + 1;
    }

    /** How far the camera goes after what leaves its first picture. */
    away(run) {
        const { half, middle } = this.orbit.room,
            place = middleOfBodies(run),
            off = place.map((x, k) => x - middle[k]),
            far = Math.hypot(...off);
        return far > 0.7 * half ? off.map(x => x * (1 - (0.7 * half) / far)) : [0, 0, 0];
    }

    makeCharts() {
        const first = ['Energy', 'Where it went'],
            more = ['Off target', 'Visible kinetic energy', 'Alpha', 'Iterations'];
        this.charts?.forEach(chart => chart.plot?.destroy());
        for (const run of this.runs) run.ledger.look();
        this.charts = [
            [first, 'charts'],
            [more, 'more-charts'],
        ].flatMap(([titles, id]) => {
            byId(id).replaceChildren();
            return titles.map(
                title =>
                    new Chart(
                        byId(id),
                        CHARTS.find(spec => spec.title === title),
                        this.runs,
                        () => {},
                    ),
            );
        });
        this.charts.forEach(chart => chart.draw());
    }

    // ---- the hand ----

    /** The world under the pointer, and the ray through it. */
    ray(e, tile = null) {
        const view = byId('view').getBoundingClientRect(),
            { columns, rows } = this.painter.layout(),
            w = view.width / columns,
            h = view.height / rows;
        const x = e.clientX - view.left,
            y = e.clientY - view.top,
            at =
                tile ??
                Math.min(columns - 1, Math.max(0, Math.floor(x / w))) +
                    columns * Math.min(rows - 1, Math.max(0, Math.floor(y / h)));
        const moved = this.away(this.runs[at] ?? this.main),
            { eye, way } = rayThrough(
                this.orbit,
                w / h,
                (2 * (x - (at % columns) * w)) / w - 1,
                1 - (2 * (y - Math.floor(at / columns) * h)) / h,
            );
        return { at, origin: along(along(eye, 1, this.painter.middle), 1, moved), way };
    }

    async grab(e) {
        if (!this.main?.film) return false;
        const { at, origin, way } = this.ray(e),
            run = this.runs[at];
        if (!run) return false;
        try {
            const hand = await run.remote.call('grab', [origin, way]);
            if (!hand) return false;
            this.held = { run, at };
            run.hand = hand;
            this.drawHand();
            return true;
        } catch (error) {
            this.tried(() => Promise.reject(error));
            return false;
        }
    }

    /** Only the last place counts of those that come while the worker is busy. */
    async drag(e) {
        const { held } = this;
        if (!held) return;
        const { origin, way } = this.ray(e, held.at);
        held.next = [origin, way, this.orbit.axes().back];
        if (held.sending) return;
        held.sending = true;
        while (held.next) {
            const args = held.next;
            held.next = null;
            const hand = await this.tried(() => held.run.remote.call('drag', args));
            if (hand) held.run.hand = hand;
        }
        held.sending = false;
        this.drawHand();
        if (held.done) held.run.remote.call('release').catch(() => {});
    }

    release() {
        const { held } = this;
        this.held = null;
        this.drawHand();
        if (!held) return;
        held.done = true;
        if (!held.sending) this.tried(() => held.run.remote.call('release'));
    }

    /** A line from the point that is held to the hand. */
    drawHand() {
        const line = byId('pull'),
            { held } = this,
            hand = held?.run.hand;
        line.parentElement.toggleAttribute('hidden', !hand);
        if (!hand || !this.painter) return;
        const { columns, rows } = this.painter.layout(),
            { clientWidth, clientHeight } = byId('view'),
            w = clientWidth / columns,
            h = clientHeight / rows,
            { m } = this.orbit.matrix(w / h),
            moved = this.away(held.run);
        [hand.grip, hand.at].forEach((place, i) => {
            const p = along(along(place, -1, this.painter.middle), -1, moved),
                [x, y, , d] = [0, 1, 2, 3].map(r => m[r] * p[0] + m[4 + r] * p[1] + m[8 + r] * p[2] + m[12 + r]);
            line.setAttribute(`x${i + 1}`, ((held.at % columns) + (1 + x / d) / 2) * w);
            line.setAttribute(`y${i + 1}`, (Math.floor(held.at / columns) + (1 - y / d) / 2) * h);
        });
    }

    // ---- buttons ----

    attachBar() {
        button('play', () => {
            if (this.late) this.revive('The step was given up.');
            else this.play(!this.playing);
        });
        button('single', async () => {
            this.play(false);
            await this.still();
            await this.step(1);
            this.feed();
        });
        button('restart', () =>
            this.tried(async () => {
                const was = this.playing;
                await this.open(this.source, this.set);
                this.play(was);
            }),
        );
        button('home', () => {
            this.orbit?.whole();
            this.redraw();
        });
        byId('beside').addEventListener('change', e => this.tried(() => this.setBeside(e.target.checked)));
        document.addEventListener('keydown', e => {
            if (e.key !== ' ' || e.target.matches('select, input, textarea, button, summary')) return;
            e.preventDefault();
            byId('play').click();
        });
    }

    /** Both from the start. */
    async setBeside(on) {
        const was = this.playing;
        this.play(false);
        await this.still();
        for (const run of this.runs.splice(1)) run.remote.end('it is not shown any more');
        if (on) this.runs.push(await this.newRun(1));
        try {
            await this.open(this.source, this.set);
        } catch (error) {
            for (const run of this.runs.splice(1)) run.remote.end('it could not start');
            byId('beside').checked = false;
            this.draw();
            this.makeCharts();
            throw error;
        }
        this.play(was);
    }

    /** The present scene with its settings, for the editor. */
    jsonNow() {
        return JSON.stringify(JSON.parse(this.main.text.replaceAll('"/scene/', '"')), null, 2);
    }

    attachFiles() {
        byId('editor').addEventListener('toggle', () => {
            if (byId('editor').open && !byId('json').value && this.main?.text) byId('json').value = this.jsonNow();
        });
        button('revert', () => {
            byId('json').value = this.jsonNow();
            byId('wrong').hidden = true;
        });
        button('apply', async () => {
            const wrong = byId('wrong');
            try {
                await this.open({ text: byId('json').value });
            } catch (error) {
                wrong.textContent = error.message;
                wrong.hidden = false;
                if (error.status === 'lost') await this.wrong(error);
            }
        });
        button('link', () =>
            this.tried(async () => {
                const address = await linkOf({ ...this.source, set: this.overrides({}, this.set) });
                history.replaceState(null, '', address);
                const missing = this.files.size && this.source.text ? ' It does not hold the mesh.' : '';
                try {
                    await navigator.clipboard.writeText(address);
                    this.say(`The link is in the clipboard and in the address.${missing}`);
                } catch {
                    this.say(`The link stands in the address.${missing}`);
                }
            }),
        );
        button('save', () =>
            this.tried(async () => {
                await this.still();
                save(`${fileName(this.main.start.name)}.json`, 'application/json', await this.main.remote.call('save'));
                this.say(
                    this.files.size && this.source.text
                        ? 'Put the mesh beside the scene, then: visviva run FILE'
                        : 'visviva run FILE goes on from here.',
                );
            }),
        );
        button('csv', () => {
            const { ledger } = this.main;
            save(`${fileName(this.main.start.name)}.csv`, 'text/csv', ledger.csv);
            this.say(ledger.dropped ? `The first ${ledger.dropped} rows are no longer kept.` : '');
        });
        byId('file').addEventListener('change', e => {
            this.tried(() => this.take(e.target.files[0]));
            e.target.value = '';
        });
        addEventListener('dragover', e => {
            e.preventDefault();
            document.body.classList.add('over');
        });
        addEventListener('dragleave', e => e.relatedTarget || document.body.classList.remove('over'));
        addEventListener('drop', e => {
            e.preventDefault();
            document.body.classList.remove('over');
            if (e.dataTransfer.files[0]) this.tried(() => this.take(e.dataTransfer.files[0]));
        });
    }

    /** A scene, or a mesh, for which a scene is made. */
    async take(file) {
        if (!file) return;
        if (file.size > LARGEST_FILE)
            throw new Error(
                `${file.name} has ${Math.round(file.size / 1e6)} MB; ${LARGEST_FILE / 1e6} MB are allowed here. The program itself takes more.`,
            );
        if (/\.json$/i.test(file.name)) return this.open({ text: await file.text() });
        const bytes = new Uint8Array(await file.arrayBuffer()),
            name = file.name.replace(/[^\w.-]/g, '_');
        this.play(false);
        await this.still();
        const mesh = await this.main.remote.call('mesh', [name, bytes]);
        this.files = new Map([[name, bytes]]);
        let refused = null;
        for (const scene of scenesOf(name, mesh)) {
            try {
                return await this.open({ text: JSON.stringify(scene) });
            } catch (error) {
                if (error.status === 'lost') throw error;
                refused ??= error;
            }
        }
        throw refused;
    }
}

const fileName = name => name.replace(/[^\w-]+/g, '-').replace(/^-|-$/g, '') || 'scene';

/** Scenes in which a mesh falls onto the ground, the likeliest first. */
function scenesOf(name, mesh) {
    const size = mesh.low.map((x, k) => mesh.high[k] - x),
        large = Math.max(...size, 1e-12),
        scale = +(0.3 / large).toPrecision(6),
        bottom = [0, 1, 2].map(k => (k === 1 ? mesh.low[1] : (mesh.low[k] + mesh.high[k]) / 2)),
        translate = bottom.map((x, k) => +(-scale * x + (k === 1 ? 0.2 : 0)).toPrecision(6));
    const scene = (body, materials, more = {}) => ({
        visviva: 1,
        name: name.replace(/\.\w+$/, ''),
        time: { step: '1/120', end: 4 },
        integrator: { scheme: 'backward-euler', policy: 'filtered-search', ground_energy: 'none' },
        contact: { model: 'barrier', distance: 1e-3, friction: 0.2 },
        materials,
        bodies: [{ name: 'model', ...body, place: { scale, translate } }],
        obstacles: [{ name: 'ground', plane: {} }],
        ...more,
    });
    const flesh = { flesh: { model: 'neo-hookean', young: 1.5e5, poisson: 0.4, density: 1000 } };
    if (mesh.tets) return [scene({ material: 'flesh', mesh: { file: name } }, flesh)];
    const cloth = {
        cotton: {
            model: 'stvk-membrane',
            young: 1e6,
            poisson: 0.3,
            density: 400,
            thickness: 1e-3,
            damping: { drag: 2, rayleigh: 0.002 },
        },
    };
    return [
        scene(
            {
                material: 'flesh',
                mesh: { file: name, fill: true, edge: +(large / 9).toPrecision(3) },
                surface: { file: name },
            },
            flesh,
        ),
        scene({ material: 'cotton', mesh: { file: name, fill: false }, thickness: 1e-3 }, cloth),
        scene({ material: 'flesh', mesh: { file: name } }, { flesh: { density: mesh.points ? 1e-3 : 0.1 } }),
    ];
}

/** Whether all places are numbers, not too far away to be seen. */
function sound(run) {
    const far = 1e4 * (Math.hypot(...run.film.seenHigh.map((x, k) => x - run.film.seenLow[k])) + 1);
    for (let i = 0; i < run.positions.length; i += 7) if (!(Math.abs(run.positions[i]) < far)) return false;
    return true;
}

/** Of what moves, by its boxes. */
function middleOfBodies({ film, positions }) {
    const low = [Infinity, Infinity, Infinity],
        high = [-Infinity, -Infinity, -Infinity];
    for (const { obstacle, vertices } of film.parts)
        for (let v = vertices[0]; !obstacle && v < vertices[0] + vertices[1]; v++)
            for (let k = 0; k < 3; k++) {
                low[k] = Math.min(low[k], positions[3 * v + k]);
                high[k] = Math.max(high[k], positions[3 * v + k]);
            }
    return low.map((x, k) => (Number.isFinite(x) ? (x + high[k]) / 2 : 0));
}

async function start() {
    const text = async name => (await fetch(name)).text();
    const scenes = JSON.parse(await text('scenes.json'));
    byId('licences').textContent = await text('licences.txt');
    const remote = new Remote(),
        tables = await remote.call('load');
    byId('about').textContent = `visviva ${tables.version}, ${tables.build}. Curves by uPlot 1.6.32 (MIT licence).`;
    const page = (window.visviva = new Playground(scenes, tables)); // for the browser's console, and for tests
    const run = new Run(0, tables.columns);
    run.remote.end();
    run.remote = remote;
    page.runs = [run];
    let linked = null,
        trouble = null;
    try {
        linked = await readLink(location.hash);
        if (linked) {
            const set = new Map(
                linked.set.map(line => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
            );
            await page.open(linked.text !== undefined ? { text: linked.text } : { scene: linked.scene }, set);
        }
    } catch (error) {
        trouble = error;
        linked = null;
    }
    if (!linked) await page.open({ scene: scenes[0].name });
    if (tables.whyOneThread && window.crossOriginIsolated) page.say(`One thread: ${tables.whyOneThread}.`, true);
    if (trouble) page.say(trouble.message, true);
    else page.play(true);
}

try {
    await start();
} catch (error) {
    byId('wait').hidden = true;
    byId('trouble').textContent = `The playground cannot start: ${error.message}`;
    byId('trouble').hidden = false;
    document.documentElement.dataset.ready = 'no';
}
