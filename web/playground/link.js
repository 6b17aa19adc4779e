// The scene and its settings in the address: { scene: name } or { text }, and { set }, deflated.

const LONGEST = 100000; // characters: browsers take more, but who sends such a link?

const through = async (bytes, stream) =>
    new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());

async function linkOf(what) {
    const bytes = await through(new TextEncoder().encode(JSON.stringify(what)), new CompressionStream('deflate-raw'));
    let text = '';
    for (const byte of bytes) text += String.fromCharCode(byte);
    const address = btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
    if (address.length > LONGEST)
        throw new Error(
            `The scene makes a link of ${address.length} characters; ${LONGEST} are allowed. Save it as a file.`,
        );
    return `${location.href.split('#')[0]}#${address}`;
}

/** What the address holds; null: nothing. */
async function readLink(hash) {
    const address = hash.replace(/^#/, '');
    if (!address) return null;
    if (address.length > LONGEST)
        throw new Error(
            `This link has ${address.length} characters; ${LONGEST} are allowed. The first scene is shown.`,
        );
    try {
        const text = atob(address.replaceAll('-', '+').replaceAll('_', '/')),
            stream = new Blob([Uint8Array.from(text, c => c.charCodeAt(0))])
                .stream()
                .pipeThrough(new DecompressionStream('deflate-raw')),
            reader = stream.getReader(),
            parts = [];
        let length = 0;
        for (let part; !(part = await reader.read()).done; parts.push(part.value))
            if ((length += part.value.length) > 40 * LONGEST) throw new Error('it unfolds without end');
        const what = JSON.parse(await new Blob(parts).text());
        if (
            !(typeof what.scene === 'string' || typeof what.text === 'string') ||
            !(Array.isArray(what.set) && what.set.every(s => typeof s === 'string'))
        )
            throw new Error('it names no scene');
        return what;
    } catch (error) {
        throw new Error(`This link cannot be read: ${error.message.replace(/\.$/, '')}. The first scene is shown.`);
    }
}
