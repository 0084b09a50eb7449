import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { registeredAgentCommand } from '../../../../src/agents/registry/command.ts';
import { registry as openRegistry } from '../../../../src/agents/registry/open.ts';
import { sharedFolder } from '../../../support/temporary-folder.ts';

const isWindows = process.platform === 'win32';
const platform = `${isWindows ? 'windows' : process.platform}-${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}`;
const fileName = (name: string) => (isWindows ? `${name}.exe` : name);

const folder = sharedFolder('acp-registry-');
const install = async (...path: string[]) => {
  const file = join(folder, ...path);
  await mkdir(join(file, '..'), { recursive: true });
  await writeFile(file, '');
  await chmod(file, 0o755);
  return file;
};
beforeAll(async () => {
  for (const name of ['npx', 'uvx']) await install('both', fileName(name));
  await mkdir(join(folder, 'empty'));
});
const path = (name: string) => ({ env: { PATH: join(folder, name) } });

const npx = { package: '@example/agent@1.2.3', args: ['--acp'], env: { QUIET: '1' } };
const uvx = { package: 'agent==1.2.3' };
const cmd = isWindows ? '.\\bin\\agent.exe' : './bin/agent';
const otherPlatform = platform === 'linux-x86_64' ? 'darwin-aarch64' : 'linux-x86_64';
const binary = {
  [otherPlatform]: { archive: 'https://example.com/other.tar.gz', cmd: './bin/other' },
  [platform]: { archive: 'https://example.com/agent.tar.gz', cmd, args: ['acp'] },
};
const agent = (distribution: object) => JSON.parse(JSON.stringify({ id: 'one', name: 'One', distribution }));
const registry = (distribution: object) => ({
  version: '1.0.0',
  agents: [agent({ npx: { package: 'other' } }), agent(distribution)].map((entry, index) => ({
    ...entry,
    id: ['other', 'one'][index] ?? '',
  })),
  extensions: [],
});

