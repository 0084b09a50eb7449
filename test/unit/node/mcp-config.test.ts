// biome-ignore-all lint/suspicious/noTemplateCurlyInString: These are the variables of configuration files.
import { chmod, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { mcpServersFromConfig } from '../../../src/node/files/mcp-config.ts';
import { sharedFolder } from '../../support/temporary-folder.ts';

const folder = sharedFolder('acp-mcp-');
const program = join(folder, process.platform === 'win32' ? 'tool.exe' : 'tool');
beforeAll(async () => {
  await writeFile(program, '');
  await chmod(program, 0o755);
});

const env = () => ({ PATH: folder, TOKEN: 'secret' });
const read = (mcpServers: object, options: object = {}) =>
  mcpServersFromConfig(JSON.parse(JSON.stringify({ mcpServers })), { env: env(), ...options });

describe('MCP servers of a configuration', () => {
  test('are read from mcpServers, with commands of PATH', async () => {
    const { servers, skipped } = await read({
      files: { command: 'tool', args: ['--root', '.'], env: { LEVEL: '1' } },
      bare: { command: program },
    });
    expect(servers).toEqual([
      { name: 'files', command: program, args: ['--root', '.'], env: [{ name: 'LEVEL', value: '1' }] },
      { name: 'bare', command: program, args: [], env: [] },
    ]);
    expect(skipped).toEqual([]);
  });

  test.each([
    ['win32', 'C:\\Windows'],
    ['linux', ''],
  ])('have the variables of %s, whose names differ in capitals', async (platform, value) => {
    const own = Object.getOwnPropertyDescriptor(process, 'platform') ?? {};
    onTestFinished(() => void Object.defineProperty(process, 'platform', own));
    Object.defineProperty(process, 'platform', { value: platform });
    const url = 'https://example.com/mcp';
    const headers = { A: '${env:SYSTEMROOT}', B: '${SYSTEMROOT:-}', C: '${env:constructor}' };
    const { servers } = await read({ web: { url, headers } }, { env: { SystemRoot: 'C:\\Windows' } });
    expect(servers).toMatchObject([{ headers: [{ value }, { value }, { value: '' }] }]);
  });

  test('are read from a file with servers, comments and trailing commas', async () => {
    const file = join(folder, 'mcp.json');
    await writeFile(
      file,
      `\uFEFF{
        // The inputs are asked for.
        "inputs": [{ "id": "key", "type": "promptString", }],
        "servers": { /* all of them */
          "web": { "type": "http", "url": "https://example.com//mcp", "headers": { "X-Key": "\${input:key}, \\"x\\"" }, },
          "old": { "type": "sse", "url": "https://example.com/sse" },
        },
      }`,
    );
    const { servers } = await mcpServersFromConfig(file, { inputs: { key: 'k1' } });
    expect(servers).toEqual([
      {
        type: 'http',
        name: 'web',
        url: 'https://example.com//mcp',
        headers: [{ name: 'X-Key', value: 'k1, "x"' }],
      },
      { type: 'sse', name: 'old', url: 'https://example.com/sse', headers: [] },
    ]);
  });

  test.each([
    ['${env:TOKEN}', 'secret'],
    ['${env:MISSING}', ''],
    ['${TOKEN}', 'secret'],
    ['${MISSING:-else}', 'else'],
    ['${userHome}/x', `${homedir()}/x`],
    ['${workspaceFolder}/x', '/project/x'],
    ['a ${TOKEN} b ${TOKEN}', 'a secret b secret'],
    ['$TOKEN', '$TOKEN'],
  ])('have the variable %s replaced', async (given, value) => {
    const { servers } = await read(
      { one: { command: 'tool', args: [given] } },
      { workspaceFolder: '/project' },
    );
    expect(servers).toMatchObject([{ args: [value] }]);
  });

  const url = 'https://example.com';
  test.each([
    [{ type: 'streamable-http', url }, 'http'],
    [{ type: 'streamableHttp', url }, 'http'],
    [{ type: 'http', url }, 'http'],
    [{ type: 'sse', url }, 'sse'],
    [{ url }, 'http'],
    [{ httpUrl: url }, 'http'],
  ])('%j have the transport %s', async (one, type) => {
    expect((await read({ one })).servers).toMatchObject([{ type }]);
  });

  test('with a variable that is null do not set it', async () => {
    const { servers } = await read({ one: { command: 'tool', env: { KEEP: 1, DROP: null } } });
    expect(servers).toMatchObject([{ env: [{ name: 'KEEP', value: '1' }] }]);
  });

  test.each([
    [{ command: 'tool', disabled: true }, 'disabled'],
    [{ command: 'missing-tool' }, 'not in a directory of PATH'],
    [{ command: './tool' }, 'no workspaceFolder'],
    [{ command: 'tool', cwd: '/x' }, '(cwd)'],
    [{ command: 'tool', envFile: '.env' }, '(envFile)'],
    [{ command: 'tool', args: ['${input:key}'] }, '${input:key}'],
    [{ command: 'tool', args: ['${MISSING}'] }, '${MISSING}'],
    [{ command: 'tool', args: 'one' }, 'list of strings'],
    [{ command: 'tool', env: [] }, 'not an object'],
    [{}, 'no command'],
    [{ type: 'http' }, 'no url'],
    [{ url: '' }, 'no url'],
    [{ type: 'constructor' }, '"constructor"'],
    ['tool', 'not an object'],
  ])('are skipped with the reason: %j', async (entry, reason) => {
    const { servers, skipped } = await read({ good: { command: 'tool' }, bad: entry });
    expect(servers).toHaveLength(1);
    expect(skipped).toEqual([{ name: 'bad', reason: expect.stringContaining(reason) }]);
  });

  test.each([
    [{}, 'neither mcpServers nor servers'],
    ['/no/such/file.json', '/no/such/file.json'],
  ])('cannot be read from %j', async (config, message) => {
    await expect(mcpServersFromConfig(config)).rejects.toThrow(message);
    await expect(mcpServersFromConfig(config)).rejects.toMatchObject({ code: 'usage.params' });
  });
});
