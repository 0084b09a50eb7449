import { posix, win32 } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { localDialect } from '../../src/core/protocol/local-dialect.ts';
import { pathMap } from '../../src/core/protocol/shared-directories.ts';
import { dialects, versions } from '../oracle/ours.ts';
import { officialDefs } from '../support/official-schema.ts';
import { runs } from '../support/runs.ts';
import { instanceOf, mutationsOf } from '../support/schema-arbitrary.ts';

/** A name that is one name on each system. */
const name = fc
  .oneof(
    fc.constantFrom('a', 'B', 'src', 'ä', '名', '%20', '%2e%2e', '#', '?', '..a', 'a b', '👩‍🍳', '~', '[x]'),
    fc.string({ minLength: 1, maxLength: 6 }),
  )
  .filter((text) => !/[\\/:]|^[. ]+$/.test(text));
const names = fc.array(name, { maxLength: 4 });

const editorRoots = ['C:\\', 'd:\\', '\\\\wsl$\\Ubuntu\\', '\\\\server\\share\\', '/', '/home/me/'];
const agentRoots = ['/', '/mnt/c/', 'E:\\', '\\\\host\\share\\'];

const separatorOf = (root: string) => (root.startsWith('/') ? '/' : '\\');
const under = (root: string, all: readonly string[]) => root + all.join(separatorOf(root));

/** Folders of which none contains another one, with the names of a path in one of them. */
const apart = fc
  .tuple(
    fc.array(fc.tuple(fc.constantFrom(...editorRoots), fc.constantFrom(...agentRoots), names, names), {
      minLength: 1,
      maxLength: 4,
    }),
    fc.nat(),
    names,
  )
  .map(([parts, chosen, rest]) => {
    const folders = parts.map(([editorRoot, agentRoot, editorNames, agentNames], index) => ({
      editor: under(editorRoot, [`folder ${index}`, ...editorNames]),
      agent: under(agentRoot, [`folder ${index}`, ...agentNames]),
    }));
    const folder = folders[chosen % folders.length] ?? { editor: '/', agent: '/' };
    const inside = ({ editor, agent }: typeof folder) => ({
      editor: [editor, ...rest].join(separatorOf(editor)),
      agent: [agent, ...rest].join(separatorOf(agent)),
    });
    return { map: pathMap(folders), ...inside(folder) };
  });

const isWindows = (path: string) => !path.startsWith('/');

describe('a path in a folder of the map', () => {
  test('has one path on the other side, and comes back the same', () => {
    fc.assert(
      fc.property(apart, ({ map, editor, agent }) => {
        expect(map.toAgent(editor)).toBe(agent);
        expect(map.toEditor(agent)).toBe(editor);
      }),
      { numRuns: runs(1000) },
    );
  });

  test('as a URI, names the same file', () => {
    const uriOf = (path: string) => pathToFileURL(path, { windows: isWindows(path) }).href;
    const pathOf = (uri: string, path: string) => fileURLToPath(uri, { windows: isWindows(path) });
    // Node leaves control characters out, and what Windows ignores at the end of a name.
    const plain = apart.filter(({ editor }) => !/\p{Cc}|[. ](?:[\\/]|$)/u.test(editor));
    fc.assert(
      fc.property(plain, ({ map, editor, agent }) => {
        const forAgent = map.toAgent(uriOf(editor));
        expect(pathOf(forAgent, agent)).toBe(agent);
        expect(pathOf(map.toEditor(forAgent), editor)).toBe(editor);
        // The second time, the spelling is the map's own.
        expect(map.toAgent(map.toEditor(forAgent))).toBe(forAgent);
      }),
      { numRuns: runs(1000) },
    );
  });
});

