import { preview } from '../../base/diagnostic.ts';
import { InvalidParamsError } from '../../base/errors.ts';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { readInput } from '../../base/options.ts';
import type { SessionInfo } from '../../model/session.ts';
import type { OpenSessionParams } from '../../protocol/calls.ts';
import type { AgentMethod } from '../../protocol/method.ts';
import { parameterNames } from '../../protocol/schema-shape.ts';
import { callOptionEntries } from './call-options.ts';

/**
 * Refuses unknown parameters: a misspelt one would otherwise be dropped silently.
 *
 * @throws {@link InvalidParamsError}
 */
export function assertParameters(call: string, given: object, known: readonly string[]): void {
  if (!readInput(() => isJsonObject(given))) {
    const message = `${call}: the parameters must be an object with ${known.join(', ')}; got ${preview(given)}. Nothing was sent.`;
    throw new InvalidParamsError(message);
  }
  const unknown = readInput(() => Object.keys(given)).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  const remedy = Object.hasOwn(callOptionEntries, unknown)
    ? `It is an option of the call: pass it in the second argument, as in ${call}(params, { ${unknown} }).`
    : `There are ${known.join(', ')}. Your own data belongs under _meta.`;
  const message = `${call}: ${JSON.stringify(unknown)} is not a parameter. Nothing was sent. ${remedy}`;
  throw new InvalidParamsError(message);
}

/** The parameters of a call that opens a session, without what a list says about it. */
export function withoutListed(params: OpenSessionParams | SessionInfo): OpenSessionParams {
  return readInput(() => {
    // What is no object is refused by the call.
    const isListed = isJsonObject(params) && ('title' in params || 'updatedAt' in params);
    if (!isListed && params?._meta !== null) return params as OpenSessionParams;
    const { title: _, updatedAt: __, _meta: ___, ...own } = params as SessionInfo;
    return own;
  });
}

/**
 * Refuses an empty session id: an editor has it before it has a session, and agents do not agree on what it means. The
 * schemas of the protocol accept every string.
 *
 * @throws {@link InvalidParamsError}
 */
export function assertSessionId(method: string, { sessionId }: JsonObject): void {
  if (sessionId !== '') return;
  const message = `${method} was called with wrong parameters: sessionId must be the id of a session, as listSessions returns it; got "". Nothing was sent.`;
  throw new InvalidParamsError(message, {
    method,
    issues: [{ path: 'sessionId', message: 'must be the id of a session; got ""' }],
  });
}

/** The parameters with the metadata of the call's options, which replaces the same keys. */
export function withMeta<T>(params: T, meta: JsonObject | undefined): T | JsonObject {
  if (!meta || !isJsonObject(params)) return params;
  const { _meta: own } = params;
  return { ...params, _meta: { ...(isJsonObject(own) && own), ...meta } };
}

/**
 * Adds parameters that this library does not know.
 *
 * @throws {@link InvalidParamsError} if it knows one of them, or if the call has it already.
 */
export function withExtraParams<T extends JsonObject | undefined>(
  { method, params }: Pick<AgentMethod, 'method'> & Partial<Pick<AgentMethod, 'params'>>,
  wire: T,
  extra: JsonObject | undefined,
): T | JsonObject {
  if (!extra) return wire;
  const known = new Set(['_meta', ...(params ? parameterNames(params) : []), ...Object.keys(wire ?? {})]);
  const replaced = Object.keys(extra).filter((name) => known.has(name));
  if (replaced.length > 0) {
    const message = `${method}: extraParams has ${replaced.join(' and ')}, which this library knows. Pass that as the call takes it. Nothing was sent.`;
    throw new InvalidParamsError(message, { method });
  }
  return { ...wire, ...extra };
}
