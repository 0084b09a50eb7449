import { connect } from '../agents/connect.ts';
import { errorMessage } from '../base/diagnostic.ts';
import { isJsonObject, type JsonObject } from '../base/json.ts';
import { delay } from '../base/wait.ts';
import type { CallOptions } from '../client/calls/call-options.ts';
import type { ConnectOptions } from '../client/connect.ts';
import type { ClientConnection } from '../client/connection.ts';
import type { Session } from '../client/session/session.ts';
import { dialectNamed } from '../protocol/negotiate.ts';
import { replacePaths } from '../protocol/replace-paths.ts';
import { readChannelNote } from '../trace/channel-note.ts';
import { macrotask } from '../transport/macrotask.ts';
import type { Transport } from '../transport/transport.ts';
import { type NamedSession, played } from './named-session.ts';
import type { FoldedSession, PlayOptions } from './play-observer.ts';
import { paramsOf, type Step, sessionIdOf } from './recorded-agent.ts';
import { isRepeated, openingCalls, openingOf, sessionCalls } from './recorded-calls.ts';
import { elicitationAnswerOf, permissionOutcomeOf, RecordedLink, settledMethod } from './recorded-link.ts';
import { type RecordedRun, reopeningHistory } from './recorded-runs.ts';
import { recordedTerminals } from './recorded-terminals.ts';

const cancelMethod = '$/cancel_request';

/** What an agent sends that can change a conversation, beside answers. */
const relevantMethods: ReadonlySet<unknown> = new Set([
  'session/update',
  'session/request_permission',
  'elicitation/create',
  'terminal/create',
  'terminal/output',
  'terminal/wait_for_exit',
  'terminal/kill',
  'terminal/release',
  cancelMethod,
]);

/** How many messages the agent sends before it waits for the client. */
const maxUnsettled = 256;

/** How often the client may wait, for a timer without a delay, before it opens a session again. */
const maxReopeningWaits = 10;

/** The context of a request of the agent. */
interface Asking {
  readonly session: Session | undefined;
}

/**
 * The client of a recording: makes the recorded calls again, on a real connection to the recorded agent. Each message
 * is handled before the next one of the other side is sent, so that the order is the one of the recording.
 */
export class RecordedClient {
  readonly #runs: readonly [RecordedRun, ...RecordedRun[]];
  readonly #options: PlayOptions;
  /** How the client opened its sessions again. */
  readonly #history: 'prefer' | 'skip';
  /** In the order in which the recording names them first. */
  readonly #named = new Map<string, NamedSession>();
  /** Cancels each call that has no answer yet, by the recorded id. */
  readonly #cancellations = new Map<string, AbortController>();
  /** The calls without an answer yet that give a session its id. */
  readonly #beginning = new Set<Promise<unknown>>();
  /** How many messages from the agent were sent since the client was waited for. */
  #unsettled = 0;
  /** How many messages the client has read. Counted for an observer only. */
  #read = 0;
  /** The sessions that may have changed since the observer was last called. A recording can have thousands. */
  readonly #changed = new Set<string>();
  /** What the agent does when the client starts it. Absent where it cannot be started. */
  #upcoming: { readonly run: RecordedRun; markStarted(): void } | undefined;
  #link: RecordedLink | undefined;
  #connection: ClientConnection | undefined;
  /** Whether the agent that runs now has answered `initialize`. */
  #isInitialized = false;

  /** @param runs - The first run, whose dialect is known, and those that may follow it on the same connection. */
  constructor(runs: readonly [RecordedRun, ...RecordedRun[]], options: PlayOptions) {
    this.#runs = runs;
    this.#options = options;
    this.#history = reopeningHistory(runs);
  }

