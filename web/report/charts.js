// Curves of the ledger by uPlot. Their cursors and the film's clock go together.

const CURVES = ['#d1495b', '#2b7bba', '#3a9d5d', '#e09f3e', '#8e5ea2', '#3fa7a3', '#a0704a', '#7a8699'];

const shifted = (values, by) => values.map(x => x - by);
const summed = values => {
    let sum = 0;
    return values.map((x, i) => (i === 0 || !Number.isFinite(x) ? sum : (sum += x)));
};
const length = (c, name) => c[`${name}_x`].map((x, i) => Math.hypot(x, c[`${name}_y`][i], c[`${name}_z`][i]));
const fromFirst = values => values.map((x, i) => (i === 0 ? NaN : x));

/** A curve: its name, and its values of a run's columns (undefined: the run has none). `runs`: all of them. */
const column = (name, title = name.replaceAll('_', ' ')) => ({ title, of: run => run.ledger.columns[name] });
const lowest = runs =>
    Math.min(
        ...runs.map(run =>
            run.ledger.columns.gravity.reduce((a, b) => (Number.isFinite(b) ? Math.min(a, b) : a), Infinity),
        ),
    );
const above = (name, title) => ({
    title,
    of: (run, runs) => {
        const low = lowest(runs);
        return shifted(run.ledger.columns[name], Number.isFinite(low) ? low : 0);
    },
});
const sum = name => ({ title: name, of: run => run.ledger.columns[name] && summed(run.ledger.columns[name]) });
const size = (name, title) => ({ title, of: run => length(run.ledger.columns, name) });
const each = name => ({ title: name.replaceAll('_', ' '), of: run => fromFirst(run.ledger.columns[name]) });
const phase = (name, i) => ({
    title: name.replaceAll('_', ' '),
    of: run =>
        run.phases &&
        Float64Array.from({ length: run.ledger.rows }, (_, row) =>
            row === 0 ? NaN : run.phases[(row - 1) * facts.phases.length + i],
        ),
});

/**
 * The charts, in their order. `note` stands beside the title; a chart none of whose curves has anything but 0 is
 * left out.
 */
const CHARTS = [
    {
        title: 'Energy',
        unit: 'J',
        note: 'gravity, H and T from the lowest',
        curves: [
            above('total', 'total H'),
            above('target', 'target T'),
            column('kinetic'),
            column('elastic'),
            above('gravity', 'gravity'),
            column('contact'),
            column('attachment'),
            column('joint'),
        ],
    },
    {
        title: 'Where it went',
        unit: 'J',
        note: 'sums since the start',
        curves: ['work', 'friction', 'damping', 'decay', 'springs', 'error'].map(sum),
    },
    {
        title: 'Off target',
        unit: '%',
        note: '|H − T| / S',
        curves: [
            {
                title: 'off target',
                of: run => {
                    const c = run.ledger.columns;
                    return c.total.map((h, i) =>
                        c.scale[i] > 0 ? (100 * Math.abs(h - c.target[i])) / c.scale[i] : NaN,
                    );
                },
            },
        ],
    },
    {
        title: 'Visible kinetic energy',
        unit: 'J',
        note: 'of the motion that positions show',
        curves: [
            column('visible', 'all'),
            column('visible_centre', 'of centres'),
            column('visible_rotation', 'of rotation'),
            column('visible_deformation', 'of deformation'),
            column('kinetic', 'booked'),
        ],
    },
    { title: 'Alpha', unit: '', note: 'of the policy', curves: [column('alpha')] },
    { title: 'Momentum', unit: 'kg m/s', curves: [size('momentum', 'momentum')] },
    {
        title: 'Angular momentum',
        unit: 'kg m²/s',
        curves: [size('angular_momentum_centre', 'about the centre'), size('angular_momentum', 'about the origin')],
    },
    {
        title: 'Iterations',
        unit: '',
        note: 'of each step',
        curves: ['newton_iterations', 'linear_solves', 'pcg_iterations', 'line_search_steps'].map(each),
    },
    { title: 'Seconds', unit: 's', note: 'of each step, by phase', curves: facts.phases.map(phase) },
    {
        title: 'Contact',
        unit: 'J',
        note: 'energy, and what friction took in each step',
        curves: [column('contact', 'energy of contact'), each('friction'), column('springs', 'springs made again')],
    },
    { title: 'Smallest gap', unit: 'm', note: 'below 0: depth', curves: [column('min_gap', 'gap')] },
    { title: 'Smallest det F', unit: '', curves: [column('min_J', 'det F')] },
];

const has = values => values && values.some(x => Number.isFinite(x) && x !== 0);

function short(x) {
    if (x == null || !Number.isFinite(x)) return '–';
    const a = Math.abs(x);
    return a === 0 ? '0' : a >= 1e5 || a < 1e-3 ? x.toExponential(2) : String(+x.toPrecision(4));
}

const styleOf = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** Rows of several runs over all of their times, with nothing where a run has no row. */
function joined(runs, lists) {
    const finite = list => Array.from(list, x => (Number.isFinite(x) ? x : null));
    if (runs.length === 1) return [runs[0].ledger.columns.time, ...lists.map(finite)];
    return uPlot.join(lists.map((list, i) => [runs[i].ledger.columns.time, finite(list)]));
}

