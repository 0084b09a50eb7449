import { describe, expect, onTestFinished, test } from 'vitest';
import { noAnswer, type ScriptedAgent } from '../../../src/records/testing/scripted-agent.ts';
import type { PanelChannel } from '../../../src/ui/panel/channel.ts';
import { connectPanel, type Panel } from '../../../src/ui/panel/connect.ts';
import type { PanelOptions, RememberedSession } from '../../../src/ui/panel/options.ts';
import { type ServedPanel, servePanel } from '../../../src/ui/panel/serve.ts';
import { settle } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';
import { outline } from '../../support/open-session.ts';
import {
  channelPair,
  cwd,
  hostOptions,
  pageThatOpens,
  startedHost,
  until,
} from '../../support/panel-pair.ts';
import { wirings } from '../../support/panel-wirings.ts';
import { says } from '../../support/updates.ts';

/** An agent whose turns say hello, and whose session can be loaded. */
function script(agent: ScriptedAgent): void {
  agent
    .on('session/prompt', () => {
      agent.update('s1', says('Hello.', 'm1'));
      return { stopReason: 'end_turn' };
    })
    .on('session/load', () => {
      agent.update('s1', says('Loaded.', 'm1'));
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
    await eventually(() => host.state.draft).toBe('half a sen');
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
    let remembered: RememberedSession | undefined;
    const memory: PanelOptions['memory'] = {
      get: () => remembered,
      set(session) {
        remembered = session;
      },
    };
    const { options } = hostOptions({
      options: { memory },
      script(agent) {
        script(agent);
        agent.on('session/prompt', () => noAnswer);
      },
    });
    let host = served(options);
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
    host = served(options);
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
    await eventually(() => host.state.draft).toBe('unsent');
    // What the page sent to the host before is not missing.
    expect(host.state.problem).toBeNull();
    expect(remembered).toEqual({ sessionId: 's1', cwd });
  });
});

test('a page opens another channel when its own ends, and the actions that are open then reject', async () => {
  const { served: host } = await startedHost({ answers: { 'session/prompt': noAnswer } });
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
