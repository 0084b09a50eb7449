import { expect, test } from 'vitest';
import { toolCallIdOf } from '../../../src/tools/tool-call-id.ts';

const turn = { session_id: '01a2064a', thread_id: '01a2064a', turn_id: '01a2064a-8e11' };

/** The `_meta` of calls, as the agents sent it, with shorter values. */
const observed = {
  claude: { 'claudecode/toolUseId': 'toolu_1', progressToken: 1 },
  codex: {
    progressToken: 1,
    callId: 'call_1',
    'x-codex-turn-metadata': turn,
    threadId: '01a2064a',
    sessionId: '01a2064a',
    windowId: '01a2064a:0',
    itemId: 'fc_2',
  },
  'codex-zed': { progressToken: 1, 'x-codex-turn-metadata': turn, threadId: '01a2064a' },
  opencode: { progressToken: 2 },
  gemini: { progressToken: '6d9574f3-e25b-448a-8a42-8caceb521204' },
};

test('the tool call is the one that claude and codex name, and none with agents that name none', () => {
  const ids = Object.entries(observed).map(([agent, meta]) => [agent, toolCallIdOf(meta)]);
  expect(Object.fromEntries(ids)).toEqual({
    claude: 'toolu_1',
    codex: 'call_1',
    'codex-zed': undefined,
    opencode: undefined,
    gemini: undefined,
  });
});

test('a call without _meta, and a value that is no text, name no tool call', () => {
  expect(toolCallIdOf(undefined)).toBe(undefined);
  expect(toolCallIdOf({ callId: 7 })).toBe(undefined);
});
