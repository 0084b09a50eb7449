import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';

function newFolder(prefix: string, atEnd: (remove: () => void) => void): string {
  const folder = realpathSync.native(mkdtempSync(join(tmpdir(), prefix)));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The real path of a folder that is gone after the test. */
export const temporaryFolder = (prefix = 'acp-test-') => newFolder(prefix, onTestFinished);

/** The real path of a folder that is gone after all tests of the file. To call outside of a test. */
export const sharedFolder = (prefix = 'acp-test-') => newFolder(prefix, afterAll);
