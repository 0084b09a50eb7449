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

test('the agent.json of one agent is a registry with one entry', () => {
  expect(read(JSON.stringify(entry('one'))).agents).toHaveLength(1);
});

test('a registry without agents is one', () => {
  expect(read(registryText())).toEqual({ agents: [], problems: [] });
});

test('a byte order mark is ignored', () => {
  expect(read(`\ufeff${registryText(entry('one'))}`).agents).toHaveLength(1);
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

const npx = (name: unknown) => ({ distribution: { npx: { package: name } } });
const uvx = (name: unknown) => ({ distribution: { uvx: { package: name } } });
const launched = (changes: object) => ({ distribution: { npx: { package: 'a', ...changes } } });
const program = (changes: object) => ({
  distribution: { binary: { 'linux-x86_64': { archive: 'https://example.com/a', cmd: 'a', ...changes } } },
});

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
    ['an entry without a distribution', entry('bad', { distribution: undefined }), /distribution is missing/],
    [
      'a distribution that is a text',
      entry('bad', { distribution: 'npx' }),
      /distribution must be an object/,
    ],
    ['a name that is a number', entry('bad', { name: 5 }), /name must be a string; got 5/],
    ['a name that is empty', entry('bad', { name: '' }), /name is empty/],
    ['authors that are a text', entry('bad', { authors: 'me' }), /authors must be an array/],
    ['a version with spaces', entry('bad', { version: '1.2.3 --registry=x' }), /version must be a version/],
    ['a version that is an option', entry('bad', { version: '--x1' }), /version must be a version/],
    ['a version with another package', entry('bad', { version: '1||@x/y' }), /version must be a version/],
    ['a package that is an option', entry('bad', npx('--call=calc')), /distribution\.npx\.package must be/],
    [
      'a package with a scope that is an option',
      entry('bad', npx('@-x/y')),
      /distribution\.npx\.package must be/,
    ],
    ['a package with a command', entry('bad', npx('a; rm -rf ~')), /distribution\.npx\.package must be/],
    ['a package with a substitution', entry('bad', npx('$(id)')), /distribution\.npx\.package must be/],
    [
      'a package with a variable of Windows',
      entry('bad', npx('%PATH%')),
      /distribution\.npx\.package must be/,
    ],
    ['a package with a line feed', entry('bad', npx('a\nb')), /distribution\.npx\.package must be/],
    ['a package that is a directory', entry('bad', npx('../a')), /distribution\.npx\.package must be/],
    ['a package that is an address', entry('bad', npx('https://example.com/a.tgz')), /npx\.package must be/],
    ['a package with a range', entry('bad', npx('a@>=1')), /distribution\.npx\.package must be/],
    ['a package without a name', entry('bad', npx('')), /distribution\.npx\.package must be/],
    ['a Python package that is an option', entry('bad', uvx('--from')), /distribution\.uvx\.package must be/],
    ['a Python package with a command', entry('bad', uvx('a && b')), /distribution\.uvx\.package must be/],
    ['a Python package of git', entry('bad', uvx('git+https://example.com')), /uvx\.package must be/],
    ['arguments that are a text', entry('bad', launched({ args: '--acp' })), /npx\.args must be an array/],
    [
      'an argument with a NUL character',
      entry('bad', launched({ args: ['a\0b'] })),
      /npx\.args\.0 contains a NUL/,
    ],
    [
      'a variable that is a number',
      entry('bad', launched({ env: { A: 1 } })),
      /npx\.env\.A must be a string/,
    ],
    [
      'a variable with "=" in its name',
      entry('bad', launched({ env: { 'A=B': '' } })),
      /npx\.env has a name/,
    ],
    [
      'a program outside of the archive',
      entry('bad', program({ cmd: '../a' })),
      /cmd must be the path of a program/,
    ],
    ['a program outside, with a detour', entry('bad', program({ cmd: 'a/../../b' })), /cmd must be the path/],
    ['a program outside, on Windows', entry('bad', program({ cmd: '..\\a.exe' })), /cmd must be the path/],
    ['a program outside, with a space', entry('bad', program({ cmd: '.. /a' })), /cmd must be the path/],
    ['an absolute program', entry('bad', program({ cmd: '/bin/sh' })), /cmd must be the path/],
    [
      'an absolute program of Windows',
      entry('bad', program({ cmd: 'C:\\Windows\\a.exe' })),
      /cmd must be the path/,
    ],
    ['a program of a drive', entry('bad', program({ cmd: 'C:a.exe' })), /cmd must be the path/],
    [
      'a program on a share',
      entry('bad', program({ cmd: '\\\\host\\share\\a.exe' })),
      /cmd must be the path/,
    ],
    ['a directory as a program', entry('bad', program({ cmd: './bin/' })), /cmd must be the path/],
    [
      'an archive on http',
      entry('bad', program({ archive: 'http://example.com/a' })),
      /archive must be an address/,
    ],
    [
      'an archive without an address',
      entry('bad', program({ archive: 'a.tgz' })),
      /archive must be an address/,
    ],
    [
      'an archive in a file',
      entry('bad', program({ archive: 'file:///a.tgz' })),
      /archive must be an address/,
    ],
    ...['abc', `x${'a'.repeat(64)}`, `${'a'.repeat(64)}x`, 'g'.repeat(64)].map(
      (sha256): [string, unknown, RegExp] => [
        `the checksum ${sha256}`,
        entry('bad', program({ sha256 })),
        /sha256 must be 64 hexadecimal/,
      ],
    ),
  ])('%s', (_title, bad, says) => {
    const { agents, problems } = read(registryText(entry('good'), bad, entry('last')));
    expect(agents.map(({ id }) => id)).toEqual(['good', 'last']);
    expect(agents[0]?.version).toBe('1.2.3');
    expect(problems).toHaveLength(1);
    expect(problems[0]?.message).toMatch(says);
  });
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

test('a program can be in a directory whose name begins or ends with a dot', () => {
  const cmd = './.local/bin./agent';
  expect(read(registryText(entry('one', program({ cmd })))).problems).toEqual([]);
});

test('archives on this machine can use http', () => {
  const archive = 'http://127.0.0.1:8080/a.tgz';
  expect(read(registryText(entry('one', program({ archive })))).problems).toEqual([]);
});

describe('what is not a registry is refused:', () => {
  const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
  test.each<[string, string | Uint8Array, RegExp]>([
    ['nothing', '', /is not JSON/],
    ['a web page', '\n<!doctype html><html>Log in</html>', /it is a web page/],
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
