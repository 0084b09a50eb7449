import { expect, test } from 'vitest';
import { ConnectionClosedError } from '../../../src/base/errors.ts';
import { endReport } from '../../../src/panel/agent.ts';
import { connectOptions } from '../../../src/panel/connect-options.ts';
import type { PanelOptions } from '../../../src/panel/options.ts';
import { PageFaults } from '../../../src/panel/page-faults.ts';

const exit = { exitCode: 3, signal: null, stderrTail: '' };
const named = { name: 'agent', title: null, version: '1' };

test.each([
  [{ exit }, null, 'The agent exited with code 3.', null],
  [{ exit }, named, 'agent exited with code 3.', null],
  [{ exit }, { ...named, title: 'The Title' }, 'The Title exited with code 3.', null],
  [{ exit: { ...exit, stderrTail: 'why\n' } }, named, 'agent exited with code 3.', 'why'],
  [{}, { ...named, title: 'The Title' }, 'The Title closed the connection.', null],
  [{ error: new ConnectionClosedError('Cut off.\nmore') }, named, 'Cut off.', null],
] as const)('the end %j of the agent %j is shown to the user', (end, agent, reason, detail) => {
  const code = 'exit' in end ? 'agent.exit' : 'connection.closed';
  expect(endReport(end, agent)).toEqual({ reason, detail, code });
});

test('an error of a listener is reported once, and of many errors the first 20', () => {
  const faults = new PageFaults();
  const error = new Error('first');
  expect(faults.take(error)).toEqual({ type: 'fault', text: 'first', detail: error.stack });
  expect(faults.take(new Error('first'))).toBeUndefined();
  expect(faults.take('a text')).toEqual({ type: 'fault', text: 'a text', detail: null });
  for (let number = 3; number <= 20; number++) expect(faults.take(`${number}`)).toBeDefined();
  expect(faults.take('21')).toBeUndefined();
});

test('what an error of a listener says is shortened', () => {
  const error = Object.assign(new Error('x'.repeat(2000)), { stack: 'y'.repeat(9000) });
  const fault = new PageFaults().take(error);
  expect(fault).toEqual({
    type: 'fault',
    text: expect.stringMatching(/^x{900,1000}/),
    detail: expect.stringMatching(/^y{3900,4000}/),
  });
  expect(JSON.stringify(fault).length).toBeLessThan(5200);
});

/** The handlers of the panel, which are only compared. */
const panel = {
  requestPermission: async () => ({ outcome: 'cancelled' }) as const,
  elicit: {},
  requireLogin: async () => {},
};
const optionsOf = (options: object) => connectOptions({ connect: {}, ...options } as PanelOptions, panel);

test('the options of connect get what the editor has not set', () => {
  const { requestPermission, elicit, requireLogin } = panel;
  const handlers = { requestPermission, elicit };
  expect(optionsOf({})).toEqual({ handlers, onAuthRequired: requireLogin, reconnect: { maxAttempts: 3 } });
  const own = async () => ({ outcome: 'cancelled' }) as const;
  const reconnect = { maxAttempts: 1 };
  const onAuthRequired = async () => {};
  const connect = { handlers: { requestPermission: own }, reconnect, onAuthRequired, stallAfterMs: 7 };
  const set = { handlers: { requestPermission: own, elicit }, reconnect, onAuthRequired, stallAfterMs: 7 };
  expect(optionsOf({ connect })).toEqual(set);
  expect(optionsOf({ connect: () => connect })).toEqual(set);
});

test('an editor with a terminal has logins in it, unless it says otherwise', () => {
  const editor = { loginInTerminal: async () => {} };
  expect(optionsOf({}).terminalLogin).toBeUndefined();
  expect(optionsOf({ editor: {} })).not.toHaveProperty('terminalLogin');
  expect(optionsOf({ editor }).terminalLogin).toBe(true);
  expect(optionsOf({ editor, connect: { terminalLogin: false } }).terminalLogin).toBe(false);
});

test('handlers can be an object without a prototype, or an instance of a class with its own state', () => {
  const bare = Object.assign(Object.create(null), { requestPermission: panel.requestPermission });
  const handlers = optionsOf({ connect: { handlers: bare } }).handlers;
  expect({ ...handlers }).toEqual({ requestPermission: panel.requestPermission, elicit: panel.elicit });
  class Handlers {
    readonly #outcome = 'cancelled';
    readonly extensions = { a: () => null };
    async requestPermission() {
      return { outcome: this.#outcome };
    }
  }
  const own = new Handlers();
  const made = optionsOf({ connect: { handlers: own } }).handlers;
  expect(made?.elicit).toBe(panel.elicit);
  expect(made?.extensions).toBe(own.extensions);
  // The panel's handlers are not asked.
  const ask = made?.requestPermission as (() => Promise<unknown>) | undefined;
  return expect(ask?.()).resolves.toEqual({ outcome: 'cancelled' });
});
