import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import type { ClientDialect } from './dialects.ts';
import { allowOnce, dialects, newSession } from './dialects.ts';
import { fold } from './fold.ts';
import { OfficialSchema } from './official-schema.ts';
import { RawClient } from './raw-client.ts';

const cwd = '/home/ada/pâtisserie';
const markers = ['load', 'resume', 'close', 'list'];
/** A proposal: https://github.com/agentclientprotocol/agent-client-protocol/pull/2043. */
const injection = ['inject', 'modes', 'steerInStream'];
const prompts = [
  'Hello, 世界! Καλημέρα 👩‍🍳',
  'plan',
  'Please edit my notes',
  'run it',
  'An image, please',
  'unicode',
  'plan, edit, run, image, unicode: all of it',
];

async function connect(dialect: ClientDialect, folder: string): Promise<RawClient> {
  const client = await RawClient.start('--state', folder, '--dialect', dialect.name);
  client.answer = allowOnce;
  await client.request('initialize', dialect.initialize);
  return client;
}

function schemaOf({ name, protocolVersion }: ClientDialect): OfficialSchema {
  const proposed = protocolVersion === 2 ? injection : [];
  return new OfficialSchema(protocolVersion, name === 'v2-markers' ? [...markers, ...proposed] : proposed);
}

/** What the client of version 1 shows of its own accord, because its prompts are not sent back. */
function ownPrompt(text: string, messageId: unknown): JsonObject {
  return {
    sessionUpdate: 'user_message_chunk',
    messageId: String(messageId),
    content: { type: 'text', text },
  };
}

describe.each(dialects)('in $name', (dialect) => {
  test('every message is one of the official schema', async () => {
    const folder = temporaryFolder();
    await using client = await connect(dialect, folder);
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

    const schema = schemaOf(dialect);
    expect(client.received.flatMap((exchange) => schema.problems(exchange))).toEqual([]);
    expect(client.received.length).toBeGreaterThan(200);
  });

  test('a replay in another process shows what was shown live', async () => {
    const folder = temporaryFolder();
    let sessionId: string;
    let live: JsonObject[] = [];
    {
      await using client = await connect(dialect, folder);
      sessionId = await newSession(client, cwd);
      for (const prompt of prompts) {
        const start = client.received.length;
        await dialect.prompt(client, sessionId, prompt);
        const updates = client.updates(sessionId, start);
        if (dialect.name === 'v1') live.push(ownPrompt(prompt, promptIdBefore(updates)));
        live.push(...updates);
      }
      await client.end();
    }
    await using client = await connect(dialect, folder);
    const start = client.received.length;
    await dialect.replay(client, sessionId);
    const replayed = client.updates(sessionId, start);

    live = live.filter(isHistory);
    expect(fold(replayed.filter(isHistory))).toEqual(fold(live));
    expect(fold(live).entries.length).toBeGreaterThan(20);
  });

  test('a replay onto what is there changes nothing', async () => {
    const folder = temporaryFolder();
    await using client = await connect(dialect, folder);
    await dialect.replay(client, 'example-leap-day');
    const once = client.updates('example-leap-day');
    await dialect.replay(client, 'example-leap-day');
    const twice = client.updates('example-leap-day');
    expect(twice.length).toBe(2 * once.length);
    // Version 1 has no reset: there a client must start from nothing.
    if (dialect.protocolVersion === 2) expect(fold(twice)).toEqual(fold(once));
    else expect(twice).toEqual([...once, ...once]);
  });
});

/** The number before the first that the agent gave: that of the prompt. */
function promptIdBefore(updates: readonly JsonObject[]): string {
  const first = updates.map((update) => update['messageId']).find((id) => typeof id === 'string');
  const number = Number(/\d+$/.exec(String(first))?.[0]);
  return `message-${number - 1}`;
}

/** The present state of a session, unlike its history, differs from moment to moment. */
function isHistory(update: JsonObject): boolean {
  return update['sessionUpdate'] !== 'available_commands_update';
}
