import { basename, dirname } from 'node:path/posix';
import { describe, expect, test } from 'vitest';
import { agents } from '../../src/agents/list.ts';
import { cyclesOf, entries, files, folderOf, imports, sourceOf } from './imports.ts';

/**
 * The folders of `client` that each of them may import from. docs/architecture.md has the rooms that each room imports
 * from, and the packages: its test compares them.
 */
const clientArrows: Readonly<Record<string, readonly string[]>> = {
  'client/calls': [],
  'client/session/machine': [],
  'client/session': ['client/calls', 'client/session/machine'],
  'client/requests': ['client/session'],
  client: ['client/calls', 'client/requests', 'client/session', 'client/session/machine'],
};

describe('the imports of src', () => {
  test('are found', () => {
    expect(files.length).toBeGreaterThan(60);
    expect(imports.length).toBeGreaterThan(200);
  });

  test('have no cycles, imports of types included', () => {
    expect(cyclesOf(imports)).toEqual([]);
  });

  test('have no cycles between rooms', () => {
    const edges = imports
      .filter(({ to }) => to.endsWith('.ts'))
      .map(({ from, to }) => ({ from: folderOf(from), to: folderOf(to) }))
      .filter(({ from, to }) => from !== to && from !== 'entries');
    expect(edges.length).toBeGreaterThan(100);
    expect(cyclesOf(edges)).toEqual([]);
  });

  test('follow the arrows between the folders of client', () => {
    const within = imports.filter(({ from, to }) => [from, to].every((file) => folderOf(file) === 'client'));
    const wrong = within.filter(({ from, to }) => {
      const [folder, target] = [dirname(from), dirname(to)];
      return folder !== target && !clientArrows[folder]?.includes(target);
    });
    expect(wrong).toEqual([]);
  });

  test("of a session's machine are from model and base, so that it is pure", () => {
    const machine = imports.filter(({ from }) => dirname(from) === 'client/session/machine');
    expect(machine.length).toBeGreaterThan(20);
    expect(
      machine.filter(
        ({ from, to }) => !['model', 'base'].includes(folderOf(to)) && dirname(from) !== dirname(to),
      ),
    ).toEqual([]);
  });

  test('do not name an entry of the package', () => {
    expect(imports.filter(({ to }) => entries.has(to))).toEqual([]);
  });
});

describe('what is known about single agents', () => {
  const own = files.filter((file) => /^export const \w+: AgentKnowledge = /m.test(sourceOf(file)));

  test('is in agents, in one file for each', () => {
    expect(own.map(folderOf)).toEqual(agents.map(() => 'agents'));
  });

  test('is not in another file, which names none of them, not in a comment either', () => {
    /** Agents about which nothing is known yet. */
    const others = ['cursor-agent', 'goose', 'kilo', 'x\\.ai'];
    const known = agents.flatMap(({ names, tested }) => (tested ? [...names, tested.program] : names));
    const stems = own.map((file) => basename(file, '.ts').replace(/-.*/, ''));
    const all = [...known, ...stems, ...others].flatMap((name) => [
      name,
      name.charAt(0).toUpperCase() + name.slice(1),
    ]);
    const name = new RegExp(`\\b(?:${all.join('|')})\\b`);
    const naming = files.filter((file) => folderOf(file) !== 'agents' && name.test(sourceOf(file)));
    // The list only becomes shorter.
    expect(naming).toEqual(['agents/registry/published-agents.ts']);
  });

  test('is not imported by the core', () => {
    const core = new Set('base model protocol rpc transport trace conversation render client'.split(' '));
    const wrong = imports.filter(({ from, to }) => core.has(folderOf(from)) && folderOf(to) === 'agents');
    expect(wrong).toEqual([]);
  });
});

test('only protocol, demo, testing, recording and cli compare the version', () => {
  const wrong = files.filter(
    (file) =>
      !['protocol', 'programs/demo', 'testing', 'recording', 'programs/cli'].includes(folderOf(file)) &&
      /(?:protocolVersion|dialect(?:\.name)?)\s*[!=]==\s*['\d]/.test(sourceOf(file)),
  );
  expect(wrong).toEqual([]);
});

describe('the search for cycles', () => {
  const edges = (...pairs: readonly string[]) =>
    pairs.map((pair) => ({ from: pair.charAt(0), to: pair.charAt(1) }));

  test('finds cycles of any length, and several of them', () => {
    expect(cyclesOf(edges('ab', 'bc', 'ca', 'cd', 'de', 'ed', 'ef'))).toEqual([
      ['d', 'e'],
      ['a', 'b', 'c'],
    ]);
    expect(cyclesOf(edges('aa'))).toEqual([['a']]);
  });

  test('accepts a graph in which paths meet', () => {
    expect(cyclesOf(edges('ab', 'ac', 'bd', 'cd', 'de'))).toEqual([]);
  });
});
