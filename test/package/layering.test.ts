import { basename, dirname } from 'node:path/posix';
import { describe, expect, test } from 'vitest';
import { agents } from '../../src/agents/list.ts';
import { testedAgents } from '../../src/agents/tested-agents.ts';
import allowed from './allowed.json' with { type: 'json' };
import { expectGenerated, table } from './docs/pages.ts';
import {
  cyclesOf,
  entries,
  files,
  floors,
  folderOf,
  type Import,
  imports,
  rooms,
  sourceOf,
} from './imports.ts';
import { namesOf, typesBelow } from './public-declarations.ts';

const clientArrows: Readonly<Record<string, readonly string[]>> =
  allowed['folders that a folder of client imports from'];

describe('the imports of src', () => {
  test('are found', () => {
    expect(files.length).toBeGreaterThan(60);
    expect(imports.length).toBeGreaterThan(200);
  });

  test('have no cycles, imports of types included', () => {
    expect(cyclesOf(imports)).toEqual([]);
  });

  test('lead to a floor below, or to an earlier room of the same floor', () => {
    const floorOf = (path: string) => path.slice(0, path.indexOf('/'));
    const below = new Map(floors.map((each) => [each.floor, each.below]));
    const between = imports.filter(({ from, to }) => to.endsWith('.ts') && folderOf(from) !== folderOf(to));
    expect(between.length).toBeGreaterThan(1000);
    const up = between.filter(({ from, to }) =>
      floorOf(from) === floorOf(to)
        ? rooms.indexOf(folderOf(to)) > rooms.indexOf(folderOf(from))
        : !below.get(floorOf(from))?.includes(floorOf(to)),
    );
    expect(up).toEqual([]);
  });

  test('are of files that stand in a room', () => {
    expect(files.filter((file) => !rooms.includes(folderOf(file)))).toEqual([]);
    expect(rooms.filter((room) => !files.some((file) => folderOf(file) === room))).toEqual([]);
  });

  test('follow the arrows between the folders of client', () => {
    const within = imports.filter(({ from, to }) =>
      [from, to].every((file) => folderOf(file) === 'core/client'),
    );
    const wrong = within.filter(({ from, to }) => {
      const [folder, target] = [dirname(from), dirname(to)];
      return folder !== target && !clientArrows[folder]?.includes(target);
    });
    expect(wrong).toEqual([]);
  });

  const packages: Readonly<Record<string, readonly string[]>> =
    allowed['rooms that import a package or a module of Node'];

  test('of packages are in few rooms', () => {
    // The languages of highlight.js are 22 modules, and files of Preact are not among those that are read here.
    const isOther = ({ from, to }: Import) =>
      /\.(?:tsx?|css|json)$|\/languages\//.test(to) || from.endsWith('.d.ts') || to === 'valibot';
    const outside = imports.filter((each) => !isOther(each));
    const named = outside.filter(({ to }) => !to.startsWith('node:') || to in packages);
    const found = Object.keys(packages).map((name) => {
      const importers = named.filter(({ to }) => to === name).map(({ from }) => folderOf(from));
      return [name, [...new Set(importers)].sort()];
    });
    expect(Object.fromEntries(found)).toEqual(packages);
    expect(named.filter(({ to }) => !(to in packages))).toEqual([]);
  });

  test('of modules of Node are in what a page never loads', () => {
    const rest = imports
      .filter(({ from, to }) => to.startsWith('node:') && !/^(?:node|agents|programs)\//.test(from))
      .map(({ from }) => from);
    const inRecords = rest.filter((file) => file.startsWith('records/transcripts/'));
    expect(inRecords.length).toBeGreaterThan(0);
    // A page does not load these: package.json leaves them out, or they are loaded when they are used.
    expect([...new Set(rest.filter((file) => !inRecords.includes(file)))].sort()).toEqual([
      'tools/http.ts',
      'tools/private-folder.ts',
      'tools/socket-wire.ts',
      'tools/stdio.ts',
    ]);
  });

  test("of a session's machine are from model and base, so that it is pure", () => {
    const machine = imports.filter(({ from }) => dirname(from) === 'core/client/session/machine');
    expect(machine.length).toBeGreaterThan(20);
    expect(
      machine.filter(
        ({ from, to }) =>
          !['core/model', 'core/base'].includes(folderOf(to)) && dirname(from) !== dirname(to),
      ),
    ).toEqual([]);
  });

  test('do not name an entry of the package', () => {
    expect(imports.filter(({ to }) => entries.has(to))).toEqual([]);
  });
});

describe('the level of an entry', () => {
  const levelOf = (file: string) => /^ \* Level: (stable|preview)\.$/m.exec(sourceOf(file))?.[1];
  const stable = [...entries].filter((file) => levelOf(file) === 'stable');

  test('is stable or preview, as its file says', () => {
    expect([...entries].filter((file) => levelOf(file) === undefined)).toEqual([]);
    expect(stable.map((file) => basename(file, '.ts')).sort()).toEqual(allowed['stable entries']);
  });

  test('is in the table of the readme', () => {
    const element = 'ui/panel-element/panel-element.d.ts';
    const name = (file: string) =>
      `acp-client-sdk/${basename(file).replace(/\..*/, '').replace('schema-', 'schema/')}`.replace(
        '/index',
        '',
      );
    const inOrder = [...entries, element].sort((a, b) => (name(a) < name(b) ? -1 : 1));
    const rows = inOrder.map((file) => {
      const [, first = ''] = /^\/\*\*\n([\s\S]*?\.)(?:\s)/.exec(sourceOf(file)) ?? [];
      return [`\`${name(file)}\``, first.replace(/\s*\* /g, ' ').trim(), levelOf(file) ?? ''];
    });
    const sorted = ['stable', 'preview'].flatMap((level) => rows.filter(([, , of]) => of === level));
    expectGenerated('README.md', 'entries', table(['entry', 'content', 'level'], sorted));
  });

  test('of a stable entry holds for all that its signatures name: nothing of a preview entry is among it', () => {
    /** The rooms that only preview entries export from. */
    const preview = /^(?:ui|tools|records\/transcripts)(?:\/|$)/;
    const previewFiles = [...entries].filter((file) => levelOf(file) === 'preview').flatMap(namesOf);
    expect(previewFiles.filter((name) => preview.test(name)).length).toBeGreaterThan(50);
    const names = stable.flatMap(namesOf);
    const below = [...names, ...typesBelow(names)];
    expect(below.length).toBeGreaterThan(names.length);
    expect(below.filter((name) => preview.test(name))).toEqual([]);
  });
});

describe('what is known about single agents', () => {
  const own = files.flatMap((file) =>
    [...sourceOf(file).matchAll(/^export const \w+: AgentKnowledge = /gm)].map(() => file),
  );

  test('is in agents, in the file of the agent, with what is built on it', () => {
    expect(own.map(folderOf)).toEqual(agents.map(() => 'agents'));
  });

  test('is not in another file, which names none of them, not in a comment either', () => {
    /** Agents about which nothing is known yet. */
    const others = ['cursor-agent', 'goose', 'kilo', 'x\\.ai'];
    const programs = testedAgents.map(({ program }) => program);
    const known = [...agents.flatMap(({ names }) => names), ...programs];
    const stems = own.map((file) => basename(file, '.ts').replace(/-.*/, ''));
    const all = [...known, ...stems, ...others].flatMap((name) => [
      name,
      name.charAt(0).toUpperCase() + name.slice(1),
    ]);
    const name = new RegExp(`\\b(?:${all.join('|')})\\b`);
    const naming = files.filter((file) => folderOf(file) !== 'agents' && name.test(sourceOf(file)));
    // The list only becomes shorter.
    expect(naming).toEqual([]);
  });
});

/** The rooms whose subject is the version. */
const versioned = ['core/protocol', 'programs/demo', 'records/testing', 'records/recording', 'programs/cli'];

test('only protocol, demo, testing, recording and cli compare the version', () => {
  const wrong = files.filter(
    (file) =>
      !versioned.includes(folderOf(file)) &&
      /(?:protocolVersion|dialect(?:\.name)?)\s*[!=]==\s*['\d]/.test(sourceOf(file)),
  );
  expect(wrong).toEqual([]);
});

test('no file has more than 400 lines', () => {
  const lengths = files.map((file) => [file, sourceOf(file).trimEnd().split('\n').length] as const);
  expect(lengths.filter(([, lines]) => lines > 400)).toEqual([]);
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
