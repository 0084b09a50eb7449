import * as v from 'valibot';
import { type DiagnosticListener, preview } from '../diagnostic.ts';
import {
  type AcpError,
  AuthRequiredError,
  CapabilityError,
  ConnectionStateError,
  InvalidMessageError,
  InvalidParamsError,
  RemoteError,
} from '../errors.ts';
import { issuesOf, listed } from '../issue.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import { abortSignal, checkOptions, optional, optionsObject, timeoutMs } from '../options.ts';
import type { CallName, Calls } from '../protocol/calls.ts';
import { droppedParts } from '../protocol/dropped.ts';
import type { Feature } from '../protocol/feature.ts';
import type { AgentMethod } from '../protocol/method.ts';
import * as rpcCodes from '../rpc/codes.ts';
import type { RequestOptions } from '../rpc/peer.ts';
import { answeredWithError } from '../rpc/remote-error.ts';
import { type SentSecrets, secretsIn } from '../secrets.ts';
import { maxTimerMs, withLimits } from '../wait.ts';
import { checkCall, checkParameters, methodMissingError } from './gate.ts';
import type { Link } from './link.ts';

/** Options of every call. */
export interface CallOptions {
  /** Aborting cancels the request at the agent and rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /**
   * Milliseconds until the call is abandoned. Default: 600,000 to load a session, 120,000 to create, fork or resume
   * one, and 60,000 for other calls. Prompts, logins and extension methods have no limit.
   */
  readonly timeoutMs?: number;
  /** Sends this call even if the agent did not advertise what it needs. Default: `false`. */
  readonly allowUnsupported?: boolean;
  /**
   * Sent as the `_meta` of the request, for example a W3C trace context.
   *
   * @see https://agentclientprotocol.com/protocol/extensibility
   */
  readonly meta?: JsonObject;
}

/** The checks of {@link CallOptions}, for calls that have further options. */
export const callOptionEntries = {
  signal: optional(abortSignal),
  timeoutMs: optional(timeoutMs),
  allowUnsupported: optional(v.boolean()),
  meta: optional(v.custom<JsonObject>(isJsonObject, 'must be an object')),
} satisfies { readonly [K in keyof Required<CallOptions>]: v.GenericSchema };

const CallOptionsSchema = optionsObject(callOptionEntries);

/**
 * Checks the options of a call.
 *
 * @throws {@link InvalidParamsError}
 */
export function checkCallOptions(method: string, options: CallOptions): void {
  checkOptions(method, CallOptionsSchema, options, 'Nothing was sent.');
}

const minuteMs = 60_000;

/** The time limits of calls that differ from a minute, in milliseconds. `undefined`: no limit. */
const ownTimeoutsMs: { readonly [K in CallName]?: number | undefined } = {
  newSession: 2 * minuteMs,
  loadSession: 10 * minuteMs,
  resumeSession: 2 * minuteMs,
  forkSession: 2 * minuteMs,
  prompt: undefined,
  login: undefined,
};

/** The time limit of a call in milliseconds, unless its options say otherwise. `undefined`: no limit. */
export function timeoutMsOf(name: CallName): number | undefined {
  return Object.hasOwn(ownTimeoutsMs, name) ? ownTimeoutsMs[name] : minuteMs;
}

/** The calls that log the user in or out. They never wait for a login. */
const loginMethods: ReadonlySet<string> = new Set([
  'authenticate',
  'auth/login',
  'logout',
  'auth/logout',
  'auth/status',
]);

/** The calls that some versions do not have, and what to do there. */
const absentCalls: { readonly [K in CallName]?: readonly [method: string, remedy: string] } = {
  setMode: ['session/set_mode', 'Change the config option for the mode instead, with setConfigOption.'],
  setModel: ['session/set_model', 'Change the config option for the model instead, with setConfigOption.'],
  cancelToolCall: ['tool_call/cancel', 'Cancel the session instead.'],
  cancelTerminal: ['terminal/cancel', 'Cancel the session instead.'],
};

