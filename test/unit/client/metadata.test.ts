import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/base/json.ts';
import type { ToolCallEntry } from '../../../src/core/model/conversation.ts';
import { dialectNames } from '../../support/agents.ts';
import { deliver, openSession } from '../../support/open-session.ts';
import { toolCallUpdate, yes } from '../../support/updates.ts';

const _meta = { traceparent: '00-1', 'example.com/key': { a: [1] } };

describe.each(dialectNames)('the _meta of a request, in %s', (dialect) => {
  const scopes: readonly JsonObject[] = [{ sessionId: 's1' }, { requestId: 7 }];
  const forms: readonly JsonObject[] = [
    { mode: 'form', message: 'Who?', requestedSchema: { type: 'object', properties: {} } },
    { mode: 'url', message: 'Sign in', url: 'https://example.com', elicitationId: 'e1' },
  ];

  test.each(scopes.flatMap((scope) => forms.map((form) => ({ ...scope, ...form }))))(
    'for information is in the context: %j',
    async (params) => {
      const seen: unknown[] = [];
      const handle = (_: unknown, { meta }: { readonly meta?: JsonObject }) => {
        seen.push(meta);
        return { action: 'decline' } as const;
      };
      const { agent } = await openSession(dialect, { handlers: { elicit: { form: handle, url: handle } } });
      await agent.request('elicitation/create', { ...params, _meta });
      await agent.request('elicitation/create', { ...params, _meta: null });
      await agent.request('elicitation/create', params);
      expect(seen).toEqual([_meta, undefined, undefined]);
    },
  );
});

const toolCall = { toolCallId: 't1', title: 'Write', _meta: { of: 'the tool call' } };

describe.each(['v2-markers', 'v2-baseline'] as const)(
  'the subject of a permission request, in %s',
  (dialect) => {
    test.each<[JsonObject, unknown]>([
      [
        { type: 'tool_call', toolCall, _meta },
        { type: 'tool_call', toolCallId: 't1', _meta },
      ],
      [
        { type: 'tool_call', toolCall, _meta: null },
        { type: 'tool_call', toolCallId: 't1' },
      ],
      [
        { type: 'command', command: 'make', cwd: '/', _meta },
        { type: 'command', command: 'make', cwd: '/', _meta },
      ],
      [
        { type: '_own', _meta },
        { type: '_own', _meta },
      ],
    ])('has its _meta: %j', async (sent, expected) => {
      const seen: unknown[] = [];
      const { agent } = await openSession(dialect, {
        handlers: {
          requestPermission: ({ subject }, { meta }) => {
            seen.push(subject, meta);
            return { outcome: 'cancelled' };
          },
        },
      });
      const options = [yes];
      const params = {
        sessionId: 's1',
        title: 'Write?',
        subject: sent,
        options,
        _meta: { of: 'the request' },
      };
      await agent.request('session/request_permission', params);
      expect(seen).toEqual([expected, { of: 'the request' }]);
    });
  },
);

test.each(dialectNames)(
  'in %s, `_meta: null` clears the metadata where null clears a value',
  async (dialect) => {
    const { agent, session } = await openSession(dialect);
    const meta = { 'a.example/key': 1 };
    await deliver(
      agent,
      {
        sessionUpdate: dialect === 'v1' ? 'tool_call' : 'tool_call_update',
        toolCallId: 't1',
        title: 'T',
        _meta: meta,
      },
      { sessionUpdate: 'session_info_update', _meta: meta },
    );
    const metas = () => [(session.conversation.entries[0] as ToolCallEntry).meta, session.conversation.meta];
    expect(metas()).toEqual([meta, meta]);
    await deliver(agent, toolCallUpdate({ _meta: null }), {
      sessionUpdate: 'session_info_update',
      _meta: null,
    });
    const [toolCall, conversation] = metas();
    // In version 1, null keeps each value of a tool call.
    expect(toolCall ?? {}).toEqual(dialect === 'v1' ? meta : {});
    expect(conversation ?? {}).toEqual({});
  },
);
