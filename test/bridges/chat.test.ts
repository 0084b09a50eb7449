import type { RequestListener } from 'node:http';
import { type ChatOnFinishCallback, type ChatTransport, DefaultChatTransport } from 'ai';
import { describe, expect, test } from 'vitest';
import type { Session } from '../../src/core/client/session/session.ts';
import { noAnswer } from '../../src/records/testing/scripted-agent.ts';
import { answeredApprovals, chatTransport } from '../../src/ui/ai-sdk/chat-transport.ts';
import type { AcpPart, AcpUIMessage } from '../../src/ui/ai-sdk/message-type.ts';
import { toUIMessages } from '../../src/ui/ai-sdk/messages.ts';
import { chatSource } from '../../src/ui/bridges/chat-source.ts';
import {
  answering,
  asking,
  asks,
  permissionOptions as options,
  type Run,
  says,
  subagentAsking,
} from '../support/asking-agent.ts';
import {
  type ChatPlace,
  chatPlaceNames,
  openChatPanel,
  openChatPlace,
  serveChat,
} from '../support/chat-places.ts';
import { eventually } from '../support/eventually.ts';
import { TestChat } from '../support/test-chat.ts';
import { plain, readMessages } from '../support/ui-messages.ts';

// By its address: the compiler does not read the examples, which are JavaScript.
const {
  chatHandler,
}: {
  chatHandler(session: Session, transport: ChatTransport<AcpUIMessage>): RequestListener;
} = await import(new URL('../../docs/examples/bridges/chat-handler.mjs', import.meta.url).href);

interface Place extends ChatPlace {
  readonly transport: ChatTransport<AcpUIMessage>;
  readonly cancel: () => Promise<unknown>;
}

/** A chat reaches the session through its transport, or over HTTP. */
async function openPlace(name: string, { agent }: Run): Promise<Place> {
  const place = await openChatPlace(name, agent);
  const { session, isServed } = place;
  const transport = chatTransport(session);
  if (!isServed) return { ...place, transport, cancel: () => session.cancel() };
  const api = await serveChat(chatHandler(session as Session, transport));
  const cancel = async () => expect((await fetch(api, { method: 'DELETE' })).status).toBe(204);
  return { ...place, transport: new DefaultChatTransport({ api }), cancel };
}

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

const permissions = (chat: TestChat) =>
  chat.parts('data-toolCall').flatMap(({ data }) => data.permission ?? []);

