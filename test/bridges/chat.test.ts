import type { RequestListener } from 'node:http';
import { type ChatTransport, DefaultChatTransport } from 'ai';
import { describe, expect, onTestFinished, test } from 'vitest';
import { chatTransport } from '../../src/bridges/ai-sdk/chat-transport.ts';
import type { AcpUIMessage } from '../../src/bridges/ai-sdk/message-type.ts';
import { toUIMessages } from '../../src/bridges/ai-sdk/messages.ts';
import { toUIMessageStream } from '../../src/bridges/ai-sdk/turn-stream.ts';
import { connect } from '../../src/client/connect.ts';
import type { Session } from '../../src/client/session/session.ts';
import { noAnswer, scriptedAgent } from '../../src/testing/scripted-agent.ts';
import { everything } from '../support/agents.ts';
import { asking, permissionOptions as options, type Run, says } from '../support/asking-agent.ts';
import { openChatPanel, openChatSession, serveChat } from '../support/chat-places.ts';
import { eventually } from '../support/eventually.ts';
import { cwd } from '../support/panel-pair.ts';
import { TestChat } from '../support/test-chat.ts';
import { plain } from '../support/ui-messages.ts';

// By its address: the compiler does not read the examples, which are JavaScript.
const {
  chatHandler,
}: {
  chatHandler(session: Session, transport: ChatTransport<AcpUIMessage>): RequestListener;
} = await import(new URL('../../docs/examples/bridges/chat-handler.mjs', import.meta.url).href);

interface Place {
  readonly transport: ChatTransport<AcpUIMessage>;
  readonly cancel: () => Promise<void>;
  readonly conversation: () => Session['conversation'];
}

/** The ways to a session: in this process, and over the channel of a panel. */
const places = {
  async 'in the process of the session'({ agent }: Run): Promise<Place> {
    const session = await openChatSession(agent);
    return {
      transport: chatTransport(session),
      cancel: () => session.cancel(),
      conversation: () => session.conversation,
    };
  },
  async 'over HTTP, with the handler of the example'({ agent }: Run): Promise<Place> {
    const session = await openChatSession(agent);
    const api = await serveChat(chatHandler(session, chatTransport(session)));
    return {
      transport: new DefaultChatTransport({ api }),
      cancel: async () => {
        expect((await fetch(api, { method: 'DELETE' })).status).toBe(204);
      },
      conversation: () => session.conversation,
    };
  },
  async 'over the channel of a panel'({ agent }: Run): Promise<Place> {
    const panel = await openChatPanel(agent);
    return {
      transport: chatTransport(panel),
      cancel: () => panel.cancel(),
      conversation: () => panel.getSnapshot().conversation as Session['conversation'],
    };
  },
};

describe.each(Object.entries(places))('a chat %s', (_name, open) => {
  /** A chat whose agent waits for an answer. */
  async function asked(run = asking()) {
    const place = await open(run);
    const chat = new TestChat({ transport: place.transport });
    await chat.sendMessage({ text: 'Delete it.' });
    const [permission] = chat.parts('data-toolCall').flatMap(({ data }) => data.permission ?? []);
    return { chat, place, run, permission, id: permission?.id ?? '' };
  }

  const ended = (chat: TestChat) =>
    eventually(() => [chat.status, chat.parts('text').at(-1)?.text]).toEqual([
      'ready',
      expect.stringContaining('Answered'),
    ]);

  test('shows a request with all its options, and the other tool call goes on', async () => {
    const { chat, permission } = await asked();
    expect(chat.status).toBe('ready');
    expect(chat.parts('dynamic-tool').map(({ state }) => state)).toEqual([
      'input-available',
      'approval-requested',
    ]);
    expect(permission?.options).toEqual(options);
  });

  test.each([
    ['an option', true, 'yes-always', 'yes-always'],
    ['an option that rejects', false, 'no-always', 'no-always'],
    ['a plain yes', true, undefined, 'yes'],
    ['a plain no', false, undefined, 'no'],
    ['a no with a reason in words', false, 'Not this file.', 'no'],
  ])('answers with %s', async (_answer, approved, reason, optionId) => {
    const { chat, run, place, id } = await asked();
    await chat.addToolApprovalResponse({ id, approved, ...(reason !== undefined && { reason }) });
    await ended(chat);
    expect(run.outcomes).toEqual([{ outcome: 'selected', optionId }]);
    expect(plain(chat.messages.at(-1))).toEqual(plain(toUIMessages(place.conversation()).at(-1)));
  });

  test('does not take a plain yes for an option that says always', async () => {
    const { chat, run, id } = await asked(asking(options.filter(({ optionId }) => optionId !== 'yes')));
    await chat.addToolApprovalResponse({ id, approved: true });
    await eventually(() => chat.status).toBe('error');
    expect(chat.error?.message).toContain('yes-always, no, no-always');
    expect(run.outcomes).toEqual([]);
  });

  test('asks again after an answer that was refused', async () => {
    const { chat, run, id } = await asked(asking(options.filter(({ optionId }) => optionId !== 'yes')));
    await chat.addToolApprovalResponse({ id, approved: true });
    await eventually(() => chat.status).toBe('error');
    expect(chat.parts('dynamic-tool').map(({ state }) => state)).toContain('approval-requested');
    await chat.addToolApprovalResponse({ id, approved: true, reason: 'yes-always' });
    await ended(chat);
    expect(run.outcomes).toEqual([{ outcome: 'selected', optionId: 'yes-always' }]);
  });

  test('does not answer with an option that says the opposite', async () => {
    const { chat, run, id } = await asked();
    await chat.addToolApprovalResponse({ id, approved: false, reason: 'yes-always' });
    await eventually(() => chat.error?.message).toContain('the opposite');
    expect(run.outcomes).toEqual([]);
  });

  test('shows that a request was withdrawn when its turn was cancelled', async () => {
    const { chat, place, run, id } = await asked();
    await place.cancel();
    await chat.resumeStream();
    expect(run.outcomes).toEqual([{ outcome: 'cancelled' }]);
    expect(chat.parts('dynamic-tool').map((part) => [part.state, part.approval])).toEqual([
      ['output-available', undefined],
      ['output-available', undefined],
    ]);
    expect(chat.messages.at(-1)?.metadata).toEqual({ stopReason: 'cancelled' });
    // An answer that comes too late has no effect.
    await chat.addToolApprovalResponse({ id, approved: true });
    expect(run.outcomes).toHaveLength(1);
  });

  test('shows a turn that runs to a page that was loaded anew, and what the page had before', async () => {
    const { place, run } = await asked();
    const reloaded = new TestChat({
      transport: place.transport,
      messages: toUIMessages(place.conversation()),
    });
    const before = plain(reloaded.messages);
    await reloaded.resumeStream();
    expect(plain(reloaded.messages).at(-1).parts.length).toBe(before.at(-1).parts.length);
    const id = reloaded.parts('data-toolCall').flatMap(({ data }) => data.permission?.id ?? [])[0] ?? '';
    await reloaded.addToolApprovalResponse({ id, approved: true });
    await ended(reloaded);
    expect(run.outcomes).toEqual([{ outcome: 'selected', optionId: 'yes' }]);
    expect(plain(reloaded.messages)).toEqual(plain(toUIMessages(place.conversation())));
    expect(await place.transport.reconnectToStream({ chatId: 'c' })).toBeNull();
  });

  test('sends nothing while a request waits, and nothing again', async () => {
    const { chat, run } = await asked();
    await chat.sendMessage({ text: 'Hello?' });
    expect(chat.error?.message).toContain('Answer first');
    await chat.regenerate();
    expect(chat.error?.message).toContain('keeps its history');
    expect(run.agent.calls('session/prompt')).toHaveLength(1);
  });
});

