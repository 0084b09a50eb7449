import { closeSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openTrace } from '../../../../src/programs/cli/agent.ts';

// Windows has no such modes.
test.skipIf(process.platform === 'win32')('only the user can read a trace: it has prompts and files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'acp-trace-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'trace.ndjson');
  closeSync(openTrace(path));
  expect(statSync(path).mode & 0o777).toBe(0o600);
});
