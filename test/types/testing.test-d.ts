import { describe, expectTypeOf, test } from 'vitest';
import {
  type ByteFlow,
  type Fault,
  type Faults,
  faults,
  noAnswer,
  scriptedAgent,
} from '../../src/entries/testing.ts';

describe('faults', () => {
  test('each factory returns a fault', () => {
    expectTypeOf<ReturnType<Faults[keyof Faults]>>().toEqualTypeOf<Fault>();
  });

  test('a fault is a function from one flow of bytes to another', () => {
    expectTypeOf<Fault>().toEqualTypeOf<(next: ByteFlow) => ByteFlow>();
    expectTypeOf((next: ByteFlow): ByteFlow => ({ ...next, write: () => {} })).toExtend<Fault>();
  });

  test('rechunk takes sizes or a seed', () => {
    faults.rechunk({ sizes: [1, 7] });
    faults.rechunk({ seed: 1, maxBytes: 3 });
    // @ts-expect-error The largest size goes with a seed.
    faults.rechunk({ maxBytes: 3 });
  });
});

describe('a scripted agent', () => {
  test('answers with a result, with null, or with a function', () => {
    const agent = scriptedAgent();
    agent.on('initialize', { protocolVersion: 1 }).on('session/load', null);
    agent.on('session/prompt', (params, self) => {
      expectTypeOf(self).toEqualTypeOf(agent);
      return params['wait'] ? noAnswer : { stopReason: 'end_turn' };
    });
    // @ts-expect-error A result of the protocol is an object or null.
    agent.on('session/list', 7);
  });

  test('validates for a known dialect only', () => {
    scriptedAgent({ validate: 'v2-baseline' });
    // @ts-expect-error The dialect does not exist.
    scriptedAgent({ validate: 'v3' });
  });
});
