import { setImmediate as nextTick } from 'node:timers/promises';
import { errorMessage } from '../../base/diagnostic.ts';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { onAbort, withLimits } from '../../base/wait.ts';
import { RequestError } from '../../rpc/request-error.ts';
import { noAnswer, type Script } from '../../testing/script.ts';
import type { Dialect } from './dialect.ts';
import { callMcpTool } from './mcp-client.ts';
import type { Server } from './params.ts';
import { type Act, answerSteered, replyTo, type Stage, titleOf } from './replies.ts';
import {
  type FileEdit,
  type Mode,
  type PlanApproval,
  type Session,
  type Step,
  type ToolUse,
  user,
} from './session.ts';
import * as updates from './updates.ts';

/** What the sessions of one connection share. */
export interface Connection {
  readonly agent: Script;
  readonly dialect: Dialect;
  readonly save: (session: Session) => void;
}

const permissionOptions: readonly JsonObject[] = [
  { optionId: 'once', name: 'Allow', kind: 'allow_once' },
  { optionId: 'always', name: 'Allow from now on', kind: 'allow_always' },
  { optionId: 'refused', name: 'Refuse', kind: 'reject_once' },
];

/** A session that the client has open. One turn runs at a time, and the next ones wait. */
export class OpenSession {
  readonly session: Session;
  readonly #connection: Connection;
  readonly #turns = new Map<string | number, AbortController>();
  readonly #closing = new AbortController();
  #lastTurn: Promise<unknown> = Promise.resolve();
  #state: 'idle' | 'running' | 'requires_action' = 'idle';
  /** The MCP server that the session's client provides over HTTP. */
  #server: Server | undefined;
  /** What the user has steered into the turn, for its next step. */
  #steered: string[] = [];

  constructor(connection: Connection, session: Session) {
    this.#connection = connection;
    this.session = session;
  }

  /** Takes the first of these servers that is reached over HTTP. */
  takeServers(servers: readonly Server[]): void {
    this.#server = servers.find(({ type }) => type === 'http');
  }

  sendHistory(): void {
    const { session } = this;
    const history = session.steps.flatMap((step, index) => updates.stepUpdates(step, index + 1));
    this.#send(...history, ...updates.infoUpdates(session));
  }

  /** Sends the commands and the state. */
  sendPresent(): void {
    const { commands } = this.#connection.dialect;
    this.#send(
      { sessionUpdate: 'available_commands_update', availableCommands: commands },
      { sessionUpdate: 'state_update', state: this.#state },
    );
  }

  setMode(mode: Mode): void {
    this.session.mode = mode;
    this.#send(...this.#connection.dialect.modeChanged(mode));
    this.#connection.save(this.session);
  }

