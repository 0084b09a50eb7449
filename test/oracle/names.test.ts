import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { officialDefs, type SchemaObject } from '../support/official-schema.ts';
import { schemas, versions } from './ours.ts';

/** Kinds of definitions that need no schema of ours, by their shape. */
const kinds: Readonly<Record<string, (schema: SchemaObject) => boolean>> = {
  'a plain string, for which `v.string()` says it all': (schema) =>
    schema.type === 'string' && schema.enum === undefined,
  'an empty object: a marker, or an answer that says nothing': (schema) =>
    schema.type === 'object' &&
    !schema.anyOf &&
    !schema.oneOf &&
    Object.keys(schema.properties ?? {}).every((key) => key === '_meta'),
  'anything at all': (schema) => Object.keys(schema).every((key) => /^description$|^x-/.test(key)),
};

const envelope = 'The envelope of a message, which the JSON-RPC connection reads.';
const proxies = 'For programs that stand between a client and an agent.';
const merged = 'Merged into the message that carries it, with what that one adds.';
const jsonRpc = 'JSON-RPC, read by the connection.';

const both: Readonly<Record<string, string>> = {
  AgentRequest: envelope,
  AgentResponse: envelope,
  AgentNotification: envelope,
  ClientRequest: envelope,
  ClientResponse: envelope,
  ClientNotification: envelope,
  ProxyRequest: envelope,
  ProxyResponse: envelope,
  ProxyNotification: envelope,
  ElicitationFormMode: merged,
  ElicitationUrlMode: merged,
  ElicitationSchemaType: 'One literal, written where it is due.',
  ErrorCode: jsonRpc,
  InitializeProxyRequest: proxies,
  InitializeProxyResponse: proxies,
  ProxySuccessorRequest: proxies,
  ProxySuccessorNotification: proxies,
  PlanFile: 'Not in the protocol any more: kept as it came, like each plan of an unknown type.',
  McpError: 'An answer of an MCP server, handed on as it came.',
  MessageMcpResponse: 'An answer of an MCP server, handed on as it came.',
};

const excluded: Readonly<Record<1 | 2, Readonly<Record<string, string>>>> = {
  1: both,
  2: {
    ...both,
    ErrorData: 'What comes with an error is handed on as it came.',
    ElicitationContentValue: 'Anything: the schema leaves it open.',
    SessionNotFoundErrorData: 'What comes with an error is handed on as it came.',
    UnsupportedProtocolVersionErrorData: 'Read by the negotiation, from the raw error.',
  },
};

describe.each(versions)('the definitions of version %i', (version) => {
  const defs = officialDefs(version);
  const ours = schemas[version];

  it('are exported, or have a written reason', () => {
    const missing = Object.entries(defs).filter(
      ([name, schema]) =>
        !Object.hasOwn(ours, name) &&
        !Object.hasOwn(excluded[version], name) &&
        !Object.values(kinds).some((fits) => fits(schema as SchemaObject)),
    );
    expect(Object.keys(defs).length).toBeGreaterThan(200);
    expect(missing.map(([name]) => name)).toEqual([]);
  });

  it('are the only names that are exported', () => {
    expect(Object.keys(ours).filter((name) => !Object.hasOwn(defs, name))).toEqual([]);
  });

  it('have no reason that is out of date', () => {
    const names = Object.keys(excluded[version]);
    const stale = names.filter((name) => !Object.hasOwn(defs, name) || Object.hasOwn(ours, name));
    expect(stale).toEqual([]);
  });
});

const source = resolve(import.meta.dirname, '../../src');
const update = 'UPDATE_SCHEMAS=1 npx vitest run test/oracle/names.test.ts';

/** Our names of definitions whose official names mean something else in TypeScript. */
const renamed: Readonly<Record<string, string>> = { ErrorObject: 'Error' };

/** The order in which the formatter sorts names: without regard to case, digits by their value. */
const { compare } = new Intl.Collator('en', { numeric: true });

/** The files that declare what a version has: its pages, and what both versions have. */
function pagesOf(version: 1 | 2): readonly string[] {
  const files = (folder: string) =>
    readdirSync(`${source}/${folder}`).map((name) => `${folder}/${name.replace(/\.ts$/, '')}`);
  const shared = files('core/protocol').filter((name) => name.startsWith('core/protocol/unstable'));
  return [...shared, ...files('core/protocol/both'), ...files(`core/protocol/v${version}`)].sort(compare);
}

/** The names that a file exports, and that the official schema of a version defines. */
function definitionsIn(file: string, version: 1 | 2): readonly string[] {
  const defs = officialDefs(version);
  return [...readFileSync(`${source}/${file}.ts`, 'utf8').matchAll(/^export const ([A-Z]\w*)/gm)]
    .map(([, name = '']) => ({ name, official: renamed[name] ?? name }))
    .filter(({ official }) => Object.hasOwn(defs, official))
    .map(({ name, official }) => (name === official ? name : `${name} as ${official}`))
    .sort(compare);
}

/** The longest line of the formatter. */
const lineWidth = 110;

/** As the formatter accepts it, in one line where that has room. */
function exportOf(names: readonly string[], file: string): string {
  const line = `export { ${names.join(', ')} } from '../${file}.ts';`;
  if (line.length <= lineWidth) return `${line}\n`;
  return `export {\n${names.map((name) => `  ${name},\n`).join('')}} from '../${file}.ts';\n`;
}

test.each(versions)('the entry of version %i exports each definition of the pages', (version) => {
  const path = `${source}/entries/schema-v${version}.ts`;
  const before = readFileSync(path, 'utf8');
  const lists = pagesOf(version)
    .map((file) => ({ file, names: definitionsIn(file, version) }))
    .filter(({ names }) => names.length > 0)
    .map(({ file, names }) => exportOf(names, file));
  const comment = before.slice(0, before.indexOf('export '));
  const wanted = `${comment}${lists.join('')}export type { Unrecognized } from '../core/protocol/vocabulary.ts';\n`;
  if (process.env['UPDATE_SCHEMAS']) writeFileSync(path, wanted);
  else expect(before, `src/entries/schema-v${version}.ts is up to date: ${update}`).toBe(wanted);
});
