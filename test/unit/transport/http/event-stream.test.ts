import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ConnectionClosedError, HttpError, MessageTooLargeError } from '../../../../src/core/base/errors.ts';
import {
  EventStream,
  type EventStreamParts,
  maxAttempts,
  reopenDelayMs,
  streamDecoder,
} from '../../../../src/core/transport/http/event-stream.ts';
import { event } from '../../../support/raw-acp-server.ts';
import { runs } from '../../../support/runs.ts';
import { allHappened, passTime, stopClock, TimedStream } from '../../../support/timed-acp-server.ts';

const refusal = (status: number) => new HttpError(`Status ${status}.`, { status, body: '' });

/** A stream whose clock stands still, and what it says. Each answer to a GET is the next of `answers`, or an open stream. */
async function openStream(
  answers: readonly (Error | Response)[] = [],
  parts: Partial<Omit<EventStreamParts, 'open' | 'listener'>> = {},
) {
  stopClock();
  const waiting = [...answers];
  const bodies: TimedStream[] = [];
  const asked: Readonly<Record<string, string>>[] = [];
  const signals: AbortSignal[] = [];
  const heard: string[] = [];
  const pausesMs: number[] = [];
  const lost: Error[] = [];
  let active = 0;
  const stream = new EventStream({
    open: async (headers, signal) => {
      asked.push(headers);
      signals.push(signal);
      const answer = waiting.shift();
      if (answer instanceof Error) throw answer;
      if (answer) return answer;
      const body = new TimedStream('s1');
      bodies.push(body);
      signal.addEventListener('abort', () => body.break(signal.reason));
      return body.response;
    },
    whenRoom: () => undefined,
    onActivity: () => active++,
    onNoise: (text) => heard.push(`noise ${text}`),
    idleTimeoutMs: undefined,
    maxMessageBytes: 100,
    onMessage: (text) => heard.push(text),
    onBreak: (error, delayMs) => {
      heard.push(`break ${error.message}`);
      pausesMs.push(delayMs);
    },
    onLost: (error) => lost.push(error),
    ...parts,
  });
  onTestFinished(() => stream.close());
  await allHappened();
  const body = () => bodies.at(-1) as TimedStream;
  return {
    stream,
    asked,
    bodies,
    signals,
    heard,
    pausesMs,
    lost,
    active: () => active,
    /** Sends on the stream that was opened last. */
    send: async (text: string) => {
      body().write(text);
      await allHappened();
    },
    /** Ends the stream that was opened last. */
    end: async () => {
      body().end();
      await allHappened();
    },
    messages: () => heard.filter((text) => !/^(?:break|noise)/.test(text)),
  };
}

const one = event({ n: 1 }, 'e1');
const two = event({ n: 2 }, 'e2');

describe('what a stream brings', () => {
  test('may have the length of the limit in bytes', async () => {
    const { send, messages, lost } = await openStream();
    const longest = 'é'.repeat(50);
    await send(`data: ${longest}\n\n`);
    expect(messages()).toEqual([longest]);
    await send(`data: ${longest}x\n\n`);
    expect(messages()).toEqual([longest]);
    expect(lost).toMatchObject([
      { limitBytes: 100, message: expect.stringContaining('longer than 100 bytes') },
    ]);
    expect(lost[0]).toBeInstanceOf(MessageTooLargeError);
  });

  test.each([
    ['in one line of data', 'data: ', 'x'.repeat(20)],
    ['in lines of data', '', `data: ${'x'.repeat(20)}\n`],
    ['in a comment', ':', 'x'.repeat(20)],
    ['in an id', 'id: ', '7'.repeat(20)],
    ['in the name of a field', '', 'x'.repeat(20)],
  ])('is not kept above the limit, also if the event does not end, %s', async (_, start, more) => {
    const { send, lost, bodies, asked } = await openStream();
    await send(one + start);
    for (let count = 0; count < 6; count++) await send(more);
    expect(lost).toHaveLength(1);
    expect(lost[0]).toBeInstanceOf(MessageTooLargeError);
    expect(bodies[0]?.isOpen).toBe(false);
    await passTime(60_000);
    expect(asked).toHaveLength(1);
  });

  test('waits while there is no room', async () => {
    let makeRoom = () => {};
    const room = new Promise<void>((resolve) => {
      makeRoom = resolve;
    });
    let isFull = true;
    const { send, messages, lost } = await openStream([], {
      whenRoom: () => (isFull ? room : undefined),
      idleTimeoutMs: 1000,
    });
    await send(one);
    await passTime(5000);
    expect([messages(), lost]).toEqual([[], []]);
    isFull = false;
    makeRoom();
    await allHappened();
    expect(messages()).toEqual(['{"n":1}']);
    await passTime(5000);
    expect(lost).toHaveLength(0);
  });

  test('is not delivered after the stream was closed, not even what came with the message before', async () => {
    const delivered: string[] = [];
    const { stream, send } = await openStream([], {
      onMessage: (text) => {
        delivered.push(text);
        stream.close();
      },
    });
    await send(one + two);
    expect(delivered).toEqual(['{"n":1}']);
  });
});

