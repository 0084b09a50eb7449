import { describe, expect, it } from 'vitest';
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
