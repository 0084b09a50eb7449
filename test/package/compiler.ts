import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { root } from './docs/pages.ts';

/** The compilers that users have: the last one that is written in JavaScript, and the native one, which is faster. */
export type Compiler = 'typescript' | 'typescript-native';

/** What a compiler prints about a project: a folder with a `tsconfig.json`. Nothing if it compiles. */
function outputOf(folder: string, compiler: Compiler = 'typescript-native'): Promise<string> {
  const program = join(root, 'node_modules', compiler, 'bin/tsc');
  const args = [program, '--project', folder, '--pretty', 'false'];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: folder }, (error, stdout, stderr) =>
      resolve(error ? stdout || stderr || error.message : ''),
    );
  });
}

/** Compiles a project: a folder with a `tsconfig.json`. An error of the compiler fails the test. */
export async function compileProject(folder: string, compiler?: Compiler): Promise<void> {
  const output = await outputOf(folder, compiler);
  if (output !== '') expect.fail(output);
}

type Files = Readonly<Record<string, string>>;
type Options = Readonly<Record<string, unknown>>;

/** Makes a project of files, with the settings and the packages of this repository, and removes it after its use. */
async function withProject<T>(
  files: Files,
  compilerOptions: Options,
  use: (folder: string) => Promise<T>,
): Promise<T> {
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
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/**
 * Compiles files by themselves, with the settings and the packages of this repository. An error of the compiler fails
 * the test.
 */
export function compileFiles(files: Files, compilerOptions: Options): Promise<void> {
  return withProject(files, compilerOptions, (folder) => compileProject(folder));
}

/** An error of the compiler. */
export interface Fault {
  readonly file: string;
  readonly line: number;
  readonly code: number;
  readonly message: string;
}

/** Compiles files as `compileFiles` does, and resolves to the errors. */
export async function faultsIn(files: Files, compilerOptions: Options): Promise<readonly Fault[]> {
  const output = await withProject(files, compilerOptions, (folder) => outputOf(folder));
  const faults = output.matchAll(/^(\S+?)\((\d+),\d+\): error TS(\d+): (.*(?:\n .*)*)/gm);
  const found = [...faults].map(([, file = '', line, code, message = '']) => ({
    file,
    line: Number(line),
    code: Number(code),
    message,
  }));
  if (output !== '' && found.length === 0) throw new Error(`The compiler failed: ${output}`);
  return found;
}