const extensionNames = 'Names of methods outside the protocol begin with "_".';

/** The methods that only this library sends, and when. */
const reserved: Readonly<Record<string, string>> = {
  initialize: 'connect sends it, once',
  '$/cancel_request': 'it is sent when the signal of a call is aborted',
};

type PrepareOptions = CallOptions & Pick<RequestOptions, 'withdraw' | 'onAbandoned'>;

/** Makes calls: checks them, writes them, reads the answers. */
export class Caller {
  /** What was sent that must not be repeated in errors. */
  readonly secrets: SentSecrets;
  readonly #report: DiagnosticListener;
  #link: Link | undefined;
  #isReconnecting = false;
  /** Checks a raw request as the typed call is checked, beside the capabilities. */
  checkRequest: (method: string, params: JsonObject) => void = () => {};
  /** Asks the user to log in. A call that the agent refused for the lack of a login is then made once more. */
  onAuthRequired: ((method: string) => Promise<void>) | undefined;

  /** @param report - Takes what of an answer does not match the protocol. */
  constructor(report: DiagnosticListener, secrets: SentSecrets) {
    this.#report = report;
    this.secrets = secrets;
  }

  /** Makes the calls to this agent from now on. */
  attach(link: Link): void {
    this.#link = link;
    this.#isReconnecting = false;
  }

  /** Refuses calls until another agent is attached. */
  detach(): void {
    this.#isReconnecting = true;
  }

  /** Whether a call can reach the agent now. */
  get canSend(): boolean {
    return !this.#isReconnecting && this.refusal('') === undefined;
  }

  supports(feature: Feature): boolean {
    return this.#attached.capabilities.explain(feature).supported;
  }

  /** Why no call can be made, where the connection has ended. */
  refusal(method: string): AcpError | undefined {
    return this.#attached.peer.refusal(method);
  }

