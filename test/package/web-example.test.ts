import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { root } from './entries.ts';

test('the example in docs/examples/web compiles against the package', async () => {
  const args = ['node_modules/typescript/bin/tsc', '-p', 'docs/examples/web', '--pretty', 'false'];
  const compiled = promisify(execFile)(process.execPath, args, { cwd: root });
  // What the compiler has to say stands on stdout.
  await compiled.catch((error: { readonly stdout: string }) => expect.fail(error.stdout));
});
