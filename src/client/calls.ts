import * as v from 'valibot';
import { preview } from '../diagnostic.ts';
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
import type { CallName, Calls } from '../protocol/calls.ts';
import type { Dialect } from '../protocol/dialect.ts';
import type { AgentMethod } from '../protocol/method.ts';
import * as rpcCodes from '../rpc/codes.ts';
import type { RequestOptions } from '../rpc/peer.ts';
import { maxTimerMs, onAbort } from '../wait.ts';
import { admit, notThere, validate } from './gate.ts';
import type { Link } from './link.ts';
import { assertNamed, assertOptions } from './parameters.ts';

/** What every call takes. */
export interface CallOptions {
  /** Aborting tells the agent and rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /**
   * Milliseconds until the call is given up. Default: 600,000 to load a session, 120,000 to open one in another way,
   * 60,000 for the rest, and none for a prompt, a login and the methods that the protocol does not have.
   */
  readonly timeoutMs?: number;
  /** Sends this call even if the agent did not advertise what it needs. */
  readonly allowUnsupported?: boolean;
}

const minuteMs = 60_000;

/** How long a call may take by itself, in milliseconds, if it is not a minute. `undefined`: as long as it takes. */
const ownTimeoutsMs: { readonly [K in CallName]?: number | undefined } = {
  newSession: 2 * minuteMs,
  loadSession: 10 * minuteMs,
  resumeSession: 2 * minuteMs,
  forkSession: 2 * minuteMs,
  prompt: undefined,
  login: undefined,
};

/** How long a call may take unless the caller says otherwise, in milliseconds; `undefined`: as long as it takes. */
export function timeoutMsOf(name: CallName): number | undefined {
  return Object.hasOwn(ownTimeoutsMs, name) ? ownTimeoutsMs[name] : minuteMs;
}

/** The calls by which the user logs in, and which therefore never wait for a login. */
const loginCalls: ReadonlySet<CallName> = new Set(['login', 'logout', 'authStatus']);

/** What a session needs of its connection. */
export type Preparing = Pick<Caller, 'prepare' | 'refusal'>;

/** The methods that not every version has, and what to do without them. */
const absentCalls: { readonly [K in CallName]?: readonly [method: string, remedy: string] } = {
  setMode: [
    'session/set_mode',
    'Change the config option that stands for the mode instead, with setConfigOption.',
  ],
  cancelToolCall: ['tool_call/cancel', 'Cancel the session instead.'],
  cancelTerminal: ['terminal/cancel', 'Cancel the session instead.'],
};

const ownMethods = 'Names of methods outside the protocol begin with "_".';

/** What only this library sends, and when. */
const reserved: Readonly<Record<string, string>> = {
  initialize: 'connect sends it, once',
  '$/cancel_request': 'it is sent when the signal of a call is aborted',
};

/** Makes calls: checks them, writes them, reads the answers. */
export class Caller {
  readonly #link: () => Link;
  readonly #logIn: ((method: string) => Promise<void>) | undefined;
  readonly #check: (method: string, params: JsonObject) => void;

  /**
   * @param link - The agent as it is now. Throws while there is none.
   * @param logIn - Asks the user to log in. A call that was refused for the lack of it is then made once more.
   * @param check - Throws what else than a capability stands against a call that is made by hand.
   */
  constructor(
    link: () => Link,
    logIn?: (method: string) => Promise<void>,
    check: (method: string, params: JsonObject) => void = () => {},
  ) {
    this.#link = link;
    this.#logIn = logIn;
    this.#check = check;
  }

  /** Why no call can be made, where the connection has ended. */
  refusal(method: string): AcpError | undefined {
    return this.#link().peer.refusal(method);
  }

