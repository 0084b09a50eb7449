import { expect, onTestFinished, test, vi } from 'vitest';
import type { PanelChannel } from '../../../src/ui/panel/channel.ts';
import { connectPanel } from '../../../src/ui/panel/connect.ts';
import { panelVersion } from '../../../src/ui/panel/messages.ts';
import { emptyState } from '../../../src/ui/panel/whole-state.ts';
import { stopClock } from '../../support/timed-acp-server.ts';

/** A channel whose end the test decides. */
function endingChannel() {
  let end = () => {};
  let deliver = (_: unknown) => {};
  const posted: unknown[] = [];
  const calls = { listened: 0, stopped: 0 };
  const channel: PanelChannel = {
    post: (message) => void posted.push(message),
    listen(listener) {
      calls.listened++;
      deliver = listener;
      return () => void calls.stopped++;
    },
    ended: new Promise<void>((resolve) => {
      end = resolve;
    }),
  };
  return { channel, posted, calls, end, deliver: (message: unknown) => deliver(message) };
}

/** A page that opens channels, in simulated time. */
function timedPage() {
  stopClock();
  const channels: ReturnType<typeof endingChannel>[] = [];
  const panel = connectPanel(() => {
    const next = endingChannel();
    channels.push(next);
    return next.channel;
  });
  onTestFinished(() => panel.close());
  return { panel, channels };
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

test('a page opens a channel again after pauses that grow up to ten seconds', async () => {
  const { channels } = timedPage();
  for (const pauseMs of [250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000]) {
    const opened = channels.length;
    channels.at(-1)?.end();
    await pass(pauseMs - 1);
    expect(channels).toHaveLength(opened);
    await pass(1);
    expect(channels).toHaveLength(opened + 1);
  }
});

test('a page takes nothing from a channel that ended', async () => {
  const { panel, channels } = timedPage();
  channels[0]?.end();
  await pass(250);
  expect(channels.map(({ calls }) => calls)).toEqual([
    { listened: 1, stopped: 1 },
    { listened: 1, stopped: 0 },
  ]);
  channels[0]?.deliver({ panel: panelVersion + 1, run: 'r' });
  expect(panel.getSnapshot().problem).toBeNull();
  channels[1]?.deliver({ panel: panelVersion + 1, run: 'r' });
  const message = expect.stringContaining('Load the page again');
  expect(panel.getSnapshot().problem).toMatchObject({ code: 'panel.version', message });
});

test('a page does not open the only channel again that it was given', async () => {
  stopClock();
  const { channel, calls, posted, end } = endingChannel();
  const panel = connectPanel(channel);
  onTestFinished(() => panel.close());
  end();
  await pass(60_000);
  expect(calls).toEqual({ listened: 1, stopped: 1 });
  await expect(panel.newSession()).rejects.toMatchObject({ code: 'panel.disconnected' });
  expect(posted).toHaveLength(1);
});

test.each(['while it is open', 'while another channel is due'])(
  'a page that is closed %s opens no channel',
  async (when) => {
    const { panel, channels } = timedPage();
    if (when !== 'while it is open') {
      channels[0]?.end();
      await pass(100);
    }
    panel.close();
    channels[0]?.end();
    await pass(60_000);
    expect(channels.map(({ calls }) => calls)).toEqual([{ listened: 1, stopped: 1 }]);
  },
);

test('a page that its listener closes when the channel ends opens no channel', async () => {
  const { panel, channels } = timedPage();
  // The page is connected: its end is a change that listeners learn of.
  const page = Reflect.get(Object(channels[0]?.posted[0]), 'page');
  const { conversation: _, settings: __, commands: ___, ...state } = emptyState;
  const change = { type: 'change', number: 1, base: 0, answers: 1, maxCharacters: 1000 };
  const everything = { state: { ...state, phase: 'open' }, conversation: null, results: [] };
  channels[0]?.deliver({ panel: panelVersion, run: 'r', page, draft: 0, ...change, ...everything });
  expect(panel.getSnapshot().phase).toBe('open');
  panel.subscribe(() => panel.getSnapshot().phase === 'disconnected' && panel.close());
  channels[0]?.end();
  await pass(60_000);
  expect(channels).toHaveLength(1);
});
