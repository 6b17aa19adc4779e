// Menus and numbers, made from the program's own tables.

/** What is offered, by its key in scenes. `list`: which table its names are from; `material`: of the one chosen. */
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

/** What a running world takes of the program's table of keys, and what of a scene's bodies takes a new start, in their order here. */
const ALL = [
    { title: 'Integrator', of: 'integrator.' },
    { title: 'Solver', of: 'solver.' },
    { title: 'Contact', of: 'contact.' },
    { title: 'Material', of: 'materials.NAME.', material: true },
    { title: 'Order of elements', of: 'bodies[].mesh.order', body: true },
];
/** Keys whose value is one of a table of names. */
const NAMES = {
    'solver.fallback': 'fallbacks',
    'solver.linear': 'linear',
    'solver.line_search': 'line_searches',
    'solver.acceleration': 'accelerations',
    'contact.model': 'contact_models',
};

class Panel {
    /** `place`: for the first settings, `rest`: for all others, a <details>. `change(override, anew)` promises the settings afterwards, or refuses. */
    constructor(place, rest, tables, change) {
        this.place = place;
        this.rest = rest;
        rest.addEventListener('toggle', () => this.scene && this.showRest());
        this.tables = tables;
        this.change = change;
        this.material = null;
        this.refused = new Map(); // by path: names that the program does not take here, and why
    }

    /** The menus of names, of each material too: { path, title, names }. */
    menus() {
        return OFFERED.filter(offer => offer.list).flatMap(({ key, title, list, material }) => {
            const names = this.tables[list].map(({ name }) => name),
                materials = Object.keys(this.scene.materials ?? {});
            return material
                ? materials.map(name => ({ path: `materials.${name}.${key}`, title: `${title} of ${name}`, names }))
                : [{ path: key, title, names }];
        });
    }

    /** These cannot be chosen: { name: why }. */
    refuse(path, why) {
        this.refused.set(path, why);
        this.dim();
    }

    /** Greys what is refused, and says below why. */
    dim() {
        for (const select of this.place.querySelectorAll('select[data-path]')) {
            const why = this.refused.get(select.dataset.path) ?? {};
            for (const option of select.options) {
                option.disabled = option.value in why && !option.selected;
                if (option.disabled) option.title = why[option.value];
            }
        }
        const list = byId('refused').querySelector('dl');
        list.replaceChildren();
        for (const { path, title } of this.menus())
            for (const [name, reason] of Object.entries(this.refused.get(path) ?? {})) {
                list.appendChild(document.createElement('dt')).textContent = `${title}: ${name}`;
                list.appendChild(document.createElement('dd')).textContent = reason;
            }
        byId('refused').hidden = !list.children.length;
        byId('refused').querySelector('summary').textContent =
            `${list.children.length / 2} entries of the menus do not go with this scene: why`;
    }

    about(path) {
        return this.tables.keys.find(key => key.path === path);
    }

    /** Anew for a scene (its JSON) and its settings. */
    show(scene, settings) {
        this.scene = scene;
        this.settings = settings;
        const held = document.activeElement;
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
        this.showRest();
        this.dim();
        this.goOn(held);
    }

    /** Who is in a field by the keyboard stays in it, with what is typed and not yet sent. */
    goOn(held) {
        const { dataset: { path, sent } = {}, value } = held ?? {},
            field = path && document.querySelector(`[data-path="${CSS.escape(path)}"]`);
        field?.focus();
        if (field?.type === 'text' && value !== sent) field.value = value;
    }

    /** All other settings, where they are wanted. */
    showRest() {
        const place = this.rest.lastElementChild,
            first = new Set(OFFERED.map(({ key, material }) => (material ? `materials.NAME.${key}` : key)));
        place.replaceChildren();
        if (!this.rest.open) return;
        for (const { title, of, material, body: ofBodies } of ALL) {
            const rows = this.tables.keys.filter(
                ({ path, value }) =>
                    path.startsWith(of) &&
                    !first.has(path) &&
                    !value.includes('object') &&
                    (ofBodies || (material ? this.material : path in this.settings)),
            );
            if (!rows.length) continue;
            const group = place.appendChild(document.createElement('section')),
                fields = document.createElement('div');
            group.appendChild(document.createElement('h3')).textContent =
                material && this.material ? `${title} ${this.material}` : title;
            group.append(fields);
            fields.className = 'fields';
            for (const about of rows) {
                const name = about.path.slice(of.length);
                if (ofBodies)
                    this.scene.bodies?.forEach(({ name: body, mesh }, i) =>
                        this.setting(about, `bodies[${i}].mesh.order`, body ?? `body ${i + 1}`, mesh?.order, fields),
                    );
                else if (material)
                    this.setting(about, `materials.${this.material}.${name}`, name, this.valueOf(name), fields);
                else this.setting(about, about.path, name, this.settings[about.path], fields);
            }
        }
    }

    /** Of the material chosen, as the scene has it: "damping.drag". */
    valueOf = name => name.split('.').reduce((value, part) => value?.[part], this.scene.materials?.[this.material]);

    /** One of the program's table, by what the table says of its values. */
    setting(about, path, title, now, place) {
        const anew = path.startsWith('bodies'),
            names =
                this.tables[NAMES[path]] ??
                (about.value === 'true or false' ? ['true', 'false'] : anew ? ['1', '2'] : null),
            send = value => this.send(path, value, anew);
        const field = names
            ? this.select(
                  names.map(name => (typeof name === 'string' ? { name } : name)),
                  String(now ?? (anew ? '1' : about.default.split(/[ ;,]/)[0])),
                  send,
              )
            : this.numbers(about, now, send);
        field.dataset.path = path;
        const words = title.replaceAll('_', ' ') + (about.unit ? `, ${about.unit}` : '');
        this.add(words, field, about.summary + (anew ? ' (from the start)' : ''), path, place);
    }

    pathOf = offer => (offer.material ? `materials.${this.material}.${offer.key}` : offer.key);

    offer(offer) {
        const path = offer.material ? `materials.NAME.${offer.key}` : offer.key,
            about = this.about(path),
            now = offer.material ? this.scene.materials[this.material]?.[offer.key] : this.settings[offer.key];
        if (!about || (now === undefined && offer.key.startsWith('contact.'))) return;
        const send = value => this.send(this.pathOf(offer), value);
        const field = offer.list
            ? this.select(this.tables[offer.list], now ?? about.default.split(/[ ;]/)[0], send)
            : this.numbers(about, now, send);
        field.dataset.path = this.pathOf(offer);
        this.add(offer.title + (about.unit ? `, ${about.unit}` : ''), field, about.summary, offer.key);
    }

    add(title, field, summary, key, place = this.place) {
        const label = document.createElement('label'),
            words = label.appendChild(document.createElement('span'));
        words.textContent = title;
        label.title = summary ?? '';
        label.append(field);
        if (key) field.dataset.key = key;
        place.append(label);
        return label;
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
            now === undefined || now === null
                ? ''
                : !Array.isArray(now)
                  ? plain(now)
                  : now.some(Array.isArray)
                    ? JSON.stringify(now)
                    : now.map(plain).join(', ');
        input.placeholder = about.default;
        input.dataset.sent = input.value;
        input.addEventListener('change', () => {
            const text = input.value.trim();
            input.dataset.sent = input.value;
            send(Array.isArray(now) && !text.startsWith('[') ? `[${text}]` : text);
        });
        return input;
    }

    /** The program takes it, or the panel shows what was. */
    async send(path, value, anew = false) {
        try {
            await this.change(`${path}=${value}`, anew);
        } finally {
            this.show(this.scene, this.settings);
        }
    }
}
