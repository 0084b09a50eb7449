/** A small deterministic generator (mulberry32): the same seed gives the same corpus on every machine. */
export function createRandom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const words =
  'the agent reads a file and changes one line then runs every test again while its editor shows what was done here const value = await next(); return result; if (error) throw'.split(
    ' ',
  );
/** What is not ASCII in a real transcript: accents, arrows, other scripts, and pairs of surrogates. */
const foreign = ['café', '→', '漢字', 'naïve', '🚀', '“so”', 'Привет'];

/** A source of short pieces of text, about 30 characters each, one in forty with something that is not ASCII. */
export function createPhrases(random) {
  const pick = (list) => list[Math.floor(random() * list.length)];
  const phrases = Array.from({ length: 1000 }, (_, index) => {
    const length = 3 + Math.floor(random() * 6);
    const parts = Array.from({ length }, () => pick(words));
    if (index % 40 === 0) parts[0] = pick(foreign);
    return `${parts.join(' ')} `;
  });
  return () => pick(phrases);
}

/** A text of at least so many characters, in lines. */
export function linesOf(phrase, length) {
  const lines = [];
  for (let total = 0; total < length; ) {
    const line = `${phrase()}${phrase()}\n`;
    lines.push(line);
    total += line.length;
  }
  return lines.join('');
}
