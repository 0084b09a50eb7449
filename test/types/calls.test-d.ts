import { describe, expectTypeOf, test } from 'vitest';
import type { JsonObject } from '../../src/core/base/json.ts';
import type { CallName, Calls, CallTable } from '../../src/core/protocol/calls.ts';
import type { AcpErrorCode, CallOptions, Feature, NewSessionParams } from '../../src/entries/index.ts';
import * as api from '../../src/entries/index.ts';

declare const connection: api.ClientConnection;
declare const session: api.Session;
declare const other: api.Session;

describe('calls', () => {
  test('take the same options', () => {
    expectTypeOf<CallOptions>().toEqualTypeOf<{
      readonly signal?: AbortSignal | undefined;
      readonly timeoutMs?: number | undefined;
      readonly allowUnsupported?: boolean | undefined;
      readonly meta?: JsonObject | undefined;
      readonly extraParams?: JsonObject | undefined;
      readonly requires?: string | readonly string[] | undefined;
    }>();
    expectTypeOf(connection.newSession).parameter(1).toEqualTypeOf<api.NewSessionOptions | undefined>();
    expectTypeOf<api.NewSessionOptions>().toExtend<CallOptions>();
    expectTypeOf(connection.loadSession).parameter(1).toEqualTypeOf<api.LoadSessionOptions | undefined>();
    expectTypeOf(connection.resumeSession).parameter(1).toEqualTypeOf<api.ResumeSessionOptions | undefined>();
    expectTypeOf<api.LoadSessionOptions>().toExtend<CallOptions>();
    expectTypeOf<api.ResumeSessionOptions>().toExtend<CallOptions>();
    expectTypeOf(connection.deleteSession).parameter(1).toEqualTypeOf<CallOptions | undefined>();
    expectTypeOf(connection.logout).parameter(0).toEqualTypeOf<CallOptions | undefined>();
    expectTypeOf(session.close).parameter(0).toEqualTypeOf<CallOptions | undefined>();
    expectTypeOf<{ timeoutMS: number }>().not.toExtend<CallOptions>();
  });

  test('need their required parameters', () => {
    expectTypeOf<{ cwd: string }>().toExtend<NewSessionParams>();
    expectTypeOf<{ mcpServers: [] }>().not.toExtend<NewSessionParams>();
    expectTypeOf<{ cwd: string }>().not.toExtend<Parameters<typeof connection.loadSession>[0]>();
  });

  test('resolve to sessions and results', () => {
    expectTypeOf(connection.newSession).returns.resolves.toEqualTypeOf<api.Session>();
    expectTypeOf(connection.forkSession).returns.resolves.toEqualTypeOf<api.Session>();
    expectTypeOf(session.prompt).returns.resolves.toHaveProperty('stopReason');
    expectTypeOf(session.prompt).returns.toHaveProperty('accepted');
  });

  test('an extension method resolves to unknown', () => {
    expectTypeOf(connection.request('_example.com/status', { verbose: true })).resolves.toBeUnknown();
  });
});

describe('features', () => {
  test('are known names, or MCP transports of an agent', () => {
    expectTypeOf<'session.load'>().toExtend<Feature>();
    connection.supports('session.load');
    connection.supports('session.mcp._pipe');
    // @ts-expect-error The name is misspelt.
    connection.supports('session.laod');
    // @ts-expect-error The transports of an agent begin with an underscore.
    connection.explain('session.mcp.pipe');
  });

  test('are all listed in connection.features', () => {
    expectTypeOf(connection.features).toEqualTypeOf<Readonly<Record<Feature, boolean>>>();
  });
});

describe('the table of calls of a dialect', () => {
  test('has an entry for each call, whose input and output are those of the call', () => {
    expectTypeOf<keyof CallTable>().toEqualTypeOf<CallName>();
    expectTypeOf<CallName>().toEqualTypeOf<keyof Calls>();
    type LoadSession = NonNullable<CallTable['loadSession']>;
    expectTypeOf<LoadSession['encode']>().parameter(0).toEqualTypeOf<Calls['loadSession'][0]>();
    expectTypeOf<LoadSession['decode']>().returns.toEqualTypeOf<Calls['loadSession'][1]>();
  });
});

describe('public objects', () => {
  test('are created by the library only', () => {
    // @ts-expect-error connect returns it.
    new api.ClientConnection();
    // @ts-expect-error A connection returns it.
    new api.Session();
  });

  test('are read-only', () => {
    // @ts-expect-error A user reads the conversation, and does not replace it.
    session.store = other.store;
    expectTypeOf(session.store).not.toHaveProperty('apply');
    expectTypeOf(session.store).not.toHaveProperty('reset');
    expectTypeOf(session.conversation.entries).toExtend<readonly unknown[]>();
    expectTypeOf(session.conversation.entries).not.toHaveProperty('push');
  });
});

describe('errors', () => {
  test('have a code out of a fixed set', () => {
    expectTypeOf<api.AcpError['code']>().toEqualTypeOf<AcpErrorCode>();
    expectTypeOf<api.CapabilityError['code']>().toEqualTypeOf<'usage.capability'>();
    expectTypeOf<string>().not.toExtend<AcpErrorCode>();
  });

  test('are recognized by AcpError.is', () => {
    const error: unknown = null;
    if (api.AcpError.is(error)) expectTypeOf(error).toEqualTypeOf<api.AcpError>();
  });
});
