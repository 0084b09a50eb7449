import { errorMessage } from '../core/base/diagnostic.ts';
import { isJsonObject, type JsonObject, omitNullish } from '../core/base/json.ts';
import { shortened } from '../core/base/printable.ts';
import { delay, onAbort, withLimits } from '../core/base/wait.ts';
import type { McpServerHost } from '../core/client/session/mcp-provider.ts';
import { type ToolNote, toolNote } from '../core/trace/notes.ts';
import type { TrafficRecord } from '../core/trace/traffic.ts';
import { type CallWay, isConnectionEnd } from './endpoint.ts';
import type { ReadyTool } from './registry.ts';
import { type CallResult, failure, resultOf, type UnusableResult } from './result.ts';
import { type ToolContext, ToolError, type ToolProgress } from './tool.ts';
import { type ResultRoom, unreadResults } from './unread-results.ts';

/** How many calls of one session run at the same time. */
export const maxCalls = 64;

/** How many problems of an input the model reads, and how many characters of each. */
const maxIssues = 10;
const maxIssueLength = 200;

/**
 * How long before the end of an agent its last calls can end, in milliseconds. The part of an agent that calls tools can
 * be another process than the one whose end is noticed: it closes its connection or cancels its calls first. A call whose
 * connection is closed is aborted with the reason that is known after this time.
 */
const endingMs = 1000;

/**
 * The same for a call that the agent cancels on a way of its own, in milliseconds. It is shorter, because the tool goes on
 * meanwhile. When an agent is killed, its part that calls tools can cancel them 20 to 50 ms before the end is noticed.
 */
const cancellingMs = 200;

/**
 * How long the answer to a call waits for the agent's cancel after the user cancelled the turn, in milliseconds. Over HTTP
 * and stdio, it would overtake the cancel of the turn, and the agent would go on with it.
 */
const agentCancelMs = 1000;

/** A call of the agent. */
export interface IncomingCall extends Omit<CallWay, 'onTaken'> {
  readonly tool: ReadyTool;
  readonly input: unknown;
  readonly meta: JsonObject | undefined;
  /** Aborted when the agent cancels the call. */
  readonly signal: AbortSignal;
  progress(progress: ToolProgress): void;
  /** Calls `listener` when the agent has taken the answer, or cannot take it. */
  onTaken(listener: () => void): void;
}

/** Why the calls of a session end. */
type EndReason = 'The agent cancelled the call.' | 'The turn was cancelled.' | 'The session is over.';

/** Runs the calls of one session, and ends them with it. */
export class ToolCalls {
  readonly #server: string;
  readonly #host: McpServerHost;
  readonly #running = new Map<AbortController, string>();
  /** The calls that the agent's side ended lately, with the time of that in milliseconds. */
  #ended: readonly { readonly tool: string; readonly at: number }[] = [];
  /** Tools that have not returned. Those of calls that were cancelled can be among them. */
  #open = 0;
  #count = 0;
  readonly #unread: ReturnType<typeof unreadResults>;
  #sessionId: string | undefined;

  constructor(server: string, host: McpServerHost, maxUnreadBytes?: number) {
    this.#server = server;
    this.#host = host;
    this.#unread = unreadResults(maxUnreadBytes);
    host.session.then(
      ({ sessionId }) => {
        this.#sessionId = sessionId;
      },
      () => {},
    );
  }

