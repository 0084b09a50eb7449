import { expect, test } from 'vitest';
import { Machine } from '../../../src/core/base/machine.ts';

interface Add {
  readonly add: number;
}

const transition = (sum: number, { add }: Add) => ({ state: sum + add, effects: [`add ${add}`] });

test('takes an event that comes meanwhile after the effects of the first one', () => {
  const machine = new Machine<number, Add, string>(0);
  const done: unknown[] = [];
  const dispatch = (add: number): void => {
    for (const { before, effects } of machine.take({ add }, transition) ?? []) {
      if (before === 0) dispatch(10);
      done.push([before, machine.state, ...effects]);
    }
  };
  dispatch(1);
  expect(done).toEqual([
    [0, 1, 'add 1'],
    [1, 11, 'add 10'],
  ]);
});

test('goes on after an effect that throws', () => {
  const machine = new Machine<number, Add, string>(0);
  const failing = () => {
    for (const _ of machine.take({ add: 1 }, transition) ?? []) throw new Error('The effect failed.');
  };
  expect(failing).toThrow('The effect failed.');
  expect(failing).toThrow('The effect failed.');
  expect(machine.state).toBe(2);
});