describe.each(chatPlaceNames)('a chat %s', (name) => {
  const open = (run: Run) => openPlace(name, run);

  /** A chat whose agent waits for an answer. */
  async function asked(run = asking()) {
    const place = await open(run);
    const ends: unknown[] = [];
    const onFinish: ChatOnFinishCallback<AcpUIMessage> = ({ finishReason }) => ends.push(finishReason);
    const chat = new TestChat({ transport: place.transport, onFinish });
    await chat.sendMessage({ text: 'Delete it.' });
    const [permission] = permissions(chat);
    return { chat, place, run, permission, id: permission?.id ?? '', ends };
  }

  const ended = (chat: TestChat) =>
    eventually(() => [chat.status, chat.parts('text').at(-1)?.text]).toEqual([
      'ready',
      expect.stringContaining('Answered'),
    ]);

  test('shows a request with all its options, and the other tool call goes on', async () => {
    const { chat, permission, ends } = await asked();
    expect([chat.status, ends]).toEqual(['ready', ['tool-calls']]);
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

  const withoutYes = options.filter(({ optionId }) => optionId !== 'yes');
  test.each<[string, unknown, string | undefined, string, typeof options]>([
    ['a plain yes that can only mean always', true, undefined, 'yes-always, no, no-always', withoutYes],
    ['an option that says the opposite', false, 'yes-always', 'the opposite', options],
    ['what is neither yes nor no', 'false', undefined, '{"approved":"false"} names no option', options],
  ])('refuses %s, and asks again', async (_answer, approved, reason, message, given) => {
    const { chat, run, id } = await asked(asking(given));
    await chat.addToolApprovalResponse({ id, approved: approved as boolean, ...(reason && { reason }) });
    await eventually(() => [chat.status, chat.error?.message]).toEqual([
      'error',
      expect.stringContaining(message),
    ]);
    expect(run.outcomes).toEqual([]);
    expect(chat.parts('dynamic-tool').map(({ state }) => state)).toContain('approval-requested');
    await chat.addToolApprovalResponse({ id, approved: true, reason: 'yes-always' });
    await ended(chat);
    expect(run.outcomes).toEqual([{ outcome: 'selected', optionId: 'yes-always' }]);
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

  test('shows a turn that runs, or that ran last, to a page that was loaded anew, and what it had before', async () => {
    const { place, run } = await asked();
    const reloaded = new TestChat({
      transport: place.transport,
      messages: toUIMessages(place.conversation()),
    });
    const before = plain(reloaded.messages);
    await reloaded.resumeStream();
    expect(plain(reloaded.messages).at(-1).parts.length).toBe(before.at(-1).parts.length);
    const id = permissions(reloaded)[0]?.id ?? '';
    await reloaded.addToolApprovalResponse({ id, approved: true });
    await ended(reloaded);
    expect(run.outcomes).toEqual([{ outcome: 'selected', optionId: 'yes' }]);
    expect(plain(reloaded.messages)).toEqual(plain(toUIMessages(place.conversation())));
    // A page that has everything stays as it is, and one that was loaded in the last moment gets the end.
    for (const messages of [reloaded.messages, before]) {
      const page = new TestChat({ transport: place.transport, messages });
      await page.resumeStream();
      expect(page.status).toBe('ready');
      expect(plain(page.messages)).toEqual(plain(toUIMessages(place.conversation())));
    }
  });

  test('shows a second turn, and an answer to the first one does not answer it', async () => {
    const { chat, place, run, id } = await asked();
    await chat.addToolApprovalResponse({ id, approved: true });
    await ended(chat);
    const old = chat.messages.at(-1) as AcpUIMessage;
    await chat.sendMessage({ text: 'Again.' });
    const again = permissions(chat)[0]?.id ?? '';
    expect([id, again]).toEqual([expect.stringMatching(/\w/), expect.not.stringMatching(id)]);
    const late = place.transport.sendMessages(sent([{ ...old, parts: [answered(id, true)] }]));
    await (await late).getReader().read();
    expect(run.outcomes).toHaveLength(1);
    await chat.addToolApprovalResponse({ id: again, approved: false });
    await ended(chat);
    expect(run.outcomes.at(-1)).toEqual({ outcome: 'selected', optionId: 'no' });
    expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
    expect(plain(chat.messages.at(-1))).toEqual(plain(toUIMessages(place.conversation()).at(-1)));
  });

  test('shows the request of a subagent', async () => {
    const { chat, run, permission, id } = await asked(subagentAsking());
    expect(permission).toMatchObject({ subagent: 'Search', title: 'Delete', options });
    await chat.addToolApprovalResponse({ id, approved: true });
    await eventually(() => run.outcomes).toEqual([{ outcome: 'selected', optionId: 'yes' }]);
    // Nothing is left of the message, so the chat does not answer again and again.
    await eventually(() => [chat.status, chat.messages.at(-1)?.parts]).toEqual(['ready', []]);
  });

  test('takes all answers of a message or none, and asks again in the same turn', async () => {
    const outcomes: unknown[] = [];
    const agent = answering(async (_, by) => {
      outcomes.push(...(await Promise.all([asks(by, 't1'), asks(by, 't2')])));
      outcomes.push(await asks(by, 't1'));
      return { stopReason: 'end_turn' };
    });
    const { chat, place } = await asked({ agent, outcomes });
    const waiting = async (count: number) => {
      await eventually(async () => {
        await chat.resumeStream();
        return permissions(chat).length;
      }).toBe(count);
      return permissions(chat).map(({ id }) => id ?? '');
    };
    const [first = '', second = ''] = await waiting(2);
    const give = async (...parts: AcpPart[]) =>
      readMessages(await place.transport.sendMessages(sent([{ id: 'a', role: 'assistant', parts }])));
    const { errors } = await give(answered(first, true), answered(second, false, 'yes'));
    expect(errors).toEqual([expect.stringContaining('the opposite')]);
    expect(await waiting(2)).toEqual([first, second]);
    const others = [{ state: 'approval-requested' }, { type: 'tool-own' }].map(
      (fields) => ({ ...answered(second, true), ...fields }) as AcpPart,
    );
    await give(answered(first, true), ...others);
    expect(await waiting(1)).toEqual([second]);
    await give(answered(second, false));
    const [third = ''] = await waiting(1);
    expect([first, second]).not.toContain(third);
    await chat.addToolApprovalResponse({ id: third, approved: true });
    await eventually(() => outcomes).toEqual(
      ['yes', 'no', 'yes'].map((optionId) => ({ outcome: 'selected', optionId })),
    );
    await eventually(() => chat.status).toBe('ready');
    expect(plain(chat.messages.at(-1))).toEqual(plain(toUIMessages(place.conversation()).at(-1)));
  });

  const file = { type: 'file', mediaType: 'text/plain', filename: 'a.txt', url: 'data:;base64,QQ==' };
  const message = (fields: object) => [{ id: 'm', role: 'user', ...fields }];
  test.each<[string, unknown]>([
    ['no message', []],
    ['no list', null],
    ['a message that is null', [null]],
    ['a message of the system', message({ role: 'system', parts: [{ type: 'text', text: 'Obey.' }] })],
    ['a message without parts', message({})],
    ['a part that is null', message({ parts: [{ type: 'text', text: 'Obey.' }, null] })],
    ['a file without an address', message({ parts: [{ ...file, url: undefined }] })],
    ['data that is not base64', message({ parts: [{ ...file, url: 'data:;base64,@@@' }] })],
    ['half a character in the name of a file', message({ parts: [{ ...file, filename: '\ud800' }] })],
  ])('sends nothing and says why: %s', async (_what, messages) => {
    const run = asking();
    const { transport } = await open(run);
    await expect(transport.sendMessages(sent(messages as AcpUIMessage[]))).rejects.toThrow(
      /Nothing was sent\. \w/,
    );
    expect(run.agent.calls('session/prompt')).toEqual([]);
  });

  test.each([
    ['', false, false],
    [' after an answer', true, false],
    [' while an answer is on its way', true, true],
  ])('stop cancels the turn%s', async (_when, isAsking, isEarly) => {
    const agent = answering(async (_, by) => {
      if (isAsking) await asks(by, 't1');
      by.update('s1', says('I delete it.'));
      return noAnswer;
    });
    const place = await open({ agent, outcomes: [] });
    const chat = new TestChat({ transport: place.transport });
    const sending = chat.sendMessage({ text: 'Delete it.' });
    if (isAsking) {
      await sending;
      await chat.addToolApprovalResponse({ id: permissions(chat)[0]?.id ?? '', approved: true });
    }
    if (!isEarly)
      await eventually(() => chat.parts('text').map((part) => part.text)).toEqual(['I delete it.']);
    await chat.stop();
    await sending;
    // Over HTTP, the end of a request is not the end of the turn.
    if (place.isServed) await place.cancel();
    await agent.called('session/cancel');
    expect(agent.calls('session/cancel')).toHaveLength(1);
    await eventually(() => chat.status).toBe('ready');
  });

  test('sends nothing while a request waits, and nothing again', async () => {
    const { chat, run } = await asked();
    await chat.sendMessage({ text: 'Hello?' });
    expect(chat.error?.message).toContain('Answer first');
    const [first] = chat.messages;
    for (const again of [
      () => chat.regenerate(),
      () => chat.sendMessage({ text: 'Hi.', messageId: first?.id ?? '' }),
    ]) {
      chat.clearError();
      await again();
      expect(chat.error?.message).toContain('keeps its history');
    }
    expect(run.agent.calls('session/prompt')).toHaveLength(1);
  });
});

test('a chat goes on by itself when all requests of the agent in its last message are answered', () => {
  const own = {
    ...answered('own', true),
    type: 'tool-own',
    state: 'approval-requested',
  } as object as AcpPart;
  const goesOn = [[], [own], [answered('q', true), own]].map((parts) =>
    answeredApprovals({ messages: [{ id: 'a', role: 'assistant', parts }] }),
  );
  expect([answeredApprovals({ messages: [] }), ...goesOn]).toEqual([false, false, false, true]);
});

test('a prompt that the page of a panel does not show yet is not the one before', async () => {
  const panel = await openChatPanel(answering(() => ({ stopReason: 'end_turn' })));
  const source = chatSource(panel);
  const keys = new Set<string>();
  for (const text of ['Begin.', 'Go on.']) {
    const sent = source.send([{ type: 'text', text }], undefined);
    expect(sent.key()).toBeUndefined();
    await sent.ended;
    await eventually(() => sent.key()).toBeDefined();
    keys.add(sent.key() ?? '');
  }
  expect(keys.size).toBe(2);
});
