import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inflateSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { calendarPage, teapot } from '../../src/demo/drawings.ts';
import { gitPatch } from '../../src/demo/git-patch.ts';
import { picture } from '../../src/demo/picture.ts';
import { scriptFor, titleOf } from '../../src/demo/script.ts';
import { splitText } from '../../src/demo/split-text.ts';
import { readLines } from '../../src/demo/wire.ts';
import { temporaryFolder } from './temporary-folder.ts';

describe('a patch', () => {
  /** What Git makes of the old text with the patch. */
  function applied(path: string, oldText: string | null, newText: string): string {
    const folder = temporaryFolder();
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    if (oldText !== null) writeFileSync(file, oldText);
    const patch = gitPatch({ type: 'edit', path, oldText, newText });
    // With the first slash stripped, the absolute path is one below the folder.
    execFileSync('git', ['apply', '-p1', '--whitespace=nowarn'], {
      cwd: folder,
      input: patch,
      stdio: 'pipe',
    });
    return readFileSync(file, 'utf8');
  }

  test.each([
    ['/a/b.txt', 'one\ntwo\nthree\n', 'one\n2\nthree\n'],
    ['/a/b.txt', 'one\n', 'one\ntwo\n'],
    ['/a/b.txt', 'one\ntwo\n', 'two\n'],
    ['/a/b.txt', '1\n2\n3\n4\n5\n6\n7\n8\n9\n', '1\n2\n3\n4\nfive\n6\n7\n8\n9\n'],
    ['/a/b.txt', 'no end', 'no end\n'],
    ['/a/b.txt', 'an end\n', 'an end\nand none'],
    ['/a/new.txt', null, 'hello\n'],
    ['/with space/ü "quoted" \\ 世界.txt', 'a\n', 'b\n'],
  ])('of %s is one that Git can apply', (path, oldText, newText) => {
    expect(applied(path, oldText, newText)).toBe(newText);
  });

  test('of any two texts is one that Git can apply', () => {
    const line = fc.constantFrom('a', 'b', 'c', '', ' d', '-e', '+f');
    const content = fc.tuple(fc.array(line, { maxLength: 9 }), fc.boolean());
    const toText = ([lines, ends]: [string[], boolean]): string =>
      lines.join('\n') + (ends && lines.length > 0 ? '\n' : '');
    fc.assert(
      fc.property(content.map(toText), content.map(toText), (oldText, newText) => {
        fc.pre(oldText !== newText && newText !== '');
        expect(applied('/x', oldText, newText)).toBe(newText);
      }),
      { numRuns: 40 },
    );
  });

  test('names the file by its absolute path, without the prefixes of Git', () => {
    const patch = gitPatch({ type: 'edit', path: '/a/b.txt', oldText: 'x\n', newText: 'y\n' });
    expect(patch).toBe('diff --git /a/b.txt /a/b.txt\n--- /a/b.txt\n+++ /a/b.txt\n@@ -1,1 +1,1 @@\n-x\n+y\n');
  });
});

describe('a picture', () => {
  test.each([
    { drawing: calendarPage, width: 16, height: 12 },
    { drawing: teapot, width: 16, height: 10 },
  ])('of $width by $height is a PNG file with these pixels', ({ drawing, width, height }) => {
    const file = Buffer.from(String(picture(drawing)['data']), 'base64');
    const chunks = new Map<string, Buffer>();
    for (let at = 8; at < file.length; ) {
      const length = file.readUInt32BE(at);
      const name = file.toString('latin1', at + 4, at + 8);
      chunks.set(name, file.subarray(at + 8, at + 8 + length));
      expect(file.readUInt32BE(at + 8 + length)).toBe(crc32(file.subarray(at + 4, at + 8 + length)));
      at += 12 + length;
    }
    expect([...chunks.keys()]).toEqual(['IHDR', 'PLTE', 'IDAT', 'IEND']);
    const header = chunks.get('IHDR') ?? Buffer.alloc(0);
    expect([header.readUInt32BE(0), header.readUInt32BE(4)]).toEqual([width, height]);
    // Inflating checks the Adler-32 sum as well.
    const pixels = inflateSync(chunks.get('IDAT') ?? Buffer.alloc(0));
    expect(pixels).toHaveLength((width + 1) * height);
    const colours = Object.keys(drawing.palette);
    const rows = drawing.rows.map((_, row) =>
      [...pixels.subarray(row * (width + 1) + 1, (row + 1) * (width + 1))]
        .map((index) => colours[index])
        .join(''),
    );
    expect(rows).toEqual(drawing.rows);
  });

  /** Written over again with a table, so that one mistake is not made twice. */
  function crc32(bytes: Uint8Array): number {
    const table = Array.from({ length: 256 }, (_, index) => {
      let value = index;
      for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
      return value >>> 0;
    });
    const sum = bytes.reduce((crc, byte) => (table[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8), 0xffffffff);
    return (sum ^ 0xffffffff) >>> 0;
  }
});

describe('the pieces of a text', () => {
  test('are the text, and whole characters each', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
        const pieces = splitText(text);
        expect(pieces.join('')).toBe(text);
        for (const piece of pieces) {
          expect(piece).not.toBe('');
          expect(piece).not.toMatch(/\p{Surrogate}/u);
        }
      }),
    );
  });

  test('are not very many, however long the text', () => {
    expect(splitText('word '.repeat(100_000)).length).toBeLessThan(500);
  });
});

describe('lines', () => {
  test('come whole, however the bytes are cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: fc.constantFrom('a', 'é', '世', '👩‍🍳', '\u2028', '\r') }), {
          maxLength: 6,
        }),
        fc.array(fc.nat(9), { minLength: 1, maxLength: 30 }),
        async (lines, sizes) => {
          const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
          const read: string[] = [];
          for await (const line of readLines(cut(bytes, sizes))) read.push(line);
          expect(read).toEqual(lines);
        },
      ),
    );
  });

  async function* cut(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
    let at = 0;
    for (let index = 0; at < bytes.length; index += 1) {
      const size = 1 + (sizes[index % sizes.length] ?? 0);
      yield bytes.subarray(at, at + size);
      at += size;
    }
  }
});

describe('the script', () => {
  test('follows whole words, in any case and order', () => {
    const acts = (prompt: string): readonly string[] => {
      const script = scriptFor(prompt);
      return script.ending === 'answer' ? script.acts.map(({ act }) => act) : [script.ending];
    };
    expect(acts('hello')).toEqual(['think', 'say']);
    expect(acts('planning an editor that reruns')).toEqual(['think', 'say']);
    expect(acts('Edit the PLAN.')).toEqual(['think', 'plan', 'edit', 'say']);
    expect(acts('/run')).toEqual(['think', 'run', 'say']);
    expect(acts('plan an error')).toEqual(['error']);
    expect(acts('hang on')).toEqual(['silence']);
  });

  test('makes a title of at most sixty characters', () => {
    expect(titleOf('  short \nmore')).toBe('short ');
    expect([...titleOf('👩'.repeat(99))]).toHaveLength(60);
    expect(titleOf('\n ')).toBe('Untitled');
  });
});
