import { isJsonObject, type JsonObject } from '../../core/base/json.ts';
import { deferred, onAbort, withLimits } from '../../core/base/wait.ts';
import type { Script } from '../../records/testing/script.ts';
import { type Dialect, write } from './dialect.ts';
import { callMcpTool } from './mcp-client.ts';
import type { Server } from './params.ts';
import type { Mode, Session } from './session.ts';
import type { SessionStore } from './store.ts';
import * as updates from './updates.ts';

/** What the sessions of one connection share. */
export interface Connection {
  readonly agent: Script;
  readonly dialect: Dialect;
  readonly store: SessionStore;
}

type State = 'idle' | 'running' | 'requires_action';

const permissionOptions: readonly JsonObject[] = [
  { optionId: 'once', name: 'Allow', kind: 'allow_once' },
  { optionId: 'always', name: 'Allow from now on', kind: 'allow_always' },
  { optionId: 'refused', name: 'Refuse', kind: 'reject_once' },
];

const failed: JsonObject = { status: 'failed' };

/** The text of a prompt. */
export function textIn(content: readonly JsonObject[]): string {
  return content.flatMap(({ text }) => (typeof text === 'string' ? [text] : [])).join('\n');
}

/** A session that the client has open: its transcript, and what the agent can do in it. */
export class OpenSession {
  readonly connection: Connection;
  readonly data: Session;
  /** Settled when the session is closed. */
  readonly closed = deferred();
  /** The MCP server that the session's client provides over HTTP. */
  server: Server | undefined;
  /** What the user has steered into the turn, for its next step. */
  readonly steered: string[] = [];
  #state: State = 'idle';

  constructor(connection: Connection, data: Session) {
    this.connection = connection;
    this.data = data;
  }

  sendHistory(): void {
    const { history } = this.data;
    this.send(...history, ...updates.infoUpdates(this.data), { sessionUpdate: 'replay_complete' });
  }

  /** Sends the commands and the state. */
  sendPresent(): void {
    this.send({ sessionUpdate: 'available_commands_update' });
    this.setState(this.#state);
  }

  setState(state: State, end: JsonObject = {}): void {
    this.#state = state;
    this.send({ sessionUpdate: 'state_update', state, ...end });
  }

  setMode(mode: Mode): void {
    this.data.mode = mode;
    this.send(...this.connection.dialect.modeChanged(mode));
    this.save();
  }

  save(): void {
    this.connection.store.save(this.data);
  }

  /**
   * Adds a message of the user.
   *
   * @param answer - Called with its id, before the message is reported. Version 1 does not report it.
   */
  addUser(content: readonly JsonObject[], answer: (messageId: string) => void): void {
    const { history } = this.data;
    const number = history.length + 1;
    const added = updates.user(...content)(number);
    history.push(...added);
    answer(updates.messageId(number));
    if (this.connection.dialect.protocolVersion === 2) this.send(...added);
  }

  /** Takes a message into the running turn. Returns `false` if no turn runs. */
  steer(content: readonly JsonObject[], answer: (messageId: string) => void): boolean {
    if (this.#state === 'idle') return false;
    this.steered.push(textIn(content));
    this.addUser(content, answer);
    return true;
  }

  /** Adds updates to the transcript, and shows them. */
  add(...added: readonly JsonObject[]): void {
    this.data.history.push(...added);
    this.send(...added);
  }

  /** Adds a step to the transcript, and shows it. Returns its number. */
  show(step: updates.Step): number {
    const number = this.data.history.length + 1;
    this.add(...step(number));
    return number;
  }

  /** Shows a call, and asks for permission if the mode requires it. Resolves to whether the call was made. */
  async permit(call: updates.Call, title: string, signal: AbortSignal): Promise<boolean> {
    const end = await this.#call(call, signal, async (number) => {
      const isAsked = this.data.mode === 'ask';
      const choice = isAsked ? await this.#ask(title, updates.started(number, call), signal) : 'once';
      if (choice === 'always') this.setMode('auto');
      if (choice === 'refused') return failed;
      this.add(updates.inProgress(number));
      return {};
    });
    return end !== failed;
  }

  /** Calls a tool of the MCP server, and shows the call. Resolves to what it returned. */
  async callTool(name: string, input: JsonObject, signal: AbortSignal): Promise<string> {
    const { server } = this;
    if (!server) throw new Error('The session has no MCP server over HTTP, so there is no tool to call.');
    let said = '';
    await this.#call({ name, title: name, kind: 'other', rawInput: input }, signal, async (number) => {
      this.add(updates.inProgress(number));
      const params = { name, arguments: input, _meta: { callId: updates.callId(number) } };
      const { text, isError } = await withLimits(callMcpTool(server, params, signal), { signal });
      said = text;
      return { ...updates.reported(text), ...(isError && failed) };
    });
    return said;
  }

  /** Ends the program in the middle of a line. Never resolves. */
  crash(reason: string): Promise<void> {
    const { channel } = this.connection.agent;
    channel.write('{"jsonrpc":"2.0","method":"session/upd');
    channel.exit({ exitCode: 1, stderrTail: `demo agent: ${reason}\n` });
    return new Promise(() => {});
  }

  send(...neutral: readonly JsonObject[]): void {
    const { agent, dialect } = this.connection;
    agent.update(this.data.sessionId, ...neutral.flatMap((update) => write(dialect, update)));
  }

  /** Shows a call from its start to its end, which `make` resolves to. */
  async #call(
    call: updates.Call,
    signal: AbortSignal,
    make: (number: number) => Promise<JsonObject>,
  ): Promise<JsonObject> {
    const number = this.show((number) => [updates.started(number, call)]);
    try {
      const end = await make(number);
      this.add(updates.ended(number, end));
      return end;
    } catch (error) {
      this.add(updates.ended(number, signal.aborted ? { status: 'cancelled' } : failed));
      throw error;
    }
  }

  /** Resolves to the option that the user chose. An answer that is not an offered option is a refusal. */
  async #ask(title: string, toolCall: JsonObject, signal: AbortSignal): Promise<unknown> {
    const { agent, dialect } = this.connection;
    this.setState('requires_action');
    const answer = agent.request('session/request_permission', {
      sessionId: this.data.sessionId,
      ...dialect.permission(title, toolCall),
      options: permissionOptions,
    });
    const stopListening = onAbort(signal, () => agent.notify('$/cancel_request', { requestId: answer.id }));
    const { result } = await withLimits(answer, { signal }).finally(stopListening);
    this.setState('running');
    const outcome = isJsonObject(result) ? result['outcome'] : undefined;
    const chosen = isJsonObject(outcome) ? outcome['optionId'] : undefined;
    return permissionOptions.some(({ optionId }) => optionId === chosen) ? chosen : 'refused';
  }
}
