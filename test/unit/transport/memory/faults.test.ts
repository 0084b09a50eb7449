import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { connect } from '../../../../src/agents/connect.ts';
import { ConnectionClosedError } from '../../../../src/core/base/errors.ts';
import { type Fault, faults, withFaults } from '../../../../src/core/transport/memory/faults.ts';
import { transcriptOf } from '../../../../src/records/recording/transcript-of.ts';
import { scriptedAgent } from '../../../../src/records/testing/scripted-agent.ts';
import { everything } from '../../../support/agents.ts';

const chunk = (said: string) => ({
  sessionUpdate: 'agent_message_chunk',
  content: { type: 'text', text: said },
});

/** One turn with an agent on whose way something goes wrong. */
async function takeTurn(...onTheWay: readonly Fault[]) {
  const agent = scriptedAgent({ faults: onTheWay })
    .on('initialize', everything.v1)
    .on('session/new', { sessionId: 's1' })
    .on('session/prompt', async (_, scripted) => {
      scripted.update('s1', chunk('Grüße, '), chunk('Welt '));
      scripted.update('s1', chunk('😀.'));
      return { stopReason: 'end_turn' };
    });
  const connection = await connect(agent.transport, {
    clientInfo: { name: 'test', version: '0.0.0' },
    onDiagnostic() {},
  });
  const session = await connection.newSession({ cwd: '/project' });
  const ended = await session.prompt('Hi.').then(
    ({ stopReason }) => stopReason,
    (error: unknown) => error,
  );
  await connection.close();
  return { ended, said: transcriptOf(session.conversation) };
}

test.each([
  ['nothing', []],
  ['single bytes', [faults.rechunk({ sizes: [1] })]],
  ['pieces in turn', [faults.rechunk({ sizes: [3, 1, 41] })]],
  ['pieces by a seed', [faults.rechunk({ seed: 1 })]],
  ['a delay', [faults.delay(1)]],
  ['both', [faults.delay(1), faults.rechunk({ seed: 2, maxBytes: 5 })]],
] as [string, Fault[]][])('%s on the way changes nothing', async (_, onTheWay) => {
  expect(await takeTurn(...onTheWay)).toEqual({
    ended: 'end_turn',
    said: 'user: Hi.\nagent: Grüße, Welt 😀.',
  });
});

/** What a fault passes on: the text of each write, and the ends. */
function passedOn(fault: Fault) {
  const passed: unknown[] = [];
  const flow = withFaults([fault], {
    write: (bytes) => void passed.push(new TextDecoder().decode(bytes)),
    end: (exit) => void passed.push(exit ?? 'end'),
  });
  const write = (text: string) => flow.write(new TextEncoder().encode(text));
  return { passed, write, end: flow.end };
}

const exit = { exitCode: 0, signal: null, stderrTail: 'bye' };

test('pieces are whole at the end, and have an end', () => {
  const { passed, write, end } = passedOn(faults.rechunk({ sizes: [2] }));
  write('abcd');
  write('');
  end(exit);
  expect(passed).toEqual(['ab', 'cd', exit]);
});

test('a delay keeps everything for its time', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { passed, write, end } = passedOn(faults.delay(50));
  write('a');
  end(exit);
  vi.advanceTimersByTime(49);
  expect(passed).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(passed).toEqual(['a', exit]);
});

test.each([
  ['in a piece', ['ab', 'cd', 'ef'], ['ab', 'c', 'end']],
  ['at the end of a piece', ['abc', 'd'], ['abc', 'end']],
  ['after the end', ['ab'], ['ab', exit]],
])('a cut after three bytes, %s, ends the output once', (_, pieces, expected) => {
  const { passed, write, end } = passedOn(faults.truncate(3));
  for (const piece of pieces) write(piece);
  end(exit);
  end();
  write('later');
  expect(passed).toEqual(expected);
});

const call = '{"method":"a"}\n';

test('only messages are lost or sent twice, and what has no line feed comes at the end', () => {
  const others = ['{"method":"b"}\n', '\n', 'noise\n', '[{"method":"a"}]\n'];
  const losing = passedOn(faults.drop('a'));
  const doubling = passedOn(faults.duplicate(({ method }) => method === 'a'));
  for (const { write, end } of [losing, doubling]) {
    write([call, ...others, call.trim()].join(''));
    end(exit);
  }
  expect(losing.passed).toEqual([...others, call.trim(), exit]);
  expect(doubling.passed).toEqual([call, call, ...others, call.trim(), exit]);
  const whole = passedOn(faults.drop('b'));
  whole.write(call);
  whole.end();
  expect(whole.passed).toEqual([call, 'end']);
});

