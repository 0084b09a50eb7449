import { describe, expectTypeOf, test } from 'vitest';
import type { JsonObject } from '../../src/core/base/json.ts';
import type { ClientUpdate } from '../../src/core/model/client-update.ts';
import type { CallName, Calls, CallTable } from '../../src/core/protocol/calls.ts';
import {
  type ConversationUpdate,
  createConversationStore,
  emptyConversation,
  foldUpdate,
} from '../../src/entries/conversation.ts';
import * as api from '../../src/entries/index.ts';
import {
  type AcpErrorCode,
  type CallOptions,
  type ClientHandlers,
  type ConfigOption,
  type ConnectOptions,
  type ContentBlock,
  type ConversationEntry,
  type Feature,
  type McpServerConfig,
  type NewSessionParams,
  type PathMap,
  type PermissionOutcome,
  type PermissionRequest,
  pathMap,
  type Session,
  type ToolCallContent,
  type UnknownContent,
} from '../../src/entries/index.ts';
import type { ContentBlock as ContentBlock1 } from '../../src/entries/schema-v1.ts';
import type { ContentBlock as ContentBlock2 } from '../../src/entries/schema-v2.ts';
import type { foldTraffic } from '../../src/entries/testing.ts';

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
    expectTypeOf(connection.resumeSession).parameter(1).toExtend<CallOptions | undefined>();
    expectTypeOf<api.LoadSessionOptions>().toExtend<CallOptions>();
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

type Extensions = NonNullable<ClientHandlers['extensions']>;
type RequestPermission = NonNullable<ClientHandlers['requestPermission']>;

describe('handlers', () => {
  test('of extensions have names that begin with an underscore', () => {
    expectTypeOf<keyof Extensions>().toEqualTypeOf<`_${string}`>();
    const handlers: ClientHandlers = { extensions: { '_example.com/status': () => null } };
    expectTypeOf(handlers).toExtend<ClientHandlers>();
    // @ts-expect-error The methods of the protocol are not extensions.
    const wrong: ClientHandlers = { extensions: { 'session/update': () => null } };
    expectTypeOf(wrong).toExtend<ClientHandlers>();
  });

  test('of extensions get params of type unknown, and a session if the params name one', () => {
    type Handler = Extensions['_example'];
    expectTypeOf<Handler>().parameter(0).toBeUnknown();
    expectTypeOf<Parameters<Handler>[1]['session']>().toEqualTypeOf<Session | undefined>();
  });

  test('of permissions get the request and a session, and return an outcome, an id or a promise of one', () => {
    expectTypeOf<RequestPermission>().parameter(0).toEqualTypeOf<PermissionRequest>();
    expectTypeOf<Parameters<RequestPermission>[1]['session']>().toEqualTypeOf<Session>();
    expectTypeOf<() => PermissionOutcome>().toExtend<RequestPermission>();
    expectTypeOf<() => Promise<PermissionOutcome>>().toExtend<RequestPermission>();
    expectTypeOf<() => Promise<string>>().toExtend<RequestPermission>();
    expectTypeOf<() => undefined>().not.toExtend<RequestPermission>();
  });

  test('select an option or cancel', () => {
    expectTypeOf<{ outcome: 'selected' }>().not.toExtend<PermissionOutcome>();
    expectTypeOf<{ outcome: 'selected'; optionId: string }>().toExtend<PermissionOutcome>();
    expectTypeOf<{ outcome: 'rejected' }>().not.toExtend<PermissionOutcome>();
  });

  test('are all optional', () => {
    expectTypeOf<Record<never, never>>().toExtend<ClientHandlers>();
  });
});

type Made = ClientUpdate['sessionUpdate'];

test('an update that only the client makes is not a public update', () => {
  expectTypeOf<Extract<ConversationUpdate['sessionUpdate'], Made>>().toBeNever();
  const conversation = emptyConversation('s1');
  // @ts-expect-error Only the client makes it.
  foldUpdate(conversation, { sessionUpdate: 'unfinished_cancelled' });
  // @ts-expect-error Only the client makes it.
  createConversationStore(conversation).apply({ sessionUpdate: 'unfinished_cancelled' });
  expectTypeOf<Parameters<Parameters<Session['onUpdate']>[0]>[0]>().toEqualTypeOf<ConversationUpdate>();
});

type Of<U, T extends string> = Extract<U, { readonly type: T }>;