  /** An error for the lack of a login says what to do, also where the agent offers no login method. */
  withLoginAdvice(error: AuthRequiredError): AuthRequiredError {
    if (this.#attached.authMethods.length > 0) return error;
    const { method = '', rpcCode, data, agentMessage } = error;
    const message = `${answeredWithError(method, rpcCode, agentMessage)} It offers no login method: log in as its documentation describes, then connect again.`;
    const prompt = error.promptAccepted === undefined ? {} : { promptAccepted: error.promptAccepted };
    return new AuthRequiredError(message, { method, rpcCode, data, agentMessage, ...prompt });
  }

  /** Asks the user to log in. Resolves as well when the channel ends, for the end settles what waits. */
  async logIn(method: string, signal?: AbortSignal): Promise<void> {
    const login = this.onAuthRequired?.(method);
    if (!login) return;
    await Promise.race([
      withLimits(login, { signal }).catch(throwUnless(signal)),
      this.#attached.peer.closed,
    ]);
  }

  /** Checks a call, and returns the function that sends it. Throws what the gate throws, before anything is written. */
  prepare<K extends CallName>(
    name: K,
    input: Calls[K][0],
    { withdraw, onAbandoned, ...options }: PrepareOptions = {},
  ): () => Promise<Calls[K][1]> {
    const { dialect } = this.#current;
    const call = dialect.calls[name];
    if (!call) {
      const [method, remedy] = absentCalls[name] ?? [name];
      throw this.#notInVersion(method, remedy);
    }
    const { descriptor } = call;
    const wire = this.#check(descriptor, withMeta(call.encode(input), options.meta), options);
    const limits = { timeoutMs: timeoutMsOf(name), ...limitsOf(descriptor.method, options) };
    const sendOnce = async () => {
      if (!descriptor.result) {
        await this.#current.peer.notify(descriptor.method, wire, limits);
        return undefined as Calls[K][1];
      }
      const result = await this.#send(descriptor, wire, { ...limits, withdraw, onAbandoned });
      // Sound: the table pairs each call's name with its output.
      return call.decode(this.#readResult(descriptor, result)) as Calls[K][1];
    };
    if (!this.onAuthRequired || loginMethods.has(descriptor.method)) return sendOnce;
    return () =>
      sendOnce().catch(async (error: unknown) => {
        if (!(error instanceof AuthRequiredError)) throw error;
        await this.logIn(descriptor.method, options.signal);
        return sendOnce();
      });
  }

  /** Makes a call by its name and parameters on the wire. It is checked if the protocol knows it. */
  async request(method: string, params: object | undefined, options: CallOptions): Promise<unknown> {
    const known = this.#known(method);
    if (!known) {
      const wire = this.#checkExtension(method, params, options);
      return this.#request(method, wire, limitsOf(method, options));
    }
    if (!known.result) throw wrongKind(method, 'a notification, which is not answered: use notify');
    const limits = { timeoutMs: this.#timeoutMsOf(method), ...limitsOf(method, options) };
    return this.#send(known, this.#checkRaw(known, params, options), limits);
  }

  /** As {@link Caller.request}, where no answer is due. */
  async notify(method: string, params: object | undefined, options: CallOptions): Promise<void> {
    const known = this.#known(method);
    if (known?.result) throw wrongKind(method, 'a request, which is answered: use request');
    const wire = known
      ? this.#checkRaw(known, params, options)
      : this.#checkExtension(method, params, options);
    const limits = { timeoutMs: minuteMs, ...limitsOf(method, options) };
    this.secrets.add(secretsIn(method, wire));
    await this.#current.peer.notify(method, wire, limits);
  }

  get #attached(): Link {
    if (!this.#link)
      throw new ConnectionStateError('The agent has not answered initialize yet. Nothing was sent.');
    return this.#link;
  }

  /** The agent that takes calls now. */
  get #current(): Link {
    if (!this.#isReconnecting) return this.#attached;
    throw new ConnectionStateError(
      'The agent ended and is being started again. Nothing was sent. Wait for connection.ready, then call again.',
    );
  }

  #check(descriptor: AgentMethod, given: unknown, { allowUnsupported }: CallOptions): JsonObject {
    const wire = allowUnsupported
      ? // Every method of the protocol takes an object, and the schema has just checked that this is one.
        (checkParameters(descriptor.method, descriptor.params, given) as JsonObject)
      : checkCall(descriptor, given, this.#current.capabilities);
    assertSessionId(descriptor.method, wire);
    return wire;
  }

  #known(method: string): AgentMethod | undefined {
    const { agentMethods } = this.#current.dialect;
    return Object.hasOwn(agentMethods, method) ? agentMethods[method] : undefined;
  }

  #checkRaw(descriptor: AgentMethod, params: object = {}, options: CallOptions): JsonObject {
    const wire = this.#check(descriptor, withMeta(params, options.meta), options);
    if (!options.allowUnsupported) this.checkRequest(descriptor.method, wire);
    return wire;
  }

  #checkExtension(
    method: string,
    params: object | undefined,
    { allowUnsupported, meta }: CallOptions,
  ): JsonObject | undefined {
    if (!method.startsWith('_') && !allowUnsupported) {
      if (!Object.hasOwn(reserved, method)) throw this.#notInVersion(method);
      throw new ConnectionStateError(`${method} cannot be called: ${reserved[method]}. Nothing was sent.`, {
        method,
      });
    }
    if (params !== undefined && !isJsonObject(params)) {
      throw new InvalidParamsError(
        `${method}: the parameters must be an object, and are ${preview(params)}. Nothing was sent.`,
        { method },
      );
    }
    return meta ? { ...params, _meta: meta } : params;
  }

  /** The longest limit of the typed calls that send this method. */
  #timeoutMsOf(method: string): number | undefined {
    const limits = Object.entries(this.#current.dialect.calls)
      .filter(([, call]) => call?.descriptor.method === method)
      // The table of calls is keyed by their names.
      .map(([name]) => timeoutMsOf(name as CallName) ?? Number.POSITIVE_INFINITY);
    const longest = limits.length === 0 ? minuteMs : Math.max(...limits);
    return Number.isFinite(longest) ? longest : undefined;
  }

