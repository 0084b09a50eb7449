import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { InvalidParamsError } from '../../../src/core/base/errors.ts';
import { RequestError } from '../../../src/core/rpc/request-error.ts';
import { type NodeFileSystemOptions, nodeFileSystem } from '../../../src/node/files/file-system.ts';
import { LineRange } from '../../../src/node/files/line-range.ts';
import { makeDirectory } from '../../../src/node/files/make-directory.ts';
import { retryWhileBusy } from '../../../src/node/files/replace-file.ts';
import { isWindows } from '../../process/node/processes.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

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

test.each<[what: string, codes: readonly string[], pausesMs: readonly number[], thrown?: string]>([
  ['is repeated while another program uses the file', ['EPERM', 'EBUSY', 'EACCES'], [1, 1, 1]],
  ['that never ends throws EBUSY, whatever Windows answers', ['EPERM', 'EPERM', 'EPERM'], [1, 1], 'EBUSY'],
  ['with another error is not repeated', ['ENOSPC'], [1], 'ENOSPC'],
])('an operation %s', async (_, codes, pausesMs, thrown) => {
  const failures = [...codes];
  let calls = 0;
  const operation = async () => {
    calls++;
    const code = failures.shift();
    if (code !== undefined) throw Object.assign(new Error(code), { code });
  };
  const repeated = retryWhileBusy(operation, pausesMs);
  await (thrown ? expect(repeated).rejects.toMatchObject({ code: thrown }) : repeated);
  expect(calls).toBe(thrown ? codes.length : codes.length + 1);
});

let root = '';
let path = '';
beforeEach(async () => {
  root = temporaryFolder('acp buffers ');
  path = join(root, 'a.txt');
  await writeFile(path, 'on disk');
});

function files(options: Partial<NodeFileSystemOptions>) {
  return nodeFileSystem({ roots: [root], ...options });
}

const onDisk = () => readFile(path, 'utf8');

describe('writeBuffer', () => {
  test('writes instead of the disk if it returns true', async () => {
    const written: string[][] = [];
    const writeBuffer = (name: string, content: string) => written.push([name, content]) > 0;
    const missing = join(root, 'none', 'b.txt');
    await files({ writeBuffer }).writeTextFile({ path, content: 'new' });
    await files({ writeBuffer }).writeTextFile({ path: missing, content: 'new' });
    expect(written).toEqual([
      [path, 'new'],
      [missing, 'new'],
    ]);
    expect(await onDisk()).toBe('on disk');
    expect(await readdir(root)).toEqual(['a.txt']);
  });

  test('leaves the file to the disk if it returns false', async () => {
    await files({ writeBuffer: async () => false }).writeTextFile({ path, content: 'new' });
    expect(await onDisk()).toBe('new');
  });

  test.skipIf(isWindows)('gets a file under the name in the request and under its own', async () => {
    const link = join(root, 'link');
    await symlink('a.txt', link);
    const asked: string[] = [];
    const { writeTextFile, readTextFile } = files({
      writeBuffer: (name) => asked.push(name) > 2,
      openBuffer: (name) => (name === path ? 'shown' : undefined),
    });
    await writeTextFile({ path: link, content: 'new' });
    expect(asked).toEqual([link, path]);
    expect(await onDisk()).toBe('new');
    expect(await readTextFile({ path: link })).toEqual({ content: 'shown' });
  });

  test.skipIf(isWindows)('is not called for what is refused', async () => {
    const outside = temporaryFolder('acp outside ');
    await mkdir(join(root, 'folder'));
    await symlink(outside, join(root, 'out'));
    const asked: string[] = [];
    const { writeTextFile } = files({ writeBuffer: (name) => asked.push(name) > 0 });
    const refused = [
      { path: join(outside, 'b.txt'), content: '' },
      { path: join(root, 'out', 'b.txt'), content: '' },
      { path: join(root, 'folder'), content: '' },
      { path: 'a.txt', content: '' },
      { path, content: 'a\ud800' },
    ];
    for (const request of refused) {
      await expect(writeTextFile(request)).rejects.toMatchObject({ code: -32602 });
    }
    const withdrawn = writeTextFile({ path, content: 'new' }, { signal: AbortSignal.abort() });
    await expect(withdrawn).rejects.toMatchObject({ code: -32800 });
    expect(asked).toEqual([]);
  });

  test('writes nothing on disk if the request is withdrawn meanwhile', async () => {
    const controller = new AbortController();
    const writeBuffer = () => {
      controller.abort();
      return false;
    };
    const write = files({ writeBuffer }).writeTextFile(
      { path, content: 'new' },
      { signal: controller.signal },
    );
    await expect(write).rejects.toMatchObject({ code: -32800 });
    expect(await onDisk()).toBe('on disk');
  });

  const withCode = (code: string) => Object.assign(new Error(`no ${code}`), { code });
  test.each([
    [new TypeError('It is locked.'), -32603, /^The editor could not write .+a\.txt: It is locked\. /],
    [withCode('NoPermissions'), -32603, /: no NoPermissions\. /],
    [withCode('EACCES'), -32603, /The system denies access/],
    [new RequestError(-32001, 'Not now.'), -32001, /^Not now\.$/],
  ])('answers what it throws: %s', async (error, code, message) => {
    const { writeTextFile } = files({ writeBuffer: () => Promise.reject(error) });
    const answer: unknown = await writeTextFile({ path, content: 'new' }).catch((reason: unknown) => reason);
    expect(answer).toBeInstanceOf(RequestError);
    expect(answer).toMatchObject({ code, message: expect.stringMatching(message) });
    expect(await onDisk()).toBe('on disk');
  });

  test('must say whether it wrote', async () => {
    // Wrong on purpose: a function that forgets to return.
    const { writeTextFile } = files({ writeBuffer: () => undefined as never });
    await expect(writeTextFile({ path, content: 'new' })).rejects.toMatchObject({
      code: -32603,
      message: expect.stringContaining('writeBuffer must return true or false, but returned undefined'),
    });
    expect(await onDisk()).toBe('on disk');
  });
});

describe('a function of the roots', () => {
  test('is called for each request', async () => {
    let roots: string[] = [];
    const { readTextFile, writeTextFile } = files({ roots: () => roots });
    await expect(readTextFile({ path })).rejects.toMatchObject({ code: -32602 });
    await expect(writeTextFile({ path, content: 'new' })).rejects.toMatchObject({ code: -32602 });
    roots = [root];
    await writeTextFile({ path, content: 'new' });
    expect(await readTextFile({ path })).toEqual({ content: 'new' });
  });

  test('can refuse the request', async () => {
    const { readTextFile } = files({
      roots: () => {
        throw new RequestError(-32600, 'The workspace is not trusted.');
      },
    });
    await expect(readTextFile({ path })).rejects.toThrow('The workspace is not trusted.');
  });

  test('is checked', async () => {
    const { readTextFile } = files({ roots: () => ['src'] });
    await expect(readTextFile({ path })).rejects.toThrow(InvalidParamsError);
    await expect(readTextFile({ path })).rejects.toThrow(/roots\.0 must be an absolute path/);
  });
});
