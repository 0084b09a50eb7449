import fc from 'fast-check';
import { expect, test } from 'vitest';
import { StreamedString } from '../../../src/transport/streamed-string.ts';

const lineStart = '{"update":';
const lineEnd = '}';
const encode = (text: string) => new TextEncoder().encode(text);

/**
 * What each value reads as to somebody who knows those before it, as the reader of lines does: a value that is not
 * as known is parsed and learned from.
 */
function read(texts: readonly string[]): { readonly values: readonly unknown[]; readonly known: number } {
  const streamed = new StreamedString();
  let known = 0;
  const values = texts.map((text) => {
    // Behind other bytes, as a line stands in what was read.
    const bytes = encode(`…\n${lineStart}${text}${lineEnd}\n`);
    const value = streamed.read(bytes, encode('…\n').length, bytes.length - 1);
    if (value !== undefined) {
      known++;
      return value;
    }
    try {
      const parsed: unknown = JSON.parse(text);
      streamed.learn(lineStart, text, lineEnd);
      return parsed;
    } catch {
      return 'no JSON';
    }
  });
  return { values, known };
}

function parsed(texts: readonly string[]): readonly unknown[] {
  return texts.map((text) => {
    try {
      return JSON.parse(text);
    } catch {
      return 'no JSON';
    }
  });
}

const chunk = (text: string, messageId = 'm1') =>
  `{"sessionUpdate":"agent_message_chunk","messageId":${JSON.stringify(messageId)},"content":{"type":"text","text":${text}}}`;

test('lines that differ in one string are read without parsing the rest', () => {
  const texts = ['one', 'two', 'three', 'four', 'fünf 🙂', '"quoted" \\ \n', ''].map((text) =>
    chunk(JSON.stringify(text)),
  );
  expect(read(texts)).toEqual({ values: parsed(texts), known: texts.length - 2 });
});

test('the string may be at any path', () => {
  for (const form of [
    (text: string) => `{"data":${text}}`,
    (text: string) => `{"data":${text},"more":[1,null,{"a":"b"}]}`,
    (text: string) => `{"a":[0,{"b":${text}},2],"c":"d"}`,
    (text: string) => `{ "a" : { "b" :${text} } }`,
  ]) {
    const texts = ['"x"', '"y"', '"z"', '"\\u0041"'].map(form);
    expect(read(texts)).toEqual({ values: parsed(texts), known: 2 });
  }
});

test.each([
  ['a number', ['1', '"x"', '12']],
  ['two values', ['"a","text":"b"', '"a"}},{"b":{"c":"d"']],
  ['no end', ['"a', 'a"', '"', '']],
  ['a bad escape', ['"\\x"', '"\\u12"', '"\\"']],
  ['a character that JSON has escaped', ['"\u0007"', '"\t"']],
])('%s in the place of the string is left to a parse of the whole', (_, odd) => {
  const texts = [...['"one"', '"two"'], ...odd.flatMap((said) => [said, '"three"'])].map((text) =>
    chunk(text),
  );
  expect(read(texts).values).toEqual(parsed(texts));
});

test('a string that equals the marker, and a key that would set a prototype, are read correctly', () => {
  const texts = ['x', 'y', '\u0000', 'z'].flatMap((text) => [
    `{"first":"\\u0000","said":${JSON.stringify(text)}}`,
    `{"first":"\\u0000","said":${JSON.stringify(`${text}!`)}}`,
    `{"__proto__":{"said":${JSON.stringify(text)}}}`,
    `{"__proto__":{"said":${JSON.stringify(`${text}!`)}}}`,
    `{"__proto__":${JSON.stringify(text)}}`,
    `{"__proto__":${JSON.stringify(`${text}!`)}}`,
    `{"said":${JSON.stringify(text)},"said":"twice"}`,
    `{"said":${JSON.stringify(`${text}!`)},"said":"twice"}`,
  ]);
  const { values } = read(texts);
  expect(values.map((value) => JSON.stringify(value))).toEqual(
    parsed(texts).map((value) => JSON.stringify(value)),
  );
});

test('values that were read before do not change', () => {
  const { values } = read(['"one"', '"two"', '"three"', '"four"'].map((text) => chunk(text)));
  expect(values.map((value) => JSON.stringify(value))).toEqual(
    ['"one"', '"two"', '"three"', '"four"'].map((text) => chunk(text)),
  );
});

test('any lines give the same values as parsing each of them', () => {
  const said = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 8 }).map((text) => JSON.stringify(text)),
    fc.string({ maxLength: 6 }),
    fc.json({ maxDepth: 1 }),
    fc.constantFrom('"', '""', '"a"', '"a","b":"c"', ':"', '\\"'),
  );
  const text = fc.oneof(
    { weight: 6, arbitrary: fc.tuple(said, fc.constantFrom('m1', 'm2')).map((both) => chunk(...both)) },
    { weight: 2, arbitrary: said.map((data) => `{"terminalId":"t:","data":${data}}`) },
    { weight: 1, arbitrary: said.map((data) => `{"a:":"b:",${data}:"x"}`) },
    fc.json(),
  );
  fc.assert(
    fc.property(fc.array(text, { maxLength: 40 }), (texts) => {
      expect(read(texts).values).toEqual(parsed(texts));
    }),
    { numRuns: 1000 },
  );
});
