// Menus and numbers, made from the program's own tables.

/** What is offered, by its key in scenes. `list`: which table its names are from; `of`: "material": of the one chosen. */
const OFFERED = [
    { key: 'integrator.scheme', title: 'Scheme', list: 'schemes' },
    { key: 'integrator.policy', title: 'Policy', list: 'policies' },
    { key: 'solver.method', title: 'Solver', list: 'solvers' },
    { key: 'solver.budget', title: 'Budget' },
    { key: 'time.step', title: 'Step' },
    { key: 'gravity', title: 'Gravity' },
    { key: 'contact.friction', title: 'Friction' },
    { key: 'model', title: 'Model', list: 'materials', material: true },
    { key: 'young', title: "Young's modulus", material: true },
    { key: 'poisson', title: "Poisson's ratio", material: true },
    { key: 'density', title: 'Density', material: true },
];

class Panel {
    /** `change(overrides)` promises the settings afterwards, or refuses. */
    constructor(place, tables, change) {
        this.place = place;
        this.tables = tables;
        this.change = change;
        this.material = null;
    }

    about(path) {
        return this.tables.keys.find(key => key.path === path);
    }

    /** Anew for a scene (its JSON) and its settings. */
    show(scene, settings) {
        this.scene = scene;
        this.settings = settings;
        const names = Object.keys(scene.materials ?? {});
        if (!names.includes(this.material)) this.material = names[0] ?? null;
        this.place.replaceChildren();
        for (const offer of OFFERED) {
            if (offer.key === 'model' && names.length > 1)
                this.add(
                    'Material',
                    this.select(
                        names.map(name => ({ name })),
                        this.material,
                        name => {
                            this.material = name;
                            this.show(this.scene, this.settings);
                        },
                    ),
                    "which of the scene's materials the fields below are of",
                );
            if (!offer.material || this.material) this.offer(offer);
        }
    }

    offer(offer) {
        const path = offer.material ? `materials.NAME.${offer.key}` : offer.key,
            about = this.about(path),
            now = offer.material ? this.scene.materials[this.material]?.[offer.key] : this.settings[offer.key];
        if (!about || (now === undefined && offer.key.startsWith('contact.'))) return;
        const send = value => this.send(offer, value);
        const field = offer.list
            ? this.select(this.tables[offer.list], now ?? about.default.split(/[ ;]/)[0], send)
            : this.numbers(about, now, send);
        this.add(offer.title + (about.unit ? `, ${about.unit}` : ''), field, about.summary, offer.key);
    }

    add(title, field, summary, key) {
        const label = document.createElement('label'),
            words = label.appendChild(document.createElement('span'));
        words.textContent = title;
        label.title = summary ?? '';
        label.append(field);
        if (key) field.dataset.key = key;
        this.place.append(label);
    }

    select(list, now, send) {
        const select = document.createElement('select');
        for (const { name, summary } of list) {
            const option = new Option(name, name, false, name === now);
            if (summary) option.title = summary;
            select.append(option);
        }
        if (![...select.options].some(option => option.selected && option.value === now))
            select.prepend(new Option(String(now), String(now), true, true));
        select.addEventListener('change', () => send(select.value));
        return select;
    }

    /** One number, or several as they stand in JSON; empty: the program's default. */
    numbers(about, now, send) {
        const input = document.createElement('input');
        input.type = 'text';
        input.spellcheck = false;
        input.autocomplete = 'off';
        const plain = x => (typeof x === 'number' ? String(+x.toPrecision(6)) : String(x));
        input.value =
            now === undefined || now === null ? '' : Array.isArray(now) ? now.map(plain).join(', ') : plain(now);
        input.placeholder = about.default;
        input.addEventListener('change', () => {
            const text = input.value.trim();
            send(Array.isArray(now) && !text.startsWith('[') ? `[${text}]` : text);
        });
        return input;
    }

    /** The program takes it, or the panel shows what was. */
    async send(offer, value) {
        const path = offer.material ? `materials.${this.material}.${offer.key}` : offer.key;
        try {
            await this.change(`${path}=${value}`);
        } finally {
            this.show(this.scene, this.settings);
        }
    }
}
