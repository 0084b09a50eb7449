import * as v from 'valibot';
import type { ValidationIssue } from './errors.ts';
import { kindOf } from './kind-of.ts';
import { withoutUrlCredentials } from './secrets.ts';

/** Converts issues of valibot. `whole` is the path of an issue with the value itself. */
export function issuesOf(found: readonly v.BaseIssue<unknown>[], whole: string): readonly ValidationIssue[] {
  return found.map((issue) => ({ path: v.getDotPath(issue) ?? whole, message: messageOf(issue) }));
}

/** Converts issues of valibot, with paths that begin with `name`. */
export function issuesIn(found: readonly v.BaseIssue<unknown>[], name: string): readonly ValidationIssue[] {
  return issuesOf(found, '').map(({ path, message }) => ({ path: path ? `${name}.${path}` : name, message }));
}

/** The issues on one line. */
export function listed(issues: readonly ValidationIssue[]): string {
  return issues.map(({ path, message }) => `${path} ${message}`).join('; ');
}

/** The message as a predicate that follows the path: `is missing`, `must be a string; got 7`. */
function messageOf(issue: v.BaseIssue<unknown>): string {
  const { message, received } = issue;
  // The default messages of valibot begin with `Invalid`. Other messages are written in the schemas.
  if (!message.startsWith('Invalid ')) return withoutSecret(message, issue);
  if (received === 'undefined') return 'is missing';
  return withoutSecret(`must be ${expectationOf(issue)}; got ${articles[received] ?? received}`, issue);
}

function expectationOf({ type, expected }: v.BaseIssue<unknown>): string {
  if (type === 'integer') return 'a whole number';
  const what = String(expected);
  const choices = /^\((.*)\)$/.exec(what)?.[1];
  return choices === undefined ? (articles[what] ?? what) : `one of ${choices.replaceAll(' | ', ', ')}`;
}

/** Plain words for the type names of valibot. */
const articles: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
  Array: 'an array',
  Object: 'an object',
  Function: 'a function',
};

/** Keys whose values may contain secrets, at any depth. */
const secretKeys: ReadonlySet<unknown> = new Set(['args', 'env', 'headers', 'url', '_meta', 'mcpServers']);

/** Keys in such values that do not contain secrets themselves. */
const plainKeys: ReadonlySet<unknown> = new Set(['type', 'name', 'command']);

/** Removes the received value from a message if it may be a secret, because errors end up in logs. */
function withoutSecret(message: string, { input, received, path }: v.BaseIssue<unknown>): string {
  const isShown = /^(?:string|number|bigint)$/.test(typeof input);
  const holdsSecrets = path?.some(({ key }) => secretKeys.has(key)) && !plainKeys.has(path.at(-1)?.key);
  return received && isShown && holdsSecrets
    ? message.replaceAll(received, () => kindOf(input))
    : withoutUrlCredentials(message);
}
