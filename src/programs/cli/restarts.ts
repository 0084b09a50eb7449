import type { ClientConnection } from '../../core/client/connection.ts';
import type { Session } from '../../core/client/session/session.ts';
import { cleanLine } from '../../core/render/clean.ts';
import type { TransportEnd } from '../../core/transport/transport.ts';
import type { Restart } from './agent.ts';
import type { Invocation } from './arguments.ts';
import { CommandError, exitCodes, explain } from './errors.ts';

const maxAttempts = 3;

/** Tells the user that the agent ended, and that it was started again. */
export class Restarts {
  readonly #returned: 'started' | 'reached';
  readonly #tell: (text: string) => void;
  #held: string[] | undefined;
  #end: TransportEnd = {};

  constructor({ agent }: Invocation, tell: (text: string) => void) {
    this.#returned = agent && 'url' in agent ? 'reached' : 'started';
    this.#tell = tell;
  }

  readonly restart: Omit<Restart, 'onCancelIgnored'> = {
    reconnect: { maxAttempts },
    onEnd: (end) => {
      this.#end = end;
    },
  };

  /** @param isLost - Whether the session of the chat is over. */
  follow(connection: ClientConnection, isLost: () => boolean): void {
    connection.onStateChange((state) => {
      if (state === 'reconnecting') {
        const reason = this.#end.error?.message ?? 'The connection to the agent ended.';
        this.#put(`acp-client-sdk: ${cleanLine(reason)}`);
      }
      if (state === 'open' && !isLost()) {
        this.#put(`The agent was ${this.#returned} again, and the session continues.\n`);
      }
    });
  }

  /** Keeps what there is to tell while a turn is written. */
  hold(): void {
    this.#held = [];
  }

  /** Tells what was kept. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const text of held) this.#tell(text);
  }

  /** Why the chat ends with its session. */
  async failure({ closed }: Session): Promise<CommandError> {
    const { reason, error } = await closed;
    const why = error ? ` ${explain(error)}` : '';
    const message =
      reason === 'notRestored'
        ? `The agent was ${this.#returned} again, but the session is lost.${why}`
        : `The agent ended again after it was ${this.#returned} again ${maxAttempts} times.${why}`;
    return new CommandError(message, exitCodes.agent);
  }

  #put(text: string): void {
    if (this.#held) this.#held.push(text);
    else this.#tell(text);
  }
}
