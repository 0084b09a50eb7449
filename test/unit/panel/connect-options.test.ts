import { describe, expect, test } from 'vitest';
import type { Diagnostic } from '../../../src/core/base/diagnostic.ts';
import type { ClientHandlers } from '../../../src/core/client/requests/handlers.ts';
import { connectOptions } from '../../../src/ui/panel/connection.ts';
import type { PanelOptions } from '../../../src/ui/panel/options.ts';
import { hostOptions } from '../../support/panel-pair.ts';

const clientInfo = { name: 'test', version: '0' };
const cancelled = { outcome: 'cancelled' } as const;
const questions = {
  requestPermission: async () => cancelled,
  elicit: { completed() {} },
  requireLogin: async () => {},
};

const optionsFor = (connect: object, editor?: PanelOptions['editor']) =>
  connectOptions(
    { ...hostOptions({}).options, connect: { clientInfo, ...connect }, ...(editor && { editor }) },
    questions,
    () => {},
  );

describe('the options of connect', () => {
  test('are those of the panel where the editor has none', () => {
    const { handlers, onDiagnostic: _, ...others } = optionsFor({});
    expect(others).toStrictEqual({
      clientInfo,
      onAuthRequired: questions.requireLogin,
      reconnect: { maxAttempts: 3 },
    });
    expect(handlers?.elicit).toBe(questions.elicit);
    const requestPermission = () => cancelled;
    const own = { reconnect: { firstDelayMs: 1 }, onAuthRequired: async () => {}, stallAfterMs: 7 };
    const connect = { clientInfo, ...own, handlers: { requestPermission } };
    const set = { ...connect, handlers: { requestPermission, elicit: questions.elicit } };
    for (const given of [connect, () => connect]) {
      const made = connectOptions({ ...hostOptions({}).options, connect: given }, questions, () => {});
      expect(made).toEqual({ ...set, onDiagnostic: expect.any(Function) });
    }
  });

  test('pass each diagnostic on, and one about an ignored cancel to the panel too', () => {
    const told: unknown[] = [];
    const options = {
      ...hostOptions({}).options,
      connect: { clientInfo, onDiagnostic: told.push.bind(told) },
    };
    const { onDiagnostic } = connectOptions(options, questions, (sessionId) => told.push(sessionId));
    const [ignored, stalled] = (['session.cancel_ignored', 'session.stalled'] as const).map((rule) => ({
      ...{ rule, severity: 'warning', message: 'It goes on.', sessionId: 's1' },
    })) as [Diagnostic, Diagnostic];
    onDiagnostic?.(stalled);
    onDiagnostic?.(ignored);
    expect(told).toEqual([stalled, 's1', ignored]);
  });

  test.each([
    [undefined, true],
    [true, true],
    [false, false],
  ])('have a login in the terminal of the editor, unless it is refused: %j', (terminalLogin, expected) => {
    const own = terminalLogin === undefined ? {} : { terminalLogin };
    expect(optionsFor(own, { loginInTerminal: async () => {} }).terminalLogin).toBe(expected);
    expect(optionsFor({}, {})).not.toHaveProperty('terminalLogin');
  });

  test.each([Object.prototype, null])('have the handlers of a plain object as they are: %#', (prototype) => {
    const requestPermission = () => cancelled;
    const own: ClientHandlers = Object.assign(Object.create(prototype), { requestPermission });
    const { handlers } = optionsFor({ handlers: own });
    expect(handlers?.requestPermission).toBe(requestPermission);
    expect(handlers?.elicit).toBe(questions.elicit);
  });

  test('call the methods of an instance with it, and have what else it has', () => {
    class Handlers {
      readonly title = 'Mine';
      #asked = 0;
      requestPermission() {
        return { ...cancelled, asked: ++this.#asked };
      }
    }
    const { handlers } = optionsFor({ handlers: new Handlers() });
    // What the editor returns besides is not read.
    const ask = handlers?.requestPermission as (() => unknown) | undefined;
    expect([ask?.(), ask?.()]).toEqual([
      { ...cancelled, asked: 1 },
      { ...cancelled, asked: 2 },
    ]);
    expect(Reflect.get(Object(handlers), 'title')).toBe('Mine');
    expect(handlers?.elicit).toBe(questions.elicit);
  });
});
