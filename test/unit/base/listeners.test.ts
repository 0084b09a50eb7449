import { describe, expect, test } from 'vitest';
import { ListenerSet } from '../../../src/core/base/listeners.ts';

function listenerSet() {
  const errors: unknown[] = [];
  const calls: string[] = [];
  const listeners = new ListenerSet<[event: string]>((error) => errors.push(error));
  const log = (name: string) => (event: string) => {
    calls.push(`${name}: ${event}`);
  };
  return { listeners, errors, calls, log };
}

describe('ListenerSet', () => {
  test('calls the listeners in the order in which they were added', () => {
    const { listeners, calls, log } = listenerSet();
    listeners.add(log('a'));
    listeners.add(log('b'));
    listeners.notify('1');
    listeners.notify('2');
    expect(calls).toEqual(['a: 1', 'b: 1', 'a: 2', 'b: 2']);
  });

  test('reports what a listener throws and calls the others', () => {
    const { listeners, errors, calls, log } = listenerSet();
    const error = new Error('listener failed');
    listeners.add(log('a'));
    listeners.add(() => {
      throw error;
    });
    listeners.add(log('b'));
    listeners.notify('1');
    expect(calls).toEqual(['a: 1', 'b: 1']);
    expect(errors).toEqual([error]);
  });

  test('keeps each registration of the same function apart', () => {
    const { listeners, calls, log } = listenerSet();
    const listener = log('a');
    const removeFirst = listeners.add(listener);
    listeners.add(listener);
    expect(listeners.size).toBe(2);
    removeFirst();
    removeFirst();
    expect(listeners.size).toBe(1);
    listeners.notify('1');
    expect(calls).toEqual(['a: 1']);
  });

  test('does not call a listener that another one removed during the event', () => {
    const { listeners, calls, log } = listenerSet();
    listeners.add(() => removeLast());
    const removeLast = listeners.add(log('last'));
    listeners.notify('1');
    expect(calls).toEqual([]);
  });

  test('calls a listener that was added during an event from the next event on', () => {
    const { listeners, calls, log } = listenerSet();
    const removeAdding = listeners.add(() => {
      removeAdding();
      listeners.add(log('late'));
    });
    listeners.notify('1');
    listeners.notify('2');
    expect(calls).toEqual(['late: 2']);
  });
});