  /** Plays the runs that belong to one connection, and returns how many they are. */
  async play(): Promise<number> {
    const firstStart = this.#expectStart(this.#runs[0]);
    const connecting = connect(() => this.#start(), this.#connectOptions());
    let started: Promise<unknown> = Promise.race([firstStart, connecting]);
    let played = 0;
    for (const run of this.#runs) {
      await started;
      const before = this.#runs[played - 1];
      if (before) this.#options.observer?.ended(before, this.sessions());
      played++;
      await this.#playRun(run, connecting);
      if (!run.end || !this.#connection) break;
      const next = this.#runs[played];
      const reconnects = next !== undefined && this.#reconnectsIn(next);
      if (reconnects) started = Promise.race([this.#expectStart(next), this.#connection.closed]);
      this.#link?.recorded.end(run.end);
      if (reconnects) continue;
      await this.#connection.closed;
      this.#options.observer?.ended(run, this.sessions());
      break;
    }
    return played;
  }

  /** The sessions that the client had, as they are now. */
  sessions(): readonly FoldedSession[] {
    const open = new Map(this.#connection?.sessions.map((session) => [session.sessionId, session]));
    return [...this.#named].flatMap(([sessionId, named]) => played(named, open.get(sessionId)));
  }

  /** The sessions that may have changed: the session that a step names, and those whose stores reported a change. */
  #changedBy({ message }: Step): readonly FoldedSession[] {
    const sessionId = sessionIdOf(message);
    if (sessionId !== undefined) this.#changed.add(sessionId);
    const changed = [...this.#changed].flatMap((id) => {
      const named = this.#named.get(id);
      if (!named) return [];
      // A session that is being opened is not known yet.
      const isKnown = named.session?.isClosed === false;
      const open = isKnown ? undefined : this.#connection?.sessions.find((each) => each.sessionId === id);
      return played(named, open);
    });
    this.#changed.clear();
    return changed;
  }

  /** Keeps a session that was opened, and follows it for an observer. */
  #keep(session: Session): NamedSession {
    const { sessionId, store } = session;
    const named = this.#name(sessionId);
    if (this.#options.observer && named.session !== session) {
      const note = () => this.#changed.add(sessionId);
      note();
      store.subscribe(note);
    }
    named.session = session;
    return named;
  }

  async close(): Promise<void> {
    await this.#connection?.close();
  }

  #connectOptions(): ConnectOptions {
    const [{ dialect, isAssumed }] = this.#runs;
    const { report, paths, observer } = this.#options;
    const answerTo = async (method: string, { session }: Asking) =>
      this.#link?.answerTo(method, session?.sessionId);
    const elicit = async (_request: unknown, context: Asking) =>
      elicitationAnswerOf(await answerTo('elicitation/create', context));
    return {
      clientInfo: { name: 'acp-client-sdk', version: '0' },
      handlers: {
        requestPermission: async (_request, context) =>
          permissionOutcomeOf(await answerTo('session/request_permission', context)),
        terminals: recordedTerminals(answerTo),
        elicit: { form: elicit, url: elicit },
        extensions: { [settledMethod]: () => null },
      },
      ...(isAssumed && dialect && { dialect }),
      paths,
      reconnect: {
        maxAttempts: this.#runs.length,
        firstDelayMs: 0,
        maxDelayMs: 0,
        history: this.#history,
      },
      initializeIdleTimeoutMs: Number.POSITIVE_INFINITY,
      stallAfterMs: Number.POSITIVE_INFINITY,
      ...(observer && {
        trace: {
          write: ({ dir }) => dir === 'in' && this.#read++,
          redact: (message) => message,
          maxTextLength: Number.POSITIVE_INFINITY,
        },
      }),
      onDiagnostic: (diagnostic) => {
        // The recording ends with the agent, which cannot be started again.
        if (diagnostic.rule !== 'connection.restart_failed') report(diagnostic);
      },
    };
  }

  /** Resolves when the client starts the agent, which then does what it did in this run. */
  #expectStart(run: RecordedRun): Promise<void> {
    return new Promise((resolve) => {
      this.#upcoming = { run, markStarted: resolve };
    });
  }

  #start(): Transport {
    if (!this.#upcoming) {
      // Each further attempt would fail as well.
      void this.#connection?.close();
      throw new Error('The recording does not have another start of the agent.');
    }
    const { run, markStarted } = this.#upcoming;
    this.#upcoming = undefined;
    this.#isInitialized = false;
    this.#unsettled = 0;
    this.#cancellations.clear();
    this.#link = new RecordedLink(run);
    markStarted();
    return this.#link.transport;
  }

