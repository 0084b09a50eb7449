import { preview } from '../../base/diagnostic.ts';
import { InvalidParamsError } from '../../base/errors.ts';
import { isJsonObject } from '../../base/json.ts';
import { readInput } from '../../base/options.ts';
import type { SessionInfo } from '../../model/session.ts';
import type { OpenSessionParams } from '../../protocol/calls.ts';
import { callOptionEntries } from './call-options.ts';

/**
 * Refuses unknown parameters: a misspelt one would otherwise be dropped silently.
 *
 * @throws {@link InvalidParamsError}
 */
export function assertParameters(call: string, given: object, known: readonly string[]): void {
  if (!readInput(() => isJsonObject(given))) {
    throw new InvalidParamsError(
      `${call}: the parameters must be an object with ${known.join(', ')}; got ${preview(given)}. Nothing was sent.`,
    );
  }
  const unknown = readInput(() => Object.keys(given)).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  const remedy = Object.hasOwn(callOptionEntries, unknown)
    ? `It is an option of the call: pass it in the second argument, as in ${call}(params, { ${unknown} }).`
    : `There are ${known.join(', ')}. Your own data belongs under _meta.`;
  throw new InvalidParamsError(
    `${call}: ${JSON.stringify(unknown)} is not a parameter. Nothing was sent. ${remedy}`,
  );
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
