/** Worlds made from scene files (docs/scene-file.md), stepped by the library in WebAssembly. Units are SI. */

/** What the library refused, in its own words: where, what was found, what is allowed. */
export class VisvivaError extends Error {
    readonly status: 'input' | 'io' | 'memory' | 'solver' | 'unsupported' | 'cancelled' | 'error';
}

export interface Named {
    name: string;
    summary: string;
}

/** A key of scene files. */
export interface SceneKey {
    path: string;
    value: string;
    unit: string;
    default: string;
    summary: string;
}

export interface Column {
    name: string;
    unit: string;
}

export interface Tables {
    version: string;
    build: string;
    schemes: Named[];
    policies: Named[];
    solvers: Named[];
    fallbacks: Named[];
    linear: Named[];
    line_searches: Named[];
    accelerations: Named[];
    contact_models: Named[];
    materials: Named[];
    keys: SceneKey[];
    columns: Column[];
}

/** Part of what is drawn: first and count of its vertices, triangles and edges. */
export interface Part {
    name: string;
    /** As the scene has it, "#rrggbb"; null: none. */
    color: string | null;
    obstacle: boolean;
    points: boolean;
    closed: boolean;
    radius: number;
    vertices: [number, number];
    triangles: [number, number];
    edges: [number, number];
}

export interface MeshFacts {
    tets: number;
    triangles: number;
    edges: number;
    points: number;
    low: [number, number, number];
    high: [number, number, number];
}

type Vector = readonly [number, number, number] | ArrayLike<number>;

/**
 * Loads the library. `threads`: the build whose worlds can have several, where that is possible (in Node.js; in a page that is cross-origin isolated), else
 * the one with one thread. `wasm`: the bytes of visviva-core.wasm, with `threads` of visviva-threads.wasm, where they do not lie beside this module.
 */
export function load(options?: { wasm?: ArrayBuffer | Uint8Array; threads?: boolean }): Promise<Visviva>;

export class Visviva {
    readonly version: string;
    readonly build: string;
    readonly tables: Tables;
    readonly columns: Column[];
    /** Why worlds have one thread only; "": they can have several. */
    readonly whyOneThread: string;
    /** Bytes; it grows and never shrinks. */
    readonly memory: number;
    /** Puts a mesh, or another file, where scenes find it by its name. */
    addFile(name: string, bytes: string | ArrayBuffer | Uint8Array): void;
    mesh(name: string): MeshFacts;
    /** `set`: overrides as of the command line, "integrator.policy=none". */
    world(scene: string | object, options?: { set?: string[] }): World;
}

/** Arrays are views of the library's memory, without a copy: take them anew after each call. */
export class World {
    readonly name: string;
    readonly parts: Part[];
    readonly planes: { point: [number, number, number]; normal: [number, number, number] }[];
    readonly up: [number, number, number];
    /** s */
    readonly time: number;
    readonly timeStep: number;
    readonly end: number;
    /** Of the vertices that are drawn: x, y, z each, m. */
    readonly positions: Float32Array;
    readonly triangles: Int32Array;
    readonly edges: Int32Array;
    readonly solid: Float32Array;
    /** Of the nodes, m and m/s. */
    readonly nodes: Float64Array;
    readonly velocities: Float64Array;
    /** The ledger's last row, in the order of `columns`; and by name. */
    readonly row: Float64Array;
    readonly ledger: Record<string, number>;
    readonly settings: Record<string, unknown>;
    /** How many bodies sleep (solver.sleep_after). */
    readonly asleep: number;
    readonly note: string;
    readonly text: string;
    readonly hand: { grip: [number, number, number]; at: [number, number, number]; stiffness: number; work: number };
    /**
     * From now on loops run on up to `count` threads, the calling one included. How many they are, and why not more ("" if they are as many). The same bits
     * for any number. Each world has threads of its own, and gives them back when it is closed.
     */
    setThreads(count: number): Promise<{ threads: number; refused: string }>;
    /** A step that fails throws, and changes nothing. */
    step(count?: number): void;
    /** Other settings while it runs: set("integrator.policy=search", "gravity=[0,-1.6,0]"). */
    set(...overrides: string[]): void;
    /** Another scene; on failure this one stays. */
    open(scene: string | object, set?: string[]): void;
    /** The scene as it stands: JSON that `visviva run` starts from. */
    save(): string;
    /** Takes hold of what a ray meets; then drag it, and let go. */
    grab(origin: Vector, direction: Vector): boolean;
    drag(origin: Vector, direction: Vector, normal: Vector): void;
    release(): void;
    /** Frees its memory. */
    close(): void;
}
