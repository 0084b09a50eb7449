import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/base/json.ts';
import type { HandlerContext, PermissionRequest } from '../../../src/core/client/requests/handlers.ts';
import {
  type PermissionDecision,
  type PermissionRule,
  permissionRules,
} from '../../../src/core/client/requests/permission-rules.ts';
import type { Session } from '../../../src/core/client/session/session.ts';

const yes = { optionId: 'y', name: 'Yes', kind: 'allow_once' };
const always = { optionId: 'a', name: 'Always', kind: 'allow_always' };
const no = { optionId: 'n', name: 'No', kind: 'reject_once' };

/** Runs the rules in two sessions and notes the questions. The answers to the questions are given in order. */
function rules(allow: readonly (string | PermissionRule)[], ...answers: readonly PermissionDecision[]) {
  const asked: (string | null)[] = [];
  const handler = permissionRules({
    allow,
    ask({ title }) {
      asked.push(title);
      return answers[asked.length - 1] ?? { outcome: 'cancelled' };
    },
  });
  // Rules read only the identity of the session.
  const sessions = [{} as Session, {} as Session];
  let calls = 0;
  const request = (fields: {
    kind?: string;
    title?: string;
    subject?: object;
    options?: PermissionRequest['options'];
    in?: number;
    meta?: JsonObject;
    callMeta?: JsonObject;
  }) => {
    const { kind, title = 'Do it?', options = [yes, always, no] } = fields;
    const { subject = null, meta, callMeta = null } = fields;
    const toolCallId = `c${calls++}`;
    const toolCall = kind === undefined ? null : { toolKind: kind, toolCallId, title, meta: callMeta };
    const context = { session: sessions[fields.in ?? 0], signal: new AbortController().signal, meta };
    return handler(
      { title, description: null, subject, options, toolCall } as PermissionRequest,
      context as HandlerContext,
    );
  };
  return { request, asked };
}

