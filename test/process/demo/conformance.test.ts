import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/base/json.ts';
import type { DialectName } from '../../../src/core/protocol/dialect.ts';
import { renderMarkdown } from '../../../src/core/render/markdown.ts';
import { folderStore } from '../../../src/programs/demo/store.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { allowOnce, connect, connectLibrary, cwd, dialects, newSession } from './dialects.ts';

// By their addresses: the agents suite is JavaScript.
const suite = (file: string) => import(new URL(`../../agents/${file}`, import.meta.url).href);
const { againstSchema } = await suite('schema-check.mjs');
const { runsIn } = await suite('traffic.mjs');

const prompts = [
  'Hello, 世界! Καλημέρα 👩‍🍳',
  'plan',
  'Please edit my notes',
  'run it',
  'An image, please',
  'unicode',
  'plan, edit, run, image, unicode: all of it',
];

/** What the answer to `initialize` has and the published schema does not: proposals, and the markers of drafts. */
const extras: Readonly<Record<DialectName, readonly string[]>> = {
  v1: ['agentCapabilities.sessionCapabilities.options'],
  'v2-baseline': ['capabilities.session.inject', 'capabilities.session.options'],
  'v2-markers': ['close', 'inject', 'list', 'load', 'options', 'resume'].map(
    (name) => `capabilities.session.${name}`,
  ),
};

/** Of notifications that differ only in texts and ids, the first: the check takes long. */
function distinct<T extends { readonly message: JsonObject }>(messages: readonly T[]): readonly T[] {
  const seen = new Set<string>();
  return messages.filter(({ message }) => {
    const shape = JSON.stringify(message, (key, value) =>
      /^(?:text|data|\w+Id)$/.test(key) ? typeof value : value,
    );
    return message['id'] !== undefined || (!seen.has(shape) && seen.add(shape));
  });
}

describe.each(dialects)('in $name', (dialect) => {
  test('every message is one of the official schema', async () => {
    const client = await connect(dialect, folderStore(temporaryFolder()));
    client.answer = allowOnce;
    for (const sessionId of ['example-leap-day', 'example-tea-house', 'example-lighthouse']) {
      await dialect.replay(client, sessionId);
    }
    const sessionId = await newSession(client, cwd);
    for (const prompt of prompts) await dialect.prompt(client, sessionId, prompt);
    await dialect.prompt(client, sessionId, 'fail').catch(() => undefined);
    client.answer = () => ({ outcome: { outcome: 'selected', optionId: 'always' } });
    await dialect.prompt(client, sessionId, 'permission');
    await client.request('session/resume', { sessionId, cwd });
    await client.request('session/set_config_option', {
      sessionId,
      configId: 'mode',
      ...(dialect.protocolVersion === 2 && { type: 'id' }),
      value: 'ask',
    });
    await client.request('session/list', {});
    await client.request('session/close', { sessionId });
    await client.request('session/delete', { sessionId });
    await client.refused('no/such_method', {});
    await client.refused('session/new', { cwd: 'relative', mcpServers: [] });
    await client.refused('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'hello?' }] });
    await client.end();

    expect(client.received.length).toBeGreaterThan(200);
    expect(againstSchema(dialect.protocolVersion, runsIn(distinct(client.messages)))).toEqual({
      breaches: [],
      extras: extras[dialect.name].map((path) => `the answer to initialize: \`${path}\``),
    });
  });

  test('a replay by another agent shows what was shown live', async () => {
    const folder = temporaryFolder();
    const handlers = { requestPermission: () => ({ outcome: 'selected', optionId: 'once' }) as const };
    const open = () => connectLibrary(dialect.name, folderStore(folder), { handlers });
    const first = await open();
    const live = await first.newSession({ cwd });
    for (const prompt of prompts) await live.prompt(prompt);
    await first.close();
    const replayed = await (await open()).loadSession({ sessionId: live.sessionId, cwd });
    expect(renderMarkdown(replayed.conversation)).toBe(renderMarkdown(live.conversation));
    expect(live.conversation.entries.length).toBeGreaterThan(20);
  });

  test('a replay sends the same updates each time', async () => {
    const client = await connect(dialect);
    await dialect.replay(client, 'example-leap-day');
    const once = client.updates('example-leap-day');
    const ends = once.filter(({ sessionUpdate }) => sessionUpdate === 'replay_complete');
    // Only the Preview of version 2 has it.
    expect(ends).toHaveLength(dialect.name === 'v2-baseline' ? 1 : 0);
    await dialect.replay(client, 'example-leap-day');
    const ofHistory = (updates: readonly JsonObject[]) =>
      updates.filter(({ sessionUpdate }) => sessionUpdate !== 'state_update');
    expect(ofHistory(client.updates('example-leap-day'))).toEqual([...ofHistory(once), ...ofHistory(once)]);
  });
});
