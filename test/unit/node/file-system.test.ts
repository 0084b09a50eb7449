import { execFileSync } from 'node:child_process';
import {
  chmod,
  link,
  mkdir,
  readdir,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { InvalidParamsError } from '../../../src/core/base/errors.ts';
import { RequestError } from '../../../src/core/rpc/request-error.ts';
import { type NodeFileSystemOptions, nodeFileSystem } from '../../../src/node/files/file-system.ts';
import { answerOf, isWindows, until } from '../../process/node/processes.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { letTimePass } from '../../support/time.ts';

let base = '';
/** The folder inside the roots. */
let root = '';
/** A folder outside the roots. */
let outside = '';
let secret = '';

beforeEach(async () => {
  base = temporaryFolder('acp files ');
  root = join(base, 'project');
  outside = join(base, 'project-private');
  secret = join(outside, 'secret.txt');
  await mkdir(root);
  await mkdir(outside);
  await writeFile(secret, 'secret');
});
afterEach(async () => {
  expect(await readFile(secret, 'utf8')).toBe('secret');
  expect(await readdir(outside)).toEqual(['secret.txt']);
});

function files(options: Partial<NodeFileSystemOptions> = {}) {
  return nodeFileSystem({ roots: [root], ...options });
}

describe('reading', () => {
  test('returns the text without changes: line ends, byte order mark and other Unicode characters', async () => {
    const content = '\uFEFFeins\r\nzwei\n\tдва 😀';
    const path = join(root, 'ü file.txt');
    await writeFile(path, content);
    expect(await files().readTextFile({ path })).toEqual({ content });
    expect(await files().readTextFile({ path, line: null, limit: null })).toEqual({ content });
  });

  test('returns the requested lines, counted from 1', async () => {
    const path = join(root, 'lines.txt');
    const lines = Array.from({ length: 100_000 }, (_, index) => `line ${index + 1}\n`);
    await writeFile(path, lines.join(''));
    const read = async (line?: number, limit?: number) =>
      (await files().readTextFile({ path, line, limit })).content;
    expect(await read(1, 1)).toBe('line 1\n');
    expect(await read(0, 1)).toBe('line 1\n');
    expect(await read(77_777, 3)).toBe('line 77777\nline 77778\nline 77779\n');
    expect(await read(99_999)).toBe('line 99999\nline 100000\n');
    expect(await read(undefined, 2)).toBe('line 1\nline 2\n');
    expect(await read(100_001, 5)).toBe('');
    expect(await read(5, 0)).toBe('');
  });

  test.each([
    [{ line: -1 }, /line must be a whole number of at least 1; got -1/],
    [{ limit: 1.5 }, /limit must be a whole number of at least 0; got 1\.5/],
  ])('refuses %o', async (range, message) => {
    const error = await answerOf(files().readTextFile({ path: join(root, 'a'), ...range }));
    expect(error.code).toBe(-32602);
    expect(error.message).toMatch(message);
  });

  test('answers -32002 for a missing file, with its path', async () => {
    const path = join(root, 'none', 'new file.txt');
    const error = await answerOf(files().readTextFile({ path }));
    expect(error.code).toBe(-32002);
    expect(error.data).toEqual({ path, uri: expect.stringMatching(/^file:\/\/.*new%20file\.txt$/) });
  });

  test('answers an empty text with missingFile `empty`, only inside the roots', async () => {
    const { readTextFile } = files({ missingFile: 'empty' });
    expect(await readTextFile({ path: join(root, 'new.txt') })).toEqual({ content: '' });
    expect((await answerOf(readTextFile({ path: join(outside, 'new.txt') }))).code).toBe(-32602);
  });

  test('returns the text that the editor shows, only inside the roots', async () => {
    const path = join(root, 'open.txt');
    const unsaved = join(root, 'unsaved.txt');
    await writeFile(path, 'on disk');
    const buffers = new Map([path, unsaved, secret].map((name) => [name, `shown\nin ${name}`]));
    const { readTextFile } = files({ openBuffer: async (name) => buffers.get(name) });
    expect(await readTextFile({ path: join(root, 'x', '..', 'open.txt') })).toEqual({
      content: `shown\nin ${path}`,
    });
    expect(await readTextFile({ path: unsaved, line: 1, limit: 1 })).toEqual({ content: 'shown\n' });
    await writeFile(join(root, 'closed.txt'), 'on disk');
    expect(await readTextFile({ path: join(root, 'closed.txt') })).toEqual({ content: 'on disk' });
    expect((await answerOf(readTextFile({ path: secret }))).code).toBe(-32602);
  });

  test('passes errors of the editor on', async () => {
    const { readTextFile } = files({
      openBuffer: () => {
        throw new TypeError('a bug in the editor');
      },
    });
    await expect(readTextFile({ path: join(root, 'a') })).rejects.toThrow(
      new TypeError('a bug in the editor'),
    );
  });

  test('refuses a pipe, a folder, and bytes that are not text', async () => {
    const refusal = async (path: string) => (await answerOf(files().readTextFile({ path }))).message;
    const pipe = join(root, 'pipe');
    if (!isWindows) {
      execFileSync('mkfifo', [pipe]);
      expect(await refusal(pipe)).toContain('not a regular file');
    }
    expect(await refusal(root)).toContain('is a directory');
    const binary = join(root, 'binary');
    await writeFile(binary, Buffer.from([0x63, 0x61, 0x66, 0xe9]));
    expect(await refusal(binary)).toContain('not UTF-8 text');
  });

  test('refuses more than the limit, and returns a part', async () => {
    const path = join(root, 'large.txt');
    await writeFile(path, 'x'.repeat(99).concat('\n').repeat(100));
    const { readTextFile } = files({ maxReadBytes: 1000 });
    const error = await answerOf(readTextFile({ path }));
    expect(error.code).toBe(-32602);
    expect(error.message).toContain('line and limit');
    expect((await readTextFile({ path, line: 91 })).content).toHaveLength(1000);
  });
});

describe('a read of a large file', () => {
  /** A file of 1 TiB that needs no space on the disk, and has no line 2. */
  async function sparseFile(): Promise<string> {
    const path = join(root, 'sparse');
    await writeFile(path, 'a');
    await truncate(path, 2 ** 40);
    return path;
  }
  const openFiles = async () => (await readdir('/proc/self/fd')).length;

  test('[reliability: limit-scan] is refused when the lines are further from its start than the limit', async () => {
    const path = await sparseFile();
    const error = await answerOf(files({ maxScanBytes: 2 ** 20 }).readTextFile({ path, line: 2 }));
    expect(error.code).toBe(-32602);
    expect(error.message).toContain('not within its first 1048576 bytes');
    const small = join(root, 'small.txt');
    await writeFile(small, 'a\nb');
    expect(await files({ maxScanBytes: 3 }).readTextFile({ path: small, line: 2 })).toEqual({ content: 'b' });
    const usual = await answerOf(files().readTextFile({ path, line: 2 }));
    expect(usual.message).toContain(`not within its first ${256 * 2 ** 20} bytes`);
  });

  test.skipIf(process.platform !== 'linux')(
    '[reliability: limit-reads] waits while four run, ends when its signal is aborted, and closes the file',
    async () => {
      const path = await sparseFile();
      const before = await openFiles();
      const control = new AbortController();
      const { readTextFile } = files({ maxScanBytes: 2 ** 40 });
      const reads = Array.from({ length: 20 }, () => readTextFile({ path, line: 2 }, control));
      /** How often the file is open. A check of a path opens directories as well. */
      const opened = async () => {
        const links = (await readdir('/proc/self/fd')).map((descriptor) => `/proc/self/fd/${descriptor}`);
        const paths = await Promise.all(links.map((link) => readlink(link).catch(() => '')));
        return paths.filter((each) => each === path).length;
      };
      await until(async () => (await opened()) >= 4);
      for (let look = 0; look < 20; look++) expect(await opened()).toBeLessThanOrEqual(4);
      control.abort();
      const errors = await Promise.all(reads.map(answerOf));
      expect(new Set(errors.map(({ code }) => code))).toEqual(new Set([-32800]));
      expect(await openFiles()).toBeLessThanOrEqual(before);
    },
  );
});

describe('writing', () => {
  test('creates the file and the folders above it', async () => {
    const path = join(root, 'a', 'b c', 'd.txt');
    await files().writeTextFile({ path, content: 'é\r\n' });
    expect(await readFile(path, 'utf8')).toBe('é\r\n');
    expect(await readdir(join(root, 'a', 'b c'))).toEqual(['d.txt']);
  });

  test('replaces the file in one step, with its mode but without the setuid, setgid and sticky bits', async () => {
    const path = join(root, 'script.sh');
    await writeFile(path, 'old');
    await chmod(path, 0o7750);
    await link(path, join(root, 'other name'));
    await files().writeTextFile({ path, content: 'new' });
    expect(await readFile(path, 'utf8')).toBe('new');
    // Windows has only the permission to write.
    expect((await stat(path)).mode & 0o7777).toBe(isWindows ? 0o666 : 0o750);
    // The other hard link still has the old text.
    expect(await readFile(join(root, 'other name'), 'utf8')).toBe('old');
    expect((await readdir(root)).sort()).toEqual(['other name', 'script.sh']);
  });

  test('shows a concurrent reader the old text or the new text', async () => {
    const path = join(root, 'shared.txt');
    const texts = ['a', 'b'].map((letter) => letter.repeat(500_000));
    await writeFile(path, texts[0]!);
    let writing = true;
    const writes = (async () => {
      for (let round = 0; round < 20; round++)
        await files().writeTextFile({ path, content: texts[round % 2]! });
      writing = false;
    })();
    while (writing) {
      expect(texts).toContain(await readFile(path, 'utf8'));
      // Windows does not replace a file while it is open, so the writer needs a moment in which it is not.
      if (isWindows) await letTimePass(20);
    }
    await writes;
  });

  test('leaves nothing behind when it fails', async () => {
    const path = join(root, 'x'.repeat(300));
    expect((await answerOf(files().writeTextFile({ path, content: '' }))).code).toBe(-32602);
    await mkdir(join(root, 'folder'));
    const error = await answerOf(files().writeTextFile({ path: join(root, 'folder'), content: '' }));
    expect(error.message).toContain('is a directory');
    await writeFile(join(root, 'file'), '');
    const below = await answerOf(files().writeTextFile({ path: join(root, 'file', 'a', 'b'), content: '' }));
    expect(below.message).toContain('is a file, not a directory');
    expect((await readdir(root)).sort()).toEqual(['file', 'folder']);
  });

  test('leaves nothing behind when a folder takes the place of the file meanwhile', async () => {
    const path = join(root, 'a.txt');
    const putFolder = async () => {
      await until(async () => (await readdir(root)).length > 0);
      await mkdir(path).catch(() => {});
    };
    // The folder can come too late, after the file was written.
    for (let isRefused = false; !isRefused; ) {
      await rm(path, { recursive: true, force: true });
      const writing = files().writeTextFile({ path, content: 'x'.repeat(2 ** 25) });
      const [outcome] = await Promise.allSettled([writing, putFolder()]);
      isRefused = outcome.status === 'rejected';
      if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(RequestError);
    }
    expect(await readdir(root)).toEqual(['a.txt']);
  });

  test.skipIf(isWindows)('refuses a path that is too long to be read, and creates nothing', async () => {
    const path = join(root, ...Array.from({ length: 30 }, () => 'x'.repeat(200)), 'a.txt');
    const calls = [() => files().writeTextFile({ path, content: '' }), () => files().readTextFile({ path })];
    for (const call of calls) {
      const error = await answerOf(call());
      expect(error.code).toBe(-32602);
      expect(error.message).toContain('too long');
    }
    expect(await readdir(root)).toEqual([]);
  });

  test('keeps the old text when its signal is aborted', async () => {
    const path = join(root, 'a.txt');
    await writeFile(path, 'old');
    const write = files().writeTextFile({ path, content: 'new' }, { signal: AbortSignal.abort() });
    expect((await answerOf(write)).code).toBe(-32800);
    expect(await readFile(path, 'utf8')).toBe('old');
    expect(await readdir(root)).toEqual(['a.txt']);
  });

  test.skipIf(process.getuid?.() === 0)('does not replace a file without write permission', async () => {
    const path = join(root, 'protected');
    await writeFile(path, 'old', { mode: 0o444 });
    expect((await answerOf(files().writeTextFile({ path, content: 'new' }))).code).toBe(-32603);
    expect(await readFile(path, 'utf8')).toBe('old');
  });
});

describe('the roots', () => {
  const read = (path: string) => files().readTextFile({ path });
  const write = (path: string) => files().writeTextFile({ path, content: 'overwritten' });

  test.each([
    ['another folder', () => secret],
    ['a folder whose name begins like the root', () => `${root}-private/secret.txt`],
    ['.. out of the root', () => `${root}/../project-private/secret.txt`],
    ['.. through a folder that is not there', () => `${root}/none/../../project-private/secret.txt`],
    ['a new file outside', () => join(outside, 'new.txt')],
    ['a new folder outside', () => join(outside, 'new', 'new.txt')],
    ['the folder above', () => base],
  ])('[security: links] are enforced against %s', async (_name, path) => {
    for (const call of [read, write]) {
      const error = await answerOf(call(path()));
      expect(error.code).toBe(-32602);
      expect(error.message).toContain('outside the directories');
      expect(error.message).toContain(root);
    }
  });

  test('[security: links] are enforced against links: to a file, to a directory, over several, and to nothing', async () => {
    await symlink(secret, join(root, 'file'));
    await symlink(relative(root, outside), join(root, 'folder'));
    await symlink(join(root, 'folder'), join(root, 'again'));
    await symlink(join(outside, 'new.txt'), join(root, 'nothing'));
    await symlink(join(outside, 'new'), join(root, 'no folder'));
    await symlink('loop', join(root, 'loop'));
    const paths = [
      'file',
      'folder/secret.txt',
      'folder/new.txt',
      'again/secret.txt',
      'nothing',
      'no folder/a/b',
      'loop',
    ];
    for (const path of paths) {
      expect((await answerOf(write(join(root, path)))).code, path).toBe(-32602);
      const error = await answerOf(read(join(root, path)));
      expect([-32602, -32002], path).toContain(error.code);
      expect(error.message).not.toContain(outside);
    }
  });

  test('allow links that stay inside them', async () => {
    await mkdir(join(root, 'real'));
    await writeFile(join(root, 'real', 'a.txt'), 'a');
    await symlink('real', join(root, 'folder'));
    await symlink('real/a.txt', join(root, 'file'));
    expect(await read(join(root, 'folder', 'a.txt'))).toEqual({ content: 'a' });
    await write(join(root, 'file'));
    await write(join(root, 'folder', 'new', 'b.txt'));
    expect(await readFile(join(root, 'real', 'a.txt'), 'utf8')).toBe('overwritten');
    expect(await readFile(join(root, 'real', 'new', 'b.txt'), 'utf8')).toBe('overwritten');
    expect((await readdir(root)).sort()).toEqual(['file', 'folder', 'real']);
  });

  test('can be links, can be several, and can be none', async () => {
    const other = join(base, 'other');
    await mkdir(other);
    await symlink(root, join(base, 'alias'));
    await writeFile(join(root, 'a.txt'), 'a');
    const shared = nodeFileSystem({ roots: [join(base, 'alias'), other, join(base, 'not yet')] });
    expect(await shared.readTextFile({ path: join(base, 'alias', 'a.txt') })).toEqual({ content: 'a' });
    expect(await shared.readTextFile({ path: join(root, 'a.txt') })).toEqual({ content: 'a' });
    await shared.writeTextFile({ path: join(other, 'b.txt'), content: '' });
    const none = nodeFileSystem({ roots: [] });
    expect((await answerOf(none.readTextFile({ path: join(root, 'a.txt') }))).message).toContain('none');
  });

  test('compare names as the file system does', async () => {
    const composed = 'caf\u00e9';
    const decomposed = composed.normalize('NFD');
    await mkdir(join(base, decomposed));
    await mkdir(join(base, 'PROJECT')).catch(() => {});
    const sharing = nodeFileSystem({ roots: [join(base, composed), root] });
    for (const folder of [decomposed, 'PROJECT']) {
      const path = join(base, folder, 'a.txt');
      const isShared = await Promise.all(
        [composed, 'project'].map((name) => realpath(join(base, name)).catch(() => '')),
      ).then(async (shared) => shared.includes(await realpath(join(base, folder))));
      const outcome = await sharing.writeTextFile({ path, content: '' }).then(
        () => true,
        () => false,
      );
      expect(outcome, folder).toBe(isShared);
    }
  });

  test.each<[string, (path: string) => unknown]>([
    ['a file becomes a link', (path) => symlink(secret, path)],
    [
      'its folder becomes a link',
      async (path) => {
        await rm(dirname(path), { recursive: true });
        await symlink(outside, dirname(path));
      },
    ],
    ['a file becomes a pipe', (path) => execFileSync('mkfifo', [path])],
  ])('hold when %s after it was checked', async (what, replace) => {
    if (isWindows && what === 'a file becomes a pipe') return;
    const path = join(root, 'inner', 'secret.txt');
    await mkdir(dirname(path));
    await writeFile(path, 'harmless');
    const { readTextFile } = files({
      // Called between the check of the path and its use.
      openBuffer: async () => {
        await unlink(path);
        await replace(path);
        return undefined;
      },
    });
    expect((await answerOf(readTextFile({ path }))).code).toBe(-32602);
  });

  test('contain folders whose names begin with two dots', async () => {
    const path = join(root, '..foo', 'a.txt');
    await write(path);
    expect(await read(path)).toEqual({ content: 'overwritten' });
  });

  // Other systems have no call that names a file relative to a folder, so a new folder can be created outside.
  test.skipIf(process.platform !== 'linux')(
    '[security: changing-folders] hold while a folder is a link every other moment',
    async () => {
      const inner = join(root, 'inner');
      const aside = join(root, 'aside');
      await mkdir(inner);
      let swapping = true;
      const swaps = (async () => {
        while (swapping) {
          // A write can create a missing folder meanwhile, so each step can fail.
          await rename(inner, aside).catch(() => {});
          await symlink(outside, inner).catch(() => {});
          await rm(inner, { recursive: true, force: true }).catch(() => {});
          await rename(aside, inner).catch(() => {});
        }
      })();
      const outcomes = { written: 0, refused: 0 };
      const { readTextFile, writeTextFile } = files();
      for (let round = 0; round < 300; round++) {
        const path = join(inner, `${round}`, 'secret.txt');
        await writeTextFile({ path, content: 'x' }).then(
          () => outcomes.written++,
          () => outcomes.refused++,
        );
        const text = await readTextFile({ path: join(inner, 'secret.txt') }).catch(() => undefined);
        expect(text).toBeUndefined();
      }
      swapping = false;
      await swaps;
      expect(outcomes.written + outcomes.refused).toBe(300);
      // afterEach checks the folder outside.
    },
  );

  test('leave no file open', async (context) => {
    const open = async () => (await readdir('/proc/self/fd').catch(() => context.skip())).length;
    const path = join(root, 'deep', 'er', 'a.txt');
    await write(path);
    const before = await open();
    for (let round = 0; round < 20; round++) {
      await write(path);
      await read(path);
      await answerOf(read(secret));
      await answerOf(write(join(path, 'below')));
    }
    expect(await open()).toBeLessThanOrEqual(before + 2);
  });
});

describe('paths and options', () => {
  test.each<[string, readonly string[], (name: string) => string]>([
    ['relative', ['a.txt', './a.txt', '', `..${sep}a.txt`], (name) => name],
    ['names a directory', ['a.txt/', 'a.txt//', 'a.txt/.', 'none/', 'none/..'], (name) => `${root}/${name}`],
    ['unpaired surrogate', ['a\ud800', 'a\udc00b'], (name) => join(root, name)],
    ['', ['a\0b'], (name) => `${root}/${name}`],
  ])('a path is refused: %s', async (says, names, pathOf) => {
    await writeFile(join(root, 'a.txt'), 'a');
    for (const path of names.map(pathOf)) {
      for (const call of [files().readTextFile({ path }), files().writeTextFile({ path, content: '' })]) {
        const error = await answerOf(call);
        expect(error.code, path).toBe(-32602);
        expect(error.message, path).toContain(says);
      }
    }
    expect(await readdir(root)).toEqual(['a.txt']);
  });

  test('a content that is not valid Unicode is refused', async () => {
    const path = join(root, 'a.txt');
    const error = await answerOf(files().writeTextFile({ path, content: 'a\ud800b' }));
    expect(error.message).toContain('unpaired surrogate');
    expect(await readdir(root)).toEqual([]);
    await files().writeTextFile({ path, content: '😀' });
    expect(await readFile(path, 'utf8')).toBe('😀');
  });

  test.each([
    ['a relative root', { roots: ['src'] }, /roots.0 must be an absolute path, such as .+; got "src"/],
    ['no roots', {}, /roots is missing/],
    ['an unknown option', { roots: [], root: '/' }, /root is not an option: use one of roots, openBuffer/],
    ['an unknown answer', { roots: [], missingFile: 'null' }, /must be one of error, empty; got "null"/],
  ])('%s throws at once', (_name, options, message) => {
    // Wrong on purpose: a caller without types can pass this.
    const make = () => nodeFileSystem(options as never);
    expect(make).toThrow(InvalidParamsError);
    expect(make).toThrow(message);
  });
});

describe('requests for one file', () => {
  const orders = {
    'on disk': {},
    'in the editor': { openBuffer: () => undefined },
    'with an editor that is slow with short texts': {
      writeBuffer: async (_: string, content: string) => {
        for (let turn = 0; turn < (content.length < 10 ? 20 : 1); turn++) await new Promise(setImmediate);
        return false;
      },
    },
  } as const satisfies Readonly<Record<string, Partial<NodeFileSystemOptions>>>;

  test.each(Object.entries(orders))(
    'are served in the order in which they arrive, %s',
    async (_, options) => {
      const { readTextFile, writeTextFile } = files(options);
      await symlink(root, join(base, 'link'));
      await writeFile(join(root, 'a.txt'), '');
      await symlink('a.txt', join(root, 'b.txt'));
      const spellings = ['a.txt', 'b.txt', './x/../a.txt'];
      const pathOf = (index: number) => `${root}/${spellings[index % spellings.length]}`;
      for (let round = 0; round < 10; round++) {
        // A long text takes longer to write.
        const texts = ['A'.repeat(3_000_000), 'B', 'C'.repeat(100_000), 'D'];
        const reads = texts.map((content, index) => {
          void writeTextFile({ path: pathOf(index), content });
          return readTextFile({ path: pathOf(index + 1) });
        });
        const found = await Promise.all(reads);
        expect(found.map(({ content }) => content[0])).toEqual(['A', 'B', 'C', 'D']);
        expect(await readFile(join(root, 'a.txt'), 'utf8')).toBe('D');
      }
    },
  );

  test('that does not exist yet are too, and a request that fails holds up none', async () => {
    const { readTextFile, writeTextFile } = files();
    const path = join(root, 'new', 'deep', 'file.txt');
    const missing = readTextFile({ path });
    const writes = Array.from({ length: 20 }, (_, index) => writeTextFile({ path, content: `${index}` }));
    await expect(missing).rejects.toMatchObject({ code: -32002 });
    await Promise.all(writes);
    expect((await readTextFile({ path })).content).toBe('19');
  });

  test('that were withdrawn while they waited do nothing', async () => {
    const { writeTextFile, readTextFile } = files();
    const path = join(root, 'a.txt');
    const control = new AbortController();
    const first = writeTextFile({ path, content: 'A'.repeat(1_000_000) });
    const withdrawn = writeTextFile({ path, content: 'B' }, { signal: control.signal });
    control.abort();
    await expect(withdrawn).rejects.toMatchObject({ message: 'The agent withdrew its request.' });
    await first;
    expect((await readTextFile({ path })).content[0]).toBe('A');
  });
});
