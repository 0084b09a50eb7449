import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'vitest';
import { linkPackages } from '../support/vscode-example.ts';
import { compileProject } from './compiler.ts';
import { root } from './entries.ts';

test('the example in docs/examples/web compiles against the package, beside that for VS Code', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'acp-web-'));
  try {
    for (const name of ['vscode', 'web']) {
      await cp(join(root, 'docs/examples', name), join(folder, name), { recursive: true });
    }
    await linkPackages(folder, ['@types', 'highlight.js', 'markdown-it', 'react', 'react-dom', 'vite']);
    await compileProject(join(folder, 'web'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