describe('a stream that is closed', () => {
  test('before its first attempt asks for nothing', async () => {
    const { stream, asked, lost } = await openStream([], { firstDelayMs: 100 });
    await passTime(99);
    expect(asked).toEqual([]);
    stream.close();
    await stream.opened;
    await passTime(60_000);
    expect([asked, lost]).toEqual([[], []]);
  });

  test('while it has no room leaves nothing', async () => {
    const { stream, bodies, lost } = await openStream([], {
      whenRoom: () => new Promise(() => {}),
      idleTimeoutMs: 1000,
    });
    stream.close();
    await allHappened();
    expect(bodies[0]?.isOpen).toBe(false);
    expect([lost, vi.getTimerCount()]).toEqual([[], 0]);
  });

  test('in the pause before it is opened again is not opened again', async () => {
    const { stream, send, end, asked } = await openStream();
    await send(one);
    await end();
    stream.close();
    await passTime(60_000);
    expect(asked).toHaveLength(1);
  });
});

describe('a stream that ends', () => {
  test.each([
    ['without events', ''],
    ['after an event without an id', one + event({ n: 2 })],
    ['after an event whose id no header can have', one + event({ n: 2 }, 'ä')],
    ['after an event whose id is too long', one + event({ n: 2 }, 'x'.repeat(1025))],
    ['after two events with one id', one + two + event({ n: 3 }, 'e1')],
  ])('%s is lost', async (_, sent) => {
    const { send, end, lost, asked } = await openStream([], { maxMessageBytes: 10_000 });
    if (sent !== '') await send(sent);
    await end();
    expect(lost.map(({ message }) => message)).toEqual(['The server ended the stream.']);
    await passTime(60_000);
    expect(asked).toHaveLength(1);
  });

  test('and an id of the longest length is sent back', async () => {
    const { send, end, asked } = await openStream([], { maxMessageBytes: 10_000 });
    const id = '~'.repeat(1024);
    await send(event({ n: 1 }, id));
    await end();
    await passTime(250);
    expect(asked[1]?.['last-event-id']).toBe(id);
  });

  test('by a fault has its reason', async () => {
    const { bodies, lost } = await openStream();
    const fault = new TypeError('terminated');
    bodies[0]?.break(fault);
    await allHappened();
    expect(lost).toMatchObject([{ message: 'The stream broke: terminated.', cause: fault }]);
    expect(lost[0]).toBeInstanceOf(ConnectionClosedError);
  });

  test('often is opened again five times, after pauses that grow', async () => {
    const { send, asked, pausesMs, lost, end } = await openStream();
    await send(one);
    for (let time = 0; time <= maxAttempts; time++) {
      await end();
      await passTime(10_000);
    }
    expect(asked).toHaveLength(1 + maxAttempts);
    expect(lost).toHaveLength(1);
    const longest = [250, 500, 1000, 2000, 4000];
    expect(pausesMs.map((ms, at) => ms >= (longest[at] ?? 0) / 2 && ms <= (longest[at] ?? 0))).toEqual(
      longest.map(() => true),
    );
    // Half of each is random, and none is longer than ten seconds.
    const pauses = Array.from({ length: 50 }, () => reopenDelayMs(6));
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(5000);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(10_000);
    expect(new Set(pauses).size).toBeGreaterThan(25);
  });

  test('after ten seconds each time has no attempt more', async () => {
    const { send, asked, lost, end, pausesMs } = await openStream();
    await send(one);
    for (let time = 0; time <= maxAttempts; time++) {
      // A timer counts whole milliseconds.
      await passTime(Math.floor(pausesMs.at(-1) ?? 0));
      expect(asked).toHaveLength(time + 1);
      await passTime(10_000);
      await end();
    }
    expect(lost).toHaveLength(1);
  });

  test('after it has lived for more than ten seconds has five attempts again', async () => {
    const { send, asked, lost, end } = await openStream();
    await send(one);
    for (let time = 0; time < 3 * maxAttempts; time++) {
      await passTime(time % maxAttempts === 0 ? 10_001 : 1);
      await end();
      await passTime(10_000);
    }
    expect(asked).toHaveLength(1 + 3 * maxAttempts);
    expect(lost).toEqual([]);
  });
});

