import { describe, expectTypeOf, test } from 'vitest';
import type { ClientUpdate } from '../../src/core/model/client-update.ts';
import {
  type ConversationUpdate,
  createConversationStore,
  emptyConversation,
  foldUpdate,
} from '../../src/entries/conversation.ts';
import type {
  ClientHandlers,
  PermissionOutcome,
  PermissionRequest,
  Session,
} from '../../src/entries/index.ts';

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
