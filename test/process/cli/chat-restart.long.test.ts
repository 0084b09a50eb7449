import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildPackage } from '../../support/build.ts';
import { eventually } from '../../support/eventually.ts';
import { run, smallAgent, watchProcesses } from './command-line.ts';
import { type RealTerminal, startCommandInTerminal } from './real-terminal.ts';

beforeAll(buildPackage);

const question = /\n> $/;
/** Text without the places where it is wrapped. */
const unwrapped = (text: string) => text.replace(/\s+/g, ' ');

describe.skipIf(process.platform === 'win32')('the chat in a terminal', () => {
  const start = async (how: string) => {
    const terminal = await startCommandInTerminal(['chat', ...smallAgent(how)], 80);
    await eventually(terminal.screen).toMatch(question);
    return terminal;
  };
  const expectExit = async (terminal: RealTerminal, keys: string) => {
    terminal.type(keys);
    expect(await terminal.ended).toBe(0);
    expect(terminal.brokenLines()).toEqual([]);
  };

  test('starts an agent that crashes in a turn again, and the next line works in the same session', async () => {
    const terminal = await start('crashes-on-request');
    terminal.type('crash\r');
    await eventually(terminal.screen).toMatch(/session\scontinues\.\n\n> $/);
    expect(unwrapped(terminal.screen())).toMatch(
      /> crash Turn interrupted small exited with code 9\. acp-client-sdk: The agent \S+ exited with code 9.*The end of its stderr: Out of tea\. The turn was interrupted\..*The prompt is not sent again.* The agent was started again, and the session continues\. > $/,
    );
    terminal.type('hello\r');
    await eventually(terminal.screen).toMatch(/Yes\.\n\n> $/);
    await expectExit(terminal, '/exit\r');
  });

  test('starts an agent that was killed between turns again, and shows the question with what is typed', async () => {
    const { file } = watchProcesses();
    const terminal = await start('crashes-on-request');
    terminal.type('hel');
    await eventually(terminal.screen).toMatch(/> hel$/);
    process.kill(Number(readFileSync(file, 'utf8')), 'SIGKILL');
    await eventually(terminal.screen).toMatch(/SIGKILL[\s\S]*session\scontinues\.\n\n> hel$/);
    terminal.type('lo\r');
    await eventually(terminal.screen).toMatch(/> hello\nAgent\n {2}Yes\.\n\n> $/);
    await expectExit(terminal, '\x04');
    expect(terminal.settings()).toMatch(/(?<!-)\bicanon\b[\s\S]*(?<!-)\becho\b/);
  });

  test('ends with 5 and the reason if the agent ends repeatedly', async () => {
    const terminal = await start('crashes-on-request');
    for (let crashes = 1; crashes <= 4; crashes++) {
      terminal.type('crash\r');
      if (crashes === 4) break;
      await eventually(() => unwrapped(terminal.screen()).split('session continues.').length - 1).toBe(
        crashes,
      );
      await eventually(terminal.screen).toMatch(question);
    }
    expect(await terminal.ended).toBe(5);
    expect(unwrapped(terminal.screen())).toMatch(
      /ended again after it was started again 3 times\..*Out of tea\.$/,
    );
    expect(terminal.brokenLines()).toEqual([]);
    expect(terminal.settings()).toMatch(/(?<!-)\bicanon\b[\s\S]*(?<!-)\becho\b/);
    expect(await terminal.isPlain()).toBe(true);
  });

  test('offers to start an agent again that goes on after a cancel', async () => {
    const terminal = await start('talks-without-end');
    terminal.type('go\r');
    await eventually(terminal.screen).toContain('word and word');
    terminal.type('\x03');
    await eventually(terminal.screen).toMatch(/Start the agent again\? y or n: $/);
    terminal.type('y\r');
    await eventually(terminal.screen).toMatch(/session\scontinues\.\n\n> $/);
    expect(unwrapped(terminal.screen())).toContain('The turn was interrupted.');
    await expectExit(terminal, '/exit\r');
  });

  test('offers a new session if the agent cannot open the session again, and ends with 5 without one', async () => {
    const terminal = await start('crashes-and-forgets');
    terminal.type('hello\r');
    await eventually(terminal.screen).toMatch(/Begin a new session\? y or n: $/);
    expect(unwrapped(terminal.screen())).toContain('The agent was started again, but the session is lost.');
    expect(terminal.screen()).not.toContain('session continues');
    terminal.type('n\r');
    expect(await terminal.ended).toBe(5);
  });

  test('goes on in the new session, which begins with an empty transcript', async () => {
    const terminal = await start('forgets-after-crash');
    terminal.type('crash\r');
    await eventually(terminal.screen).toMatch(/Begin a new session\? y or n: $/);
    terminal.type('maybe\r');
    await eventually(terminal.screen).toMatch(/maybe\nBegin a new session\? y or n: $/);
    terminal.type('y\r');
    await eventually(() => unwrapped(terminal.screen())).toMatch(
      /: y Session \S+ with small .* leaves the chat\. > $/,
    );
    terminal.type('hello\r');
    await eventually(terminal.screen).toMatch(/> hello\nAgent\n {2}Yes\.\n\n> $/);
    await expectExit(terminal, '/exit\r');
  });
});

test('without a terminal the chat ends with its agent', async () => {
  const { code, stderr } = await run(['chat', ...smallAgent('crashes-on-request')], {
    input: 'crash\nhello\n',
  });
  expect(code).toBe(5);
  expect(stderr).toContain('Out of tea.');
  expect(stderr).not.toContain('started again');
});
