import * as v from 'valibot';
import type { Issue } from './errors.ts';

/** What a schema found wrong, each with its place in the value; `whole` is what the value itself is called. */
export function issuesOf(found: readonly v.BaseIssue<unknown>[], whole: string): readonly Issue[] {
  return found.map((issue) => ({ path: v.getDotPath(issue) ?? whole, message: messageOf(issue) }));
}

/** The same, with places that begin with the name of the value. */
export function issuesIn(found: readonly v.BaseIssue<unknown>[], name: string): readonly Issue[] {
  return issuesOf(found, '').map(({ path, message }) => ({ path: path ? `${name}.${path}` : name, message }));
}

/** What is wrong, in one line. */
export function listed(issues: readonly Issue[]): string {
  return issues.map(({ path, message }) => `${path} ${message}`).join('; ');
}

/** What is wrong, in words that go on from the place: `is missing`, `must be a string, and is 7`. */
function messageOf(issue: v.BaseIssue<unknown>): string {
  const { message, expected, received } = issue;
  // The schemas' own messages say enough; the library's begin like this.
  if (!message.startsWith('Invalid ')) return discreet(message, issue);
  if (received === 'undefined') return 'is missing';
  const due = dueOf(issue);
  return discreet(
    due === undefined ? `is wrong: ${message}` : `must be ${due}, and is ${articles[received] ?? received}`,
    issue,
  );

  function dueOf({ type }: v.BaseIssue<unknown>): string | undefined {
    if (type === 'integer') return 'a whole number';
    if (expected === null) return undefined;
    const choices = /^\((.*)\)$/.exec(expected)?.[1];
    return choices === undefined
      ? (articles[expected] ?? expected)
      : `one of ${choices.replaceAll(' | ', ', ')}`;
  }
}

/** What the library calls each type, in words. */
const articles: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
  Array: 'a list',
  Object: 'an object',
};

/** Under these stand keys and passwords. */
const secretKeys: ReadonlySet<unknown> = new Set(['args', 'env', 'headers', 'url', '_meta']);

/** A text that may be a secret is not repeated: errors end in logs. */
function discreet(message: string, { received, path }: v.BaseIssue<unknown>): string {
  const isText = received?.startsWith('"');
  const holdsSecrets = path?.some(({ key }) => secretKeys.has(key)) || path?.at(-1)?.key === 'mcpServers';
  return isText && holdsSecrets ? message.replace(received ?? '', () => 'a string') : message;
}
