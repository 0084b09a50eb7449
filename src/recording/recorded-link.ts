import { isJsonObject, type JsonObject } from '../base/json.ts';
import { type Deferred, deferred } from '../base/wait.ts';
import type { ElicitationAnswer, PermissionOutcome } from '../client/requests/handlers.ts';
import type { AgentEnd } from '../transport/memory/memory-transport.ts';
import type { Transport } from '../transport/transport.ts';
import { RecordedAgent, type Step, sessionIdOf } from './recorded-agent.ts';
import { recordedChannel } from './recorded-channel.ts';
import type { RecordedRun } from './recorded-runs.ts';

/** A request from the agent that the client has not answered. */
interface OpenRequest {
  readonly method: string;
  readonly sessionId: string | undefined;
  readonly answer: Deferred<unknown>;
  isHandled: boolean;
}

/** The method by which the agent finds out that the client has handled all messages before. */
export const settledMethod = '_acp-client-sdk/settled';

/** One run of a recorded agent, over a channel in memory to a client that is driven by the same recording. */
export class RecordedLink {
  readonly transport: Transport;
  readonly recorded: RecordedAgent;
  readonly #agent: AgentEnd;
  readonly #introduced = deferred();
  /** Resolves when the client has sent its first message, which is `initialize`. */
  readonly introduced = this.#introduced.promise;
  /** By id. */
  readonly #open = new Map<string, OpenRequest>();
  /** Ends each wait for the client, by the id of the request that the client is to answer. */
  readonly #settling = new Map<string, () => void>();
  /** The session whose opening the recording lacks. */
  #resuming: string | undefined;
  #count = 0;
  #isEnded = false;

  constructor({ steps }: RecordedRun) {
    const channel = recordedChannel();
    const { transport, agent } = channel;
    this.transport = transport;
    this.#agent = agent;
    this.recorded = new RecordedAgent(steps, channel);
    agent.onLine((line) => this.#take(JSON.parse(line)));
    // It never rejects.
    void transport.ended?.then(() => {
      this.#isEnded = true;
      for (const settle of this.#settling.values()) settle();
    });
  }

  /** Sends a message of the recorded agent, and returns whether it was sent: an answer waits for its request. */
  send({ message }: Step): boolean {
    const { id, method } = message;
    if (id !== undefined && typeof method === 'string') {
      const sessionId = sessionIdOf(message);
      this.#open.set(String(id), { method, sessionId, answer: deferred(), isHandled: false });
    }
    return this.recorded.send(message);
  }

  /** Resolves when the client has handled everything that was sent to it, or the channel has ended. */
  settled(): Promise<void> {
    if (this.#isEnded) return Promise.resolve();
    const id = `settled ${++this.#count}`;
    return new Promise((resolve) => {
      this.#settling.set(id, resolve);
      this.#agent.send({ jsonrpc: '2.0', id, method: settledMethod });
    });
  }

  /** Answers the next call that resumes this session with an empty result. The recording lacks that call. */
  expectResume(sessionId: string): void {
    this.#resuming = sessionId;
  }

  /**
   * The recorded answer to the oldest open request of this method and session that no handler answers yet. Resolves
   * when the recording comes to it.
   */
  async answerTo(method: string, sessionId: string | undefined): Promise<unknown> {
    const request = [...this.#open.values()].find(
      (open) => !open.isHandled && open.method === method && open.sessionId === sessionId,
    );
    if (!request) return undefined;
    request.isHandled = true;
    return request.answer.promise;
  }

  /** Has the client answer a request from the agent as it was answered in the recording. */
  answer({ id, result }: JsonObject): void {
    this.#open.get(String(id))?.answer.resolve(result);
  }

  #take(message: JsonObject): void {
    this.#introduced.resolve();
    const { id, method } = message;
    const key = String(id);
    const settle = method === undefined ? this.#settling.get(key) : undefined;
    if (settle) {
      this.#settling.delete(key);
      settle();
      return;
    }
    if (method === undefined) this.#open.delete(key);
    if (method === 'session/resume' && sessionIdOf(message) === this.#resuming) {
      this.#resuming = undefined;
      this.#agent.send({ jsonrpc: '2.0', id, result: {} });
      return;
    }
    const index = this.recorded.find(message);
    if (index === undefined) this.recorded.refuse(message);
    else this.recorded.take(message, index);
  }
}

/** A recorded answer as a permission handler gives it. */
export function permissionOutcomeOf(result: unknown): PermissionOutcome {
  const outcome = isJsonObject(result) ? result['outcome'] : undefined;
  const optionId = isJsonObject(outcome) ? outcome['optionId'] : undefined;
  return typeof optionId === 'string' ? { outcome: 'selected', optionId } : { outcome: 'cancelled' };
}

/** A recorded answer as an elicitation handler gives it. */
export function elicitationAnswerOf(result: unknown): ElicitationAnswer {
  const { action, content } = isJsonObject(result) ? result : {};
  if (action === 'accept') return { action, ...(isJsonObject(content) && { content }) };
  return { action: action === 'decline' ? action : 'cancel' };
}
