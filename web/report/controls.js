// Buttons, lists, keys, light and dark, and what is saved.

const SPEEDS = [0.25, 0.5, 1, 2, 4];

function fillSelect(select, titles) {
    titles.forEach((title, i) => select.append(new Option(title, i)));
}

/** Hands a file to the browser. */
function save(name, type, text) {
    const link = document.createElement('a'),
        url = URL.createObjectURL(new Blob([text], { type }));
    link.href = url;
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/** Buttons below each run's text. */
function addSaves(runs) {
    for (const run of runs) {
        const scene = byId(`scene-${run.index}`),
            place = document.createElement('div');
        place.className = 'save';
        const button = (title, act) => {
            const b = place.appendChild(document.createElement('button'));
            b.type = 'button';
            b.textContent = title;
            b.addEventListener('click', act);
        };
        if (scene) button('Save the scene', () => save(`${run.file}.json`, 'application/json', scene.textContent));
        if (run.ledger) button('Save the ledger (CSV)', () => save(`${run.file}.csv`, 'text/csv', run.ledger.text));
        if (place.childElementCount) byId(`run-${run.index}`).append(place);
    }
}

const darkNow = () =>
    (document.documentElement.dataset.theme ||
        (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark';

const rgb = name => {
    const hex = styleOf(name);
    return colourOf(parseInt(hex.length === 4 ? hex.slice(1).replace(/./g, '$&$&') : hex.slice(1), 16));
};

/** What is drawn in the page's colours. */
const coloursNow = () => ({
    paper: rgb('--card'),
    line: rgb('--dim'),
    solid: darkNow() ? [0.42, 0.45, 0.5] : [0.68, 0.7, 0.73],
});

/** `changed` is called when colours are others. */
function attachTheme(changed) {
    const button = byId('theme');
    const name = () => {
        button.textContent = darkNow() ? 'Light' : 'Dark';
    };
    button.hidden = false;
    button.addEventListener('click', () => {
        document.documentElement.dataset.theme = darkNow() ? 'light' : 'dark';
        name();
        changed();
    });
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
        name();
        changed();
    });
    name();
}

/** What a key does; false: it is not one of ours. */
function keysOf(clock, orbit, act) {
    const speed = by => {
        const i = SPEEDS.indexOf(clock.speed) + by;
        if (SPEEDS[i]) act.speed(SPEEDS[i]);
    };
    const turn = (x, y) => {
        orbit?.rotate(x, y);
        act.redraw();
    };
    const zoom = by => {
        orbit?.zoom(by);
        act.redraw();
    };
    const step = (e, by) => {
        clock.play(false);
        clock.seek(clock.index + by * (e.shiftKey ? 10 : 1));
    };
    return {
        ' ': () => clock.play(),
        ArrowLeft: e => step(e, -1),
        ArrowRight: e => step(e, 1),
        Home: () => {
            clock.play(false);
            clock.seek(0);
        },
        End: () => {
            clock.play(false);
            clock.seek(clock.last);
        },
        '<': () => speed(-1),
        '>': () => speed(1),
        h: () => turn(0.1, 0),
        l: () => turn(-0.1, 0),
        j: () => turn(0, -0.1),
        k: () => turn(0, 0.1),
        '+': () => zoom(0.87),
        '=': () => zoom(0.87),
        '-': () => zoom(1.15),
        0: act.whole,
        c: () => act.next('colour'),
        f: () => act.next('follow'),
        d: () => byId('theme').click(),
    };
}

function attachKeys(clock, orbit, act) {
    const keys = keysOf(clock, orbit, act);
    byId('keys').hidden = false;
    document.addEventListener('keydown', e => {
        const at = e.target,
            key = e.key.length === 1 ? e.key.toLowerCase() : e.key;
        if (e.ctrlKey || e.metaKey || e.altKey || !keys[key]) return;
        if (at.matches('select, input:not([type=range]), textarea') || (e.key === ' ' && at.matches('button, summary')))
            return;
        e.preventDefault();
        keys[key](e);
    });
}

/** The colours' scale with its ends, in the unit. */
function showLegend(colouring) {
    const legend = byId('legend');
    legend.hidden = !colouring.at;
    if (!colouring.at) return;
    const name = x => `${short(x)}${colouring.unit ? ` ${colouring.unit}` : ''}`;
    byId('legend-title').textContent =
        colouring.largest > colouring.most * 1.001
            ? `${colouring.title} (largest ${name(colouring.largest)})`
            : colouring.title;
    byId('legend-least').textContent = name(colouring.least);
    byId('legend-most').textContent = name(colouring.most);
    legend.querySelector('i').style.background =
        `linear-gradient(90deg, ${STOPS.map(hex => `#${hex.toString(16).padStart(6, '0')}`).join(', ')})`;
}
