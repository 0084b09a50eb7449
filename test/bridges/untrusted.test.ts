import { createConnection } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { deferred } from '../../src/core/base/wait.ts';
import type { Session } from '../../src/core/client/session/session.ts';
import type { ContentBlock } from '../../src/core/model/content.ts';
import { toAgUiMessages } from '../../src/ui/ag-ui/messages.ts';
import { agUiResponse } from '../../src/ui/ag-ui/response.ts';
import { toUIMessages } from '../../src/ui/ai-sdk/messages.ts';
import { chatQuestions } from '../../src/ui/bridges/ask-in-chat.ts';
import { asking } from '../support/asking-agent.ts';
import { openChatSession, serveChat } from '../support/chat-places.ts';
import { conversation, message, toolCall } from '../unit/render/example.ts';

// By its address: the compiler does not read the examples, which are JavaScript.
const { agUiHandler } = await import(
  new URL('../../docs/examples/bridges/ag-ui-handler.mjs', import.meta.url).href
);

/** A run as a program can send it. */
const runOf = (fields: object) => ({ threadId: 't', runId: 'r', messages: [], ...fields });
const said = (content: unknown) => runOf({ messages: [{ id: 'm', role: 'user', content }] });

describe('a request of HTTP', () => {
  test.each<[string, string, string | undefined]>([
    ['a GET', 'GET', undefined],
    ['an empty body', 'POST', ''],
    ['no JSON', 'POST', 'x'],
    ...[
      null,
      1,
      [],
      {},
      runOf({ threadId: 1 }),
      runOf({ runId: undefined }),
      runOf({ messages: null }),
      runOf({ messages: {} }),
      runOf({ messages: [null] }),
      runOf({ messages: [{ role: 'user' }] }),
      runOf({ resume: {} }),
      runOf({ resume: [null] }),
      runOf({ resume: 1 }),
    ].map((body): [string, string, string] => [JSON.stringify(body), 'POST', JSON.stringify(body)]),
  ])('that is no run is answered with 400 and a sentence: %s', async (_what, method, body) => {
    const run = asking();
    const url = await serveChat(agUiHandler(await openChatSession(run.agent), agUiResponse));
    const response = await fetch(url, { method, ...(body !== undefined && { body }) });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('Nothing was sent. Use HttpAgent');
    expect(run.agent.calls('session/prompt')).toEqual([]);
  });

  test.each([
    null,
    5,
    [{ type: 'text', text: 'Hi' }, null],
    [{ type: 'image' }],
    [{ type: 'document', source: { type: 'data', value: '@@@', mimeType: 'text/plain' } }],
  ])('with the content %j ends with an error that says why', async (content) => {
    const run = asking();
    const session = await openChatSession(run.agent);
    expect(await answerTo(session, said(content))).toMatch(/RUN_ERROR.*Nothing was sent\. \w/);
    expect(run.agent.calls('session/prompt')).toEqual([]);
  });

  test('whose body is cut off ends, and so does its handler', async () => {
    const handler = agUiHandler(await openChatSession(asking().agent), agUiResponse);
    const handled = deferred<unknown>();
    const url = new URL(
      await serveChat((request, response) => {
        handled.resolve(handler(request, response));
        request.once('data', () => socket.destroy());
      }),
    );
    const socket = createConnection(Number(url.port), url.hostname);
    onTestFinished(() => void socket.destroy());
    socket.write('POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{');
    expect(await handled.promise).toBeUndefined();
  });
});

async function answerTo(session: Session, input: object): Promise<string> {
  const request = new Request('http://localhost/', { method: 'POST', body: JSON.stringify(input) });
  return (await agUiResponse(session, request)).text();
}

