import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findProgram } from '../../../src/node/program-path.ts';
import { unhandledErrors } from '../../support/unhandled-errors.ts';
import { recordings } from '../corpus.ts';
import { foldDamage } from '../fold.ts';
import { giants, surviveGiants } from '../giants.ts';
import { damage } from '../mutations.ts';
import { pace, start, step, surviveStarts, surviveStorm } from '../storms.ts';

/** Names that a cloned repository could plant, with and without an extension. */
const names = ['npx', 'git', 'node', 'a tool', 'x&y'];
const extensions = ['.CMD', '.EXE', '.bat', ''];

/** A folder with programs of all names, and one with some. */
function plantPrograms(): { repository: string; tools: string } {
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
const lookup = fc.record({
  name: fc.tuple(fc.constantFrom(...names), fc.constantFrom(...extensions)).map((parts) => parts.join('')),
  path: fc.array(
    fc.constantFrom('', '.', '"."', '..', 'repository', '../repository', '<tools>', '"<tools>"', ' '),
  ),
  pathName: fc.constantFrom('PATH', 'Path', 'path', 'other'),
  pathExtensions: fc.constantFrom('.EXE;.CMD', '.cmd', '', ';', '.EXE;.bat;.CMD'),
});

type Lookup = typeof lookup extends fc.Arbitrary<infer T> ? T : never;

/** Fails if a name of a program leads into the working directory. The names are looked up as on Windows. */
function lookUp({ name, path, pathName, pathExtensions }: Lookup, repository: string, tools: string): void {
  const env = { [pathName]: path.join(';').replaceAll('<tools>', tools), PATHEXT: pathExtensions };
  const found = findProgram(name, env, repository);
  if (found !== undefined) expect(found.startsWith(`${tools}/`), found).toBe(true);
}

const seed = Number(process.env['FC_SEED'] ?? Date.now() % 2 ** 31);
const hourMs = 3600_000;

test(
  'lines of many megabytes, with long, wide and deep values, do no harm',
  async () => {
    const unhandled = unhandledErrors();
    const lines = giants(10);
    for (const line of lines) await surviveGiants([line]);
    expect(unhandled).toEqual([]);
    console.log(`${lines.length} lines of 10 MiB`);
  },
  hourMs,
);

test(
  'damaged updates are read by each dialect and folded without a connection',
  () => {
    let updates = 0;
    for (const recording of recordings) {
      const property = fc.property(
        fc.array(damage, { minLength: 100, maxLength: 400, size: 'max' }),
        (damages) => {
          updates += damages.length;
          foldDamage(recording, damages);
        },
      );
      fc.assert(property, { numRuns: 50, seed });
    }
    console.log(`seed ${seed}: ${updates} updates folded`);
  },
  hourMs,
);

test(
  'storms of requests, withdrawn or not, end with the connection',
  async () => {
    const unhandled = unhandledErrors();
    let terminals = 0;
    const property = fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 40, size: 'max' }),
      pace,
      async (steps, pace) => {
        terminals += (await surviveStorm(steps, pace)).terminals;
      },
    );
    await fc.assert(property, { numRuns: 40, seed, endOnFailure: true });
    expect(unhandled).toEqual([]);
    console.log(`seed ${seed}: 40 storms with ${terminals} terminals`);
  },
  hourMs,
);

test(
  'agents that do not start, or hang while they do, do not block connect or close',
  async () => {
    const unhandled = unhandledErrors();
    const property = fc.asyncProperty(
      fc.array(start, { minLength: 1, maxLength: 5 }),
      fc.constantFrom(0, 1, 5, 50, 200),
      surviveStarts,
    );
    await fc.assert(property, { numRuns: 300, seed });
    expect(unhandled).toEqual([]);
    console.log(`seed ${seed}: 300 connections`);
  },
  hourMs,
);

test('a name of a program never leads into the working directory', async () => {
  const { repository, tools } = plantPrograms();
  const before = process.cwd();
  process.chdir(repository);
  try {
    const property = fc.property(lookup, (each) => lookUp(each, repository, tools));
    fc.assert(property, { numRuns: 5000, seed });
  } finally {
    process.chdir(before);
    await rm(dirname(repository), { recursive: true });
  }
  console.log(`seed ${seed}: 5000 names`);
});
