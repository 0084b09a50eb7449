import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeDirectory } from '../../../src/node/make-directory.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

describe('makeDirectory', () => {
  test('makes the directories above too, for this user only, and leaves those that exist', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'a'), { mode: 0o755 });
    await makeDirectory(join(folder, 'a', 'b', 'c'));
    await makeDirectory(join(folder, 'a', 'b', 'c'));
    const modes = ['a', 'a/b', 'a/b/c'].map((name) => statSync(join(folder, name)).mode & 0o777);
    if (process.platform !== 'win32') expect(modes).toEqual([0o755, 0o700, 0o700]);
    expect(statSync(join(folder, 'a', 'b', 'c')).isDirectory()).toBe(true);
  });

  test('rejects if a file is in the way', async () => {
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    await expect(makeDirectory(file)).rejects.toMatchObject({ code: 'EEXIST' });
    await expect(makeDirectory(join(file, 'below'))).rejects.toThrow(/ENOTDIR|ENOENT|EEXIST/);
  });

  test.skipIf(process.platform !== 'linux')(
    'rejects below a directory that can have no other one',
    async () => {
      await expect(makeDirectory('/proc/transcripts/a/b')).rejects.toMatchObject({ code: 'ENOENT' });
    },
  );
});