  /** Runs a turn after the earlier ones. Resolves to the answer to the request `id`. */
  prompt(content: readonly JsonObject[], id: string | number): Promise<unknown> {
    const turn = new AbortController();
    this.#turns.set(id, turn);
    const { signal } = turn;
    const begin = () => this.#turn(content, id, signal);
    const answer = withLimits(this.#lastTurn, { signal })
      .then(begin, begin)
      .finally(() => this.#turns.delete(id));
    this.#lastTurn = Promise.allSettled([this.#lastTurn, answer]);
    return answer;
  }

  /**
   * Takes a message into the running turn, and returns its id. Without a turn it takes nothing.
   *
   * @param answer - Called with the id, before the message is reported.
   */
  steer(content: readonly JsonObject[], answer: (messageId: string) => void): boolean {
    const { session } = this;
    if (this.#state === 'idle') return false;
    const number = session.steps.push(user(...content));
    this.#steered.push(textIn(content));
    answer(updates.messageId(number));
    if (this.#connection.dialect.protocolVersion === 2) this.#sendLastStep();
    return true;
  }

  /** Cancels the turn of one request, or all turns. */
  cancel(id?: string | number): void {
    const turns = id === undefined ? [...this.#turns.values()] : [this.#turns.get(id)];
    for (const turn of turns) turn?.abort();
  }

  /** Cancels all turns, and resolves when they have ended. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.cancel();
    await this.#lastTurn;
  }

  async #turn(content: readonly JsonObject[], id: string | number, signal: AbortSignal): Promise<unknown> {
    const { session } = this;
    const { agent, dialect, save } = this.#connection;
    // In version 2 the answer to a prompt accepts it. In version 1 it ends the turn.
    const acceptsFirst = dialect.protocolVersion === 2;
    const prompt = textIn(content);
    const reply = replyTo(prompt);
    // Before the check for a cancellation, which this turn ignores even if it arrives first.
    if ('hangs' in reply) {
      await new Promise<void>((resolve) => onAbort(this.#closing.signal, resolve));
      return cancelledAnswer(acceptsFirst);
    }
    if (signal.aborted) return cancelledAnswer(acceptsFirst);
    if ('error' in reply) throw new RequestError(-32603, reply.error);

    const number = session.steps.push(user(...content));
    save(session);
    if (acceptsFirst) {
      agent.answer(id, { messageId: updates.messageId(number) });
      this.#sendLastStep();
    }
    this.#setState('running');
    const end = await this.#perform(reply.acts, this.#stage(prompt, signal));
    this.#steered = [];
    session.title ??= titleOf(prompt);
    session.updatedAt = new Date(Date.parse(session.updatedAt) + 60_000).toISOString();
    save(session);
    this.#send(...updates.infoUpdates(session));
    this.#setState('idle', end);
    if (acceptsFirst) return noAnswer;
    if (end.error) throw new RequestError(end.error.code, end.error.message);
    return end;
  }

  async #perform(acts: readonly Act[], stage: Stage) {
    const { signal } = stage;
    try {
      for (const act of acts) {
        await act(stage);
        // Lets a cancellation arrive.
        await nextTick();
        signal.throwIfAborted();
      }
      answerSteered(stage);
      return { stopReason: 'end_turn' };
    } catch (error) {
      if (signal.aborted) return { stopReason: 'cancelled' };
      return { stopReason: 'error', error: { code: -32603, message: errorMessage(error) } };
    }
  }

  #stage(prompt: string, signal: AbortSignal): Stage {
    const { session } = this;
    const { channel } = this.#connection.agent;
    return {
      cwd: session.cwd,
      prompt,
      signal,
      show: (step) => this.#show(step),
      append: (text) => {
        const message = session.steps.at(-1);
        if (message?.type !== 'agent') return;
        message.content.push(`${message.content.pop() ?? ''}${text}`);
        this.#send(updates.textChunk(session.steps.length, text));
      },
      takeSteered: () => this.#steered.splice(0),
      permit: (call, title) => this.#permit(call, title, signal),
      callTool: (name, input) => this.#callTool(name, input, signal),
      crash: (reason) => {
        channel.write('{"jsonrpc":"2.0","method":"session/upd');
        channel.exit({ exitCode: 1, stderrTail: `demo agent: ${reason}\n` });
        return new Promise(() => {});
      },
    };
  }

  async #callTool(name: string, input: JsonObject, signal: AbortSignal): Promise<string> {
    const server = this.#server;
    if (!server) throw new Error('The session has no MCP server over HTTP, so there is no tool to call.');
    const call: ToolUse = { type: 'tool', name, input, status: 'pending' };
    const number = this.#show(call);
    this.#send(updates.inProgress(number));
    try {
      const calling = callMcpTool(server, call, updates.toolCallId(number), signal);
      const { text, isError } = await withLimits(calling, { signal });
      call.text = text;
      if (isError) call.status = 'failed';
      else delete call.status;
      return text;
    } catch (error) {
      call.status = signal.aborted ? 'cancelled' : 'failed';
      throw error;
    } finally {
      this.#send(...updates.resultUpdates(call, number));
    }
  }

  async #permit(given: FileEdit | PlanApproval, title: string, signal: AbortSignal): Promise<boolean> {
    const call: FileEdit | PlanApproval = { ...given, status: 'pending' };
    const number = this.#show(call);
    try {
      const choice =
        this.session.mode === 'auto'
          ? 'once'
          : await this.#ask(title, updates.pendingCall(call, number), signal);
      if (choice === 'always') this.setMode('auto');
      if (choice === 'refused') call.status = 'failed';
      else {
        this.#send(updates.inProgress(number));
        delete call.status;
      }
      return choice !== 'refused';
    } catch (error) {
      call.status = 'cancelled';
      throw error;
    } finally {
      this.#send(...updates.resultUpdates(call, number));
    }
  }

  /** Resolves to the option that the user chose. An answer that is not an offered option is a refusal. */
  async #ask(title: string, toolCall: JsonObject, signal: AbortSignal): Promise<unknown> {
    const { agent, dialect } = this.#connection;
    this.#setState('requires_action');
    const answer = agent.request('session/request_permission', {
      sessionId: this.session.sessionId,
      ...dialect.permission(title, toolCall),
      options: permissionOptions,
    });
    const stopListening = onAbort(signal, () => agent.notify('$/cancel_request', { requestId: answer.id }));
    const { result } = await withLimits(answer, { signal }).finally(stopListening);
    this.#setState('running');
    const outcome = isJsonObject(result) ? result['outcome'] : undefined;
    const chosen = isJsonObject(outcome) ? outcome['optionId'] : undefined;
    return permissionOptions.some(({ optionId }) => optionId === chosen) ? chosen : 'refused';
  }

  /** Returns the number of the step in the history. */
  #show(step: Step): number {
    const number = this.session.steps.push(step);
    this.#sendLastStep();
    return number;
  }

  #sendLastStep(): void {
    const { steps } = this.session;
    this.#send(...steps.slice(-1).flatMap((step) => updates.stepUpdates(step, steps.length)));
  }

  #setState(state: 'idle' | 'running' | 'requires_action', end: JsonObject = {}): void {
    this.#state = state;
    this.#send({ sessionUpdate: 'state_update', state, ...end });
  }

  #send(...neutral: readonly JsonObject[]): void {
    const { agent, dialect } = this.#connection;
    agent.update(this.session.sessionId, ...neutral.flatMap((update) => dialect.update(update)));
  }
}

function textIn(content: readonly JsonObject[]): string {
  return content.flatMap(({ text }) => (typeof text === 'string' ? [text] : [])).join('\n');
}

/** The answer to a prompt that was cancelled before its turn. */
function cancelledAnswer(acceptsFirst: boolean): JsonObject {
  if (acceptsFirst) throw new RequestError(-32800, 'The request was cancelled.');
  return { stopReason: 'cancelled' };
}