test.each([
  [undefined, { exitCode: 1, signal: null, stderrTail: '' }],
  [{ exitCode: 0 }, { exitCode: 0, signal: null, stderrTail: '' }],
  [
    { signal: 'SIGKILL', stderrTail: 'x' },
    { exitCode: null, signal: 'SIGKILL', stderrTail: 'x' },
  ],
])('a program that ends after a message, with %j, says nothing more', (given, expected) => {
  const { passed, write, end } = passedOn(faults.exitAfter('a', given));
  write(`noise\n${call}${call}`);
  end();
  expect(passed).toEqual(['noise\n', call, expected]);
  const other = passedOn(faults.exitAfter('b', given));
  other.write(call);
  other.end(exit);
  expect(other.passed).toEqual([call, exit]);
});

describe('pieces', () => {
  const pieces = (fault: Fault, bytes: number) => {
    const sizes: number[] = [];
    const flow = withFaults([fault], { write: (piece) => void sizes.push(piece.length), end() {} });
    flow.write(new Uint8Array(bytes));
    return sizes;
  };

  test('are of the sizes that were asked for', () => {
    expect(pieces(faults.rechunk({ sizes: [2, 3] }), 9)).toEqual([2, 3, 2, 2]);
  });

  test('are the same for the same seed, and others for another', () => {
    const first = pieces(faults.rechunk({ seed: 5, maxBytes: 9 }), 500);
    expect(pieces(faults.rechunk({ seed: 5, maxBytes: 9 }), 500)).toEqual(first);
    expect(pieces(faults.rechunk({ seed: 6, maxBytes: 9 }), 500)).not.toEqual(first);
    expect(new Set(first)).toEqual(new Set([1, 2, 3, 4, 5, 6, 7, 8, 9]));
    // A seed in a bug report means the same in each version.
    expect(first.slice(0, 10)).toEqual([3, 7, 3, 8, 7, 4, 5, 2, 1, 8]);
    expect(Math.max(...pieces(faults.rechunk({ seed: -1 }), 50_000))).toBe(64);
  });

  // A size below 1 would write the same bytes for ever, and no size none of them.
  test.each([{ sizes: [4, 0] }, { sizes: [] }, { seed: 1, maxBytes: -1 }, { seed: 1, maxBytes: 0.5 }])(
    'of %o are refused',
    (how) => {
      expect(() => faults.rechunk(how)).toThrow(/sizes must be whole numbers from 1; got \[/);
      expect(() => faults.rechunk(how)).toThrow(RangeError);
    },
  );
});

test('what is sent twice is read twice, and what is lost is not', async () => {
  expect((await takeTurn(faults.duplicate('session/update'))).said).toBe(
    'user: Hi.\nagent: Grüße, Grüße, Welt Welt 😀.😀.',
  );
  expect((await takeTurn(faults.drop((message) => JSON.stringify(message).includes('Welt')))).said).toBe(
    'user: Hi.\nagent: Grüße, 😀.',
  );
});

test('bytes that are cut off end the connection, and what came before stays', async () => {
  const lengths: number[] = [];
  const counting: Fault = (next) => ({
    write: (bytes) => {
      lengths.push(bytes.length);
      next.write(bytes);
    },
    end: (exit) => next.end(exit),
  });
  await takeTurn(counting);
  const untilLastUpdate = lengths.slice(0, -1).reduce((sum, length) => sum + length, 0);
  const { ended, said } = await takeTurn(faults.truncate(untilLastUpdate - 3));
  expect(ended).toBeInstanceOf(ConnectionClosedError);
  expect(said).toBe('user: Hi.\nagent: Grüße, Welt\nturn interrupted: scripted closed the connection.');
});

test('a program that ends says how', async () => {
  const { ended, said } = await takeTurn(
    faults.exitAfter('session/update', { exitCode: 137, stderrTail: 'out of memory' }),
  );
  expect(ended).toMatchObject({
    code: 'connection.closed',
    exit: { exitCode: 137, signal: null, stderrTail: 'out of memory' },
    cause: { code: 'agent.exit', message: expect.stringContaining('out of memory') },
  });
  expect(said).toBe('user: Hi.\nagent: Grüße,\nturn interrupted: scripted exited with code 137.');
});

test('a scripted agent ends when the test says so', async () => {
  const agent = scriptedAgent().on('initialize', everything.v1);
  const connection = await connect(agent.transport, { clientInfo: { name: 'test', version: '0.0.0' } });
  agent.channel.exit({ signal: 'SIGKILL' });
  expect(await connection.closed).toMatchObject({
    exit: { exitCode: null, signal: 'SIGKILL' },
    error: { code: 'agent.exit' },
  });
});
