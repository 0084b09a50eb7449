import { printable, shortened } from '../../core/base/printable.ts';
import { describeExit } from '../../core/base/process-exit.ts';
import { commandLine } from '../../core/base/shell-line.ts';
import type { TerminalChange, TerminalHandlers } from '../../core/client/requests/handlers.ts';
import type { VsCode, VsCodeTerminal } from './api.ts';
import { assertTrusted } from './workspace.ts';

/** Options of {@link workspaceTerminals}. */
export interface WorkspaceTerminalsOptions {
  /**
   * When VS Code shows its terminal panel: never by itself, or for each command, without the focus. Default: `never`.
   */
  readonly reveal?: 'never' | 'always' | undefined;
  /**
   * How many terminals of commands that have ended stay open in the window. The oldest are closed first. Default: 5.
   */
  readonly keepEnded?: number | undefined;
}

/** Terminals with a live output, such as those of `nodeTerminals`. */
export type LiveTerminals = TerminalHandlers & {
  readonly subscribe: NonNullable<TerminalHandlers['subscribe']>;
};

/**
 * Shows the commands of an agent as terminals of VS Code: with the command, its output while it runs, and its exit.
 * Ctrl+C in the terminal ends the command, and so does closing it. A terminal stays open after its command has ended
 * and the agent has released it, so that the user can read it: any key closes it.
 *
 * In a workspace that the user has not trusted, commands are refused with a `RequestError`.
 *
 * @param vscode - The module `vscode`.
 * @param terminals - What runs the commands: `nodeTerminals({ cwd })`.
 *
 * @example
 * ```ts
 * const handlers = { terminals: workspaceTerminals(vscode, nodeTerminals({ cwd })) };
 * ```
 * @see https://agentclientprotocol.com/protocol/terminals
 */
export function workspaceTerminals(
  vscode: VsCode,
  terminals: LiveTerminals,
  options: WorkspaceTerminalsOptions = {},
): LiveTerminals {
  const { reveal = 'never', keepEnded = 5 } = options;
  const ended = endedIn.get(vscode.window) ?? new Set();
  endedIn.set(vscode.window, ended);
  const closeOldest = () => {
    // The user may be reading the one that is shown.
    const closable = [...ended].filter((terminal) => terminal !== vscode.window.activeTerminal);
    for (const terminal of closable.slice(0, Math.max(0, ended.size - keepEnded))) {
      ended.delete(terminal);
      terminal.dispose();
    }
  };

  return {
    async create(request, context) {
      assertTrusted(vscode);
      const { terminalId } = await terminals.create(request, context);
      const terminal = showTerminal(vscode, {
        commandLine: printable(commandLine(request.command, request.args)),
        subscribe: (listener) => terminals.subscribe(terminalId, listener),
        kill() {
          // It fails if the terminal was released: then the command has ended.
          Promise.resolve(terminals.kill({ terminalId }, context)).catch(() => {});
        },
        onEnded() {
          ended.add(terminal);
          closeOldest();
        },
        onClosed: () => ended.delete(terminal),
      });
      if (reveal === 'always') terminal.show(true);
      return { terminalId };
    },
    output: (request, context) => terminals.output(request, context),
    waitForExit: (request, context) => terminals.waitForExit(request, context),
    kill: (request, context) => terminals.kill(request, context),
    release: (request, context) => terminals.release(request, context),
    subscribe: (terminalId, listener) => terminals.subscribe(terminalId, listener),
    close: () => terminals.close?.(),
  };
}

/** The terminals of each window whose commands have ended, the oldest first. Each start of an agent makes handlers. */
const endedIn = new WeakMap<VsCode['window'], Set<VsCodeTerminal>>();

interface ShownCommand {
  readonly commandLine: string;
  readonly subscribe: (listener: (change: TerminalChange) => void) => () => void;
  readonly kill: () => void;
  readonly onEnded: () => void;
  readonly onClosed: () => void;
}

const maxNameLength = 40;
const ctrlC = '\x03';

function showTerminal(vscode: VsCode, command: ShownCommand): VsCodeTerminal {
  const written = new vscode.EventEmitter<string>();
  /** What came before VS Code has drawn the terminal. It drops what is written earlier. */
  let unwritten: string[] | undefined = [`\x1b[1m$ ${inTerminal(command.commandLine)}\x1b[0m\r\n`];
  let hasEnded = false;
  let isClosed = false;
  let unsubscribe = () => {};
  const write = (text: string) => {
    if (unwritten) unwritten.push(text);
    else written.fire(text);
  };
  const end = (how: string) => {
    if (hasEnded) return;
    hasEnded = true;
    unsubscribe();
    write(`\x1b[0m\r\n\x1b[2m${inTerminal(how)} Press any key to close the terminal.\x1b[0m\r\n`);
    command.onEnded();
  };
  const close = () => {
    if (isClosed) return;
    isClosed = true;
    if (!hasEnded) {
      unsubscribe();
      command.kill();
    }
    written.dispose();
    command.onClosed();
  };

  const terminal = vscode.window.createTerminal({
    name: shortened(oneLine(command.commandLine), maxNameLength),
    pty: {
      onDidWrite: written.event,
      open() {
        for (const text of unwritten ?? []) written.fire(text);
        unwritten = undefined;
      },
      close,
      handleInput(data) {
        if (hasEnded) terminal.dispose();
        else if (data.includes(ctrlC)) command.kill();
      },
    },
  });
  unsubscribe = command.subscribe((change) => {
    if (change.type === 'output') write(inTerminal(change.text));
    else if (change.type === 'exit') end(`The command ${describeExit(change.exitStatus)}.`);
    else end('The agent ended the command.');
  });
  return terminal;
}

/** A terminal needs both characters of a line end. */
function inTerminal(text: string): string {
  return text.replace(/\r?\n/g, '\r\n');
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}
