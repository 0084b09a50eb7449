import { PassThrough, Readable } from 'node:stream';
import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ndjsonTransport } from '../../../src/core/transport/ndjson.ts';
import { maxDepth } from '../../../src/core/transport/parse-message.ts';
import { listened } from '../../support/listened.ts';
import { runs } from '../../support/runs.ts';

/** The messages that are read from lines, in whatever pieces their bytes come. */
async function read(lines: readonly string[], cut: number): Promise<readonly unknown[]> {
  return (await readAll(lines, cut)).messages;
}

async function readAll(lines: readonly string[], cut = 0) {
  const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
  const at = bytes.length === 0 ? 0 : cut % bytes.length;
  const source = Readable.from([bytes.subarray(0, at), bytes.subarray(at)]);
  const transport = ndjsonTransport(source, new PassThrough());
  const { received: messages, rules } = listened(transport);
  await transport.ended;
  return { messages, diagnostics: rules() };
}

/** The values of the lines, each parsed as a whole. */
function parsed(lines: readonly string[]): readonly unknown[] {
  return lines.flatMap((line) => {
    try {
      return [JSON.parse(line)];
    } catch {
      return [];
    }
  });
}

const update = (sessionId: string, text: string) =>
  `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":${JSON.stringify(sessionId)},"update":${text}}}`;

const sessionId = fc.constantFrom('s1', 's2', 'with "quotes" and \\', 'é');
const content = fc.oneof(fc.string(), fc.jsonValue({ maxDepth: 2 }));
const line = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.tuple(sessionId, content).map(([id, said]) => update(id, JSON.stringify({ said }))),
  },
  // More in the parameters, or in the message, than the update.
  sessionId.map((id) => update(id, '{"a":1},"_meta":{"b":2}')),
  sessionId.map((id) => update(id, '{"a":1}},"more":{"b":{}')),
  sessionId.map((id) => update(id, '{"a":1},"update":{"a":2}')),
  // No message, however alike it looks.
  sessionId.map((id) => update(id, '{"a":1}}')),
  sessionId.map((id) => update(id, '{"a":')),
  sessionId.map((id) => update(id, '')),
  sessionId.map((id) => `${update(id, '{}')} `),
  // The same said otherwise.
  sessionId.map((id) => update(id, '{"a":1}').replace(/[,:]/g, '$& ')),
  sessionId.map((id) =>
    JSON.stringify({ method: 'session/update', params: { sessionId: id, update: {} }, jsonrpc: '2.0' }),
  ),
  // Other messages in between.
  fc.constant('{"jsonrpc":"2.0","id":1,"result":{}}'),
  fc.constant('{"jsonrpc":"2.0","method":"session/updates","params":{"sessionId":"s1","update":{}}}'),
);

/** What is streamed comes in runs, and those of several sessions in turns. */
const run = fc
  .tuple(sessionId, fc.array(fc.string(), { maxLength: 6 }))
  .map(([id, texts]) => texts.map((said) => update(id, JSON.stringify({ said }))));

test('a line with a known beginning gives the same message as parsing the whole line', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(line.map(Array.of), run), { maxLength: 30 }),
      fc.nat(),
      async (parts, cut) => {
        const lines = parts.flat();
        expect(await read(lines, cut)).toEqual(parsed(lines));
      },
    ),
    { numRuns: runs(100) },
  );
});

test.each(['1', '12', '123', '1234'])(
  'each byte of a known beginning counts, with the session id %s',
  async (id) => {
    const known = update(id, '{"a":1}');
    const { length } = known.slice(0, known.indexOf('{"a"'));
    const lines = Array.from({ length }, (_, at) => `${known.slice(0, at)}!${known.slice(at + 1)}`);
    expect(await read([known, known, ...lines, known], 0)).toEqual(parsed([known, known, ...lines, known]));
  },
);

test.each(['x}', '}x', 'xx', '}', ''])('an update that ends with %j is no message', async (end) => {
  const known = update('s1', '{"a":1}');
  const lines = [known, known, known.replace(/}}$/, end), known];
  const { messages, diagnostics } = await readAll(lines);
  expect(messages).toEqual(parsed([known, known, known]));
  expect(diagnostics).toEqual(['transport.noise']);
});