describe('the start command of an agent of the registry', () => {
  test('is npx with the package, its arguments and its environment', async () => {
    expect(await registeredAgentCommand(registry({ npx }), 'one', path('both'))).toEqual({
      command: 'npx',
      args: ['-y', '@example/agent@1.2.3', '--acp'],
      env: { QUIET: '1' },
    });
  });

  test('is uvx with the package', async () => {
    expect(await registeredAgentCommand(agent({ uvx }), 'one', path('both'))).toEqual({
      command: 'uvx',
      args: ['agent==1.2.3'],
      env: {},
    });
  });

  test('is the installed program, before npx', async () => {
    const file = await install('programs', fileName('agent'));
    const found = await registeredAgentCommand(registry({ npx, binary }), 'one', path('programs'));
    expect({ ...found, command: resolve(found.command) }).toEqual({ command: file, args: ['acp'], env: {} });
  });

  test('is the program in the folder of the unpacked archive', async () => {
    const file = await install('unpacked', 'bin', fileName('agent'));
    const options = { ...path('empty'), directory: join(folder, 'unpacked') };
    const plain = { [platform]: { archive: 'https://example.com/agent.tar.gz', cmd } };
    expect(await registeredAgentCommand(registry({ binary: plain }), 'one', options)).toEqual({
      command: file,
      args: [],
      env: {},
    });
    const nowhere = { ...options, directory: join(folder, 'empty') };
    await expect(registeredAgentCommand(registry({ binary }), 'one', nowhere)).rejects.toThrow(
      `is not in ${nowhere.directory} or a directory of PATH: download and unpack`,
    );
  });

  test('is npx where the program is not installed', async () => {
    const found = await registeredAgentCommand(registry({ binary, npx }), 'one', path('both'));
    expect(found).toMatchObject({ command: 'npx' });
  });

  test.each([
    ['npx', 'agent', '1.2.3', 'agent@1.2.3'],
    ['npx', '@example2/agent', '1.2.3-beta.1', '@example2/agent@1.2.3-beta.1'],
    ['npx', 'agent@latest', '1.2.3', 'agent@1.2.3'],
    ['npx', '@example/agent@latest', '1.2.3', '@example/agent@1.2.3'],
    ['npx', 'agent@1.2.2', '1.2.3', 'agent@1.2.2'],
    ['npx', 'agent@next', '1.2.3', 'agent@next'],
    ['npx', 'agent@latest-2', '1.2.3', 'agent@latest-2'],
    ['npx', 'agent', undefined, 'agent'],
    ['uvx', 'agent', '1.2.3', 'agent==1.2.3'],
    ['uvx', 'agent[all2]', '1.2.3', 'agent[all2]==1.2.3'],
    ['uvx', 'agent@latest', '1.2.3', 'agent==1.2.3'],
    ['uvx', 'agent==1.2.2', '1.2.3', 'agent==1.2.2'],
    ['uvx', 'agent@1.2.2', '1.2.3', 'agent@1.2.2'],
    ['uvx', 'agent', undefined, 'agent'],
  ])('%s gets the package %s of version %s as %s', async (runner, name, version, expected) => {
    const distribution = { [runner]: { package: name } };
    const content = { ...agent(distribution), ...(version !== undefined && { version }) };
    expect((await registeredAgentCommand(content, 'one', path('both'))).args.at(-1)).toBe(expected);
  });

  test('is made from an opened registry', async () => {
    const file = join(folder, 'opened.json');
    await writeFile(
      file,
      JSON.stringify({ agents: [{ ...agent({ npx: { package: 'one' } }), version: '1.0.0' }] }),
    );
    const opened = await openRegistry({ file });
    expect(await registeredAgentCommand(opened, 'one', path('both'))).toMatchObject({
      args: ['-y', 'one@1.0.0'],
    });
  });

  test('is refused for an entry that the opened registry left out, with the reason', async () => {
    const file = join(folder, 'partly.json');
    await writeFile(
      file,
      JSON.stringify({ agents: [agent({ npx }), { id: 'zero' }, { id: 'two', distribution: { npx: 5 } }] }),
    );
    const opened = await openRegistry({ file });
    await expect(registeredAgentCommand(opened, 'two')).rejects.toThrow(
      'the entry of two is not one of the registry: distribution.npx must be an object',
    );
  });

  test('is read from a file', async () => {
    const file = join(folder, 'registry.json');
    await writeFile(file, JSON.stringify(registry({ npx })));
    expect(await registeredAgentCommand(file, 'one', path('both'))).toMatchObject({ command: 'npx' });
    await expect(registeredAgentCommand(join(folder, 'none.json'), 'one')).rejects.toThrow('none.json');
  });

  test.each([
    [
      { binary, npx, uvx },
      ['is not in a directory of PATH: download and unpack https://example.com/agent.tar.gz there'].concat(
        'install Node',
        'install uv',
      ),
    ],
    [{ binary: { 'plan9-mips': { archive: 'x', cmd: 'y' } } }, [`no program for ${platform}`]],
    [{}, ['no distribution']],
  ])('is refused where nothing can be started, with what to install', async (distribution, parts) => {
    const refused = registeredAgentCommand(registry(distribution), 'one', path('empty'));
    await expect(refused).rejects.toMatchObject({ code: 'usage.params' });
    for (const part of parts) await expect(refused).rejects.toThrow(part);
  });

  test('is refused for an unknown agent, with those that there are', async () => {
    const { agents } = registry({ npx });
    const content = { agents: [null, 'three', { id: 7 }, ...agents] };
    await expect(registeredAgentCommand(content, 'two')).rejects.toThrow('It has other, one.');
    await expect(registeredAgentCommand({}, 'two')).rejects.toThrow(
      'It has no agents: pass a registry file.',
    );
  });

  test('is refused for an entry that is not one of the registry', async () => {
    const wrong = registry({ npx: { package: 5 } });
    await expect(registeredAgentCommand(wrong, 'one')).rejects.toThrow('distribution.npx.package');
  });
});
