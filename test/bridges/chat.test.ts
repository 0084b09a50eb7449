import type { RequestListener } from 'node:http';
import { type ChatTransport, DefaultChatTransport } from 'ai';
import { describe, expect, onTestFinished, test } from 'vitest';
import { deferred } from '../../src/base/wait.ts';
import { chatTransport } from '../../src/bridges/ai-sdk/chat-transport.ts';
import type { AcpPart, AcpUIMessage } from '../../src/bridges/ai-sdk/message-type.ts';
import { toUIMessages } from '../../src/bridges/ai-sdk/messages.ts';
import { toUIMessageStream } from '../../src/bridges/ai-sdk/turn-stream.ts';
import { connect } from '../../src/client/connect.ts';
import type { Session } from '../../src/client/session/session.ts';
import { noAnswer } from '../../src/testing/scripted-agent.ts';
import { answering, asking, permissionOptions as options, type Run, says } from '../support/asking-agent.ts';
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

/** What AI SDK's chat gives a transport. */
const sent = (messages: AcpUIMessage[]) =>
  ({
    trigger: 'submit-message',
    messages,
    chatId: 'c',
    messageId: undefined,
    abortSignal: undefined,
  }) as const;

/** A tool part that the user has answered. */
const answered = (id: string, approved: boolean, reason?: string) =>
  ({
    type: 'dynamic-tool',
    toolName: 'delete',
    toolCallId: id,
    state: 'approval-responded',
    input: {},
    approval: { id, approved, ...(reason !== undefined && { reason }) },
  }) as const;

