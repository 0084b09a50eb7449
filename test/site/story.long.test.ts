import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { connect } from '../../src/agents/connect.ts';
import type { JsonObject } from '../../src/core/base/json.ts';
import { textOf } from '../../src/entries/conversation.ts';
import { foldTraffic } from '../../src/entries/testing.ts';
import { dialects, write } from '../../src/programs/demo/dialect.ts';
import { newSession } from '../../src/programs/demo/session.ts';
import { leapDay } from '../../src/programs/demo/stories/leap-day.ts';
import { infoUpdates } from '../../src/programs/demo/updates.ts';
import { noAnswer } from '../../src/records/testing/script.ts';
import { scriptedAgent } from '../../src/records/testing/scripted-agent.ts';

const { sessionId, cwd, steps } = leapDay;
const dialect = dialects['v2-baseline'];

/** How long the parts of a turn take, in milliseconds. */
const paces: Readonly<Record<string, number>> = {
  agent_message_chunk: 70,
  agent_thought_chunk: 60,
  plan_update: 350,
  terminal_output_chunk: 500,
  tool_call_update: 450,
};
const userPauseMs = 1600;

/** The turns of the story: a prompt, and the updates of each step that follows until the next one. */
const turns = steps.reduce<{ readonly prompt: string; readonly steps: (readonly JsonObject[])[] }[]>(
  (all, step, index) => {
    const updates = step(index + 1);
    const [{ sessionUpdate, content } = {}] = updates;
    if (sessionUpdate !== 'user_message') all.at(-1)?.steps.push(updates);
    // The prompts of this story are texts.
    else all.push({ prompt: (content as readonly { readonly text: string }[])[0]?.text ?? '', steps: [] });
    return all;
  },
  [],
);

/**
 * Tells a story of the demo agent as a live session, at the pace of an agent and of a user, and records it. It takes half
 * a minute.
 */
async function recordStory(): Promise<string> {
  const agent = scriptedAgent();
  const send = async (updates: readonly JsonObject[]) => {
    for (const update of updates) {
      await pause(paces[String(update['sessionUpdate'])] ?? 0);
      agent.update(sessionId, ...write(dialect, update));
    }
  };
  const edit = async ([started = {}, ended = {}]: readonly JsonObject[]) => {
    await send([started]);
    await agent.request('session/request_permission', {
      sessionId,
      ...dialect.permission('Change parse-date.ts?', started),
      options: [
        { optionId: 'once', name: 'Allow', kind: 'allow_once' },
        { optionId: 'refused', name: 'Refuse', kind: 'reject_once' },
      ],
    });
    await send([ended]);
  };
  const history: JsonObject[] = [];
  const tell = async (turn: (typeof turns)[number] | undefined) => {
    agent.update(sessionId, { sessionUpdate: 'state_update', state: 'running' });
    for (const updates of turn?.steps ?? []) {
      history.push(...updates);
      await (updates[0]?.['kind'] === 'edit' ? edit(updates) : send(updates));
    }
    agent.update(sessionId, ...infoUpdates({ ...newSession(sessionId, cwd), ...leapDay, history }));
    agent.update(sessionId, { sessionUpdate: 'state_update', state: 'idle', stopReason: 'end_turn' });
  };
  let told = 0;
  agent
    .on('initialize', { protocolVersion: 2, ...dialect.description })
    .on('session/new', { sessionId, ...dialect.opened('ask') })
    .on('session/prompt', ({ prompt = [] }, _, id) => {
      const messageId = `prompt-${told}`;
      agent.answer(id, { messageId });
      agent.update(sessionId, { sessionUpdate: 'user_message', messageId, content: prompt });
      void tell(turns[told++]);
      return noAnswer;
    });
  let records = '';
  const connection = await connect(agent.transport, {
    clientInfo: { name: 'editor', title: 'An editor', version: '1.0.0' },
    handlers: {
      async requestPermission() {
        await pause(userPauseMs);
        return { outcome: 'selected', optionId: 'once' };
      },
    },
    trace: {
      write(record) {
        records += `${JSON.stringify(record)}\n`;
      },
    },
  });
  const session = await connection.newSession({ cwd });
  for (const { prompt } of turns) {
    await pause(userPauseMs);
    await session.prompt(prompt);
  }
  await connection.close();
  return records;
}

const file = join(import.meta.dirname, 'story.ndjson.br');

/** The texts of a conversation, without those of tools. */
async function textsOf(recording: string) {
  const { sessions } = await foldTraffic(recording);
  const entries = sessions.flatMap(({ conversation }) => conversation.entries);
  return entries.flatMap((entry) => (entry.kind === 'message' ? [textOf(entry)] : []));
}

test('the recorded story is the one that is told now', { timeout: 120_000 }, async () => {
  const told = await recordStory();
  if (process.env['UPDATE_DOCS']) writeFileSync(file, brotliCompressSync(told));
  const recording = brotliDecompressSync(readFileSync(file)).toString();
  const texts = await textsOf(recording);
  expect(texts).toEqual(await textsOf(told));
  const messages = leapDay.steps.flatMap((step) => ('content' in step ? [step.content] : []));
  expect(texts).toHaveLength(messages.length);
  expect(readFileSync(file).length).toBeLessThan(20_000);
  const times = recording
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).t as number);
  // It plays at a pace at which it can be read.
  expect(times.at(-1)).toBeGreaterThan(15_000);
});
