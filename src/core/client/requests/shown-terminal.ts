import type { ProcessExit } from '../../base/process-exit.ts';
import { commandLine } from '../../base/shell-line.ts';
import type { ClientTerminalUpdate } from '../../model/client-update.ts';
import type { RegisteredSession } from '../session/runner.ts';
import type { Session } from '../session/session.ts';
import type { TerminalHandlers, TerminalOutput } from './handlers.ts';

/** What the agent asked for, as far as the user sees it: the environment can have secrets. */
type ShownCommand = Pick<Parameters<TerminalHandlers['create']>[0], 'command' | 'args' | 'cwd'>;

/** A terminal that the handlers of the editor run, and that the conversation of its session shows. */
export class ShownTerminal {
  readonly session: Session;
  /** The turn in which the command was started. */
  readonly turnKey: string | undefined;
  readonly #runner: RegisteredSession['runner'];
  readonly #terminalId: string;
  /** Removes the listener of the changes. Absent: the answers to the agent are shown. */
  #unfollow: (() => void) | undefined;
  hasExited = false;
  /** The first half of a character whose second half is in the next text. */
  #half = '';

  constructor({ session, runner }: RegisteredSession, terminalId: string) {
    this.session = session;
    this.turnKey = runner.turnKey;
    this.#runner = runner;
    this.#terminalId = terminalId;
  }

  /** The command runs. */
  started({ command, args, cwd }: ShownCommand): void {
    this.#dispatch({
      sessionUpdate: 'terminal_started',
      terminalId: this.#terminalId,
      command: commandLine(command, args),
      argv: args.length === 0 ? null : [command, ...args],
      cwd,
    });
  }

  /** Shows each change, where the handlers report them. Throws what they throw. */
  follow(terminals: TerminalHandlers): void {
    if (!terminals.subscribe) return;
    const unsubscribe = terminals.subscribe(this.#terminalId, (change) => {
      if (change.type === 'output') this.#print(change.text);
      else if (change.type === 'exit') this.exited(change.exitStatus);
    });
    // In JavaScript it can be missing.
    this.#unfollow = () => unsubscribe?.();
  }

  /** Another terminal has the id now. */
  replaced(): void {
    this.#unfollow?.();
  }

  /** Shows what the agent gets, which in JavaScript can be anything. */
  read(answer: Partial<TerminalOutput> | undefined): void {
    const { output, truncated = false, exitStatus } = answer ?? {};
    if (!this.#unfollow && typeof output === 'string') {
      const terminalId = this.#terminalId;
      this.#dispatch({ sessionUpdate: 'terminal_read', terminalId, output, truncated });
    }
    if (exitStatus) this.exited(exitStatus);
  }

  /** The editor has killed the command. Where changes are reported, its exit is too. */
  killed(): void {
    if (!this.#unfollow) this.exited({});
  }

  /** The command has ended. Of several reports, the first one counts. */
  exited(exitStatus: Partial<ProcessExit> | undefined): void {
    if (this.hasExited) return;
    this.hasExited = true;
    this.#show(this.#half);
    this.#half = '';
    this.#showExit(exitStatus ?? {});
  }

  /** The editor has ended the command if it ran. How it ended may become known later. */
  released(): void {
    this.#unfollow?.();
    if (!this.hasExited) this.#showExit({});
  }

  #print(text: unknown): void {
    if (typeof text !== 'string') return;
    const joined = this.#half + text;
    const isSplit = /[\ud800-\udbff]$/.test(joined);
    this.#half = isSplit ? joined.slice(-1) : '';
    this.#show(isSplit ? joined.slice(0, -1) : joined);
  }

  #show(text: string): void {
    if (text === '') return;
    this.#dispatch({ sessionUpdate: 'terminal_printed', terminalId: this.#terminalId, text });
  }

  #showExit({ exitCode, signal }: Partial<ProcessExit>): void {
    this.#dispatch({
      sessionUpdate: 'terminal_exited',
      terminalId: this.#terminalId,
      exitStatus: {
        exitCode: typeof exitCode === 'number' ? exitCode : null,
        signal: typeof signal === 'string' ? signal : null,
      },
    });
  }

  #dispatch(update: ClientTerminalUpdate): void {
    this.#runner.dispatch({ type: 'terminal', update });
  }
}
