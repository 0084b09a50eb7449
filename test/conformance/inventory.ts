import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Item, items, type Version } from './items.ts';

/** A test that says which items it is about: its title begins `[11,12] v1 …`. */
export interface Claim {
  readonly items: readonly number[];
  readonly version: Version;
  /** Relative to this folder. */
  readonly file: string;
}

export interface Inventory {
  readonly claims: readonly Claim[];
  /** Tests that are written and do not run, by file. */
  readonly switchedOff: readonly string[];
}

const folder = import.meta.dirname;

const title = /\(\s*['"`]\[(\d+(?:,\d+)*)\] (v1|v2-markers|v2) /g;

/** Reads the titles of the tests in this folder. */
export function readInventory(): Inventory {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => name.replaceAll('\\', '/'))
    .sort();
  const sources = files.map((file) => ({ file, source: readFileSync(join(folder, file), 'utf8') }));
  return {
    claims: sources.flatMap(({ file, source }) =>
      [...source.matchAll(title)].map(([, numbers = '', version]) => ({
        items: numbers.split(',').map(Number),
        // The expression lets no other version through.
        version: version as Version,
        file,
      })),
    ),
    switchedOff: sources
      .filter(({ source }) => /\b(?:test|describe|it)\.(?:skip|todo|only|fails|skipIf|runIf)\b/.test(source))
      .map(({ file }) => file),
  };
}

/** The files in which an item is tested for a version. */
export function filesFor({ number }: Item, version: Version, { claims }: Inventory): readonly string[] {
  const found = claims.filter((claim) => claim.version === version && claim.items.includes(number));
  return [...new Set(found.map(({ file }) => file))];
}

/** The items that no test is about, as `11 in v1`. */
export function untested(inventory: Inventory): readonly string[] {
  return items.flatMap((item) =>
    item.versions
      .filter((version) => filesFor(item, version, inventory).length === 0)
      .map((version) => `${item.number} in ${version}`),
  );
}

/** The tests that speak of an item which does not exist, or not in that version. */
export function unknown({ claims }: Inventory): readonly string[] {
  return claims.flatMap(({ items: numbers, version, file }) =>
    numbers
      .filter((number) => !items.some((item) => item.number === number))
      .map((number) => `${number} in ${version}: ${file}`),
  );
}