describe('events that come twice', () => {
  test('after a break are dropped until a new one comes', async () => {
    const { send, end, messages } = await openStream();
    await send(one + two);
    await end();
    await passTime(250);
    await send(one + two + event({ n: 3 }, 'e3'));
    expect(messages()).toEqual(['{"n":1}', '{"n":2}', '{"n":3}']);
    // Now the server uses an id again, and it names no place.
    await send(one);
    await send(event({ n: 4 }, 'e4') + event({ n: 4 }, 'e4'));
    expect(messages().slice(3)).toEqual(['{"n":1}', '{"n":4}', '{"n":4}']);
  });

  test('one after the other without a break are dropped where ids differ', async () => {
    const { send, messages } = await openStream();
    await send(one + one + two + two);
    expect(messages()).toEqual(['{"n":1}', '{"n":1}', '{"n":2}', '{"n":2}']);
    const other = await openStream();
    await other.send(one + two + two + event({ n: 3 }, 'e2'));
    expect(other.messages()).toEqual(['{"n":1}', '{"n":2}', '{"n":3}']);
    const third = await openStream();
    await third.send(one + two + event({ n: 2 }, 'e1'));
    expect(third.messages()).toEqual(['{"n":1}', '{"n":2}', '{"n":2}']);
  });

  test('with known ids and other data are new: the server numbers its events from the start again', async () => {
    const { send, end, messages, asked, lost } = await openStream();
    await send(event({ n: 1 }, 1) + event({ n: 2 }, 2) + event({ n: 3 }, 3));
    await end();
    await passTime(250);
    await send(event({ n: 4 }, 1) + event({ n: 5 }, 2) + event({ n: 6 }, 3));
    expect(messages()).toEqual([1, 2, 3, 4, 5, 6].map((n) => `{"n":${n}}`));
    // They are places in the new stream.
    await end();
    await passTime(500);
    await send(event({ n: 5 }, 2) + event({ n: 6 }, 3) + event({ n: 7 }, 4));
    expect(messages().slice(6)).toEqual(['{"n":7}']);
    expect(asked.map((headers) => headers['last-event-id'])).toEqual([undefined, '3', '3']);
    expect(lost).toEqual([]);
  });

  test('are known by the last thousand ids', async () => {
    const { send, end, messages } = await openStream();
    await send(Array.from({ length: 1001 }, (_, id) => event({ n: id }, id)).join(''));
    await end();
    await passTime(250);
    await send(event({ n: 1 }, 1));
    expect(messages()).toHaveLength(1001);
    await send(event({ n: 0 }, 0));
    expect(messages()).toHaveLength(1002);
  });
});