test('a line that is shorter than the known beginning is read like any other', async () => {
  const known = update('s1', '{"a":1}');
  for (const at of known.slice(0, known.indexOf('{"a"')).split('').keys()) {
    // Two braces end it as they end an update, and nothing follows it.
    const lines = [known, known, `${known.slice(0, at)}}}`];
    const { messages, diagnostics } = await readAll(lines);
    const expected = parsed(lines);
    expect(messages).toEqual(expected);
    expect(diagnostics).toEqual(expected.length === lines.length ? [] : ['transport.noise']);
  }
});

test('from the third line of a session on, only the update is parsed', async () => {
  const parse = vi.spyOn(JSON, 'parse');
  onTestFinished(() => parse.mockRestore());
  const parsedTexts = async (...lines: string[]) => {
    parse.mockClear();
    await read(lines, 0);
    // Other code of this process can parse something meanwhile.
    return parse.mock.calls.map(([text]) => text).filter((text) => lines.join('\n').includes(text));
  };
  const [one, two, three] = ['{"a":1}', '{"a":2}', '{"a":3}'] as const;
  const [first, second] = [update('s1', one), update('s1', two)];
  expect(await parsedTexts(first, second, update('s1', three), update('s1', one))).toEqual([
    first,
    second,
    // The update and the session id of the beginning that is known now.
    two,
    '"s1"',
    three,
    one,
  ]);
  // White space can be between all parts.
  const spaced = first.replaceAll(/[{:,](?!1)|"(?=[:,])/g, '$&  ');
  expect(await parsedTexts(spaced, spaced, spaced)).toEqual([
    spaced,
    spaced,
    '  {  "a"  :1}',
    '"s1"',
    '  {  "a"  :1}',
  ]);
  // The updates of two sessions alternate.
  const other = update('s2', one);
  expect(await parsedTexts(first, other, second, other)).toEqual([first, other, second, other]);
  // A line of another kind is between them.
  const response = '{"jsonrpc":"2.0","id":1,"result":{}}';
  expect(await parsedTexts(first, response, second, response, first)).toEqual([
    first,
    response,
    second,
    two,
    '"s1"',
    response,
    one,
  ]);
});

test('an update that is nested too deep is dropped, with a known beginning too', async () => {
  const deep = update('s1', `{"a":${'['.repeat(600)}${']'.repeat(600)}}`);
  const plain = update('s1', '{"a":1}');
  expect(await read([deep, plain, plain, plain, deep, plain], 0)).toEqual(
    parsed([plain, plain, plain, plain]),
  );
});

test('the levels of a known beginning count', async () => {
  // The message, its parameters and the update are three levels.
  const nested = (levels: number) => update('s1', `{"a":${'['.repeat(levels - 3)}${']'.repeat(levels - 3)}}`);
  const plain = update('s1', '{"a":1}');
  const messages = await read([plain, plain, nested(maxDepth), nested(maxDepth + 1), plain], 0);
  expect(messages).toEqual(parsed([plain, plain, nested(maxDepth), plain]));
});

test('a session id with a control character is no JSON, also when it comes again', async () => {
  const wrong = update('s1', '{"a":1}').replace('s1', 's\u0001');
  const { messages, diagnostics } = await readAll([wrong, wrong, update('s1', '{"a":1}')]);
  expect(messages).toEqual(parsed([update('s1', '{"a":1}')]));
  expect(diagnostics).toEqual(['transport.noise', 'transport.noise']);
});

test.each(['a', '\\\\', '\\"', '\\u00e9'])(
  'updates with a session id of many times %s are read like others',
  async (piece) => {
    const id = piece.repeat(100_000);
    const line = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"${id}","update":{}}}`;
    const lines = [line, line, update('s1', '{"a":1}')];
    expect(await read(lines, 0)).toEqual(parsed(lines));
  },
);
