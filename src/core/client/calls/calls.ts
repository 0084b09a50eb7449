import { type DiagnosticListener, preview, warning } from '../../base/diagnostic.ts';
import {
  type AcpError,
  AuthRequiredError,
  CapabilityError,
  ConnectionStateError,
  InvalidParamsError,
  MethodNotFoundError,
  RemoteError,
} from '../../base/errors.ts';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { readInput, shown } from '../../base/options.ts';
import type { SentSecrets } from '../../base/secrets.ts';
import type { CallName, Calls } from '../../protocol/calls.ts';
import type { Dialect } from '../../protocol/dialect.ts';
import { type CustomFeature, type Feature, isFeatureName } from '../../protocol/feature.ts';
import type { AgentMethod } from '../../protocol/method.ts';
import type { Limits, RequestOptions } from '../../rpc/peer.ts';
import {
  type CallOptions,
  limitsOf,
  longestTimeoutMs,
  minuteMs,
  type NamedCallOptions,
  requiredBy,
  timeoutMsOf,
} from './call-options.ts';
import { failedCall } from './failed-call.ts';
import {
  assertPermitted,
  checkCall,
  checkParameters,
  type RestrictedSession,
  requireFeatures,
  withEvidence,
} from './gate.ts';
import { KeyEvidence, type Link } from './link.ts';
import { countdown, type LoginLimits, type LoginWait, loginCalls, type SendPrepared } from './login.ts';
import type { LostCalls } from './lost-calls.ts';
import type { SendCall } from './outgoing-calls.ts';
import { assertSessionId, withExtraParams, withMeta } from './parameters.ts';
import { readResult } from './read-result.ts';

/** The calls that some versions do not have, and what to do there. */
const absentCalls: { readonly [K in CallName]?: readonly [method: string, remedy: string] } = {
  setMode: ['session/set_mode', 'Use changeSetting instead.'],
  setModel: ['session/set_model', 'Use changeSetting instead.'],
  cancelToolCall: ['tool_call/cancel', 'Cancel the session instead.'],
  cancelTerminal: ['terminal/cancel', 'Cancel the session instead.'],
  revoke: ['session/revoke_inject', 'Cancel the session instead.'],
};

const extensionNames =
  'Names of methods outside the protocol begin with "_". If the agent advertises a capability for the method, name it with the option requires.';

/** The methods that only this library sends, and when. */
const reserved: Readonly<Record<string, string>> = {
  initialize: 'connect sends it, once',
  '$/cancel_request': 'it is sent when the signal of a call is aborted',
};

/** A call by its name on the wire. */
interface RawCall {
  readonly method: string;
  readonly params: object | undefined;
  /** Checks it as the typed call is checked, apart from the capabilities. */
  readonly check?: (method: string, params: JsonObject) => void;
}

/** Makes calls: checks them, writes them, reads the answers. */
export class Caller {
  /** What was sent that must not be repeated in errors. */
  readonly secrets: SentSecrets;
  /** The subagents, by the id of their session: what the agent permits for them is checked before a call. */
  readonly subagents = new Map<string, RestrictedSession>();
  readonly keys = new KeyEvidence();
  /** Sends lost calls again. Absent: nothing that is lost returns. */
  lost: LostCalls | undefined;
  readonly #report: DiagnosticListener;
  readonly #sendCall: SendCall;
  #link: Link | undefined;
  #phase: 'open' | 'starting' | 'restoring' = 'open';
  readonly #login: LoginWait | undefined;

  /**
   * @param report - Takes what of an answer does not match the protocol.
   * @param sendCall - Writes each call.
   * @param login - Asks the user to log in. A call that the agent refused for the lack of a login is then made again.
   */
  constructor(report: DiagnosticListener, secrets: SentSecrets, sendCall: SendCall, login?: LoginWait) {
    this.#report = report;
    this.secrets = secrets;
    this.#sendCall = sendCall;
    this.#login = login;
  }

