import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { root } from './entries.ts';

/** The compilers that users have: the last one that is written in JavaScript, and the native one, which is faster. */
export type Compiler = 'typescript' | 'typescript-native';

/** Compiles a project: a folder with a `tsconfig.json`. An error of the compiler fails the test. */
export async function compileProject(
  folder: string,
  compiler: Compiler = 'typescript-native',
): Promise<void> {
  const program = join(root, 'node_modules', compiler, 'bin/tsc');
  const compiled = promisify(execFile)(process.execPath, [program, '--project', folder, '--pretty', 'false']);
  // The compiler prints its errors on stdout.
  await compiled.catch((error: { readonly stdout: string }) => expect.fail(error.stdout));
}

/**
 * Compiles files by themselves, with the settings and the packages of this repository. An error of the compiler fails
 * the test.
 */
export async function compileFiles(
  files: Readonly<Record<string, string>>,
  compilerOptions: Readonly<Record<string, unknown>>,
): Promise<void> {
  // Inside of the repository, so that the files find its packages.
  const cache = join(root, 'node_modules/.cache');
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'compiled-files-'));
  try {
    for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
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
