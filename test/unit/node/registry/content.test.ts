import { describe, expect, test } from 'vitest';
import { readContent } from '../../../../src/agents/registry/content.ts';
import { entry, registryText } from '../../../support/registry-server.ts';

const read = (text: string) => readContent(Buffer.from(text));

test('an entry becomes plain data, without what the registry does not define', () => {
  const binary = {
    'linux-x86_64': {
      archive: 'https://example.com/one.tar.gz',
      sha256: '0a'.repeat(32),
      cmd: './bin/one',
      args: ['acp'],
      env: { QUIET: '1' },
      size: 5,
    },
    'plan9-mips': { archive: 'x', cmd: 'y' },
  };
  const { agents, problems } = read(
    registryText(
      entry('one', {
        repository: 'https://example.com/one',
        website: 'http://one.example.com',
        license: 'MIT',
        license_url: 'https://example.com/license',
        icon: 'https://example.com/one.svg',
        authors: ['One Ltd'],
        distribution: { binary, docker: { image: 'one' } },
        popularity: 5,
      }),
    ),
  );
  expect(problems).toEqual([]);
  expect(agents).toStrictEqual([
    {
      id: 'one',
      name: 'ONE',
      version: '1.2.3',
      description: 'An agent.',
      repository: 'https://example.com/one',
      website: 'http://one.example.com',
      license: 'MIT',
      licenseUrl: 'https://example.com/license',
      icon: 'https://example.com/one.svg',
      authors: ['One Ltd'],
      distribution: {
        binary: {
          'linux-x86_64': {
            archive: 'https://example.com/one.tar.gz',
            sha256: '0a'.repeat(32),
            cmd: './bin/one',
            args: ['acp'],
            env: { QUIET: '1' },
          },
        },
      },
    },
  ]);
  expect(structuredClone(agents)).toEqual(agents);
});

test('an entry needs an id and a distribution only', () => {
  const { agents } = read(registryText({ id: 'one-2', distribution: { uvx: { package: 'one' } } }));
  expect(agents).toStrictEqual([
    { id: 'one-2', name: 'one-2', authors: [], distribution: { uvx: { package: 'one' } } },
  ]);
});

test.each([
  ['the agent.json of one agent', JSON.stringify(entry('one')), ['one']],
  ['a list without agents', registryText(), []],
  ['a text with a byte order mark', `\ufeff${registryText(entry('one'))}`, ['one']],
])('%s is a registry', (_, text, ids) => {
  const { agents, problems } = read(text);
  expect([agents.map(({ id }) => id), problems]).toEqual([ids, []]);
});

test('addresses that do not begin with https or http are left out', () => {
  const { agents } = read(
    registryText(
      entry('one', { website: 'javascript:alert(1)', icon: './icon.svg', repository: 'file:///etc' }),
    ),
  );
  expect(agents[0]).not.toHaveProperty('website');
  expect(agents[0]).not.toHaveProperty('icon');
  expect(agents[0]).not.toHaveProperty('repository');
});

const launched = (changes: object) => ({ distribution: { npx: { package: 'a', ...changes } } });
const program = (changes: object) => ({
  distribution: { binary: { 'linux-x86_64': { archive: 'https://example.com/a', cmd: 'a', ...changes } } },
});

/** A registry whose second entry is malformed. */
function expectRefused(bad: unknown, says: RegExp): void {
  const { agents, problems } = read(registryText(entry('good'), bad, entry('last')));
  expect(agents.map(({ id }) => id)).toEqual(['good', 'last']);
  expect(agents[0]?.version).toBe('1.2.3');
  expect(problems).toHaveLength(1);
  expect(problems[0]?.message).toMatch(says);
}

