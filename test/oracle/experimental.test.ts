import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { unstableFeatures } from '../../src/core/protocol/feature.ts';
import { officialDefs } from '../support/official-schema.ts';
import { exceptionsOf, versions } from './ours.ts';
import { isStabilized, schemasIn, topics, unstableParts } from './unstable-parts.ts';

const protocol = resolve(import.meta.dirname, '../../src/core/protocol');

/** The schemas of a version, of all files that declare some. */
function schemasOf(version: 1 | 2) {
  const paths = [protocol, `${protocol}/both`, `${protocol}/v${version}`].flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `${folder}/${name}`),
  );
  return new Map(paths.flatMap((path) => [...schemasIn(path)]));
}

/** What has the tag though the published schemas do not call it unstable. */
const besides = exceptionsOf('experimental though the schemas do not call it unstable');

describe.each(versions)('the unstable parts of version %i', (version) => {
  const parts = unstableParts(version).filter((part) => !isStabilized(part));
  const schemas = schemasOf(version);
  const isMarked = (part: string) => {
    const [name = '', member] = part.split('.');
    const schema = schemas.get(name);
    return member === undefined ? schema?.isMarked : schema?.members.get(member);
  };

  test('have the tag @experimental where the library declares them', () => {
    const unmarked = parts.filter((part) => isMarked(part) === false);
    expect(parts.length).toBeGreaterThan(50);
    expect(unmarked).toEqual([]);
  });

  test('are declared if they are members of a definition that the library has', () => {
    const missing = parts.filter((part) => part.includes('.') && isMarked(part) === undefined);
    expect(missing).toEqual([]);
  });

  test('are the only ones with the tag, but for those with a written reason', () => {
    const marked = [...schemas].flatMap(([name, { isMarked, members }]) => [
      ...(isMarked ? [name] : []),
      ...[...members].flatMap(([member, hasTag]) => (hasTag ? [`${name}.${member}`] : [])),
    ]);
    const definitions = officialDefs(version);
    const known = new Set(parts);
    const others = marked.filter((part) => {
      const [name = ''] = part.split('.');
      // All of an unstable definition is unstable.
      return (
        !known.has(part) && !known.has(name) && (Object.hasOwn(definitions, name) || !part.includes('.'))
      );
    });
    expect(others.filter((part) => !besides.includes(part))).toEqual([]);
  });

  test('belong to one topic each', () => {
    const topicsOf = (part: string) =>
      topics.filter(({ parts }) => parts !== undefined && new RegExp(parts).test(part));
    expect(parts.filter((part) => topicsOf(part).length !== 1)).toEqual([]);
  });
});

test('the unstable features are those of the topics', () => {
  expect(new Set(topics.flatMap(({ features }) => features ?? []))).toEqual(unstableFeatures);
});