describe.each(Object.entries(places))('a chat %s', (name, open) => {
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
    // A page that has everything stays as it is.
    await reloaded.resumeStream();
    expect(plain(reloaded.messages)).toEqual(plain(toUIMessages(place.conversation())));
  });

  test('shows the end of a turn to a page that was loaded in its last moment', async () => {
    const { chat, place, id } = await asked();
    const messages = plain(toUIMessages(place.conversation()));
    await chat.addToolApprovalResponse({ id, approved: true });
    await ended(chat);
    const page = new TestChat({ transport: place.transport, messages });
    await page.resumeStream();
    expect(page.status).toBe('ready');
    expect(plain(page.messages)).toEqual(plain(toUIMessages(place.conversation())));
  });

  test('resumes nothing where nothing was said', async () => {
    const { transport } = await open(asking());
    expect(await transport.reconnectToStream({ chatId: 'c' })).toBeNull();
  });

  test('shows a second turn, and an answer to the first one does not answer it', async () => {
    const { chat, place, run, id } = await asked();
    await chat.addToolApprovalResponse({ id, approved: true });
    await ended(chat);
    const old = chat.messages.at(-1) as AcpUIMessage;
    await chat.sendMessage({ text: 'Again.' });
    const again = chat.parts('data-toolCall').flatMap(({ data }) => data.permission?.id ?? [])[0] ?? '';
    expect([id, again]).toEqual([expect.stringMatching(/\w/), expect.not.stringMatching(id)]);
    const parts = [answered(id, true)];
    const late = place.transport.sendMessages(sent([{ ...old, parts }]));
    await (await late).getReader().read();
    expect(run.outcomes).toHaveLength(1);
    await chat.addToolApprovalResponse({ id: again, approved: false });
    await ended(chat);
    expect(run.outcomes.at(-1)).toEqual({ outcome: 'selected', optionId: 'no' });
    expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
    expect(plain(chat.messages.at(-1))).toEqual(plain(toUIMessages(place.conversation()).at(-1)));
  });

  test('shows the request of a subagent', async () => {
    const outcomes: unknown[] = [];
    const agent = answering(async (_, by) => {
      by.update('s1', { sessionUpdate: 'subagent_update', sessionId: 'child', title: 'Search' });
      const toolCall = { toolCallId: 't9', title: 'Fetch' };
      const { result } = await by.request('session/request_permission', {
        sessionId: 'child',
        toolCall,
        options,
      });
      outcomes.push(result);
      return { stopReason: 'end_turn' };
    });
    const { chat, permission, id } = await asked({ agent, outcomes });
    expect(permission).toMatchObject({ subagent: 'Search', title: 'Fetch', options });
    await chat.addToolApprovalResponse({ id, approved: true });
    await eventually(() => outcomes).toEqual([{ outcome: { outcome: 'selected', optionId: 'yes' } }]);
    // Nothing is left of the message, so the chat does not answer again and again.
    await eventually(() => [chat.status, chat.messages.at(-1)?.parts]).toEqual(['ready', []]);
  });

  test('refuses an answer that is neither yes nor no', async () => {
    const { chat, run, id } = await asked();
    await chat.addToolApprovalResponse({ id, approved: 'false' as never });
    await eventually(() => chat.error?.message).toContain('neither yes nor no');
    expect(run.outcomes).toEqual([]);
  });

  test('takes all answers of a message, or none', async () => {
    const outcomes: unknown[] = [];
    const agent = answering(async (_, by) => {
      const ask = (toolCallId: string) =>
        by.request('session/request_permission', {
          sessionId: 's1',
          toolCall: { toolCallId, title: toolCallId },
          options,
        });
      const both = await Promise.all([ask('t1'), ask('t2')]);
      outcomes.push(...both.map(({ result }) => (result as { outcome: unknown }).outcome));
      return { stopReason: 'end_turn' };
    });
    const { chat, place } = await asked({ agent, outcomes });
    const ids = () => chat.parts('data-toolCall').flatMap(({ data }) => data.permission?.id ?? []);
    await eventually(async () => {
      await chat.resumeStream();
      return ids().length;
    }).toBe(2);
    const [first = '', second = ''] = ids();
    const give = async (...parts: AcpPart[]) => {
      const stream = await place.transport.sendMessages(sent([{ id: 'a', role: 'assistant', parts }]));
      const chunks: unknown[] = [];
      const reader = stream.getReader();
      for (let next = await reader.read(); !next.done; next = await reader.read()) chunks.push(next.value);
      return JSON.stringify(chunks);
    };
    expect(await give(answered(first, true), answered(second, false, 'yes'))).toContain('the opposite');
    await chat.resumeStream();
    expect(ids()).toEqual([first, second]);
    await give(answered(first, true), answered(second, false));
    await eventually(() => outcomes).toEqual(
      ['yes', 'no'].map((optionId) => ({ outcome: 'selected', optionId })),
    );
  });

  const file = { type: 'file', mediaType: 'text/plain', filename: 'a.txt' };
  test.each<[string, unknown]>([
    ['no message', []],
    ['no list', null],
    ['a message that is null', [null]],
    ['a message of the system', [{ id: 'm', role: 'system', parts: [{ type: 'text', text: 'Obey.' }] }]],
    ['a message without parts', [{ id: 'm', role: 'user' }]],
    ['a part that is null', [{ id: 'm', role: 'user', parts: [null] }]],
    ['a file without an address', [{ id: 'm', role: 'user', parts: [file] }]],
    ['data that is not base64', [{ id: 'm', role: 'user', parts: [{ ...file, url: 'data:;base64,@@@' }] }]],
    [
      'half a character in the name of a file',
      [{ id: 'm', role: 'user', parts: [{ ...file, filename: '\ud800', url: 'data:;base64,QQ==' }] }],
    ],
  ])('sends nothing and says why: %s', async (_what, messages) => {
    const run = asking();
    const { transport } = await open(run);
    await expect(transport.sendMessages(sent(messages as AcpUIMessage[]))).rejects.toThrow(
      /Nothing was sent\. \w/,
    );
    expect(run.agent.calls('session/prompt')).toEqual([]);
  });

  test('sends a text file with its text', async () => {
    const { agent, ...run } = asking();
    const { transport } = await open({ agent, ...run });
    const url = `data:text/plain;charset=utf-8;base64,${Buffer.from('Grüße 年').toString('base64')}`;
    const part = { type: 'file', mediaType: 'text/plain', filename: 'ä b.txt', url } as const;
    await transport.sendMessages(sent([{ id: 'm', role: 'user', parts: [part] }]));
    const { params } = await agent.called('session/prompt');
    const resource = { uri: 'attachment:%C3%A4%20b.txt', mimeType: 'text/plain', text: 'Grüße 年' };
    expect(params).toMatchObject({ prompt: [{ type: 'resource', resource }] });
  });

  test('stop cancels the turn', async () => {
    const agent = answering((_, by) => {
      by.update('s1', says('I begin.'));
      return noAnswer;
    });
    const place = await open({ agent, outcomes: [] });
    const chat = new TestChat({ transport: place.transport });
    const sending = chat.sendMessage({ text: 'Work.' });
    await eventually(() => chat.parts('text').map((part) => part.text)).toEqual(['I begin.']);
    await chat.stop();
    await sending;
    // Over HTTP, the end of a request is not the end of the turn.
    if (name.startsWith('over HTTP')) await place.cancel();
    await agent.called('session/cancel');
    expect(chat.status).toBe('ready');
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

// Over HTTP, the end of a request is not the end of the turn.
test.each(['in the process of the session', 'over the channel of a panel'] as const)(
  'stop cancels the turn also after an answer, %s',
  async (name) => {
    const agent = answering(async (_, by) => {
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
  const begun = deferred();
  const agent = answering(async (_, by) => {
    by.update('s1', says('I '));
    await begun.promise;
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
    begun.resolve();
  }
  expect(texts).toEqual(['I ', 'begin and end.']);
});

test('an error of the agent is the error of the chat, and its reason is in the message', async () => {
  const agent = answering((_, by) => {
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
