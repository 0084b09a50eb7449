import { expect, test } from 'vitest';
import { type LongValue, type Place, places, sendLongLine } from '../../support/small-heap-editor.ts';

/** The longest line that is allowed, in bytes. FUZZ_LINE_MIB sets another length. */
const lineBytes = Number(process.env['FUZZ_LINE_MIB'] ?? 128) * 1024 * 1024;

/** The limits for each line: CPU time of all threads in milliseconds, and resident memory in MiB. */
const maxCpuMs = 60_000;
const maxPeakMiB = 3072;

/** Each value with as many parts as fit into the line. The parts that count have a limit of their own. */
const values: Readonly<Record<string, LongValue>> = {
  numbers: { start: '[', part: '0', end: ']' },
  'numbers with a fraction': { start: '[', part: '1.5', end: ']' },
  'numbers and null': { start: '[null,', part: '1.5', end: ']' },
  'one text': { start: '"', part: 'some words\\n'.repeat(100), end: '"' },
  'a text of escapes': { start: '"', part: '\\"\\u00e9'.repeat(100), end: '"' },
  'a text of JSON': { start: '"{\\"a\\":[', part: '{}', end: ']}"' },
  'short texts': { start: '[', part: (index) => `"${index.toString(36)}"`, end: ']' },
  'long texts': { start: '[', part: (index) => `"${`${index} `.repeat(20)}"`, end: ']' },
  'short keys': { start: '{', part: (index) => `"${index.toString(36)}":0`, end: '}' },
  'long keys': { start: '{', part: (index) => `"${`${index} `.repeat(9)}":0`, end: '}' },
  'empty objects': { start: '[', part: '{}', end: ']' },
  'objects with numbers': { start: '[', part: `{"a":[0${',0'.repeat(128)}]}`, end: ']' },
  'empty arrays': { start: '[', part: '[]', end: ']' },
  'deep arrays': { start: '[', part: `${'['.repeat(400)}${']'.repeat(400)}`, end: ']' },
};

const cases = Object.keys(places).flatMap((place) =>
  Object.entries(values).map(([name, value]) => ({ place: place as Place, name, value })),
);

test.each(cases)(
  'a line of $name in $place does not end an editor with a heap of 2 GB',
  async ({ place, name, value }) => {
    const measured = await sendLongLine(place, value, lineBytes);
    console.log(
      `${place}, ${name}: ${measured ? `${measured.cpuMs} ms of CPU, ${measured.peakMiB} MiB, ${measured.rules}` : 'ended'}`,
    );
    expect(measured).toBeDefined();
    expect(measured?.cpuMs).toBeLessThan(maxCpuMs);
    expect(measured?.peakMiB).toBeLessThan(maxPeakMiB);
  },
  600_000,
);
