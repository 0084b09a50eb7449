import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { AuthMethod } from '../../../src/core/protocol/dialect.ts';
import { loginInTerminal, terminalLoginCommand } from '../../../src/node/terminals/terminal-login.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const method: AuthMethod = {
  methodId: 'tty',
  name: 'Terminal',
  description: null,
  type: 'terminal',
  args: ['--login'],
  env: { FROM_METHOD: 'yes', SHARED: 'method' },
};

test('runs the program of the agent with the arguments and variables of the method', async () => {
  const out = join(temporaryFolder(), 'out');
  const script = `require('fs').writeFileSync(${JSON.stringify(out)}, JSON.stringify([process.argv.slice(1), process.env.FROM_AGENT, process.env.FROM_METHOD, process.env.SHARED]))`;
  const agent = {
    command: process.execPath,
    args: ['-e', script, '--', '--acp'],
    env: { FROM_AGENT: 'yes', SHARED: 'agent' },
  };
  await loginInTerminal(agent, method);
  expect(JSON.parse(readFileSync(out, 'utf8'))).toEqual([['--acp', '--login'], 'yes', 'yes', 'method']);
});

test('a method with a command of its own runs that, with its arguments alone', () => {
  const agent = { command: 'agent', args: ['--acp'], env: { FROM_AGENT: 'yes' } };
  const { command, args, env } = terminalLoginCommand(agent, { ...method, command: 'agent-login' });
  expect({ command, args }).toEqual({ command: 'agent-login', args: ['--login'] });
  expect(env).toMatchObject({ FROM_AGENT: 'yes', FROM_METHOD: 'yes' });
});

test('a login that fails is an ExitError, and a missing program is a SpawnError', async () => {
  const failing = { command: process.execPath, args: ['-e', 'process.exit(3)', '--'] };
  await expect(loginInTerminal(failing, method)).rejects.toMatchObject({
    code: 'agent.exit',
    exitCode: 3,
    message: expect.stringContaining('exited with code 3. Try again'),
  });
  await expect(
    loginInTerminal({ command: join(temporaryFolder(), 'nothing') }, method),
  ).rejects.toMatchObject({
    code: 'agent.spawn',
    errno: 'ENOENT',
  });
});

test('a method of another type is refused', () => {
  expect(() => terminalLoginCommand({ command: 'x' }, { ...method, type: 'agent' })).toThrow(
    'connection.login("tty")',
  );
  expect(() => terminalLoginCommand({ command: 'x' }, { ...method, type: 'env_var' })).toThrow(
    'log in as the agent describes it',
  );
});
