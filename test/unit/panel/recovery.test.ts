import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MessageChannel } from 'node:worker_threads';
import { describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { messagePortChannel, type PanelChannel, webSocketChannel } from '../../../src/panel/channel.ts';
import { connectPanel, type Panel } from '../../../src/panel/connect.ts';
import { panelVersion } from '../../../src/panel/messages.ts';
import { type ServedPanel, servePanel } from '../../../src/panel/serve.ts';
import { noAnswer, type ScriptedAgent } from '../../../src/testing/scripted-agent.ts';
import { settle, text } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';
import { outline } from '../../support/open-session.ts';
import {
  askPermission,
  channelPair,
  cwd,
  hostOptions,
  hurryTime,
  pageThatOpens,
  startedHost,
  until,
} from '../../support/panel-pair.ts';

/** Connects pages to a host over one kind of channel. Returns a function that opens the page's end of a new channel. */
type Wiring = (attach: (channel: PanelChannel) => unknown) => Promise<() => PanelChannel>;

const wirings: Readonly<Record<string, Wiring>> = {
  async memory(attach) {
    return () => {
      const { host, page } = channelPair();
      attach(host);
      return page;
    };
  },
  async MessagePort(attach) {
    return () => {
      const { port1, port2 } = new MessageChannel();
      onTestFinished(() => port1.close());
      attach(messagePortChannel(port1));
      return messagePortChannel(port2);
    };
  },
  async WebSocket(attach) {
    const server = createServer();
    const sockets = new WebSocketServer({ server });
    sockets.on('connection', (socket) => attach(webSocketChannel(socket)));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(async () => {
      for (const client of sockets.clients) client.terminate();
      sockets.close();
      server.close();
      await once(server, 'close');
    });
    const { port } = server.address() as AddressInfo;
    return () => webSocketChannel(new WebSocket(`ws://127.0.0.1:${port}`));
  },
};

const chunk = (said: string) => ({
  sessionUpdate: 'agent_message_chunk',
  messageId: 'm1',
  content: text(said),
});

/** An agent whose turns say hello, and whose session can be loaded. */
function script(agent: ScriptedAgent): void {
  agent
    .on('session/prompt', () => {
      agent.update('s1', chunk('Hello.'));
      return { stopReason: 'end_turn' };
    })
    .on('session/load', () => {
      agent.update('s1', chunk('Loaded.'));
      return {};
    });
}

function connected(channel: PanelChannel | (() => PanelChannel)): Panel {
  const panel = connectPanel(channel);
  onTestFinished(() => panel.close());
  return panel;
}

function served(...args: Parameters<typeof servePanel>): ServedPanel {
  const host = servePanel(...args);
  onTestFinished(() => host.close());
  return host;
}

const transcript = ({ conversation }: { conversation: Parameters<typeof outline>[0] | null }) =>
  conversation && outline(conversation);

describe.each(Object.entries(wirings))('over %s', (_, wire) => {
  test('a page that is loaded again gets the state, the draft and the conversation', async () => {
    const host = served(hostOptions({ script }).options);
    const open = await wire((channel) => host.attach(channel));
    const before = connected(open());
    await before.prompt('Hi');
    before.setDraft('half a sen');
    await until(
      { getSnapshot: () => host.state, subscribe: (listener) => host.subscribe(listener) },
      ({ draft }) => draft !== '',
    );
    before.close();
    const after = connected(open());
    expect(after.getSnapshot().phase).toBe('disconnected');
    const state = await until(after, ({ phase }) => phase === 'open');
    expect(transcript(state)).toEqual(['user: Hi', 'agent: Hello.']);
    expect(state).toMatchObject({ draft: 'half a sen', sessionId: 's1' });
    await after.prompt('again');
    expect(after.getSnapshot().draft).toBe('');
  });

  test('several pages show the same, and each action reaches all of them', async () => {
    const host = served(hostOptions({ script }).options);
    const open = await wire((channel) => host.attach(channel));
    const [one, two] = [connected(open()), connected(open())];
    await one.prompt('Hi');
    const state = await until(two, ({ conversation }) => conversation?.entries.length === 2);
    expect(transcript(state)).toEqual(transcript(one.getSnapshot()));
    one.setDraft('shared');
    await until(two, ({ draft }) => draft === 'shared');
    two.setDraft('shared by both');
    await until(one, ({ draft }) => draft === 'shared by both');
  });

  test('a page recovers when its host is started again, and its open actions reject', async () => {
    const memory = new Map<'shown', { sessionId: string; cwd: string }>();
    const options = {
      memory: {
        get: () => memory.get('shown'),
        set: (shown: { sessionId: string; cwd: string } | undefined) => shown && memory.set('shown', shown),
      },
    };
    const start = () =>
      hostOptions({
        options,
        script(agent) {
          script(agent);
          agent.on('session/prompt', () => noAnswer);
        },
      });
    const first = start();
    let host = served(first.options);
    const attached = new Set<PanelChannel>();
    const open = await wire((channel) => {
      attached.add(channel);
      host.attach(channel);
    });
    const panel = connected(open());
    const turn = panel.prompt('Hi');
    const outcome = turn.catch((error: unknown) => error);
    await until(panel, ({ sessionId }) => sessionId === 's1');
    panel.setDraft('unsent');
    await host.close();
    const second = start();
    host = served(second.options);
    for (const channel of attached) host.attach(channel);
    const state = await until(
      panel,
      ({ phase, conversation }) => phase === 'open' && conversation?.entries.length === 1,
    );
    expect(await outcome).toMatchObject({
      name: 'PanelError',
      code: expect.stringMatching(/^(panel.host_restarted|connection.closed)$/),
    });
    expect(transcript(state)).toEqual(['agent: Loaded.']);
    expect(state.draft).toBe('unsent');
    await until(
      { getSnapshot: () => host.state, subscribe: (listener) => host.subscribe(listener) },
      ({ draft }) => draft === 'unsent',
    );
    expect(memory.get('shown')).toEqual({ sessionId: 's1', cwd });
  });
});

test('a page opens another channel when its own ends, and the actions that are open then reject', async () => {
  const { served: host } = await startedHost({
    script: (agent) => agent.on('session/prompt', () => noAnswer),
  });
  const { panel, end, opened } = pageThatOpens(() => host);
  const turn = panel.prompt('Hi');
  await until(panel, ({ conversation }) => conversation?.entries.length === 1);
  end();
  await expect(turn).rejects.toMatchObject({ name: 'PanelError', code: 'panel.disconnected' });
  expect(panel.getSnapshot().phase).toBe('disconnected');
  const state = await until(panel, ({ phase }) => phase === 'open');
  expect(opened()).toBe(2);
  // The turn continues: it belongs to the host.
  expect(state.conversation?.activity.state).toBe('running');
});

test('an action that is called before the host is there waits for it', async () => {
  const { host: hostEnd, page } = channelPair();
  const panel = connected(page);
  const created = panel.newSession();
  panel.setDraft('early');
  await settle();
  const { options, agents } = hostOptions({});
  const host = served(options, hostEnd);
  await created;
  expect(agents[0]?.calls('session/new')).toHaveLength(1);
  expect(panel.getSnapshot()).toMatchObject({ phase: 'open', sessionId: 's1', draft: 'early' });
  expect(host.state.draft).toBe('early');
});

/** What becomes of the message that the host posts last, before nothing more happens. */
const lastMessages: readonly (readonly [
  fate: 'is lost' | 'throws' | 'rejects',
  what: string,
  isMeant: (message: Record<string, unknown>) => boolean,
])[] = [
  ['is lost', 'part of a turn', ({ conversation }) => JSON.stringify(conversation ?? '').includes('Hello.')],
  ['is lost', 'question', ({ state }) => JSON.stringify(state ?? '').includes('"permission"')],
  ['throws', 'result', ({ results }) => JSON.stringify(results ?? '').includes('end_turn')],
  ['rejects', 'result', ({ results }) => JSON.stringify(results ?? '').includes('end_turn')],
];

test.each(lastMessages)('a message that %s is made up for if it is the last %s', async (fate, _, isMeant) => {
  const { host: hostEnd, page } = channelPair();
  let lost = 0;
  const post = (message: unknown) => {
    // Only what the host posts is looked at, which is an object.
    const isLost = lost === 0 && isMeant(message as Record<string, unknown>);
    if (!isLost) return hostEnd.post(message);
    lost++;
    if (fate === 'throws') throw new Error('the webview is gone');
    return fate === 'rejects' ? Promise.reject(new Error('the webview is gone')) : undefined;
  };
  const { options } = hostOptions({
    script: (agent) =>
      agent.on('session/prompt', async () => {
        await askPermission(agent, 'Run');
        agent.update('s1', chunk('Hello.'));
        return { stopReason: 'end_turn' };
      }),
  });
  served(options, { ...hostEnd, post });
  const panel = connected(page);
  hurryTime();
  const turn = panel.prompt('Hi');
  const { questions } = await until(panel, (state) => state.questions.length > 0);
  await panel.answer(questions[0]?.id ?? '', { optionId: 'yes' });
  await expect(turn).resolves.toEqual({ stopReason: 'end_turn' });
  expect(transcript(panel.getSnapshot())?.at(-1)).toBe('agent: Hello.');
  expect(panel.getSnapshot()).toMatchObject({
    questions: [],
    conversation: { activity: { state: 'idle' } },
  });
  expect(lost).toBe(1);
});

test('a new host on a channel is noticed by its first message', async () => {
  const { host: hostEnd, page } = channelPair();
  const first = servePanel(hostOptions({ script }).options, hostEnd);
  const panel = connected(page);
  await panel.prompt('Hi');
  await first.close();
  expect((await until(panel, ({ phase }) => phase === 'closed')).conversation?.entries).toHaveLength(2);
  served(hostOptions({ script }).options, hostEnd);
  const state = await until(panel, ({ phase }) => phase === 'open');
  expect(state).toMatchObject({ sessionId: null, conversation: null, sessions: [] });
});

test('a newer page gets the version of its host, and a page with a newer host asks the user to load it again', async () => {
  const { host: hostEnd, page, fromHost } = channelPair();
  served(hostOptions({}).options, hostEnd);
  page.post({ panel: 99, page: 'new', type: 'call', id: 1, action: 'newSession', params: {} });
  await eventually(() => fromHost.length).toBeGreaterThan(1);
  expect(fromHost.every(({ panel }) => panel === panelVersion)).toBe(true);
  const newer = channelPair();
  const panel = connected(newer.page);
  newer.host.post({ panel: 99, run: 'r', everything: 'else is different' });
  const { problem } = await until(panel, (state) => state.problem !== null);
  expect(problem).toMatchObject({
    code: 'panel.version',
    message: expect.stringContaining('Load the page again'),
  });
});
