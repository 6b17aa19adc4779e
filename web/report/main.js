// Puts the page together.

class Page {
    constructor(runs) {
        this.runs = runs;
        this.films = runs.filter(run => run.film);
        this.clock = new Clock(runs, () => this.moved());
        this.orbit = this.films.length ? new Orbit(runs) : null;
        this.colourings = colourings(runs, this.orbit?.up);
        this.colouring = 0;
        this.followed = -1;
        if (this.orbit) this.openFilm();
        byId('charts').hidden = byId('film').hidden = false; // they have their widths from here on
        this.charts = makeCharts(byId('charts'), runs, t => this.clock.seekTime(t));
        byId('charts').hidden = !this.charts.length;
        byId('film').hidden = !this.films.length && !this.charts.length;
        addSaves(runs);
        attachTheme(() => this.restyle());
        attachKeys(this.clock, this.orbit, {
            redraw: () => this.redraw(),
            whole: () => this.whole(),
            speed: s => this.setSpeed(s),
            next: id => this.next(id),
        });
        this.attachBar();
        this.look();
        this.moved();
    }

    openFilm() {
        byId('film').hidden = false;
        try {
            this.painter = new Painter(byId('view'), this.runs, this.orbit);
        } catch (error) {
            byId('blind').textContent = error.message;
            byId('blind').hidden = false;
            for (const id of ['colour', 'follow', 'home']) (byId(id).closest('label') || byId(id)).hidden = true;
            return;
        }
        attachOrbit(byId('view'), this.orbit, () => this.redraw());
        byId('view').addEventListener('webglcontextlost', () => {
            byId('blind').textContent =
                'The browser took the drawing surface away. Loading the page again brings it back.';
            byId('blind').hidden = false;
            this.painter = null;
        });
        if (this.runs.length > 1)
            for (const run of this.films) {
                const name = byId('tiles').appendChild(document.createElement('span'));
                name.textContent = run.label;
                name.style.color = `color-mix(in srgb, ${CURVES[run.index % CURVES.length]} 75%, var(--ink))`;
            }
        fillSelect(
            byId('colour'),
            this.colourings.map(c => c.title),
        );
        const parts = this.films[0].film.parts,
            same = this.films.every(run => run.film.parts.length === parts.length);
        byId('follow').append(new Option('nothing', -1));
        (same ? parts : parts.slice(0, Math.min(...this.films.map(run => run.film.parts.length)))).forEach((part, i) =>
            byId('follow').append(new Option(part.name, i)),
        );
        byId('colour').addEventListener('change', e => {
            this.colouring = +e.target.value;
            this.redraw();
        });
        byId('follow').addEventListener('change', e => {
            this.followed = +e.target.value;
            this.redraw();
        });
        byId('home').addEventListener('click', () => this.whole());
        new ResizeObserver(() => this.redraw()).observe(byId('view'));
    }

    attachBar() {
        const { clock } = this,
            scrub = byId('scrub');
        scrub.max = clock.last;
        byId('play').disabled = scrub.disabled = clock.last === 0;
        if (!this.films.length) for (const id of ['stage', 'options']) byId(id).hidden = true;
        scrub.addEventListener('input', () => {
            clock.play(false);
            clock.seek(+scrub.value);
        });
        byId('play').addEventListener('click', () => clock.play());
        byId('speed').addEventListener('change', e => this.setSpeed(+e.target.value));
        let width = byId('charts').clientWidth;
        new ResizeObserver(() => {
            if (byId('charts').clientWidth === width) return; // a chart has another height
            width = byId('charts').clientWidth;
            requestAnimationFrame(() => this.charts.forEach(chart => chart.resize()));
        }).observe(byId('charts'));
    }

    setSpeed(speed) {
        this.clock.speed = speed;
        byId('speed').value = speed;
        byId('between').hidden = speed >= 1 || !this.painter;
    }

    next(id) {
        const select = byId(id);
        if (!select.options.length) return;
        select.selectedIndex = (select.selectedIndex + 1) % select.options.length;
        select.dispatchEvent(new Event('change'));
    }

    whole() {
        this.orbit?.whole();
        this.followed = -1;
        byId('follow').selectedIndex = 0;
        this.redraw();
    }

    look() {
        this.colours = coloursNow();
    }

    restyle() {
        this.look();
        this.charts.forEach(chart => chart.draw());
        this.redraw();
    }

    /** The clock is elsewhere. */
    moved() {
        const { clock } = this,
            end = clock.times[clock.last];
        byId('play').textContent = clock.playing ? 'Stop' : 'Play';
        byId('scrub').value = clock.index;
        byId('clock').textContent = `${clock.time.toFixed(3)} of ${end.toFixed(3)} s`;
        byId('scrub').setAttribute('aria-valuetext', `${clock.time.toFixed(3)} s`);
        const now = performance.now();
        if (!clock.playing || now - (this.shown || 0) > 80) {
            // numbers that change faster cannot be read
            this.shown = now;
            this.charts?.forEach(chart => chart.show(clock.time));
        }
        this.redraw();
    }

    redraw() {
        if (this.due || !this.painter) return;
        this.due = true;
        requestAnimationFrame(() => {
            this.due = false;
            this.paint(false);
            clearTimeout(this.rest);
            this.rest = setTimeout(() => this.clock.playing || this.paint(true), 250);
        });
    }

    /** `fine`: nothing moves, so that the picture may take longer. */
    paint(fine) {
        const { painter, clock, orbit } = this,
            colouring = this.colourings[this.colouring];
        if (!painter) return;
        for (const tile of painter.tiles) {
            const at = frameAt(tile.run, clock.time);
            if (!clock.between) at.part = 0;
            tile.at = at;
            tile.frame = at.frame;
            tile.shown.set(at.frame, at.part, painter.middle);
            if (colouring.at)
                tile.shown.colour(
                    colouring.at(tile.run, at.frame),
                    at.part > 0 ? colouring.at(tile.run, at.frame + 1) : null,
                );
        }
        const { columns, rows } = painter.layout();
        byId('tiles').style.gridTemplate = `repeat(${rows}, 1fr) / repeat(${columns}, 1fr)`;
        showLegend(colouring);
        const follow = tile => {
            const part = tile.run.film.parts[this.followed];
            return part ? along(middleOf(tile.run, tile.at, part), -1, orbit.room.middle) : [0, 0, 0];
        };
        painter.draw({ colours: this.colours, scaled: Boolean(colouring.at), fine, follow });
        this.pictures = (this.pictures || 0) + 1;
    }
}

try {
    window.visviva = new Page(await readRuns()); // for the browser's console, and for tests
    document.documentElement.dataset.ready = 'yes';
} catch (error) {
    byId('trouble').textContent = `The motion and the curves cannot be shown: ${error.message}`;
    byId('trouble').hidden = false;
    document.documentElement.dataset.ready = 'no';
}
