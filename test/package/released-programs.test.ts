import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isAccepted, readRelease, versions } from '../compatibility/releases.ts';
import { compileProject } from './compiler.ts';
import { entries, root } from './entries.ts';

/** Compiles files against the declarations that were built, with the packages of this repository. */
async function compile(files: Readonly<Record<string, string>>): Promise<void> {
  const cache = join(root, 'node_modules/.cache');
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'released-programs-'));
  try {
    for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
    const paths = Object.entries(entries).map(([entry, file]) => [entry, [`${root}/dist/${file}.d.ts`]]);
    const compilerOptions = {
      lib: ['es2023', 'esnext.disposable', 'dom', 'dom.iterable'],
      jsx: 'react-jsx',
      typeRoots: [`${root}/node_modules/@types`],
      paths: Object.fromEntries(paths),
    };
    const tsconfig = {
      extends: `${root}/tsconfig.json`,
      compilerOptions,
      files: Object.keys(files),
      include: [],
    };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig));
    await compileProject(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

test.each(versions)(
  'the programs in the documents of %s compile against these declarations',
  async (version) => {
    const { programs } = readRelease(version);
    const names = Object.keys(programs).filter((name) => !isAccepted(version, name));
    expect(names.length).toBeGreaterThan(40);
    await compile(
      Object.fromEntries(names.map((name) => [name.replaceAll(/[/#]/g, '-'), programs[name] ?? ''])),
    );
  },
);

test('a program that uses a name that does not exist does not compile', async () => {
  const program = "import { connectTwice } from 'acp-client-sdk';\nconnectTwice();\n";
  await expect(compile({ 'program.ts': program })).rejects.toThrow(/connectTwice/);
});
