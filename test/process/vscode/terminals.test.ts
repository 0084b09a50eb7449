import { afterEach, beforeEach, expect, test } from 'vitest';
import type { HandlerContext } from '../../../src/client/requests/handlers.ts';
import { type NodeTerminals, nodeTerminals } from '../../../src/node/terminals.ts';
import type { VsCodeEvent, VsCodeTerminal } from '../../../src/vscode/api.ts';
import { workspaceTerminals } from '../../../src/vscode/terminals.ts';
import { modelOf } from '../../support/vscode-model.ts';
import { until } from '../node/processes.ts';

// The commands are real. `test/vscode` has the terminals of VS Code itself.

let terminals: NodeTerminals;
beforeEach(() => {
  terminals = nodeTerminals({ killAfterMs: 100 });
});
afterEach(() => terminals.close());

interface Pseudoterminal {
  readonly onDidWrite: VsCodeEvent<string>;
  open(): void;
  close(): void;
  handleInput(data: string): void;
}

/** A terminal on the screen. */
class Screen implements VsCodeTerminal {
  readonly name: string;
  readonly exitStatus = undefined;
  readonly pty: Pseudoterminal;
  text = '';
  isShown = false;
  isClosed = false;

  constructor({ name, pty }: { name: string; pty: Pseudoterminal }) {
    this.name = name;
    this.pty = pty;
    pty.onDidWrite((text) => {
      this.text += text;
    });
  }
  show() {
    this.isShown = true;
  }
  /** Also what happens when the user closes it. */
  dispose() {
    if (this.isClosed) return;
    this.isClosed = true;
    this.pty.close();
  }
}

function editor(isTrusted = true) {
  const screens: Screen[] = [];
  const open = (options: { name: string; pty?: Pseudoterminal }) => {
    if (!options.pty) throw new TypeError('not a terminal of the extension');
    const screen = new Screen({ name: options.name, pty: options.pty });
    screens.push(screen);
    return screen;
  };
  const vscode = modelOf({
    workspace: { isTrusted },
    window: { createTerminal: open, activeTerminal: undefined },
  });
  return { vscode, screens };
}

// Only the signal is used of the context.
const context = { signal: new AbortController().signal } as HandlerContext;
const node = process.execPath;
const request = (...args: readonly string[]) => ({
  command: node,
  args: ['-e', ...args],
  env: [],
  cwd: null,
  outputByteLimit: null,
});
const forever = request("console.log('running'); setInterval(() => {}, 1000)");

test('a terminal shows the command, its output with complete line ends, and its exit', async () => {
  const { vscode, screens } = editor();
  const shown = workspaceTerminals(vscode, terminals);
  const { terminalId } = await shown.create(request("console.log('one\\ntwo'); process.exit(3)"), context);
  const [screen] = screens as [Screen];
  await shown.waitForExit({ terminalId }, context);
  // VS Code draws a terminal later than it is created, and drops what is written before.
  expect(screen.text).toBe('');
  screen.pty.open();
  await until(() => screen.text.includes('Press any key'));
  expect(screen.text).toContain('one\r\ntwo\r\n');
  expect(screen.text).toContain('process.exit(3)');
  expect(screen.text).toContain('The command exited with code 3. Press any key to close the terminal.');
  expect(screen.isShown).toBe(false);
  await shown.release({ terminalId }, context);
  expect(screen.isClosed).toBe(false);
  screen.pty.handleInput('q');
  expect(screen.isClosed).toBe(true);
});

test('control characters in a command are not shown', async () => {
  const { vscode, screens } = editor();
  const shown = workspaceTerminals(vscode, terminals, { reveal: 'always' });
  await shown.create(request("0 // \x1b[2J\u202e\u200b'"), context);
  const [screen] = screens as [Screen];
  screen.pty.open();
  expect(screen.text).toContain('0 // ');
  expect(`${screen.name}${screen.text}`).not.toMatch(/\[2J|\u202e|\u200b/);
  expect(screen.isShown).toBe(true);
});

test.each([
  ['Ctrl+C', (screen: Screen) => screen.pty.handleInput('\x03')],
  ['the user who closes the terminal', (screen: Screen) => screen.dispose()],
])('%s ends the command, and the agent sees its exit', async (_name, end) => {
  const { vscode, screens } = editor();
  const shown = workspaceTerminals(vscode, terminals);
  const { terminalId } = await shown.create(forever, context);
  const [screen] = screens as [Screen];
  screen.pty.open();
  await until(() => screen.text.includes('running\r\n'));
  screen.pty.handleInput('x');
  end(screen);
  const { exitCode, signal } = await shown.waitForExit({ terminalId }, context);
  expect(exitCode === 0 && signal === null).toBe(false);
});

test('no listener stays after the end of a command, and the oldest terminals are closed', async () => {
  const { vscode, screens } = editor();
  let listeners = 0;
  const counted = {
    ...terminals,
    subscribe(terminalId: string, listener: Parameters<NodeTerminals['subscribe']>[1]) {
      listeners++;
      const stop = terminals.subscribe(terminalId, listener);
      return () => {
        listeners--;
        stop();
      };
    },
  };
  const shown = workspaceTerminals(vscode, counted, { keepEnded: 2 });
  for (let round = 0; round < 4; round++) {
    const { terminalId } = await shown.create(request('0'), context);
    await shown.waitForExit({ terminalId }, context);
    await until(() => listeners === 0);
    await shown.release({ terminalId }, context);
  }
  const closed = await shown.create(forever, context);
  screens[4]?.dispose();
  await shown.waitForExit(closed, context);
  await until(() => listeners === 0);
  expect(screens.map(({ isClosed }) => isClosed)).toEqual([true, true, false, false, true]);
  await shown.close?.();
  await expect(shown.create(request('0'), context)).rejects.toThrow('closing');
});

test('the oldest terminals are closed also if a restart of the agent made the handlers again', async () => {
  const { vscode, screens } = editor();
  for (let start = 0; start < 3; start++) {
    const shown = workspaceTerminals(vscode, terminals, { keepEnded: 1 });
    const { terminalId } = await shown.create(request('0'), context);
    screens[start]?.pty.open();
    await until(() => screens[start]?.text.includes('Press any key') === true);
    await shown.release({ terminalId }, context);
  }
  expect(screens.map(({ isClosed }) => isClosed)).toEqual([true, true, false]);
});

test('a command is refused in a workspace that the user has not trusted', async () => {
  const { vscode, screens } = editor(false);
  const create = workspaceTerminals(vscode, terminals).create(request('0'), context);
  await expect(create).rejects.toMatchObject({
    code: -32603,
    message: expect.stringContaining('not trusted'),
  });
  expect(screens).toEqual([]);
});