  /** Runs a call. Never rejects: the agent's model reads what went wrong. */
  async run(call: IncomingCall): Promise<CallResult> {
    const { tool, input, signal, onTaken } = call;
    if (this.#running.size >= maxCalls || this.#open >= maxCalls) {
      return failure(`The editor runs ${maxCalls} calls of this session already. Wait for one of them.`);
    }
    const control = new AbortController();
    this.#running.set(control, tool.name);
    const over = new AbortController();
    const cancelled = async () => {
      const isClosed = isConnectionEnd(signal.reason);
      if (isClosed || call.isSeparate) await delay(isClosed ? endingMs : cancellingMs, over.signal);
      if (over.signal.aborted || control.signal.aborted) return;
      if (!isClosed) this.#ended = [...this.#lately(), { tool: tool.name, at: performance.now() }];
      control.abort(aborted('The agent cancelled the call.'));
    };
    const stop = onAbort(signal, () => void cancelled());
    if (signal.aborted) void cancelled();
    const id = ++this.#count;
    this.#note(call, 'in', { call: id, tool: tool.name, arguments: input });
    const toolCallId = this.#host.toolCallIdOf(call.meta);
    this.#host.called(toolCallId);
    /** The tool call that shows the progress. */
    let shownIn: string | undefined;
    // After the answer, the agent knows no call that the progress could belong to.
    const progress = ({ progress, total, message }: ToolProgress) => {
      if (control.signal.aborted || !this.#running.has(control)) return;
      // What a tool passes can have more members.
      const state = { progress, ...omitNullish({ total, message }) };
      call.progress(state);
      if (toolCallId === undefined) return;
      shownIn = toolCallId;
      this.#host.showProgress(toolCallId, state);
    };
    const room = this.#unread.room();
    let result: CallResult;
    try {
      result = await this.#run(call, { signal: control.signal, progress }, room);
    } finally {
      stop();
      over.abort();
      this.#running.delete(control);
      if (shownIn !== undefined) this.#host.showProgress(shownIn, null);
    }
    if (control.signal.aborted && !signal.aborted) await delay(agentCancelMs, signal);
    this.#note(call, 'out', { call: id, result });
    // The answer to a call that the agent has cancelled is not sent.
    if (signal.aborted) room.release();
    else onTaken(room.release);
    return result;
  }

  /** Ends the calls under way. */
  cancel(): void {
    this.#abort('The turn was cancelled.');
  }

  /** Ends the calls under way, because the session or the agent ends. */
  interrupt(): void {
    const names = [...this.#lately().map(({ tool }) => tool), ...this.#running.values()];
    this.#ended = [];
    if (names.length > 0) {
      const calls = names.length === 1 ? 'a call' : `${names.length} calls`;
      const message = `The session or the agent ended during ${calls} of ${[...new Set(names)].join(', ')}. The signal of the call was aborted, and the agent does not get a result.`;
      this.#host.report({ rule: 'tools.interrupted', severity: 'warning', message });
    }
    this.#abort('The session is over.');
  }

  #lately() {
    return this.#ended.filter(({ at }) => performance.now() - at < endingMs);
  }

  #abort(reason: EndReason): void {
    for (const control of this.#running.keys()) control.abort(aborted(reason));
  }

  async #run(
    { tool, input, meta, signal: cancelled }: IncomingCall,
    { signal, progress }: Pick<ToolContext, 'signal' | 'progress'>,
    room: ResultRoom,
  ): Promise<CallResult> {
    try {
      const checked = await withLimits(tool.input.check(input), { signal });
      if ('issues' in checked) {
        return failure(
          `The input of ${tool.name} is wrong: ${shownIssues(checked.issues)}. Correct it and call again.`,
        );
      }
      const session = await withLimits(this.#host.session, { signal });
      signal.throwIfAborted();
      cancelled.throwIfAborted();
      const toolCallId = this.#host.toolCallIdOf(meta);
      const context = { session, signal, progress, toolCallId, meta };
      // Nothing else keeps what the tool returned: many calls can end together.
      const result = resultOf(await withLimits(this.#opened(tool, checked.value, context), { signal }), room);
      return await withLimits(this.#usable(tool, result), { signal });
    } catch (error) {
      if (signal.aborted || cancelled.aborted) return failure('The call was cancelled.');
      if (error instanceof ToolError) return failure(errorMessage(error));
      this.#failed(tool.name, 'tools.failed', `threw: ${errorMessage(error)}`);
      return failure(`The tool ${tool.name} failed in the editor.`);
    }
  }

  /** A tool can go on after its call was cancelled, and counts as long as it does. */
  async #opened(tool: ReadyTool, input: unknown, context: ToolContext): Promise<unknown> {
    this.#open++;
    try {
      return await tool.run(input, context);
    } finally {
      this.#open--;
    }
  }

  async #usable(tool: ReadyTool, result: CallResult | UnusableResult): Promise<CallResult> {
    if ('unread' in result) {
      const message = `The agent does not read the answers of the server ${this.#server}, and the result of ${tool.name} was dropped. ${this.#unread.reason}`;
      this.#host.report({ rule: 'tools.refused', severity: 'warning', message });
      return failure(`The result of ${tool.name} was dropped. ${this.#unread.reason}`);
    }
    const wrong = 'wrong' in result ? result.wrong : await wrongOutput(tool, result);
    if (wrong === undefined) return result as CallResult;
    this.#failed(tool.name, 'tools.invalid_result', `returned what an agent cannot get: ${wrong}`);
    return failure(`The tool ${tool.name} failed in the editor.`);
  }

  #failed(tool: string, rule: 'tools.failed' | 'tools.invalid_result', what: string): void {
    const happened = shortened(what, 2000).replace(/\.$/, '');
    const message = `The tool ${tool} of ${this.#server} ${happened}. The agent got an error without it.`;
    this.#host.report({ rule, severity: 'error', message });
  }

  #note(call: IncomingCall, dir: TrafficRecord['dir'], note: Omit<ToolNote, 'server' | 'sessionId'>): void {
    if (!call.isSeparate) return;
    const known = omitNullish({ sessionId: this.#sessionId });
    this.#host.record(dir, toolNote({ server: this.#server, ...known, ...note }));
  }
}

/** An agent can give any reason. A tool gets the error that `throwIfAborted` throws elsewhere. */
function aborted(reason: EndReason): DOMException {
  return new DOMException(reason, 'AbortError');
}

/** What is wrong with the structured output. */
async function wrongOutput(
  { output }: ReadyTool,
  { structuredContent }: CallResult,
): Promise<string | undefined> {
  if (!output) return undefined;
  if (!isJsonObject(structuredContent))
    return 'the tool has a schema for its output, and returned no structuredContent';
  const checked = await output.check(structuredContent);
  return 'issues' in checked ? `structuredContent: ${shownIssues(checked.issues)}` : undefined;
}

/** The first problems. An input can have one in each of its values. */
function shownIssues(issues: readonly string[]): string {
  const shown = issues.slice(0, maxIssues).map((issue) => shortened(issue, maxIssueLength));
  const more = issues.length - shown.length;
  return shown.join('; ') + (more > 0 ? `; and ${more} more` : '');
}