  /** Checks a call, and gives the way to send it. Throws what the gate throws, before anything is written. */
  prepare<K extends CallName>(
    name: K,
    input: Calls[K][0],
    options: CallOptions & Pick<RequestOptions, 'withdraw' | 'onGivenUp'> = {},
  ): () => Promise<Calls[K][1]> {
    const { dialect } = this.#link();
    const call = dialect.calls[name];
    if (!call) {
      const [method, remedy] = absentCalls[name] ?? [name];
      throw this.#notInVersion(method, remedy);
    }
    const { descriptor } = call;
    const wire = this.#admit(descriptor, call.encode(input), options);
    const limits = { timeoutMs: timeoutMsOf(name), ...sendOptions(descriptor.method, options) };
    const sendOnce = async () => {
      if (!descriptor.result) {
        await this.#link().peer.notify(descriptor.method, wire, limits);
        return undefined as Calls[K][1];
      }
      const { withdraw, onGivenUp } = options;
      const result = await this.#send(descriptor, wire, { ...limits, withdraw, onGivenUp });
      // Sound: the table pairs each call's name with its output.
      return call.decode(readResult(descriptor, result)) as Calls[K][1];
    };
    const logIn = loginCalls.has(name) ? undefined : this.#logIn;
    return logIn === undefined
      ? sendOnce
      : () =>
          sendOnce().catch(async (error: unknown) => {
            if (!(error instanceof AuthRequiredError)) throw error;
            // Who leaves, and an agent that ends, do not wait for the user: the call itself says what became of it.
            await either(logIn(descriptor.method), this.#link().peer.closed, options.signal);
            return sendOnce();
          });
  }

  /** Makes a call of any name as it is on the wire, checked if the protocol knows it. */
  async request(method: string, params: JsonObject | undefined, options: CallOptions): Promise<unknown> {
    const known = this.#known(method);
    if (!known) {
      const wire = this.#admitUnknown(method, params, options);
      return this.#link().peer.request(method, wire, sendOptions(method, options));
    }
    if (!known.result) throw wrongKind(method, 'a notification, which is not answered: use notify');
    const ownMs = timeoutOf(method, this.#link().dialect.calls);
    const limits = { timeoutMs: ownMs, ...sendOptions(method, options) };
    return this.#send(known, this.#admitByHand(known, params, options), limits);
  }

  /** As {@link Caller.request}, where no answer is due. */
  async notify(method: string, params: JsonObject | undefined, options: CallOptions): Promise<void> {
    const known = this.#known(method);
    if (known?.result) throw wrongKind(method, 'a request, which is answered: use request');
    const wire = known
      ? this.#admitByHand(known, params, options)
      : this.#admitUnknown(method, params, options);
    const limits = { timeoutMs: minuteMs, ...sendOptions(method, options) };
    await this.#link().peer.notify(method, wire, limits);
  }

  #admit(descriptor: AgentMethod, given: unknown, { allowUnsupported }: CallOptions): JsonObject {
    const wire = allowUnsupported
      ? // Every method of the protocol takes an object, and the schema has just said that this is one.
        (validate(descriptor.method, descriptor.params, given) as JsonObject)
      : admit(descriptor, given, this.#link().capabilities);
    assertNamed(descriptor.method, wire);
    return wire;
  }

  #known(method: string): AgentMethod | undefined {
    const { agentMethods } = this.#link().dialect;
    return Object.hasOwn(agentMethods, method) ? agentMethods[method] : undefined;
  }

  #admitByHand(descriptor: AgentMethod, params: JsonObject = {}, options: CallOptions): JsonObject {
    const wire = this.#admit(descriptor, params, options);
    if (!options.allowUnsupported) this.#check(descriptor.method, wire);
    return wire;
  }

  #admitUnknown(
    method: string,
    params: JsonObject | undefined,
    { allowUnsupported }: CallOptions,
  ): JsonObject | undefined {
    if (!method.startsWith('_') && !allowUnsupported) {
      if (!Object.hasOwn(reserved, method)) throw this.#notInVersion(method);
      throw new ConnectionStateError(
        `${method} is not to be called: ${reserved[method]}. Nothing was sent.`,
        {
          method,
        },
      );
    }
    if (params === undefined || isJsonObject(params)) return params;
    throw new InvalidParamsError(
      `${method}: the parameters must be an object, and are ${preview(params)}. Nothing was sent.`,
      { method },
    );
  }

  async #send(descriptor: AgentMethod, wire: JsonObject, options: RequestOptions): Promise<unknown> {
    const { peer, capabilities } = this.#link();
    const { requires, method } = descriptor;
    try {
      return await peer.request(method, wire, options);
    } catch (error) {
      const gated = requires && error instanceof RemoteError && error.rpcCode === rpcCodes.methodNotFound;
      throw gated ? notThere(method, capabilities.explain(requires), capabilities.agentName, error) : error;
    }
  }

  #notInVersion(method: string, remedy = ownMethods): CapabilityError {
    const { protocolVersion } = this.#link().dialect;
    const reason = `Version ${protocolVersion} of the protocol, as this agent speaks it, has no ${method}.`;
    return new CapabilityError(`${reason} Nothing was sent. ${remedy}`, {
      method,
      missing: [{ feature: method, path: 'protocolVersion', value: protocolVersion, reason }],
    });
  }
}

function wrongKind(method: string, what: string): InvalidParamsError {
  return new InvalidParamsError(`${method} is ${what}. Nothing was sent.`, { method });
}

function readResult({ method, result: schema }: AgentMethod, result: unknown): unknown {
  if (!schema) return undefined;
  const parsed = v.safeParse(schema, result);
  if (parsed.success) return parsed.output;
  const issues = issuesOf(parsed.issues, 'result');
  throw new InvalidMessageError(
    `The agent's answer to ${method} is not what the protocol says: ${listed(issues)}. It was ${preview(result)}`,
    { method, issues },
  );
}

/** How long a call that is made by hand may take: as long as the longest of the typed ones that send it. */
function timeoutOf(method: string, calls: Dialect['calls']): number | undefined {
  const limits = Object.entries(calls)
    .filter(([, call]) => call?.descriptor.method === method)
    // The table of calls is keyed by their names.
    .map(([name]) => timeoutMsOf(name as CallName) ?? Number.POSITIVE_INFINITY);
  const longest = Math.max(...limits);
  return Number.isFinite(longest) ? longest : undefined;
}

/** Settles as `done` does, and resolves if `over` does first or `signal` is aborted. */
async function either(
  done: Promise<unknown>,
  over: Promise<unknown>,
  signal: AbortSignal | undefined,
): Promise<void> {
  let stopListening = () => {};
  const left = new Promise<void>((resolve) => {
    stopListening = onAbort(signal, resolve);
  });
  await Promise.race([done, over, left]).finally(() => stopListening());
}

function sendOptions(method: string, options: CallOptions): RequestOptions {
  assertOptions(method, options);
  const { signal, timeoutMs } = options;
  return {
    ...(signal && { signal }),
    // 24 days are as good as no limit.
    ...(timeoutMs !== undefined && { timeoutMs: timeoutMs > maxTimerMs ? undefined : timeoutMs }),
  };
}
