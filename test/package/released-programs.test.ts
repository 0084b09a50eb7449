import { expect, test } from 'vitest';
import { isAccepted, readRelease, versions } from '../compatibility/releases.ts';
import { compileFiles } from './compiler.ts';
import { entries, root } from './entries.ts';

/** Compiles files against the declarations that were built. */
function compile(files: Readonly<Record<string, string>>): Promise<void> {
  const paths = Object.entries(entries).map(([entry, file]) => [entry, [`${root}/dist/${file}.d.ts`]]);
  return compileFiles(files, {
    lib: ['es2023', 'esnext.disposable', 'dom', 'dom.iterable'],
    jsx: 'react-jsx',
    typeRoots: [`${root}/node_modules/@types`],
    paths: Object.fromEntries(paths),
  });
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
