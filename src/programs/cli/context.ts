import type { DiagnosticListener } from '../../core/base/diagnostic.ts';
import { CommandError, exitCodes } from './errors.ts';
import type { Output } from './print.ts';

/** What each command works with. */
export interface Context {
  readonly host: NodeJS.Process;
  readonly output: Output;
  readonly interrupts: Interrupts;
  readonly report: DiagnosticListener;
}

/**
 * Handles Ctrl-C. The first one aborts {@link signal}, so that the command ends in an orderly way. The next one exits
 * at once; agents are killed when this process exits. SIGTERM ends the command in an orderly way in a turn too: a job has
 * no second key.
 */
export class Interrupts {
  readonly #host: NodeJS.Process;
  readonly #control = new AbortController();
  readonly #onSignal = (signal: string) => (signal === 'SIGTERM' ? this.end(interrupted()) : this.press());
  #first: (() => void) | undefined;

  constructor(host: NodeJS.Process) {
    this.#host = host;
    host.on('SIGINT', this.#onSignal).on('SIGTERM', this.#onSignal);
  }

  /** Aborted when the command must end. Its reason is a {@link CommandError}. */
  get signal(): AbortSignal {
    return this.#control.signal;
  }

  /** What the next Ctrl-C does, in a word. */
  get effect(): 'cancels' | 'exits' {
    return this.#first ? 'cancels' : 'exits';
  }

  /** Makes the next Ctrl-C call `listener` and do nothing else. Returns the function that removes the listener. */
  catchNext(listener: () => void): () => void {
    this.#first = listener;
    return () => {
      this.#first = undefined;
    };
  }

  /** Does what Ctrl-C does. `readline` gets the key instead of the signal and must call this. */
  press(): void {
    const first = this.#first;
    this.#first = undefined;
    if (first) first();
    else if (this.signal.aborted) this.#host.exit(exitCodes.interrupted);
    else this.#control.abort(interrupted());
  }

  /** Ends the command in an orderly way, for another reason than Ctrl-C. */
  end(reason: CommandError): void {
    if (!this.signal.aborted) this.#control.abort(reason);
  }

  dispose(): void {
    this.#host.off('SIGINT', this.#onSignal).off('SIGTERM', this.#onSignal);
  }
}

export function interrupted(): CommandError {
  return new CommandError('Interrupted.', exitCodes.interrupted);
}
