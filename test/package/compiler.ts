import { execFile } from 'node:child_process';
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
