import { type DiagnosticListener, errorMessage } from '../diagnostic.ts';
import { isJsonObject } from '../json.ts';
import type { TerminalHandlers } from './handlers.ts';
import type { Session } from './session.ts';

/**
 * The terminals that the agent has open. When it crashes there is nobody left who would release them, and what is
 * started in its place does not know of them.
 */
export class OpenTerminals {
  readonly #open = new Map<string, Session>();

  /** Follows a request of the agent's that was answered. */
  answered(method: string, params: unknown, result: unknown, session: Session): void {
    const named = method === 'terminal/create' ? result : method === 'terminal/release' ? params : undefined;
    const terminalId = isJsonObject(named) ? named['terminalId'] : undefined;
    if (typeof terminalId !== 'string') return;
    if (method === 'terminal/create') this.#open.set(terminalId, session);
    else this.#open.delete(terminalId);
  }

  /** Releases those that are open. What fails is a diagnostic. */
  async releaseAll(terminals: TerminalHandlers, report: DiagnosticListener): Promise<void> {
    const left = [...this.#open];
    this.#open.clear();
    const { signal } = new AbortController();
    for (const [terminalId, session] of left) {
      try {
        await terminals.release({ terminalId }, { session, signal });
      } catch (error) {
        const message = `The terminal ${terminalId} of an agent that crashed could not be released: ${errorMessage(error)}.`;
        report({ rule: 'handler.failed', severity: 'error', message });
      }
    }
  }
}
