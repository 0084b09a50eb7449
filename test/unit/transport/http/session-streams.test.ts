import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { HttpError } from '../../../../src/core/base/errors.ts';
import { maxSessionStreams, SessionStreams } from '../../../../src/core/transport/http/session-streams.ts';
import { event } from '../../../support/raw-acp-server.ts';
import { allHappened, passTime, stopClock, TimedStream } from '../../../support/timed-acp-server.ts';

const refusal = (status: number) => new HttpError(`Status ${status}.`, { status, body: '' });

type Answer = number | 'opens' | 'is silent';

/**
 * Streams whose clock stands still, and what becomes of them. `answers` is what the server does with one GET after the
 * other of a session, and `otherwise` with those that follow.
 */
function make(answers: Readonly<Record<string, readonly Answer[]>> = {}, otherwise: Answer = 'opens') {
  stopClock();
  const waiting = new Map(Object.entries(answers).map(([name, given]) => [name, [...given]]));
  const asked: string[] = [];
  const bodies: TimedStream[] = [];
  const heard: string[] = [];
  const streams = new SessionStreams((sessionId) => ({
    open: async (_, signal) => {
      asked.push(sessionId);
      const answer = waiting.get(sessionId)?.shift() ?? otherwise;
      if (answer === 'is silent') return new Promise<never>(() => {});
      if (answer !== 'opens') throw refusal(answer);
      const body = new TimedStream(sessionId);
      bodies.push(body);
      signal.addEventListener('abort', () => body.break(signal.reason));
      return body.response;
    },
    whenRoom: () => undefined,
    onActivity() {},
    onNoise() {},
    idleTimeoutMs: undefined,
    maxMessageBytes: 100,
    onMessage: () => heard.push(`${sessionId} says something`),
    onBreak: () => heard.push(`${sessionId} breaks`),
    onLost: (_, openedAt) =>
      heard.push(`${sessionId} is lost${openedAt === undefined ? ', and was never open' : ''}`),
  }));
  onTestFinished(() => streams.closeAll());
  const bodyOf = (sessionId: string) => bodies.find(({ name, isOpen }) => name === sessionId && isOpen);
  return {
    streams,
    asked,
    heard,
    isLive: (sessionId: string) => bodyOf(sessionId) !== undefined,
    /** Sends an event with an id, so that the stream is opened again where it breaks. */
    say: async (sessionId: string) => {
      bodyOf(sessionId)?.write(event({}, 'e1'));
      await allHappened();
    },
    /** Opens streams, and waits until the server has answered what it answers at once. */
    open: async (...sessionIds: readonly string[]) => {
      for (const sessionId of sessionIds) streams.open(sessionId);
      await allHappened();
    },
    /** Ends the stream of a session. */
    end: async (sessionId: string) => {
      bodyOf(sessionId)?.end();
      await allHappened();
    },
  };
}

describe('the stream of a session', () => {
  test('is waited for until the server has answered, and not for more than half a second', async () => {
    const { streams } = make({ s2: ['is silent'] });
    const waited: string[] = [];
    for (const name of ['s1', 's2']) {
      void streams.openSoon(name).then(() => waited.push(`${name} ${streams.isOpen(name)}`));
    }
    await Promise.resolve();
    expect(waited).toEqual([]);
    await passTime(499);
    expect(waited).toEqual(['s1 true']);
    await passTime(1);
    expect(waited).toEqual(['s1 true', 's2 false']);
  });

  test('is the last of a thousand, and no other is opened', async () => {
    const { streams, asked } = make({}, 'is silent');
    for (let count = 0; count < maxSessionStreams; count++) expect(streams.open(`${count}`)).toBeDefined();
    expect(streams.open('one more')).toBeUndefined();
    await streams.openSoon('one more');
    expect(asked).toHaveLength(maxSessionStreams);
    streams.close('7');
    expect(streams.open('one more')).toBeDefined();
  });
});

