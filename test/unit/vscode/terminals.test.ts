import { expect, test } from 'vitest';
import type { HandlerContext, TerminalChange } from '../../../src/core/client/requests/handlers.ts';
import type { VsCodeTerminal } from '../../../src/ui/vscode/api.ts';
import { type LiveTerminals, workspaceTerminals } from '../../../src/ui/vscode/terminals.ts';
import { type ModelScreen, modelOf, modelScreens } from '../../support/vscode-model.ts';

// `test/process/vscode` runs real commands. Here the order of what happens is that of the test.

function editor(options?: Parameters<typeof workspaceTerminals>[2], isTrusted = true) {
  const { screens, createTerminal } = modelScreens();
  const window: { activeTerminal: VsCodeTerminal | undefined } = { activeTerminal: undefined };
  const vscode = modelOf({ workspace: { isTrusted }, window: { createTerminal } });
  Object.defineProperty(vscode.window, 'activeTerminal', { get: () => window.activeTerminal });
  const calls: string[] = [];
  const listeners: ((change: TerminalChange) => void)[] = [];
  const output = { output: 'all', truncated: false, exitStatus: null };
  const exit = { exitCode: 0, signal: null };
  const terminals: LiveTerminals = {
    create: async () => ({ terminalId: `t${listeners.length}` }),
    output: async ({ terminalId }) => {
      calls.push(`output ${terminalId}`);
      return output;
    },
    waitForExit: async ({ terminalId }) => {
      calls.push(`wait ${terminalId}`);
      return exit;
    },
    kill: async ({ terminalId }) => void calls.push(`kill ${terminalId}`),
    release: async ({ terminalId }) => void calls.push(`release ${terminalId}`),
    subscribe: (terminalId, listener) => {
      listeners.push(listener);
      return () => calls.push(`unsubscribe ${terminalId}`);
    },
  };
  const shown = workspaceTerminals(vscode, terminals, options);
  const start = async (command = 'make', args: readonly string[] = [], handlers = shown) => {
    await handlers.create({ command, args, env: [], cwd: null, outputByteLimit: null }, context);
    const at = screens.length - 1;
    return { screen: screens[at] as ModelScreen, tell: listeners[at] as (change: TerminalChange) => void };
  };
  return { vscode, shown, start, calls, window, screens, terminals };
}

// Only the signal is used of the context.
const context = { signal: new AbortController().signal } as HandlerContext;
const ended: TerminalChange = { type: 'exit', exitStatus: { exitCode: 0, signal: null } };

test('terminals of commands that have ended are closed from the oldest, but never the one that is shown', async () => {
  const { start, screens, window } = editor({ keepEnded: 2 });
  const closed = () => screens.map(({ isClosed }) => isClosed);
  const running = await start();
  for (let count = 1; count <= 3; count++) {
    const { screen, tell } = await start();
    if (count === 1) window.activeTerminal = screen;
    tell(ended);
  }
  expect(closed()).toEqual([false, false, true, false]);
  const fourth = await start();
  // The user closes one of those that have ended: it counts no more.
  screens[3]?.dispose();
  fourth.tell(ended);
  expect(closed()).toEqual([false, false, true, true, false]);
  window.activeTerminal = undefined;
  running.tell(ended);
  expect(closed()).toEqual([false, true, true, true, false]);
});

test('a terminal that the user closed does not count', async () => {
  const { start, screens } = editor({ keepEnded: 2 });
  for (const isClosed of [false, true, false]) {
    const { screen, tell } = await start();
    tell(ended);
    if (isClosed) screen.dispose();
  }
  expect(screens.map(({ isClosed }) => isClosed)).toEqual([false, true, false]);
});

test('five terminals of commands that have ended stay open', async () => {
  const { start, screens } = editor();
  for (let count = 0; count < 6; count++) (await start()).tell(ended);
  expect(screens.map(({ isClosed }) => isClosed)).toEqual([true, false, false, false, false, false]);
});