  /** The agent that runs now, or that ran last. */
  get link(): Link {
    if (!this.#link)
      throw new ConnectionStateError('The agent has not answered initialize yet. Nothing was sent.');
    return this.#link;
  }

  /** The agent's dialect that runs now; `undefined` until it answered `initialize`. */
  get dialect(): Dialect | undefined {
    return this.#link?.dialect;
  }

  /** Makes the calls to this agent from now on. */
  attach(link: Link): void {
    this.#link = link;
    this.#phase = 'open';
  }

  /** Refuses calls until another agent is attached. */
  detach(): void {
    this.#phase = 'starting';
  }

  /**
   * The agent was started again. Returns what makes the calls that restore its sessions. Other calls are refused, but
   * for those with which the user logs in, for which the returned calls always wait: no handler has made them.
   */
  restoring(link: Link): Caller {
    this.#link = link;
    this.#phase = 'restoring';
    const login = this.#login;
    const ownLogin = login && { isUnderWay: false, wait: login.wait.bind(login) };
    return callerFor(link, this.#report, this.secrets, this.#sendCall, ownLogin);
  }

  /** Whether a call can reach the agent now. */
  get canSend(): boolean {
    return this.#phase === 'open' && this.refusal('') === undefined;
  }

  supports(feature: Feature | CustomFeature): boolean {
    const { supported, reason } = this.link.capabilities.explain(feature);
    if (!isFeatureName(feature)) this.#report(warning('client.unknown_feature', reason));
    return supported;
  }

  /** Why no call can be made, where the connection has ended. */
  refusal(method: string): AcpError | undefined {
    return this.link.peer.refusal(method);
  }

  /** Whether the agent refused a call, or ended a turn, for the lack of a login. */
  lacksLogin(error: unknown): error is RemoteError {
    const { lacksLogin = () => false } = this.link.agent;
    return error instanceof RemoteError && (error instanceof AuthRequiredError || lacksLogin(error));
  }

  /** The error for the lack of a login, with what the user can do. What knows that is loaded then. */
  withLoginAdvice(error: RemoteError): Promise<RemoteError> {
    const advised = import('./login-error.ts').then(({ loginError }) => loginError(error, this.link));
    return advised.catch(() => error);
  }

  /**
   * Begins a call that waits for a login if the agent refuses it. The returned function asks the user and waits; its
   * promise resolves as well when the channel ends, for the end settles what waits.
   *
   * A call that begins during a login does not wait: the handler that asks the user may have made it, and would wait
   * for itself. It rejects as the agent refused it.
   */
  loginFor(method: string, limits: LoginLimits): ((error: AuthRequiredError) => Promise<void>) | undefined {
    const login = this.#login;
    if (!login || login.isUnderWay || loginCalls.has(method)) return undefined;
    return async (error) => {
      await Promise.race([login.wait(method, error, limits), this.link.peer.closed]);
    };
  }

  /**
   * Checks a call, and returns the function that sends it. Throws what the gate throws, before anything is written. A call
   * that the agent refuses for the lack of a login is sent again after `loggedIn`, unless that rejects.
   */
  prepare<K extends CallName>(
    name: K,
    input: Calls[K][0],
    options: CallOptions = {},
    { withdraw, onAbandoned }: Pick<RequestOptions, 'withdraw' | 'onAbandoned'> = {},
  ): SendPrepared<Calls[K][1]> {
    const { dialect } = this.#linkFor(name);
    const call = dialect.calls[name];
    if (!call) {
      const [method, remedy] = absentCalls[name] ?? [name];
      throw this.#notInVersion(method, remedy);
    }
    const { descriptor } = call;
    const limits = { timeoutMs: timeoutMsOf(name), ...limitsOf(descriptor.method, options) };
    const wire = readInput(() =>
      this.#check(descriptor, withMeta(call.encode(input), options.meta), options),
    );
    const sendOnce = async ({ timeoutMs }: Limits) => {
      if (!descriptor.result) {
        await this.#notify(descriptor.method, wire, { ...limits, timeoutMs });
        return undefined as Calls[K][1];
      }
      const result = await this.#send(descriptor, wire, { ...limits, timeoutMs, withdraw, onAbandoned });
      // Sound: the table pairs each call's name with its output.
      return call.decode(this.#readResult(descriptor, result)) as Calls[K][1];
    };
    return async (loggedIn = (_refusal, login) => login) => {
      // The limit that the caller gave holds for the whole call, the other one for each answer from the agent.
      const remainingMs = countdown(options.timeoutMs);
      const logIn = this.loginFor(descriptor.method, { signal: options.signal ?? withdraw, remainingMs });
      try {
        return await sendOnce(limits);
      } catch (error) {
        if (!logIn || !(error instanceof AuthRequiredError)) throw error;
        await loggedIn(error, logIn(error));
        return sendOnce({ timeoutMs: remainingMs() ?? limits.timeoutMs });
      }
    };
  }

  /** Makes a call. It is checked if the protocol knows it. */
  async request(call: RawCall, options: NamedCallOptions): Promise<unknown> {
    const { method } = call;
    const known = this.#known(method);
    const limits = limitsOf(method, options);
    if (!known) {
      const wire = readInput(() => this.#checkExtension(call, options));
      return this.#request(method, wire, limits);
    }
    if (!known.result) throw wrongKind(method, 'a notification, which is not answered: use notify');
    const wire = readInput(() => this.#checkRaw(known, call, options));
    const result = await this.#send(known, wire, {
      timeoutMs: longestTimeoutMs(method, this.link.dialect),
      ...limits,
    });
    return known.readPaths ? known.readPaths(result) : result;
  }

  /** As {@link Caller.request}, where no answer is due. */
  async notify(call: RawCall, options: NamedCallOptions): Promise<void> {
    const { method } = call;
    const known = this.#known(method);
    if (known?.result) throw wrongKind(method, 'a request, which is answered: use request');
    const limits = { timeoutMs: minuteMs, ...limitsOf(method, options) };
    const wire = readInput(() =>
      known ? this.#checkRaw(known, call, options) : this.#checkExtension(call, options),
    );
    await this.#notify(method, wire, limits);
  }

  /** The agent that takes this call now, given by its name or its method. */
  #linkFor(call: string): Link {
    if (this.#phase === 'open' || (this.#phase === 'restoring' && loginCalls.has(call))) return this.link;
    const message =
      'The agent ended and is being started again. Nothing was sent. Wait for connection.ready, then call again.';
    throw new ConnectionStateError(message);
  }

  #check(descriptor: AgentMethod, given: unknown, options: CallOptions): JsonObject {
    const { allowUnsupported, extraParams } = options;
    this.#require(descriptor.method, options);
    const required = requiredBy(options);
    const wire = allowUnsupported
      ? checkParameters(descriptor, given, required)
      : checkCall(descriptor, given, this.link.capabilities, required);
    assertSessionId(descriptor.method, wire);
    const subagent = this.subagents.get(String(wire['sessionId']));
    if (subagent && !allowUnsupported) assertPermitted(descriptor, subagent);
    return withExtraParams(descriptor, wire, extraParams);
  }

  #known(method: string): AgentMethod | undefined {
    if (typeof method !== 'string') {
      throw new InvalidParamsError(`The method must be a string; got ${shown(method)}. Nothing was sent.`);
    }
    const { agentMethods } = this.#linkFor(method).dialect;
    return Object.hasOwn(agentMethods, method) ? agentMethods[method] : undefined;
  }

  #checkRaw(descriptor: AgentMethod, { params = {}, check }: RawCall, options: NamedCallOptions): JsonObject {
    const wire = this.#check(descriptor, withMeta(params, options.meta), options);
    if (!options.allowUnsupported) check?.(descriptor.method, wire);
    return wire;
  }

