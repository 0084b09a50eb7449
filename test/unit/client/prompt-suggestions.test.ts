import { describe, expect, test } from 'vitest';
import { connect } from '../../../src/agents/connect.ts';
import type { JsonObject } from '../../../src/core/base/json.ts';
import { importConversation } from '../../../src/records/saved/import.ts';
import { noAnswer } from '../../../src/records/testing/scripted-agent.ts';
import { dialectNames, everything, text } from '../../support/agents.ts';
import { connectFlushable, cwd, deliver, eventsOf, flush, openSession } from '../../support/open-session.ts';
import { says } from '../../support/updates.ts';

const suggested = (...prompts: string[]) => ({
  sessionUpdate: 'prompt_suggestions_update',
  suggestions: prompts.map((prompt) => ({ prompt: [text(prompt)] })),
});
const capabilityOf = (params: JsonObject, key: string) =>
  (params[key] as { session?: JsonObject } | undefined)?.session?.['promptSuggestions'];

describe.each(dialectNames)('what an agent of %s suggests', (dialect) => {
  const open = async (options: { promptSuggestions?: boolean } = { promptSuggestions: true }) => {
    const { agent, connection, session } = await openSession(dialect, {
      answers: { 'session/prompt': noAnswer },
      connect: options,
    });
    const update = (...updates: JsonObject[]) => deliver(agent, ...updates);
    const prompts = () =>
      session.conversation.suggestions.map(({ prompt }) => prompt.map((block) => Reflect.get(block, 'text')));
    return { agent, connection, session, update, prompts };
  };

  test('is asked for by the option alone', async () => {
    for (const promptSuggestions of [true, false]) {
      const { agent } = await open({ promptSuggestions });
      const [{ params = {} } = {}] = agent.calls('initialize');
      const advertised = ['capabilities', 'clientCapabilities'].map((key) =>
        capabilityOf(params as JsonObject, key),
      );
      // The client offers both versions.
      expect(advertised).toEqual(promptSuggestions ? [{}, {}] : [undefined, undefined]);
    }
  });

  test('replaces what it suggested before, is an event, and is no entry', async () => {
    const { session, update, prompts } = await open();
    const seen = eventsOf(session);
    await update(suggested('run the tests', 'commit'));
    expect(prompts()).toEqual([['run the tests'], ['commit']]);
    expect(session.conversation.suggestions[0]).toEqual({ prompt: [text('run the tests')], meta: null });
    await update({
      ...suggested(),
      suggestions: [{ prompt: [text('push')], _meta: { score: 1 } }, { prompt: 5 }],
    });
    expect(session.conversation.suggestions).toEqual([{ prompt: [text('push')], meta: { score: 1 } }]);
    await update(suggested());
    expect(prompts()).toEqual([]);
    expect(session.conversation.entries).toEqual([]);
    const fields = seen.flatMap((event) => (event.type === 'fields' ? Object.keys(event.changed) : []));
    expect(fields).toEqual(['suggestions', 'suggestions', 'suggestions']);
  });

  test('can be a text instead of blocks', async () => {
    const { update, prompts } = await open();
    await update({ sessionUpdate: 'prompt_suggestions_update', suggestions: [{ prompt: 'run the tests' }] });
    expect(prompts()).toEqual([['run the tests']]);
  });

  test('ends with the next prompt', async () => {
    const { agent, session, update, prompts } = await open();
    await update(suggested('run the tests'));
    // It ends with the connection.
    session.prompt('something else').catch(() => {});
    await flush(agent);
    expect(prompts()).toEqual([]);
    expect(session.conversation.entries).toHaveLength(1);
  });

  test('is read from the metadata of the session, and does not stay there', async () => {
    const { session, update, prompts } = await open();
    const info = (promptSuggestions: unknown, rest: JsonObject = {}) =>
      update({
        sessionUpdate: 'session_info_update',
        title: 'Tests',
        _meta: { promptSuggestions, ...rest } as JsonObject,
      });
    await info(['run the tests', { prompt: 'commit' }, { prompt: [text('push')] }, { other: 1 }, 5], {
      a: 1,
    });
    expect(prompts()).toEqual([['run the tests'], ['commit'], ['push']]);
    expect(session.conversation).toMatchObject({ info: { title: 'Tests' }, meta: { a: 1 } });
    expect(session.conversation.meta).not.toHaveProperty('promptSuggestions');
    await info('what is this?');
    expect(prompts()).toHaveLength(3);
    await info(null);
    expect(prompts()).toEqual([]);
    await update({ sessionUpdate: 'session_info_update', _meta: { b: 2 } });
    expect(session.conversation.meta).toMatchObject({ a: 1, b: 2 });
  });

  test('is not part of a history that is loaded, and counts behind its last message', async () => {
    const { agent, connection } = await connectFlushable(everything[dialect], {
      script: (scripted) => {
        const replay = (params: unknown) => {
          const { sessionId } = params as { sessionId: string };
          scripted.update(sessionId, suggested('an old one'));
          scripted.update(sessionId, says('Hi.', 'm1'));
          if (sessionId === 's2') scripted.update(sessionId, suggested('a new one'));
          return {};
        };
        return scripted.on('session/load', replay).on('session/resume', replay);
      },
    });
    const session = await connection.loadSession({ sessionId: 's1', cwd });
    await flush(agent);
    expect(session.conversation.entries).toHaveLength(1);
    expect(session.conversation.suggestions).toEqual([]);
    await deliver(agent, suggested('one after the answer'));
    expect(session.conversation.suggestions).toMatchObject([{ prompt: [text('one after the answer')] }]);
    const other = await connection.loadSession({ sessionId: 's2', cwd });
    expect(other.conversation.suggestions).toMatchObject([{ prompt: [text('a new one')] }]);
  });
});

test('a session that continues a conversation which was saved with suggestions has none', async () => {
  const { connection } = await connectFlushable(everything.v1, {
    answers: { 'session/resume': {} },
  });
  const first = await connection.resumeSession({ sessionId: 's1', cwd });
  const suggestions = [{ prompt: [text('an old one')], meta: null }];
  const conversation = importConversation({
    ...JSON.parse(JSON.stringify(first.conversation)),
    sessionId: 's2',
    suggestions,
  });
  const session = await connection.resumeSession({ sessionId: 's2', cwd }, { conversation });
  expect(session.conversation.suggestions).toEqual([]);
});

test('the capability is refused among the capabilities that the library does not know', async () => {
  const { agent, connection } = await connectFlushable(everything.v1);
  await connection.close();
  const options = {
    clientInfo: { name: 'editor', version: '1.0.0' },
    clientCapabilities: { session: { promptSuggestions: {} } },
  };
  await expect(connect(agent.transport, options)).rejects.toThrow(
    'clientCapabilities.session.promptSuggestions is a capability that this library knows',
  );
});
