import { expect, test } from 'vitest';
import type { ToolCallEntry } from '../../../src/model/conversation.ts';
import { dialectNames } from '../../support/agents.ts';
import { flush, openSession } from '../../support/open-session.ts';

test.each(dialectNames)(
  'in %s, `_meta: null` clears the metadata where null clears a value',
  async (dialect) => {
    const { agent, session } = await openSession(dialect);
    const meta = { 'a.example/key': 1 };
    agent.update(
      's1',
      {
        sessionUpdate: dialect === 'v1' ? 'tool_call' : 'tool_call_update',
        toolCallId: 't1',
        title: 'T',
        _meta: meta,
      },
      { sessionUpdate: 'session_info_update', _meta: meta },
    );
    await flush(agent);
    const metas = () => [(session.conversation.entries[0] as ToolCallEntry).meta, session.conversation.meta];
    expect(metas()).toEqual([meta, meta]);
    agent.update(
      's1',
      { sessionUpdate: 'tool_call_update', toolCallId: 't1', _meta: null },
      { sessionUpdate: 'session_info_update', _meta: null },
    );
    await flush(agent);
    const [toolCall, conversation] = metas();
    // In version 1, null keeps each value of a tool call.
    expect(toolCall ?? {}).toEqual(dialect === 'v1' ? meta : {});
    expect(conversation ?? {}).toEqual({});
  },
);
