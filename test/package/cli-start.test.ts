import { resolve } from 'node:path';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../..');

/** The files that a program loads before it runs, so without those of `import()`. Paths below the repository. */
async function loadedAtStart(program: string): Promise<readonly string[]> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [program],
    bundle: true,
    write: false,
    metafile: true,
    splitting: true,
    outdir: root,
    format: 'esm',
    platform: 'node',
    logLevel: 'error',
  });
  const loaded = new Set([program]);
  for (const file of loaded) {
    for (const { kind, path } of metafile.inputs[file]?.imports ?? []) {
      if (kind === 'import-statement' && path in metafile.inputs) loaded.add(path);
    }
  }
  return [...loaded];
}

test('the command line loads no command and no connection for help and wrong usage', async () => {
  const loaded = await loadedAtStart('src/programs/cli/index.ts');
  expect(loaded).toContain('src/programs/cli/help.ts');
  const part =
    /^src\/(?:cli\/commands|core\/(?:client|protocol|rpc|transport)|node|agents|records\/testing)\//;
  expect(loaded.filter((file) => part.test(file))).toEqual([]);
  const packages = loaded.map((file) => /^node_modules\/([^/]+)/.exec(file)?.[1]).filter(Boolean);
  expect(packages).toEqual([]);
});