describe('a server that refuses the stream of a session', () => {
  test.each([403, 404])('with %i may not know the session yet, which is no break', async (status) => {
    const { streams, asked, heard } = make({ s1: [status, status] });
    streams.open('s1');
    await passTime(750);
    expect(asked).toHaveLength(3);
    expect([streams.isOpen('s1'), heard]).toEqual([true, []]);
  });

  test('with 409 may not have noticed that the client closed the one before', async () => {
    const { streams, heard, open } = make({ s1: ['opens', 409, 403, 404], s2: [409] });
    await open('s1');
    for (const name of ['s1', 's2']) streams.close(name);
    await open('s1', 's2');
    // It had no stream.
    expect(heard).toEqual(['s2 is lost, and was never open']);
    await passTime(2000);
    expect(streams.isOpen('s1')).toBe(true);
  });

  test('with 409 is known to be late for the thousand sessions that were closed last', async () => {
    const { streams, heard } = make({ s0: ['is silent', 409], s1: ['is silent', 409, 'opens'] }, 'is silent');
    for (let count = 0; count <= maxSessionStreams; count++) {
      streams.open(`s${count}`);
      streams.close(`s${count}`);
    }
    for (const name of ['s0', 's1']) streams.open(name);
    await passTime(250);
    expect(heard).toEqual(['s0 is lost, and was never open']);
    expect(streams.isOpen('s1')).toBe(true);
  });
});

describe('a stream that breaks', () => {
  test('is not one that the server may not know: only 409 is late', async () => {
    const { streams, heard, end, open } = make({ s1: ['opens', 409], s2: ['opens', 404] });
    await open('s1', 's2');
    for (const name of ['s1', 's2']) {
      await end(name);
      streams.open(name);
    }
    await passTime(2000);
    expect(heard).toEqual(['s1 is lost', 's2 is lost', 's2 is lost, and was never open']);
    expect(streams.isOpen('s1')).toBe(true);
  });

  test('often is counted, and from 1 again after it has lived for more than ten seconds', async () => {
    const { streams, end } = make();
    // Half of a pause is random.
    vi.spyOn(Math, 'random').mockReturnValue(0);
    onTestFinished(() => void vi.restoreAllMocks());
    const counted: number[] = [];
    for (const [pauseMs, livedMs] of [
      [0, 0],
      [250, 10_000],
      [500, 10_001],
      [250, 0],
    ] as const) {
      streams.open('s1');
      await passTime(pauseMs);
      expect(streams.isOpen('s1')).toBe(true);
      await passTime(livedMs);
      await end('s1');
      counted.push(streams.breaksOf('s1'));
    }
    expect(counted).toEqual([1, 2, 1, 2]);
  });
});

describe('a subagent', () => {
  test('works for the session that the user opened, also if another one announced it', async () => {
    const { streams, isLive } = make();
    streams.open('s1');
    streams.addSubagent('s1', 'sub');
    streams.addSubagent('sub', 'below');
    streams.addSubagent('s2', 'below');
    await allHappened();
    expect(['s1', 'sub', 'below', 's2'].map((name) => streams.rootOf(name))).toEqual([
      's1',
      's1',
      's1',
      's2',
    ]);
    expect(['sub', 'below'].map(isLive)).toEqual([true, true]);
    expect(streams.subagentsOf('s1')).toEqual(['sub', 'below']);
    expect(streams.subagentsOf('s2')).toEqual([]);
  });

  test('counts for its session only while its stream is open', async () => {
    const { streams, end } = make();
    streams.addSubagent('s1', 'sub');
    expect(streams.subagentsOf('s1')).toEqual([]);
    await allHappened();
    expect(streams.subagentsOf('s1')).toEqual(['sub']);
    await end('sub');
    expect(streams.subagentsOf('s1')).toEqual([]);
    expect(streams.rootOf('sub')).toBe('s1');
  });

  test.each([['s1'], ['sub']])('that announces %s is no circle', async (announced) => {
    const { streams, asked } = make();
    streams.addSubagent('s1', 's1');
    expect(asked).toEqual([]);
    streams.addSubagent('s1', 'sub');
    streams.addSubagent('sub', announced);
    await allHappened();
    expect(asked).toEqual(['sub']);
    expect(['s1', 'sub'].map((name) => streams.rootOf(name))).toEqual(['s1', 's1']);
  });

  test('ends with its session, and not with another one', async () => {
    const { streams, isLive, open } = make();
    await open('s1', 's2');
    streams.addSubagent('s1', 'sub');
    streams.addSubagent('s2', 'other');
    await allHappened();
    streams.close('s1');
    await allHappened();
    expect(['s1', 'sub', 's2', 'other'].map(isLive)).toEqual([false, false, true, true]);
    expect(['sub', 'other'].map((name) => streams.rootOf(name))).toEqual(['sub', 's2']);
  });
});
