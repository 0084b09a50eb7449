import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import type { Step } from '../../../src/recording/recorded-agent.ts';
import { runsOf } from '../../../src/recording/recorded-runs.ts';

const introduction: readonly Step[] = [
  { dir: 'out', message: { id: 0, method: 'initialize', params: { protocolVersion: 1 } } },
  { dir: 'in', message: { id: 0, result: { protocolVersion: 1 } } },
];

const sent = (method: string, sessionId: string): Step => ({
  dir: 'out',
  message: { id: 1, method, params: { sessionId } },
});

const kept = (steps: readonly Step[]) =>
  runsOf([...introduction, ...steps], undefined).flatMap((run) =>
    run.steps.slice(introduction.length).map(({ message }) => message['method']),
  );

test('a close is left out, with what follows, if the session is resumed next', () => {
  const [close, prompt, resume, load] = ['close', 'prompt', 'resume', 'load'].map((name) =>
    sent(`session/${name}`, 's1'),
  ) as [Step, Step, Step, Step];
  const other = sent('session/close', 's2');
  expect(kept([prompt, close, prompt, other, resume, prompt])).toEqual([
    'session/prompt',
    'session/close',
    'session/resume',
    'session/prompt',
  ]);
  expect(kept([close, load, resume])).toEqual(['session/close', 'session/load', 'session/resume']);
});

test('of twice as many sessions that are closed, each message is read as often', () => {
  const readsPerClose = (closes: number) => {
    let reads = 0;
    const get = (target: JsonObject, key: string) => {
      reads++;
      return target[key];
    };
    const steps = Array.from({ length: closes }, (_, index) => {
      const { dir, message } = sent('session/close', `s${index}`);
      return { dir, message: new Proxy(message, { get }) };
    });
    expect(kept(steps)).toHaveLength(closes);
    return reads / closes;
  };
  expect(readsPerClose(200)).toBe(readsPerClose(100));
});