describe('a GET that is refused', () => {
  test.each<[number, readonly number[], number]>([
    [404, [404], 2],
    [404, [], 1],
    [409, [], 1],
    [500, [404], 1],
  ])('with %i, where %j are late, is sent %i times', async (status, lateStatuses, times) => {
    const { asked, lost, stream } = await openStream([refusal(status)], { lateStatuses });
    await passTime(250);
    expect(asked).toHaveLength(times);
    expect(lost).toHaveLength(2 - times);
    await stream.opened;
  });

  test.each<[number, number, number]>([
    [409, 3, 0],
    [404, 2, 1],
  ])('with %i after a break, is sent %i times', async (status, times, losses) => {
    const first = new TimedStream('s1');
    const { asked, lost } = await openStream([first.response, refusal(status)], { lateStatuses: [404] });
    first.write(one);
    first.end();
    await passTime(250);
    await passTime(500);
    expect([asked.length, lost.length]).toEqual([times, losses]);
  });

  test.each([
    ['no content type', undefined],
    ['no content type', ''],
    ['text/html', 'text/html'],
    ['text/event-streams', 'text/event-streams'],
    ['x-text/event-stream', 'x-text/event-stream'],
  ])('with another kind of content is lost: %s', async (named, type) => {
    const answer = new Response(
      type === undefined ? null : new ReadableStream(),
      type === undefined ? {} : { headers: { 'content-type': type } },
    );
    const { lost, stream } = await openStream([answer]);
    expect(lost[0]?.message).toContain(
      `The server answered a GET with ${named} instead of text/event-stream.`,
    );
    expect(stream.isOpen).toBe(false);
  });

  test.each(['text/event-stream', 'Text/Event-Stream; charset=utf-8'])('is none: %s', async (type) => {
    const answer = new Response(new ReadableStream(), { headers: { 'content-type': type } });
    const { lost, stream } = await openStream([answer]);
    expect([lost, stream.isOpen]).toEqual([[], true]);
  });
});

describe('a stream that is silent', () => {
  const silent = (ms: number) => `The stream brought nothing for ${ms} ms.`;

  test('for its time limit has broken', async () => {
    const { send, lost, bodies } = await openStream([], { idleTimeoutMs: 1000 });
    await passTime(700);
    await send(':\n\n');
    await passTime(700);
    expect(lost).toEqual([]);
    await passTime(700);
    expect(lost.map(({ message }) => message)).toEqual([silent(1000)]);
    expect(bodies[0]?.isOpen).toBe(false);
  });

  test('is left alone without one, until the server sends comments to keep it alive', async () => {
    const { send, lost, heard, stream } = await openStream();
    await passTime(600_000);
    await send(one);
    await passTime(600_000);
    await send(': alive\n\n');
    await passTime(90_000);
    expect(heard).toContain(`break ${silent(60_000)}`);
    await passTime(5000);
    expect(stream.isOpen).toBe(true);
    // The next stream of the same server, too.
    await passTime(90_000);
    expect(heard.filter((text) => text === `break ${silent(60_000)}`).length).toBeGreaterThan(1);
    expect(lost).toEqual([]);
  });
});

const decodeInPieces = (bytes: Uint8Array, cuts: readonly number[]) => {
  const decode = streamDecoder();
  const ends = [...cuts].sort((a, b) => a - b);
  return [...ends, bytes.length]
    .map((end, index) => decode(bytes.subarray(ends[index - 1] ?? 0, end)))
    .join('');
};

test('any bytes, cut anywhere, decode as TextDecoder does it, with LF for each end of a line', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), fc.array(fc.nat(40), { maxLength: 5 }), (bytes, cuts) => {
      const ended = Uint8Array.from([...bytes, 0x0a]);
      const inside = cuts.map((cut) => Math.min(cut, ended.length));
      const text = new TextDecoder().decode(ended);
      expect(decodeInPieces(ended, inside)).toBe(text.replace(/\r\n?/g, '\n'));
    }),
    { numRuns: runs(2000) },
  );
});
