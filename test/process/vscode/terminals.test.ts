import { afterEach, beforeEach, expect, test } from 'vitest';
import type { HandlerContext } from '../../../src/core/client/requests/handlers.ts';
import { type NodeTerminals, nodeTerminals } from '../../../src/node/terminals/terminals.ts';
import { workspaceTerminals } from '../../../src/ui/vscode/terminals.ts';
import { type ModelScreen, modelOf, modelScreens } from '../../support/vscode-model.ts';
import { until } from '../node/processes.ts';

// The commands are real. `test/vscode` has the terminals of VS Code itself.

let terminals: NodeTerminals;
beforeEach(() => {
  terminals = nodeTerminals({ killAfterMs: 100 });
});
afterEach(() => terminals.close());

function editor() {
  const { screens, createTerminal } = modelScreens();
  const shown = workspaceTerminals(modelOf({ window: { createTerminal } }), terminals);
  const start = async (code: string) => {
    const command = {
      command: process.execPath,
      args: ['-e', code],
      env: [],
      cwd: null,
      outputByteLimit: null,
    };
    const created = await shown.create(command, context);
    const screen = screens.at(-1) as ModelScreen;
    return { ...created, screen, text: () => screen.written.join('') };
  };
  return { shown, start };
}

// Only the signal is used of the context.
const context = { signal: new AbortController().signal } as HandlerContext;

test('a terminal shows the command, its output with complete line ends, and its exit', async () => {
  const { shown, start } = editor();
  const { terminalId, screen, text } = await start("console.log('one\\ntwo'); process.exit(3)");
  await shown.waitForExit({ terminalId }, context);
  // VS Code draws a terminal later than it is created, and drops what is written before.
  expect(text()).toBe('');
  screen.pty.open();
  await until(() => text().includes('Press any key'));
  expect(text()).toContain('one\r\ntwo\r\n');
  expect(text()).toContain('process.exit(3)');
  expect(text()).toContain('The command exited with code 3. Press any key to close the terminal.');
  await shown.release({ terminalId }, context);
  expect(screen.isClosed).toBe(false);
  screen.pty.handleInput('q');
  expect(screen.isClosed).toBe(true);
});

test.each([
  ['Ctrl+C', (screen: ModelScreen) => screen.pty.handleInput('\x03')],
  ['the user who closes the terminal', (screen: ModelScreen) => screen.dispose()],
])('%s ends the command, and the agent sees its exit', async (_name, end) => {
  const { shown, start } = editor();
  const { terminalId, screen, text } = await start("console.log('running'); setInterval(() => {}, 1000)");
  screen.pty.open();
  await until(() => text().includes('running\r\n'));
  end(screen);
  const { exitCode, signal } = await shown.waitForExit({ terminalId }, context);
  expect(exitCode === 0 && signal === null).toBe(false);
});
