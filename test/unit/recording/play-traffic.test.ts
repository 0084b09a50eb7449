import { expect, onTestFinished, test, vi } from 'vitest';
import { foldTraffic } from '../../../src/recording/fold-traffic.ts';
import type { PlayObserver } from '../../../src/recording/play-observer.ts';
import { playTraffic } from '../../../src/recording/play-traffic.ts';
import type { Step } from '../../../src/recording/recorded-agent.ts';
import type { TrafficRecord } from '../../../src/trace/traffic.ts';

const out = (message: object): Step => ({ dir: 'out', message: { jsonrpc: '2.0', ...message } });
const reply = (message: object): Step => ({ dir: 'in', message: { jsonrpc: '2.0', ...message } });

const introduction: readonly Step[] = [
  out({ id: 'i', method: 'initialize', params: { protocolVersion: 1 } }),
  reply({ id: 'i', result: { protocolVersion: 1, agentCapabilities: { loadSession: true } } }),
];

/** A session with one turn. */
function session(sessionId: string): readonly Step[] {
  const content = { type: 'text', text: 'Hello.' };
  const update = { sessionUpdate: 'agent_message_chunk', content };
  return [
    out({ id: `new ${sessionId}`, method: 'session/new', params: { cwd: '/p', mcpServers: [] } }),
    reply({ id: `new ${sessionId}`, result: { sessionId } }),
    out({ id: sessionId, method: 'session/prompt', params: { sessionId, prompt: [content] } }),
    reply({ method: 'session/update', params: { sessionId, update } }),
    reply({ id: sessionId, result: { stopReason: 'end_turn' } }),
  ];
}

test('an observer of four times as many sessions is not told of each one more often', async () => {
  const told = async (count: number) => {
    let told = 0;
    const observer: PlayObserver = {
      begin() {},
      handled: (sessions) => {
        told += sessions.length;
      },
      initialized() {},
      ended() {},
      closed() {},
    };
    const sessions = Array.from({ length: count }, (_, index) => session(`s${index}`));
    const steps = [...introduction, ...sessions.flat()];
    const played = await playTraffic(steps, { report() {}, observer });
    expect(played.sessions).toHaveLength(count);
    return told;
  };
  const [ten, forty] = [await told(10), await told(40)];
  expect(forty).toBeLessThan(6 * ten);
});

test('a recording of many crashes tries to start no agent that it does not have', async () => {
  const timers = vi.spyOn(globalThis, 'setTimeout');
  onTestFinished(() => timers.mockRestore());
  const waits = async (crashes: number) => {
    timers.mockClear();
    const records = Array.from({ length: crashes }, (_, index): readonly Step[] => [
      ...introduction,
      ...session(`s${index}`),
      reply({ method: '$/ended', params: { exitCode: 1, signal: null } }),
    ]).flatMap((steps) => steps.map(({ dir, message }): TrafficRecord => ({ dir, t: 0, msg: message })));
    const { sessions } = await foldTraffic(records);
    expect(sessions).toHaveLength(crashes);
    return timers.mock.calls.length / crashes;
  };
  // Each start that fails begins with a wait.
  expect(await waits(12)).toBeLessThan((await waits(6)) + 1);
});
