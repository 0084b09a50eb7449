import { join } from 'node:path';
import { test } from 'vitest';
import { compileProject } from './compiler.ts';
import { root } from './entries.ts';

test('the example in docs/examples/web compiles against the package', async () => {
  await compileProject(join(root, 'docs/examples/web'));
});