  #checkExtension({ method, params }: RawCall, options: NamedCallOptions): JsonObject | undefined {
    const { allowUnsupported, meta, extraParams } = options;
    if (!allowUnsupported && Object.hasOwn(reserved, method)) {
      throw new ConnectionStateError(`${method} cannot be called: ${reserved[method]}. Nothing was sent.`, {
        method,
      });
    }
    this.#require(method, options);
    const isExtension = method.startsWith('_') || requiredBy(options).length > 0;
    if (!isExtension && !allowUnsupported) throw this.#notInVersion(method);
    if (params !== undefined && !isJsonObject(params)) {
      const message = `${method}: the parameters must be an object; got ${preview(params)}. Nothing was sent.`;
      throw new InvalidParamsError(message, { method });
    }
    // An extension method can have no parameters at all.
    const wire = meta ? withMeta(params ?? {}, meta) : params;
    return withExtraParams({ method }, wire, extraParams);
  }

  /** Checks the capabilities that a call names. */
  #require(method: string, options: CallOptions): void {
    if (!options.allowUnsupported) requireFeatures(requiredBy(options), method, this.link.capabilities);
  }

  async #send(descriptor: AgentMethod, wire: JsonObject, options: RequestOptions): Promise<unknown> {
    const { requires, method } = descriptor;
    const call = { ...options, descriptor, params: wire, link: () => this.link };
    const send = (timeoutMs: number | undefined) => this.#request(method, wire, { ...options, timeoutMs });
    try {
      return await (this.lost ? this.lost.run(call, send) : send(options.timeoutMs));
    } catch (error) {
      if (this.lacksLogin(error)) throw await this.withLoginAdvice(error);
      throw requires && error instanceof MethodNotFoundError
        ? withEvidence(error, requires, this.link.capabilities)
        : error;
    }
  }

  async #request(method: string, wire: JsonObject | undefined, options: RequestOptions): Promise<unknown> {
    const link = this.#linkFor(method);
    const canSend = link.peer.refusal(method) === undefined;
    try {
      return await this.#sendCall(method, wire, (params) => link.peer.request(method, params, options));
    } catch (error) {
      throw canSend ? failedCall(error, method, link) : error;
    }
  }

  #notify(method: string, wire: JsonObject | undefined, limits: Limits): Promise<void> {
    const { peer } = this.#linkFor(method);
    return this.#sendCall(method, wire, (params) => peer.notify(method, params, limits));
  }

  /** Reads an answer. Its malformed parts are reported and left out where the protocol allows that. */
  #readResult(descriptor: AgentMethod, result: unknown): unknown {
    try {
      return readResult(descriptor, result, this.#report);
    } catch (error) {
      throw this.secrets.removeFromError(error);
    }
  }

  #notInVersion(method: string, remedy = extensionNames): CapabilityError {
    const { protocolVersion } = this.link.dialect;
    const reason = `Version ${protocolVersion} of the protocol, as this agent speaks it, does not have ${method}.`;
    return new CapabilityError(`${reason} Nothing was sent. ${remedy}`, {
      method,
      missing: [{ feature: method, path: 'protocolVersion', value: protocolVersion, reason }],
    });
  }
}

function wrongKind(method: string, what: string): InvalidParamsError {
  return new InvalidParamsError(`${method} is ${what}. Nothing was sent.`, { method });
}

/** Outside of the class: bundlers rename a class that refers to itself. */
function callerFor(link: Link, ...parts: ConstructorParameters<typeof Caller>): Caller {
  const caller = new Caller(...parts);
  caller.attach(link);
  return caller;
}