describe('[security: registry-entries] a malformed entry is left out and listed, and the others stay:', () => {
  test.each<[string, unknown, RegExp]>([
    ['null', null, /the entry must be an object; got null/],
    ['a text', 'one', /the entry must be an object/],
    ['an entry without an id', { ...entry('bad'), id: undefined }, /id is missing/],
    ['an id that is a number', entry('bad', { id: 7 }), /id must be a string; got 7/],
    ['an id that is empty', entry('bad', { id: '' }), /id must be lowercase letters/],
    ['__proto__', entry('__proto__'), /id must be lowercase letters.+got "__proto__"/],
    ['constructor as an id of a class', entry('Constructor'), /id must be lowercase/],
    ['../x', entry('../x'), /id must be lowercase/],
    ['an id with an escape sequence', entry('a\u001b[2J'), /id must be lowercase/],
    ['an id that is very long', entry('a'.repeat(200)), /id must be lowercase/],
    ['the id of another entry', entry('good'), /has the id of another entry/],
  ])('%s', (_title, bad, says) => expectRefused(bad, says));

  test.each<[object, RegExp]>([
    [{ distribution: undefined }, /distribution is missing/],
    [{ distribution: 'npx' }, /distribution must be an object/],
    [{ name: 5 }, /name must be a string; got 5/],
    [{ name: '' }, /name is empty/],
    [{ authors: 'me' }, /authors must be an array/],
    [{ version: '1.2.3 --registry=x' }, /version must be a version/],
    [{ version: '--x1' }, /version must be a version/],
    [{ version: '1||@x/y' }, /version must be a version/],
    [launched({ args: '--acp' }), /npx\.args must be an array/],
    [launched({ args: ['a\0b'] }), /npx\.args\.0 contains a NUL/],
    [launched({ env: { A: 1 } }), /npx\.env\.A must be a string/],
    [launched({ env: { 'A=B': '' } }), /npx\.env has a name/],
  ])('%j', (changes, says) => expectRefused(entry('bad', changes), says));

  test.each([
    // Options, commands, what a shell replaces, and places.
    ...['', '--call=calc', '-g', '@-x/y', 'a b', 'a; rm -rf ~', 'a@1.0.0&calc', '$(id)', '%PATH%', 'a\nb'],
    ...['../a', 'https://example.com/a.tgz', 'a@>=1'],
    // npm takes these for files in the working directory.
    ...['agent.tgz', 'agent.TAR.GZ', '@example/agent.tar', 'agent@agent.tgz', 'agent@1.0.tar.gz'],
    'agent.tgz@1.0.0',
  ])('the npm package %j', (name) =>
    expectRefused(
      entry('bad', launched({ package: name })),
      /distribution\.npx\.package must be the name of/,
    ),
  );

  test.each(['--from', 'a && b', 'git+https://example.com'])('the Python package %j', (name) => {
    const distribution = { uvx: { package: name } };
    expectRefused(entry('bad', { distribution }), /distribution\.uvx\.package must be the name of/);
  });

  test.each([
    ...['../a', 'a/../../b', '..\\a.exe', '.. /a', '.', './bin/', '/bin/sh'],
    ...['C:\\Windows\\a.exe', 'C:a.exe', '\\\\host\\share\\a.exe'],
  ])('the program %j, which is not in the archive', (cmd) =>
    expectRefused(entry('bad', program({ cmd })), /cmd must be the path of a program/),
  );

  test.each(['http://example.com/a', 'a.tgz', 'file:///a.tgz'])('the archive at %j', (archive) =>
    expectRefused(entry('bad', program({ archive })), /archive must be an address/),
  );

  test.each(['abc', `x${'a'.repeat(64)}`, `${'a'.repeat(64)}x`, 'g'.repeat(64)])(
    'the checksum %j',
    (sha256) => expectRefused(entry('bad', program({ sha256 })), /sha256 must be 64 hexadecimal/),
  );
});

test('the problem names the entry by its id, or by its place, without control characters', () => {
  const { problems } = read(
    registryText(entry('good'), entry('a\u001b[2Jb'), {}, entry(''), entry('bad', { version: 'x' })),
  );
  expect(problems.map((problem) => problem.entry)).toEqual(['ab', 'agents[2]', 'agents[3]', 'bad']);
  expect(problems.map(({ message }) => message).join('')).not.toContain('\u001b');
});

test('only the first problem of an entry is listed, however many it has', () => {
  const { problems } = read(
    registryText(entry('good'), entry('bad', launched({ args: Array(1000).fill(1) }))),
  );
  expect(problems).toEqual([
    { entry: 'bad', message: 'distribution.npx.args.0 must be a string; got a number' },
  ]);
});

test.each([{ cmd: './.local/bin./agent' }, { archive: 'http://127.0.0.1:8080/a.tgz' }])(
  'a program in an archive can have %j',
  (changes) => expect(read(registryText(entry('one', program(changes)))).problems).toEqual([]),
);

describe('what is not a registry is refused:', () => {
  const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
  test.each<[string, string | Uint8Array, RegExp]>([
    ['nothing', '', /is not JSON/],
    ['a web page', '\n<!doctype html><html>Log in</html>', /it is a web page, such as the login/],
    ['a part of JSON with a tag', '{"a":"<b>"', /is not JSON/],
    ['JSON that ends too early', registryText(entry('one')).slice(0, -5), /is not JSON/],
    ['deep nesting', deep, /it is an array/],
    ['deep nesting that does not end', '[{"a":'.repeat(100_000), /is not JSON/],
    ['deep nesting in place of the agents', `{"agents":{"a":${deep}}}`, /without a list of agents/],
    ['null', 'null', /^is not a registry: it is null$/],
    ['a number', '7', /it is a number/],
    ['agents that are an object', '{"agents":{}}', /without a list of agents/],
    ['an object without agents', '{"version":"1.0.0"}', /without a list of agents/],
    ['only malformed entries', registryText({}, 5), /no entry that can be used: agents\[0\]: id is missing/],
    ['too many entries', registryText(...Array.from({ length: 10_001 }, () => 0)), /10001 entries/],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), /not text in UTF-8/],
    ['UTF-16', Buffer.from(registryText(entry('one')), 'utf16le'), /is not/],
  ])('%s', (_title, content, says) => {
    expect(() => readContent(Buffer.from(content))).toThrow(says);
  });
});

test('[reliability: limit-registry] a registry has at most 10,000 entries', () => {
  const most = [entry('one'), ...Array.from({ length: 9999 }, () => 0)];
  expect(read(registryText(...most)).agents).toHaveLength(1);
  expect(() => read(registryText(...most, 0))).toThrow('has 10001 entries, and at most 10000 are read');
});

test('nesting in an entry is not followed', () => {
  const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
  const text = `{"agents":[{"id":"one","distribution":{},"more":${deep}},{"id":"two","distribution":${deep}}]}`;
  expect(read(text).agents.map(({ id }) => id)).toEqual(['one', 'two']);
});