/** Any text, and paths that try to lead somewhere else. */
const hostile = fc.oneof(
  fc.string(),
  fc
    .tuple(
      fc.constantFrom(
        '/',
        '//',
        '/mnt/c/',
        '/mnt/c/work/',
        'file:///',
        'file:///mnt/c/work/',
        'C:\\work\\',
        '',
      ),
      fc.array(
        fc.oneof(
          name,
          fc.constantFrom(
            '..',
            '.',
            '',
            'work',
            'mnt',
            'c',
            ' ',
            '...',
            '.. ',
            '. .',
            '..\\',
            '..\\..',
            '\\',
            'C:',
          ),
          fc.constantFrom(
            '%2e%2e',
            '.%2E',
            '%2F',
            '..%2f..',
            '%5c',
            '..%5C..',
            '%',
            '%00',
            '\t',
            '.\t.',
            '?',
            '#',
          ),
        ),
        { maxLength: 6 },
      ),
      fc.constantFrom('/', '\\'),
    )
    .map(([start, parts, separator]) => start + parts.join(separator)),
);

/** Seen in each run, so that the law is not shown on other paths only. */
const leastChanged = runs(150);

describe('whatever a path is', () => {
  const map = pathMap([{ editor: 'C:\\work', agent: '/mnt/c/work' }]);
  const isIn = (folder: string, path: string) => {
    const { relative, isAbsolute } = isWindows(folder) ? win32 : posix;
    const fromFolder = relative(folder, path);
    return !/^\.\.(?:[\\/]|$)/.test(fromFolder) && !isAbsolute(fromFolder);
  };
  const asPath = (text: string, windows: boolean) => {
    try {
      return /^file:/i.test(text) ? fileURLToPath(text, { windows }) : text;
    } catch {
      return undefined;
    }
  };

  const here = 'C:\\work';
  const there = '/mnt/c/work';
  test.each([
    ['agent', map.toEditor, there, here],
    ['editor', map.toAgent, here, there],
  ] as const)(
    '[security: mapped-paths] it changes only if it is in a directory of the map, and stays in it, from the side of the %s',
    (_, convert, from, to) => {
      let changed = 0;
      fc.assert(
        fc.property(hostile, (given) => {
          const result = convert(given);
          if (result === given) return;
          changed++;
          expect(isIn(from, asPath(given, isWindows(from)) ?? '')).toBe(true);
          const path = asPath(result, isWindows(to)) ?? to;
          expect(isIn(to, path)).toBe(true);
          // Windows would leave these names out.
          if (isWindows(to)) expect(path.split('\\')).not.toContainEqual(expect.stringMatching(/^[. ]+$/));
        }),
        { numRuns: runs(5000) },
      );
      expect(changed).toBeGreaterThan(leastChanged);
    },
  );
});

test('where a folder of the agent is in another one, the way there and back ends at the same file of the agent', () => {
  const map = pathMap([
    { editor: '\\\\wsl$\\Ubuntu', agent: '/' },
    { editor: 'C:\\', agent: '/mnt/c' },
    { editor: 'C:\\me', agent: '/home/me/windows' },
  ]);
  const editor = fc
    .tuple(
      fc.constantFrom('\\\\wsl$\\Ubuntu\\', 'C:\\', 'C:\\me\\', '\\\\wsl$\\Ubuntu\\mnt\\c\\'),
      name,
      names,
    )
    .map(([root, first, rest]) => under(root, [first, ...rest]));
  fc.assert(
    fc.property(editor, (path) => {
      const agent = map.toAgent(path);
      expect(agent).not.toBe(path);
      expect(map.toAgent(map.toEditor(agent))).toBe(agent);
    }),
  );
});

describe.each(versions)('an update of version %i without a path in the map', (version) => {
  const updates = mutationsOf(instanceOf(officialDefs(version), 'SessionUpdate'));
  const map = pathMap([{ editor: 'C:\\elsewhere', agent: '/elsewhere' }]);

  test.each(dialects[version])('is read as without a map ($name)', (dialect) => {
    const local = localDialect(dialect, map);
    fc.assert(
      fc.property(updates, (raw) => {
        expect(local.normalize(raw)).toEqual(dialect.normalize(raw));
      }),
      { numRuns: runs(300) },
    );
  });

  test.each(dialects[version])('keeps the identity of its parts ($name)', (dialect) => {
    const raw = {
      sessionUpdate: 'agent_message_chunk',
      messageId: 'm1',
      content: { type: 'resource_link', name: 'a', uri: 'file:///a' },
    };
    expect(localDialect(dialect, map).normalize(raw).update).toBe(raw);
  });
});
