import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LineRange } from '../../../src/node/files/line-range.ts';
import { makeDirectory } from '../../../src/node/files/make-directory.ts';
import { retryWhileBusy } from '../../../src/node/files/replace-file.ts';

const texts = fc
  .array(fc.constantFrom('\n', '\r\n', 'a', 'é', '😀', ' '), { maxLength: 60 })
  .map((parts) => parts.join(''));

/** Selects lines of `text` that arrives in chunks of `size` bytes. */
function pick(text: string, line: number, limit: number, size = 7): string {
  const range = new LineRange(line, limit);
  const bytes = Buffer.from(text);
  for (let index = 0; index < bytes.length && !range.complete; index += size)
    range.push(bytes.subarray(index, index + size));
  const picked = range.bytes();
  expect(picked.length).toBe(range.byteLength);
  return picked.toString();
}

test('it selects whole lines with their line ends', () => {
  const text = 'one\r\ntwo\n\nfour';
  expect(pick(text, 1, 1)).toBe('one\r\n');
  expect(pick(text, 2, 2)).toBe('two\n\n');
  expect(pick(text, 4, 9)).toBe('four');
  expect(pick(text, 3, Number.POSITIVE_INFINITY)).toBe('\nfour');
  expect(pick(text, 5, 1)).toBe('');
  expect(pick(text, 1, 0)).toBe('');
});

test('adjacent ranges join to the text, for any chunk size', () => {
  fc.assert(
    fc.property(
      texts,
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 9 }),
      (text, limit, size) => {
        let whole = '';
        const lineCount = text.split('\n').length;
        for (let line = 1; line <= lineCount; line += limit) whole += pick(text, line, limit, size);
        expect(whole).toBe(text);
      },
    ),
  );
});

test.skipIf(process.platform !== 'linux')(
  'makeDirectory rejects below a directory that can have no other one',
  async () => {
    await expect(makeDirectory('/proc/transcripts/a/b')).rejects.toMatchObject({ code: 'ENOENT' });
  },
);

/** An operation that fails with each of `codes` in turn, and then succeeds. */
function failing(...codes: string[]) {
  let calls = 0;
  const operation = async () => {
    const code = codes[calls++];
    if (code !== undefined) throw Object.assign(new Error(code), { code });
  };
  return { operation, calls: () => calls };
}

test('an operation is repeated while another program uses the file', async () => {
  const { operation, calls } = failing('EPERM', 'EBUSY', 'EACCES');
  await retryWhileBusy(operation, [1, 1, 1]);
  expect(calls()).toBe(4);
});

test('EBUSY is thrown when the file stays in use, whatever Windows answers', async () => {
  const { operation, calls } = failing('EPERM', 'EPERM', 'EPERM', 'EPERM');
  await expect(retryWhileBusy(operation, [1, 1])).rejects.toMatchObject({ code: 'EBUSY' });
  expect(calls()).toBe(3);
});

test('other errors are thrown at once', async () => {
  const { operation, calls } = failing('ENOSPC');
  await expect(retryWhileBusy(operation, [1])).rejects.toMatchObject({ code: 'ENOSPC' });
  expect(calls()).toBe(1);
});
