import { expect, test } from 'vitest';
import { makeDirectory } from '../../../src/node/files/make-directory.ts';

test.skipIf(process.platform !== 'linux')(
  'makeDirectory rejects below a directory that can have no other one',
  async () => {
    await expect(makeDirectory('/proc/transcripts/a/b')).rejects.toMatchObject({ code: 'ENOENT' });
  },
);
