import { preview } from '../../core/base/diagnostic.ts';
import { AuthRequiredError } from '../../core/base/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/base/json.ts';
import { deferred, withLimits } from '../../core/base/wait.ts';
import type { ClientConnection } from '../../core/client/connection.ts';
import { authStatusOf } from '../../core/client/requests/notifications.ts';
import type { AuthStatus } from '../../core/protocol/calls.ts';

/**
 * Whether the user is logged in at an agent:
 *
 * - `yes`: the agent itself says that it has a login or a key, or that it needs none, and opens the session, if one was
 *   tried. Whether the provider still accepts them, only a prompt can show.
 * - `no`: the agent itself says that it has none, or refuses a call because it needs a login.
 * - `unknown`: neither. A session that opens proves nothing, because some agents open one without a login. Login
 *   methods prove nothing either, because they are what the agent offers and not what it needs.
 */
export type LoginState = 'yes' | 'no' | 'unknown';

/** What an agent showed about the login, and how. */
export interface LoginEvidence {
  readonly login: LoginState;
  /** What the answer is based on, as one sentence. */
  readonly reason: string;
}

/**
 * The values of `kind` in `_auth/status_update`, which some agents send. A gateway and external credentials are configured
 * outside of the agent, which reports them also if their key is missing.
 */
const kinds: ReadonlyMap<unknown, LoginState> = new Map<unknown, LoginState>([
  ['account', 'yes'],
  ['api_key', 'yes'],
  ['gateway', 'unknown'],
  ['external', 'unknown'],
  ['none', 'no'],
]);

/** The values of `state` in `auth/status` and `auth/status_update`. */
const states: ReadonlyMap<string, LoginState> = new Map<string, LoginState>([
  ['authenticated', 'yes'],
  ['not_required', 'yes'],
  ['unauthenticated', 'no'],
  ['unknown', 'unknown'],
]);

/** What an agent says about its login. A state or a kind that is not known is no evidence. */
export function evidenceOf({ state, accounts }: AuthStatus): LoginEvidence {
  const [account] = accounts;
  const extension = extensionOf(account);
  const isKind = extension !== undefined && state === 'authenticated';
  const login = (isKind ? kinds.get(extension['kind']) : states.get(state)) ?? 'unknown';
  return { login, reason: sentences[login](account?.['label'] ?? state) };
}

/** What the agent says, with the name that it gives to the login or to the state. */
const sentences: Readonly<Record<LoginState, (name: JsonValue) => string>> = {
  yes: (name) =>
    name === 'not_required'
      ? 'The agent says that it needs no login.'
      : `The agent says that it has a login or a key: ${preview(name)}.`,
  no: () => 'The agent says that the user is not logged in.',
  unknown: (name) => `The agent reports "${preview(name)}", and not whether its login or key is complete.`,
};

/** What a refused call shows. `undefined` for any other error. */
export function evidenceOfRefusal(error: unknown): LoginEvidence | undefined {
  if (!(error instanceof AuthRequiredError)) return undefined;
  const { method, agentMessage } = error;
  const said = agentMessage === '' ? '' : `: ${agentMessage}`;
  const end = /[.!?…]$/.test(said) ? '' : '.';
  const reason = `The agent refused ${method} because it needs a login${said}${end}`;
  return { login: 'no', reason };
}

/** What all evidence together shows. One `no` outweighs each `yes`: the call of a user would fail in the same way. */
export function loginFrom(all: readonly LoginEvidence[]): LoginEvidence {
  return (
    all.find(({ login }) => login === 'no') ??
    all.find(({ login }) => login === 'yes') ??
    all.at(-1) ?? {
      login: 'unknown',
      reason: 'The agent does not report its login. Only a prompt can show whether it needs one.',
    }
  );
}

/** What an agent says about its login when it opens no session, for whatever reason: a `yes` is not certain then. */
export function withoutSession({ login, reason }: LoginEvidence): LoginEvidence {
  if (login !== 'yes') return { login, reason };
  return { login: 'unknown', reason: `${reason} It opened no session, so this is not certain.` };
}

/**
 * How long to wait for a status that the agent sends by itself, in milliseconds. Agents limit their own search to five
 * seconds.
 */
const pushedWithinMs = 8000;

/** Collects what an agent says about its login on one connection. */
export class LoginReports {
  /** The last status that the agent sent by itself. */
  #pushed: LoginEvidence | undefined;
  /** What it answered when it was asked. */
  #answered: LoginEvidence | undefined;
  readonly #firstPush = deferred();

  /** For the handler `authStatusChanged` of the connection. */
  readonly take = (status: AuthStatus): void => {
    this.#pushed = evidenceOf(status);
    this.#firstPush.resolve();
  };

  get evidence(): readonly LoginEvidence[] {
    return [this.#pushed, this.#answered].filter((each) => each !== undefined);
  }

  /**
   * Asks the agent, if it can be asked, and waits for a status that it announced to send. Rejects if `signal` is
   * aborted.
   */
  async wait(connection: ClientConnection, limitMs: number, signal: AbortSignal | undefined): Promise<void> {
    if (connection.supports('auth.status')) await this.#ask(connection, limitMs, signal);
    if (this.evidence.length > 0 || !announcesStatus(connection.initializeResult)) return;
    const timeoutMs = Math.min(limitMs, pushedWithinMs);
    const ended = Promise.race([this.#firstPush.promise, connection.closed]).then(() => {});
    await withLimits(ended, { signal, timeoutMs }).catch(() => signal?.throwIfAborted());
  }

  async #ask(connection: ClientConnection, timeoutMs: number, signal?: AbortSignal): Promise<void> {
    try {
      const answer: unknown = await connection.request('auth/status', {}, { timeoutMs, signal });
      const status = isJsonObject(answer) ? authStatusOf(answer) : undefined;
      if (status) this.#answered = evidenceOf(status);
    } catch (error) {
      signal?.throwIfAborted();
      // The method is unstable. An agent that cannot answer it has said nothing.
      this.#answered = evidenceOfRefusal(error);
    }
  }
}

/**
 * Whether the agent announces `_auth/status_update`. Its marker is in the `_meta` of the capabilities, or of `auth` in
 * them.
 */
function announcesStatus({ agentCapabilities, capabilities }: JsonObject): boolean {
  const owners = [agentCapabilities, capabilities].filter(isJsonObject).flatMap((own) => [own, own['auth']]);
  return owners.some((owner) => extensionOf(owner) !== undefined);
}

/** The member `authStatus` in the `_meta` of an object. */
function extensionOf(owner: unknown): JsonObject | undefined {
  const meta = isJsonObject(owner) ? owner['_meta'] : undefined;
  return isJsonObject(meta) && isJsonObject(meta['authStatus']) ? meta['authStatus'] : undefined;
}