test.each<[string, (id: string) => object]>([
  ['a message cannot be sent', (id) => runOf({ messages: [{ id: 'n', role: 'user' }], resume: [yesTo(id)] })],
  ['another answer is wrong', (id) => runOf({ resume: [yesTo(id), { ...yesTo(id), payload: 'other' }] })],
  ['its status is not known', (id) => runOf({ resume: [{ ...yesTo(id), status: 'granted' }] })],
])('no answer of a run counts if %s, and the next one does', async (_why, input) => {
  const run = asking();
  const session = await openChatSession(run.agent);
  await answerTo(session, said('Delete it.'));
  const [question] = chatQuestions(session);
  expect(await answerTo(session, input(question?.id ?? ''))).toContain('RUN_ERROR');
  expect(chatQuestions(session)).toEqual([question]);
  expect(run.outcomes).toEqual([]);
  await answerTo(session, runOf({ resume: [yesTo(question?.id ?? '')] }));
  expect(run.outcomes).toEqual([{ outcome: 'selected', optionId: 'yes' }]);
});

function yesTo(interruptId: string) {
  return { interruptId, status: 'resolved', payload: true };
}

test('the ids of requests are not those of another process, and cannot be guessed', async () => {
  const ids: string[] = [];
  for (let process = 0; process < 2; process++) {
    vi.resetModules();
    const { permissionId } = await import('../../src/ui/bridges/permission-ids.ts');
    ids.push(permissionId([]));
  }
  expect(ids[0]).not.toBe(ids[1]);
  expect(ids[0]).toMatch(/^permission-\d{20,}$/);
});

const link = (uri: string) => ({ type: 'resource_link', name: 'Docs', uri }) as const;

/** The addresses that an interface would open: of AI SDK under `url`, of AG-UI in a `source`. */
function addressesIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { url, source } = value as { readonly url?: string; readonly source?: Record<string, string> };
  const own = source?.['type'] === 'data' ? `data:${source['mimeType']};` : source?.['value'];
  return [url ?? own ?? [], Object.values(value).flatMap(addressesIn)].flat();
}

/** What both bridges let an interface open of a block: of a message, of a thought, and of a tool call. */
function opened(block: ContentBlock) {
  const content = [{ type: 'content', content: block }] as const;
  const entries = [message('agent', block), message('thought', block), toolCall({ content })];
  const shown = conversation({ entries });
  return {
    aiSdk: addressesIn(toUIMessages(shown)),
    agUi: addressesIn(toAgUiMessages(shown)),
    texts: JSON.stringify(toUIMessages(shown)),
  };
}

describe('an address that runs script', () => {
  test.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    ' javascript:alert(1)',
    'java\tscript:alert(1)',
    '\u0001javascript:alert(1)',
    'vbscript:x',
    'data:text/html,<script>alert(1)</script>',
    'data:image/svg+xml,<svg onload="alert(1)"/>',
  ])('is not a link in either bridge, and the agent is quoted: %j', (uri) => {
    const { aiSdk, agUi, texts } = opened(link(uri));
    expect([aiSdk, agUi]).toEqual([[], []]);
    expect(texts).toContain('data-content');
  });

  test.each([
    'text/html',
    'TEXT/HTML; charset=utf-8',
    ' te\txt/html',
    'text/xml',
    'image/svg+xml',
    'application/xhtml+xml',
    'application/xml',
    'image/png,<script>alert(1)</script>',
  ])('is not made of a file of the type %j', (mimeType) => {
    const blob = { type: 'resource', resource: { uri: 'file:///a', mimeType, blob: 'QQ==' } } as const;
    const media = (['image', 'audio'] as const).map((type) => ({ type, mimeType, data: 'QQ==' }));
    for (const block of [...media, blob]) {
      const { aiSdk, agUi } = opened(block);
      expect([aiSdk, agUi]).toEqual([[], []]);
    }
    const text = opened({ type: 'resource', resource: { uri: 'file:///a', mimeType, text: '<b>' } });
    expect(new Set(text.aiSdk)).toEqual(new Set(['data:text/plain,%3Cb%3E']));
    expect(text.agUi).toEqual([]);
  });
});