test('stop cancels the turn', async () => {
  const agent = scriptedAgent()
    .on('initialize', everything.v1)
    .on('session/new', { sessionId: 's1' })
    .on('session/prompt', (_, by) => {
      by.update('s1', says('I begin.'));
      return noAnswer;
    });
  const place = await places['in the process of the session']({ agent, outcomes: [] });
  const chat = new TestChat({ transport: place.transport });
  const sending = chat.sendMessage({ text: 'Work.' });
  await eventually(() => chat.parts('text').map((part) => part.text)).toEqual(['I begin.']);
  await chat.stop();
  await sending;
  await agent.called('session/cancel');
  expect(chat.status).toBe('ready');
});

// Over HTTP, the end of a request is not the end of the turn.
test.each(['in the process of the session', 'over the channel of a panel'] as const)(
  'stop cancels the turn also after an answer, %s',
  async (name) => {
    const agent = scriptedAgent()
      .on('initialize', everything.v1)
      .on('session/new', { sessionId: 's1' })
      .on('session/prompt', async (_, by) => {
        await by.request('session/request_permission', {
          sessionId: 's1',
          toolCall: { toolCallId: 't1', title: 'Delete' },
          options,
        });
        by.update('s1', says('I delete it.'));
        return noAnswer;
      });
    const place = await places[name]({ agent, outcomes: [] });
    const chat = new TestChat({ transport: place.transport });
    await chat.sendMessage({ text: 'Delete it.' });
    const id = chat.parts('data-toolCall').flatMap(({ data }) => data.permission?.id ?? [])[0] ?? '';
    await chat.addToolApprovalResponse({ id, approved: true });
    await eventually(() => chat.parts('text').map((part) => part.text)).toEqual(['I delete it.']);
    await chat.stop();
    await agent.called('session/cancel');
    expect(agent.calls('session/cancel')).toHaveLength(1);
  },
);

test('words that arrive together are one chunk', async () => {
  let begun = () => {};
  const hasBegun = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const agent = scriptedAgent()
    .on('initialize', everything.v1)
    .on('session/new', { sessionId: 's1' })
    .on('session/prompt', async (_, by) => {
      by.update('s1', says('I '));
      await hasBegun;
      by.update('s1', says('begin '), says('and '), says('end.'));
      return { stopReason: 'end_turn' };
    });
  const connection = await connect(agent.transport, { clientInfo: { name: 'test', version: '0' } });
  onTestFinished(() => connection.close());
  const session = await connection.newSession({ cwd });
  const texts: string[] = [];
  const reader = toUIMessageStream(session.prompt('Work.')).getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    if (next.value.type !== 'text-delta') continue;
    texts.push(next.value.delta);
    begun();
  }
  expect(texts).toEqual(['I ', 'begin and end.']);
});

test('an error of the agent is the error of the chat, and its reason is in the message', async () => {
  const agent = scriptedAgent()
    .on('initialize', everything.v1)
    .on('session/new', { sessionId: 's1' })
    .on('session/prompt', (_, by) => {
      by.update('s1', says('I begin.'));
      throw new Error('The model is overloaded.');
    });
  const place = await places['in the process of the session']({ agent, outcomes: [] });
  const chat = new TestChat({ transport: place.transport });
  await chat.sendMessage({ text: 'Work.' });
  expect(chat.status).toBe('error');
  expect(chat.parts('data-turnFailure').map(({ data }) => data.cause)).toEqual(['failed']);
  expect(plain(chat.messages.at(-1))).toEqual(plain(toUIMessages(place.conversation()).at(-1)));
});