class Chart {
    /** `seek(t)` is called where the cursor goes. */
    constructor(place, spec, runs, seek) {
        this.spec = spec;
        this.runs = runs;
        this.seek = seek;
        this.curve = 0;
        this.time = null;
        this.element = document.createElement('div');
        this.element.className = 'chart';
        this.head = this.element.appendChild(document.createElement('header'));
        const title = this.head.appendChild(document.createElement('h2'));
        title.textContent = spec.title + (spec.unit ? `, ${spec.unit} ` : ' ');
        if (spec.note) title.appendChild(document.createElement('small')).textContent = spec.note;
        if (spec.curves.length > 1 && (runs.length > 1 || spec.one)) this.addChoice(title);
        this.body = this.element.appendChild(document.createElement('div'));
        place.append(this.element);
    }

    /** Of several runs one quantity at a time. */
    addChoice(title) {
        const select = this.head.appendChild(document.createElement('select'));
        select.setAttribute('aria-label', `Curve of ${this.spec.title}`);
        this.spec.curves.forEach((curve, i) => select.append(new Option(curve.title, i)));
        this.unitPlace = title;
        select.addEventListener('change', () => {
            this.curve = +select.value;
            this.draw();
        });
    }

    /** The curves that are drawn: { label, colour, dash, values }. */
    lines() {
        const { spec, runs } = this;
        if (runs.length === 1 && !spec.one)
            return spec.curves
                .map((curve, i) => ({
                    label: curve.title,
                    colour: curve.colour ?? CURVES[i % CURVES.length],
                    dash: curve.title === 'target T' ? [6, 4] : null,
                    values: curve.of(runs[0], runs),
                }))
                .filter(line => has(line.values));
        return runs.map((run, i) => ({
            label: runs.length > 1 ? run.label : spec.curves[this.curve].title,
            colour: CURVES[run.index % CURVES.length],
            dash: null,
            values: spec.curves[this.curve].of(run, runs) || new Float64Array(run.ledger.rows).fill(NaN),
        }));
    }

    draw() {
        const lines = this.lines(),
            ink = styleOf('--dim'),
            grid = { stroke: styleOf('--line'), width: 1 },
            font = "11px 'DejaVu Sans', system-ui, sans-serif";
        const axis = { stroke: ink, grid, ticks: { ...grid, size: 4 }, font };
        this.plot?.destroy();
        const options = {
            width: this.width(),
            height: 170,
            cursor: { y: false, drag: { x: true, y: false, dist: 8 }, points: { size: 6 } },
            scales: { x: { time: false } },
            axes: [
                {
                    ...axis,
                    size: 26,
                    values: (u, list) => list.map(t => `${short(t)}${t === list[list.length - 1] ? ' s' : ''}`),
                },
                { ...axis, size: 58, values: (u, list) => list.map(short) },
            ],
            series: [
                { label: 't, s', value: (u, x) => short(x) },
                ...lines.map(line => ({
                    label: line.label,
                    stroke: line.colour,
                    width: 1.5,
                    dash: line.dash,
                    spanGaps: true,
                    points: { show: false },
                    value: (u, x) => short(x),
                })),
            ],
            // places are known once it has been drawn
            hooks: { setCursor: [u => this.follow(u)], ready: [() => this.show(this.time)] },
        };
        this.plot = new uPlot(
            options,
            joined(
                this.runs,
                lines.map(line => line.values),
            ),
            this.body,
        );
        this.plot.over.addEventListener('mouseleave', () => this.show(this.time));
    }

    /** The same curves with other numbers, where rows have come. */
    feed() {
        const lines = this.lines(),
            same =
                this.plot &&
                this.plot.series.length === lines.length + 1 &&
                lines.every((line, i) => this.plot.series[i + 1].label === line.label);
        if (!same) this.draw();
        else
            this.plot.setData(
                joined(
                    this.runs,
                    lines.map(line => line.values),
                ),
            );
    }

    width() {
        return Math.max(200, this.element.clientWidth - 28);
    }

    resize() {
        this.plot?.setSize({ width: this.width(), height: 170 });
    }

    /** The film goes where a cursor is that somebody moves. */
    follow(u) {
        if (!this.quiet && u.cursor.left >= 0 && u.cursor.event) this.seek(u.posToVal(u.cursor.left, 'x'));
    }

    /** The cursor goes where the film is. */
    show(time) {
        this.time = time;
        if (!this.plot || time === null || (this.element.matches(':hover') && this.plot.over.matches(':hover'))) return;
        this.quiet = true;
        this.plot.setCursor({ left: this.plot.valToPos(time, 'x'), top: 1 });
        this.quiet = false;
    }
}

/** All charts of the runs that have a ledger, and one of any of its columns. */
function makeCharts(place, runs, seek) {
    const with_ledger = runs.filter(run => run.ledger && run.ledger.rows > 1);
    if (!with_ledger.length) return [];
    const specs = CHARTS.map(spec => ({
        ...spec,
        curves: spec.curves
            .map((curve, i) => ({ ...curve, colour: CURVES[i % CURVES.length] })) // the same in all reports
            .filter(curve => with_ledger.some(run => has(curve.of(run, with_ledger)))),
    })).filter(spec => spec.curves.length);
    const units = Object.assign({}, ...with_ledger.map(run => run.ledger.units)); // of every run's own bodies, too
    const names = Object.keys(units).filter(name => name !== 'time' && name !== 'step');
    specs.push({
        title: 'Any column of the ledger',
        unit: '',
        one: true,
        curves: names.map(name => ({
            title: units[name] ? `${name}, ${units[name]}` : name,
            of: run => run.ledger.columns[name],
        })),
    });
    const charts = specs.map(spec => new Chart(place, spec, with_ledger, seek));
    charts.forEach(chart => chart.draw());
    return charts;
}
