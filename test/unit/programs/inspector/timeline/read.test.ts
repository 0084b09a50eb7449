import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { isJsonObject } from '../../../../../src/base/json.ts';
import { applyPatch } from '../../../../../src/conversation/patch.ts';
import type { Conversation } from '../../../../../src/model/conversation.ts';
import type { MessageItem, TimelineItem } from '../../../../../src/programs/inspector/timeline/items.ts';
import { readTimeline } from '../../../../../src/programs/inspector/timeline/read.ts';
import { foldTraffic } from '../../../../../src/recording/fold-traffic.ts';
import { readRecords } from '../../../../../src/recording/playback.ts';

const recordings = new URL('../../../../fixtures/traffic/', import.meta.url);
const names = readdirSync(recordings).filter((name) => name.endsWith('.ndjson'));

/** The conversations after all changes of these items. */
function conversationsAfter(items: readonly TimelineItem[]): readonly Conversation[] {
  const conversations: Conversation[] = [];
  for (const { conversation, patch } of items.flatMap(({ changes = [] }) => changes)) {
    conversations[conversation] = applyPatch(conversations[conversation], patch);
  }
  return conversations;
}

function sessionNamed({ dir, msg }: MessageItem, by: 'in' | 'out'): readonly unknown[] {
  const params = isJsonObject(msg) ? msg['params'] : undefined;
  return dir === by && isJsonObject(params) ? [params['sessionId']] : [];
}

const recordOf = (item: TimelineItem) => (item.type === 'message' ? [{ ...item }] : []);

describe.each(names)('the timeline of %s', (name) => {
  const text = readFileSync(new URL(name, recordings), 'utf8');

  test('has the conversations of the fold', async () => {
    const { sessions } = await foldTraffic(text);
    expect(sessions.length).toBeGreaterThan(0);
    expect(conversationsAfter(await readTimeline(text))).toEqual(
      sessions.map(({ conversation }) => conversation),
    );
  });

  test('has every message once and in order', async () => {
    const items = await readTimeline(text);
    const messages = items.flatMap(recordOf).map(({ dir, t, msg }) => ({ dir, t, msg }));
    expect(messages).toEqual(readRecords(text));
  });

  test('gives each piece of text to the message that brought it', async () => {
    let checked = 0;
    const items = await readTimeline(text);
    /** The sessions that the client knows when the agent sends their updates. A fork has no id before its answer. */
    const known = new Set(
      items.flatMap((item) => (item.type === 'message' ? sessionNamed(item, 'out') : [])),
    );
    for (const item of items) {
      if (item.type !== 'message' || !isJsonObject(item.msg) || !isJsonObject(item.msg['params'])) continue;
      const { update, sessionId } = item.msg['params'];
      if (!known.has(sessionId)) continue;
      if (!isJsonObject(update) || update['sessionUpdate'] !== 'agent_message_chunk') continue;
      const { content } = update;
      if (!isJsonObject(content) || typeof content['text'] !== 'string' || content['text'] === '') continue;
      checked++;
      const patches = (item.changes ?? []).map(({ patch }) => patch);
      expect(JSON.stringify(patches)).toContain(JSON.stringify(content['text']).slice(1, -1));
    }
    expect(checked).toBeGreaterThan(0);
  });

  test('has the diagnostics of the fold', async () => {
    const { diagnostics } = await foldTraffic(text);
    const items = await readTimeline(text);
    const rules = items.flatMap((item) => (item.type === 'diagnostic' ? [item.rule] : []));
    expect(rules.sort()).toEqual(diagnostics.map(({ rule }) => rule).sort());
  });
});

test('the end of a process that the recording notes is one item', async () => {
  const line = (dir: 'in' | 'out', msg: object) =>
    JSON.stringify({ dir, t: 0, msg: { jsonrpc: '2.0', ...msg } });
  const end = { exitCode: 3, signal: null };
  const items = await readTimeline(
    [
      line('out', { id: 0, method: 'initialize', params: { protocolVersion: 1, clientCapabilities: {} } }),
      line('in', { id: 0, result: { protocolVersion: 1, agentCapabilities: {} } }),
      line('in', {
        method: '$/process',
        params: { state: 'exited', ...end, reason: 'The agent exited with code 3.' },
      }),
      line('in', { method: '$/ended', params: end }),
    ].join('\n'),
  );
  expect(items.filter(({ type }) => type === 'process')).toHaveLength(1);
});