describe('a union that agents can extend', () => {
  test('narrows known blocks of content by their type, and leaves the unknown ones', () => {
    const describeBlock = (block: ContentBlock) => {
      switch (block.type) {
        case 'text':
          expectTypeOf(block).toEqualTypeOf<Of<ContentBlock, 'text'>>();
          return block.text;
        case 'image':
          expectTypeOf(block).toEqualTypeOf<Of<ContentBlock, 'image'>>();
          return block.mimeType;
        case 'audio':
          expectTypeOf(block).toEqualTypeOf<Of<ContentBlock, 'audio'>>();
          return block.data;
        case 'resource_link':
          return block.uri;
        case 'resource':
          return 'text' in block.resource ? block.resource.text : block.resource.blob;
        case 'skill':
          return block.name;
        default:
          expectTypeOf(block).toEqualTypeOf<UnknownContent>();
          return block.type;
      }
    };
    expectTypeOf(describeBlock).returns.toEqualTypeOf<string>();
  });

  test('has a member for each value of its discriminator, which Extract finds', () => {
    type Missing<U extends Readonly<Record<K, string>>, K extends string> = {
      [T in U[K]]: [Extract<U, Readonly<Record<K, T>>>] extends [never] ? T : never;
    }[U[K]];
    expectTypeOf<Missing<api.ConversationEvent, 'type'>>().toBeNever();
    expectTypeOf<Missing<ConversationUpdate, 'sessionUpdate'>>().toBeNever();
    expectTypeOf<Missing<ConversationEntry, 'kind'>>().toBeNever();
    expectTypeOf<Missing<ContentBlock | ToolCallContent | api.Plan, 'type'>>().toBeNever();
    expectTypeOf<Of<api.ConversationEvent, 'thought'>['text']>().toEqualTypeOf<string>();
  });

  test('takes a type that begins with an underscore, and no other unknown type', () => {
    expectTypeOf<{ type: '_chart'; points: number[] }>().toExtend<ContentBlock>();
    expectTypeOf<{ type: 'chart'; points: number[] }>().not.toExtend<ContentBlock>();
    expectTypeOf<{ type: '_pipe'; name: string }>().toExtend<McpServerConfig>();
    expectTypeOf<{ type: 'pipe'; name: string }>().not.toExtend<McpServerConfig>();
  });

  test('has unknown fields of type unknown', () => {
    expectTypeOf<UnknownContent['points']>().toBeUnknown();
    type UnknownItem = Exclude<
      ToolCallContent,
      { readonly type: 'content' | 'diff' | 'terminal' | 'session' }
    >;
    expectTypeOf<UnknownItem['value']>().toBeUnknown();
  });

  test('narrows the content of a tool call', () => {
    expectTypeOf<Of<ToolCallContent, 'content'>['content']>().toEqualTypeOf<ContentBlock>();
    expectTypeOf<Of<ToolCallContent, 'diff'>['changes'][number]['path']>().toEqualTypeOf<string>();
    expectTypeOf<Of<ToolCallContent, 'terminal'>['terminalId']>().toEqualTypeOf<string>();
    expectTypeOf<Of<ToolCallContent, 'session'>['sessionId']>().toEqualTypeOf<string>();
  });

  test('narrows config options', () => {
    expectTypeOf<Of<ConfigOption, 'select'>['currentValue']>().toEqualTypeOf<string>();
    expectTypeOf<Of<ConfigOption, 'boolean'>['currentValue']>().toEqualTypeOf<boolean>();
  });

  test('narrows entries of a conversation by their kind', () => {
    const keyOf = (entry: ConversationEntry): string => {
      switch (entry.kind) {
        case 'message':
          return entry.content.length === 0 ? entry.role : entry.key;
        case 'sessionMessage':
          return entry.messageId;
        case 'toolCall':
          return entry.toolCallId;
        case 'compaction':
          return entry.compactionId;
        case 'turnFailure':
          return entry.reason;
        case 'unknown':
          return entry.tag;
      }
    };
    expectTypeOf(keyOf).returns.toEqualTypeOf<string>();
  });

  test('narrows in the types of the wire as well', () => {
    expectTypeOf<Of<ContentBlock1, 'text'>['text']>().toEqualTypeOf<string>();
    expectTypeOf<Of<ContentBlock2, 'text'>['text']>().toEqualTypeOf<string>();
    expectTypeOf<{ type: '_chart' }>().toExtend<ContentBlock2>();
    expectTypeOf<{ type: 'chart' }>().not.toExtend<ContentBlock2>();
  });
});

describe('an open set of names', () => {
  test('takes any string, so that a new status compiles', () => {
    type Status = Extract<ConversationEntry, { readonly kind: 'toolCall' }>['status'];
    expectTypeOf<'completed'>().toExtend<Status>();
    expectTypeOf<string>().toExtend<Status>();
    // `string` alone would lose the known names, which an editor completes.
    expectTypeOf<Status>().not.toEqualTypeOf<string>();
  });
});

test('pathMap takes directories with two paths', () => {
  type Pair = { readonly editor: string; readonly agent: string };
  expectTypeOf(pathMap).parameters.toEqualTypeOf<[directories: readonly Pair[]]>();
  expectTypeOf(pathMap).returns.toEqualTypeOf<PathMap>();
  // @ts-expect-error: the path of the agent is missing.
  pathMap([{ editor: '/a' }]);
  // @ts-expect-error: one list, and not a record.
  pathMap({ '/a': '/b' });
});

test('connect and foldTraffic take what pathMap returns, and no other object', () => {
  expectTypeOf<ConnectOptions['paths']>().toEqualTypeOf<PathMap | undefined>();
  expectTypeOf<NonNullable<Parameters<typeof foldTraffic>[1]>['paths']>().toEqualTypeOf<
    PathMap | undefined
  >();
  const own = { toAgent: (path: string) => path, toEditor: (path: string) => path };
  expectTypeOf(own).not.toExtend<PathMap>();
});

test('a map converts texts', () => {
  expectTypeOf<PathMap['toAgent']>().toEqualTypeOf<(path: string) => string>();
  expectTypeOf<PathMap['toEditor']>().toEqualTypeOf<(path: string) => string>();
});
