import * as v from 'valibot';
import { errorMessage } from '../../../core/base/diagnostic.ts';
import { AcpError } from '../../../core/base/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/base/json.ts';
import type { ClientConnection } from '../../../core/client/connection.ts';
import { dialects } from '../../../core/protocol/dialects.ts';
import type { ServedPanel } from '../../../ui/panel/serve.ts';
import { isInside, isUriInside } from '../../../ui/panel/workspace.ts';

/** A request that a page makes by hand. */
const CallSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.strictObject({
    method: v.pipe(v.string(), v.minLength(1), v.maxLength(200)),
    params: v.optional(v.custom<JsonObject>(isJsonObject, 'must be an object')),
    /** The user has said that the gates do not matter. */
    allowUnsupported: v.optional(v.literal(true)),
  }),
);

/** The outcome of a request by hand. */
export type CallOutcome =
  | { readonly result: unknown }
  | { readonly error: { readonly message: string; readonly code?: string; readonly data?: unknown } };

/** How deep the parameters are looked through. Deeper ones are refused. */
const maxDepth = 64;

/** Fields that name a place in the file system, in every method: those of the protocol, and others that agents read. */
const placeFields: ReadonlySet<string> = new Set([
  'additionalDirectories',
  'cwd',
  'directory',
  'file',
  'folder',
  'path',
  'paths',
  'roots',
  'uri',
  'workingDirectory',
]);

/** Fields with which an agent starts a program or reaches a server. A page cannot choose one. */
const programField = /^(?:mcpservers|command|args|env|headers|.*url)$/i;

/** Makes the requests that pages make by hand. */
export class CallsByHand {
  readonly #panel: ServedPanel;
  readonly #folders: readonly string[];
  /** The sessions that a request by hand has created. */
  readonly #created = new Set<string>();

  /** @param folders - Where paths may lead. */
  constructor(panel: ServedPanel, folders: readonly string[]) {
    this.#panel = panel;
    this.#folders = folders;
  }

  /** Makes a request. Never rejects. */
  async make(body: string, signal: AbortSignal): Promise<CallOutcome> {
    const call = v.safeParse(CallSchema, body);
    if (!call.success) {
      return refusal('The body is not a call. It has the fields method, params and allowUnsupported.');
    }
    const { method, params = {}, allowUnsupported = false } = call.output;
    const connection = this.#panel.connection;
    if (connection?.state !== 'open') return refusal('The agent is not running. Start it again.');
    const reason = this.#reasonAgainst(method, params, connection);
    if (reason !== undefined) return refusal(reason);
    const options = { signal, allowUnsupported };
    try {
      const known = methodOf(method, connection);
      if (known && !known.result) {
        await connection.notify(method, params, options);
        return { result: null };
      }
      const result: unknown = await connection.request(method, params, {
        ...options,
        timeoutMs: Number.POSITIVE_INFINITY,
      });
      if (isJsonObject(result) && typeof result['sessionId'] === 'string') {
        this.#created.add(result['sessionId']);
      }
      return { result: result ?? null };
    } catch (error) {
      if (!AcpError.is(error)) return refusal(errorMessage(error));
      const { message, code } = error;
      const data: unknown = Reflect.get(error, 'data');
      return { error: { message, code: String(code), ...(data !== undefined && { data }) } };
    }
  }

  /** Why a page must not make a request. `undefined` if it may. */
  #reasonAgainst(method: string, params: JsonObject, connection: ClientConnection): string | undefined {
    if (method === 'initialize') {
      return 'initialize is sent once, when the agent starts. Restart the agent to see it again.';
    }
    const { sessionId } = params;
    if (typeof sessionId === 'string' && !this.#isKnown(sessionId, connection)) {
      return 'The session is not one of this inspector. List the sessions again, or open it first.';
    }
    const forbidden = forbiddenIn(params, 0);
    if (forbidden !== undefined) return forbidden;
    const outside = placesIn(params).find((text) => !this.#isAllowed(text));
    if (outside === undefined) return undefined;
    return `${JSON.stringify(outside.slice(0, 200))} is not in the directory with which the inspector was started.`;
  }

  /** Whether a text leads to no place in the file system, or to one of the workspace. */
  #isAllowed(text: string): boolean {
    const isFree = /^(?!file:)[a-z][a-z\d+.-]+:/i.test(text);
    return isFree || isInside(text, this.#folders) || isUriInside(text, this.#folders);
  }

  #isKnown(sessionId: string, connection: ClientConnection): boolean {
    // The list has the sessions of all directories. One of another directory has to be opened first.
    const listed = this.#panel.state.sessions.filter(({ cwd }) => isInside(cwd, this.#folders));
    const known = [...listed, ...connection.sessions];
    return this.#created.has(sessionId) || known.some((session) => session.sessionId === sessionId);
  }
}

function methodOf(method: string, { dialect }: ClientConnection) {
  const { agentMethods } = dialects[dialect];
  return Object.hasOwn(agentMethods, method) ? agentMethods[method] : undefined;
}

/** The texts in fields that name a place, at any depth that is sent. */
function placesIn(value: JsonValue): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, held]) =>
    placeFields.has(name) ? textsIn(held) : placesIn(held),
  );
}

/** All texts of a value, at any depth that is sent. */
function textsIn(value: JsonValue): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((held: JsonValue) => textsIn(held));
}

/** Why a value must not be sent, because of what it has at any depth. */
function forbiddenIn(value: JsonValue, depth: number): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth > maxDepth) return `The parameters are nested more than ${maxDepth} times.`;
  for (const [name, held] of Object.entries(value)) {
    if (programField.test(name) && !isEmpty(held)) {
      return `A page cannot choose ${name}: give it to the command that started the inspector.`;
    }
    const found = forbiddenIn(held, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isEmpty(value: JsonValue): boolean {
  return value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}

function refusal(message: string): CallOutcome {
  return { error: { message } };
}