describe('permission rules', () => {
  test('allow the given kinds once, and ask for others', async () => {
    const { request, asked } = rules(['read'], { outcome: 'selected', optionId: 'n' });
    expect(await request({ kind: 'read' })).toEqual({ outcome: 'selected', optionId: 'y' });
    expect(await request({ kind: 'edit', title: 'Edit?' })).toEqual({ outcome: 'selected', optionId: 'n' });
    expect(asked).toEqual(['Edit?']);
  });

  test.each([
    ['no option that allows once', [always, no]],
    ['several options that allow once', [yes, { ...yes, optionId: 'y2' }, no]],
    ['an option whose id another option has', [yes, { ...no, optionId: yes.optionId }]],
  ])(
    '[security: repeated-kinds] [security: repeated-ids] ask where the agent offers %s',
    async (_, options) => {
      const { request, asked } = rules(['read'], { outcome: 'selected', optionId: 'n' });
      expect(await request({ kind: 'read', options })).toEqual({ outcome: 'selected', optionId: 'n' });
      expect(asked).toHaveLength(1);
    },
  );

  test.each([
    ['y', 'y'],
    ['a', 'y'],
    ['n', 'n'],
  ])('remember the choice %s for the same request and answer %s', async (chosen, next) => {
    const { request, asked } = rules([], { outcome: 'selected', optionId: chosen, remember: 'request' });
    expect(await request({ kind: 'execute', title: 'ls' })).toEqual({
      outcome: 'selected',
      optionId: chosen,
    });
    expect(await request({ kind: 'execute', title: 'ls' })).toEqual({ outcome: 'selected', optionId: next });
    await request({ kind: 'execute', title: 'rm' });
    await request({ kind: 'execute', title: 'ls', in: 1 });
    expect(asked).toEqual(['ls', 'rm', 'ls']);
  });

  test('take a request as the same only if its metadata is the same', async () => {
    const allowed: PermissionDecision = { outcome: 'selected', optionId: 'y', remember: 'request' };
    const { request, asked } = rules([], allowed, allowed, allowed, allowed);
    for (const path of ['/a', '/b', '/a']) {
      await request({ kind: 'edit', meta: { path } });
      await request({ kind: 'edit', callMeta: { path } });
    }
    expect(asked).toHaveLength(4);
  });

  test('remember a choice for a kind, and a later choice for one request above it', async () => {
    const { request, asked } = rules(
      [],
      { outcome: 'selected', optionId: 'n', remember: 'request' },
      { outcome: 'selected', optionId: 'y', remember: 'kind' },
    );
    await request({ kind: 'edit', title: 'one' });
    await request({ kind: 'edit', title: 'two' });
    expect(await request({ kind: 'edit', title: 'three' })).toEqual({ outcome: 'selected', optionId: 'y' });
    expect(await request({ kind: 'edit', title: 'one' })).toEqual({ outcome: 'selected', optionId: 'n' });
    expect(asked).toEqual(['one', 'two']);
  });

  test('do not remember a cancelled question, an unknown kind of option, or a kind where there is no tool call', async () => {
    const strange = { optionId: 's', name: 'Maybe', kind: 'perhaps' };
    const { request, asked } = rules(
      [],
      { outcome: 'cancelled', remember: 'request' },
      { outcome: 'selected', optionId: 's', remember: 'request' },
      { outcome: 'selected', optionId: 'y', remember: 'kind' },
    );
    for (let count = 0; count < 4; count++) await request({ options: [yes, no, strange] });
    expect(asked).toHaveLength(4);
  });

  test('[security: repeated-ids] remember nothing of an option whose id another kind of option has', async () => {
    const same = [
      { ...yes, optionId: 'x' },
      { ...no, optionId: 'x' },
    ];
    const { request, asked } = rules([], { outcome: 'selected', optionId: 'x', remember: 'kind' });
    await request({ kind: 'edit', options: same });
    await request({ kind: 'edit' });
    await request({ kind: 'edit', options: [yes, no, { ...yes, optionId: 'x' }] });
    expect(asked).toHaveLength(3);
  });

  test('take a request as the same only if its subject is the same, apart from ids', async () => {
    const chosen = { outcome: 'selected', remember: 'request' } as const;
    const { request } = rules([], { ...chosen, optionId: 'y' }, { ...chosen, optionId: 'n' });
    const answers: unknown[] = [];
    for (const [command, id] of [
      ['ls', '1'],
      ['ls', '2'],
      ['rm', '3'],
    ]) {
      const subject = { type: 'command', command, cwd: '/', toolCallId: id, terminalId: id };
      answers.push(await request({ subject }));
    }
    expect(answers).toMatchObject([{ optionId: 'y' }, { optionId: 'y' }, { optionId: 'n' }]);
  });

  test('allow what a function allows, with the request and the context', async () => {
    const seen: unknown[] = [];
    const { request, asked } = rules([
      'read',
      async ({ title }, { session }) => {
        seen.push(session);
        return title === 'fine';
      },
    ]);
    expect(await request({ kind: 'edit', title: 'fine' })).toEqual({ outcome: 'selected', optionId: 'y' });
    await request({ kind: 'edit', title: 'other' });
    await request({ kind: 'read', title: 'other' });
    expect(asked).toEqual(['other']);
    expect(seen).toHaveLength(2);
  });

  test('refuse the rest without a function that asks the user', async () => {
    const handler = permissionRules({ allow: ['read'] });
    const context = { session: {}, signal: new AbortController().signal } as HandlerContext;
    const ask = (options: PermissionRequest['options']) =>
      handler({ title: 'Run?', description: null, toolCall: null, subject: null, options }, context);
    expect(await ask([yes, always, no])).toEqual({ outcome: 'selected', optionId: 'n' });
    expect(await ask([yes, always])).toEqual({ outcome: 'cancelled' });
  });
});

const wrongKinds = ['reads', '', 'Edit', 'allow', 7, null];

test.each<readonly [unknown, string]>([
  ...wrongKinds.map((kind) => [{ allow: ['read', kind] }, 'allow.1 must be one of read, edit, '] as const),
  [undefined, 'options must be an object with allow, ask; got undefined'],
  [{ allow: 'read' }, 'allow must be an array; got "read"'],
  [{ alow: [] }, 'alow is not an option'],
])('wrong options are refused: %j', (options, says) => {
  const refused = expect.objectContaining({ code: 'usage.params', message: expect.stringContaining(says) });
  expect(() => permissionRules(options as never)).toThrow(refused);
  expect(permissionRules({ allow: ['read', '_deploy', () => true] })).toBeInstanceOf(Function);
  expect(permissionRules({})).toBeInstanceOf(Function);
});