  async #playRun({ steps, answer }: RecordedRun, connecting: Promise<ClientConnection>): Promise<void> {
    const { report, observer } = this.#options;
    await this.#link?.introduced;
    for (const [index, step] of steps.entries()) {
      // What the client sends from now on is compared with the steps from this one on first.
      if (this.#link) this.#link.recorded.next = index;
      observer?.begin(step);
      if (step.dir === 'in') await this.#receive(step);
      else await this.#repeat(step.message, index);
      if (index !== answer) {
        observer?.handled(this.#changedBy(step));
        continue;
      }
      try {
        this.#connection ??= await connecting;
      } catch (error) {
        report({ rule: 'protocol.dialect', severity: 'error', message: errorMessage(error) });
        return;
      }
      await this.#handled();
      this.#isInitialized = true;
      observer?.initialized(this.#connection);
      observer?.handled(this.sessions());
    }
    await this.#settle();
    observer?.handled(this.sessions());
  }

  /** Sends a message from the agent that can change a conversation. */
  async #receive(step: Step): Promise<void> {
    const { method, id } = step.message;
    const fault = readChannelNote(step.message);
    if (method !== undefined && !fault && !relevantMethods.has(method)) return;
    if (fault?.type === 'callFailed') this.#cancellations.delete(String(fault.id));
    if (method === undefined) this.#cancellations.delete(String(id));
    const sessionId = sessionIdOf(step.message);
    if (sessionId !== undefined) {
      if (method === 'session/update') this.#name(sessionId).updates++;
      await this.#ensureOpen(sessionId);
    }
    const read = this.#read;
    try {
      if (this.#link?.send(step)) this.#unsettled++;
    } catch (error) {
      const message = `A recorded message could not be sent again and was ignored: ${errorMessage(error)}.`;
      this.#options.report({ rule: 'transport.noise', severity: 'warning', message });
    }
    // An update that was read is folded too, unless it ends a turn.
    if (this.#read > read && method === 'session/update' && !isState(step)) this.#unsettled = 0;
    if (this.#unsettled >= (this.#options.observer ? 1 : maxUnsettled)) await this.#settle();
  }

  /** Resolves when the client has handled the agent's messages. */
  async #settle(): Promise<void> {
    const isNeeded = this.#unsettled > 0 && this.#isInitialized;
    this.#unsettled = 0;
    if (isNeeded) await this.#handled();
  }

  /**
   * Resolves when the client has handled everything and, for an observer, reads on: an update that is sent then is read
   * at once, and needs no wait of its own.
   */
  async #handled(): Promise<void> {
    await this.#link?.settled();
    if (this.#options.observer) await new Promise<void>(macrotask);
  }

  /** Has the client send a message that can change a conversation, unless the client has sent it by itself. */
  async #repeat(message: JsonObject, index: number): Promise<void> {
    const { method } = message;
    const isCall = typeof method === 'string' && isRepeated(method);
    if (method !== undefined && method !== cancelMethod && !isCall) return;
    await this.#settle();
    if (isCall && Object.hasOwn(openingCalls, method)) await this.#letReopen(index);
    if (!this.#isInitialized || !this.#link?.recorded.isUnsent(index)) return;
    if (isCall) await this.#call(method, message);
    else if (method === undefined) this.#link.answer(message);
    else this.#cancellations.get(String(paramsOf(message)['requestId']))?.abort();
    await this.#handled();
  }

  /** Lets a client that opens its sessions again make a call by itself: it tries once more what the agent has refused. */
  async #letReopen(index: number): Promise<void> {
    let isReady = false;
    const ready = () => {
      isReady = true;
    };
    this.#connection?.ready.then(ready, ready);
    for (let count = 0; count < maxReopeningWaits; count++) {
      await delay(0);
      if (isReady || !this.#link?.recorded.isUnsent(index)) return;
    }
  }

  /** Makes a call again. */
  async #call(method: string, message: JsonObject): Promise<void> {
    const connection = this.#connection;
    if (!connection) return;
    const cancellation = new AbortController();
    const options: CallOptions = {
      allowUnsupported: true,
      timeoutMs: Number.POSITIVE_INFINITY,
      signal: cancellation.signal,
    };
    const sessionId = sessionIdOf(message);
    let answered: Promise<unknown> | undefined;
    if (Object.hasOwn(openingCalls, method)) {
      answered = this.#open(openingCalls[method]?.(connection, message, options), message);
    } else if (Object.hasOwn(sessionCalls, method) && sessionId !== undefined) {
      await this.#ensureOpen(sessionId);
      const open = connection.sessions.find((session) => session.sessionId === sessionId);
      // The open session of this id, or else the one that was.
      const session = open ?? this.#named.get(sessionId)?.session;
      answered = session && sessionCalls[method]?.(session, this.#paramsOf(message), options, connection);
    }
    // A call that fails did so in the recording, or the client refuses it and sends nothing.
    answered?.catch(() => {});
    this.#cancellations.set(String(message['id']), cancellation);
  }

  /** The parameters of a recorded call, with the paths that the client gave. */
  #paramsOf(message: JsonObject): JsonObject {
    const { paths } = this.#options;
    const params = paramsOf(message);
    const dialect = this.#connection && dialectNamed(this.#connection.dialect);
    const schema = dialect?.agentMethods[String(message['method'])]?.params;
    return paths && schema ? replacePaths(schema, params, paths.toEditor) : params;
  }

  /** Follows a call that opens a session. */
  async #open(opening: Promise<Session> | undefined, message: JsonObject): Promise<void> {
    if (!opening || !this.#connection) return;
    const reopened = openingOf(message, this.#connection.dialect) ? sessionIdOf(message) : undefined;
    if (reopened === undefined) this.#beginning.add(opening);
    else this.#name(reopened).opening = 'recorded';
    try {
      this.#keep(await opening).opening = 'recorded';
    } finally {
      this.#beginning.delete(opening);
    }
  }

  /** Opens a session that the recording names, and that none of its calls opens. */
  async #ensureOpen(sessionId: string): Promise<void> {
    if (!this.#isInitialized || this.#name(sessionId).opening !== 'none') return;
    // The session can be the one that an answer names.
    await this.#settle();
    const named = this.#name(sessionId);
    if (named.opening !== 'none' || this.#beginning.size > 0) return;
    named.opening = 'assumed';
    this.#link?.expectResume(sessionId);
    const options = { allowUnsupported: true };
    const session = await this.#connection?.resumeSession({ sessionId, cwd: '/' }, options).catch(() => {});
    if (session) this.#keep(session);
  }

  #name(sessionId: string): NamedSession {
    const known = this.#named.get(sessionId);
    if (known) return known;
    const named: NamedSession = { updates: 0, opening: 'none' };
    this.#named.set(sessionId, named);
    return named;
  }

  /**
   * Whether a run goes on with the connection after a crash, or the client connected again. A client that reconnects
   * opens its sessions again before all else.
   */
  #reconnectsIn({ steps }: RecordedRun): boolean {
    const connection = this.#connection;
    if (!connection || connection.sessions.length === 0) return false;
    const { dialect } = connection;
    const order = this.#history === 'prefer' ? (['load', 'resume'] as const) : (['resume', 'load'] as const);
    const expected = order.find((opening) => connection.supports(`session.${opening}`));
    const first = steps.find(({ dir, message }) => dir === 'out' && sessionIdOf(message) !== undefined);
    if (!expected || !first) return true;
    const isOpen = connection.sessions.some(({ sessionId }) => sessionId === sessionIdOf(first.message));
    return isOpen && openingOf(first.message, dialect) === expected;
  }
}

function isState({ message }: Step): boolean {
  const { update } = paramsOf(message);
  return isJsonObject(update) && update['sessionUpdate'] === 'state_update';
}
