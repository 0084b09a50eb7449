import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect } from 'vitest';
import { findProgram } from '../../src/node/program-path.ts';

/** Names that a cloned repository could plant, with and without an extension. */
const names = ['npx', 'git', 'node', 'a tool', 'x&y'];
const extensions = ['.CMD', '.EXE', '.bat', ''];

/** A folder with programs of all names, and one with some. */
export function plantPrograms(): { repository: string; tools: string } {
  const base = mkdtempSync(join(tmpdir(), 'acp-programs-'));
  const repository = join(base, 'repository');
  const tools = join(base, 'tools');
  for (const folder of [repository, tools]) {
    mkdirSync(folder);
    for (const name of names)
      for (const extension of extensions) {
        if (folder === tools && name !== 'npx') continue;
        const path = join(folder, name + extension);
        writeFileSync(path, '');
        chmodSync(path, 0o755);
      }
  }
  return { repository, tools };
}

/** A name of a program, and parts of PATH. `<tools>` stands for the folder with tools. */
export const lookup = fc.record({
  name: fc.tuple(fc.constantFrom(...names), fc.constantFrom(...extensions)).map((parts) => parts.join('')),
  path: fc.array(
    fc.constantFrom('', '.', '"."', '..', 'repository', '../repository', '<tools>', '"<tools>"', ' '),
  ),
  pathName: fc.constantFrom('PATH', 'Path', 'path', 'other'),
  pathExtensions: fc.constantFrom('.EXE;.CMD', '.cmd', '', ';', '.EXE;.bat;.CMD'),
});

type Lookup = typeof lookup extends fc.Arbitrary<infer T> ? T : never;

/** Fails if a name of a program leads into the working directory. The names are looked up as on Windows. */
export function lookUp(
  { name, path, pathName, pathExtensions }: Lookup,
  repository: string,
  tools: string,
): void {
  const env = { [pathName]: path.join(';').replaceAll('<tools>', tools), PATHEXT: pathExtensions };
  const found = findProgram(name, env, repository);
  if (found !== undefined) expect(found.startsWith(`${tools}/`), found).toBe(true);
}