  async #send(descriptor: AgentMethod, wire: JsonObject, options: RequestOptions): Promise<unknown> {
    const { capabilities } = this.#current;
    const { requires, method } = descriptor;
    try {
      return await this.#request(method, wire, options);
    } catch (error) {
      if (error instanceof AuthRequiredError) throw this.withLoginAdvice(error);
      const gated = requires && error instanceof RemoteError && error.rpcCode === rpcCodes.methodNotFound;
      throw gated
        ? methodMissingError(method, capabilities.explain(requires), capabilities.agentName, error)
        : error;
    }
  }

  /** Sends a request. An agent may repeat what it was sent, and an error then repeats the agent. */
  async #request(method: string, wire: JsonObject | undefined, options: RequestOptions): Promise<unknown> {
    this.secrets.add(secretsIn(method, wire));
    try {
      return await this.#current.peer.request(method, wire, options);
    } catch (error) {
      throw this.secrets.removeFromError(error);
    }
  }

  /** Reads an answer. Its malformed parts are reported and left out where the protocol allows that. */
  #readResult({ method, result: schema }: AgentMethod, result: unknown): unknown {
    if (!schema) return undefined;
    const parsed = v.safeParse(schema, result);
    if (!parsed.success) {
      const issues = issuesOf(parsed.issues, 'result');
      throw this.secrets.removeFromError(
        new InvalidMessageError(
          `The agent's answer to ${method} does not match the protocol: ${listed(issues)}. It was ${preview(result)}`,
          { method, issues },
        ),
      );
    }
    for (const { path, message } of droppedParts(schema, result, 'result')) {
      this.#report({
        rule: 'protocol.malformed_result',
        severity: 'warning',
        message: `A part of the agent's answer to ${method} does not match the protocol: ${path} ${message}. It was left out.`,
        received: preview(result),
      });
    }
    return parsed.output;
  }

  #notInVersion(method: string, remedy = extensionNames): CapabilityError {
    const { protocolVersion } = this.#current.dialect;
    const reason = `Version ${protocolVersion} of the protocol, as this agent speaks it, does not have ${method}.`;
    return new CapabilityError(`${reason} Nothing was sent. ${remedy}`, {
      method,
      missing: [{ feature: method, path: 'protocolVersion', value: protocolVersion, reason }],
    });
  }
}

/**
 * Refuses an empty session id: an editor has it before it has a session, and agents do not agree on what it means. The
 * schemas of the protocol accept every string.
 *
 * @throws {@link InvalidParamsError}
 */
function assertSessionId(method: string, { sessionId }: JsonObject): void {
  if (sessionId !== '') return;
  throw new InvalidParamsError(
    `${method} was called with wrong parameters: sessionId is "": pass the id of a session, as listSessions returns it. Nothing was sent.`,
    { method, issues: [{ path: 'sessionId', message: 'is ""' }] },
  );
}

function wrongKind(method: string, what: string): InvalidParamsError {
  return new InvalidParamsError(`${method} is ${what}. Nothing was sent.`, { method });
}

/** The parameters with the metadata of the call's options. */
function withMeta(params: unknown, meta: JsonObject | undefined): unknown {
  if (!meta || !isJsonObject(params)) return params;
  const own = params['_meta'];
  return { ...params, _meta: { ...(isJsonObject(own) && own), ...meta } };
}

/** Once the caller has left, the call itself rejects with the reason. */
function throwUnless(signal: AbortSignal | undefined): (error: unknown) => void {
  return (error) => {
    if (!signal?.aborted) throw error;
  };
}

function limitsOf(method: string, options: CallOptions): RequestOptions {
  checkCallOptions(method, options);
  const { signal, timeoutMs: givenMs } = options;
  return {
    ...(signal && { signal }),
    // 24 days are as good as no limit.
    ...(givenMs !== undefined && { timeoutMs: givenMs > maxTimerMs ? undefined : givenMs }),
  };
}