test('the oldest terminals are closed also if a restart of the agent made the handlers again', async () => {
  const { vscode, terminals, start, screens } = editor({ keepEnded: 1 });
  (await start()).tell(ended);
  (await start('make', [], workspaceTerminals(vscode, terminals, { keepEnded: 1 }))).tell(ended);
  expect(screens.map(({ isClosed }) => isClosed)).toEqual([true, false]);
});

test('control characters in a command are not shown', async () => {
  const { screen } = await editor().start('make', ["0 // \x1b[2J\u202e\u200b'"]);
  screen.pty.open();
  const texts = `${screen.name}${screen.written.join('')}`;
  expect(texts).toContain('0 // ');
  expect(texts).not.toMatch(/\[2J|\u202e|\u200b/);
});

test('a command is refused in a workspace that the user has not trusted', async () => {
  const { start, screens } = editor({}, false);
  const message = expect.stringContaining('not trusted');
  await expect(start()).rejects.toMatchObject({ code: -32603, message });
  expect(screens).toEqual([]);
});

test('a terminal that the user closes ends its command once, and writes nothing more', async () => {
  const { start, calls } = editor({ keepEnded: 0 });
  const { screen, tell } = await start();
  screen.pty.open();
  const before = [...screen.written];
  screen.dispose();
  screen.pty.close();
  expect(calls).toEqual(['unsubscribe t0', 'kill t0']);
  tell(ended);
  expect(screen.written).toEqual(before);
});

test('a terminal whose command has ended is closed without ending it again', async () => {
  const { start, calls } = editor();
  const { screen, tell } = await start();
  tell(ended);
  tell({ type: 'release' });
  screen.pty.open();
  expect(screen.written.join('')).toMatch(/exited with code 0\. Press any key to close the terminal\./);
  expect(screen.written.join('')).not.toContain('The agent ended');
  screen.pty.open();
  expect(screen.written).toHaveLength(2);
  screen.pty.handleInput('x');
  expect([screen.isClosed, calls]).toEqual([true, ['unsubscribe t0']]);
});

test('a command that the agent released is said to have ended by it', async () => {
  const { start } = editor();
  const { screen, tell } = await start();
  screen.pty.open();
  tell({ type: 'output', text: 'a\nb\r\n' });
  tell({ type: 'release' });
  expect(screen.written[1]).toBe('a\r\nb\r\n');
  expect(screen.written[2]).toContain('The agent ended the command.');
});

test('only Ctrl+C ends a command that runs', async () => {
  const { start, calls } = editor();
  const { screen } = await start();
  screen.pty.handleInput('x');
  expect([screen.isClosed, calls]).toEqual([false, []]);
  screen.pty.handleInput('a\x03');
  expect([screen.isClosed, calls]).toEqual([false, ['kill t0']]);
});

test('a terminal is named after its command in one line, and shown without the focus only if that is wanted', async () => {
  const never = await editor().start(' make ', ['a\n\n  b']);
  expect([never.screen.name, never.screen.focus]).toEqual(["' make ' 'a b'", []]);
  const always = await editor({ reveal: 'always' }).start();
  expect(always.screen.focus).toEqual([true]);
});

test('the other requests of the agent are those of the terminals', async () => {
  const { shown, terminals, calls } = editor();
  const request = { terminalId: 'other' };
  expect(await shown.output(request, context)).toMatchObject({ output: 'all' });
  expect(await shown.waitForExit(request, context)).toMatchObject({ exitCode: 0 });
  await shown.kill(request, context);
  await shown.release(request, context);
  shown.subscribe('other', () => {})();
  expect(calls).toEqual(['output', 'wait', 'kill', 'release', 'unsubscribe'].map((what) => `${what} other`));
  expect(await shown.close?.()).toBeUndefined();
  let isClosed = false;
  const close = async () => {
    isClosed = true;
  };
  await workspaceTerminals(modelOf({}), { ...terminals, close }).close?.();
  expect(isClosed).toBe(true);
});
