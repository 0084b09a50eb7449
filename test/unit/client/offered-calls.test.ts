import { describe, expect, test } from 'vitest';
import { CapabilityError, InvalidParamsError } from '../../../src/base/errors.ts';
import { flush, openSession, sent } from '../../support/open-session.ts';

describe.each(['v2-markers', 'v2-baseline'] as const)(
  'what the session offers to cancel, in %s',
  (dialect) => {
    const open = async () => {
      const opened = await openSession(dialect, {
        answers: { 'tool_call/cancel': {}, 'terminal/cancel': {} },
      });
      const capabilities = { cancel: {} };
      const terminal = { sessionUpdate: 'terminal_update', command: 'npm test' };
      const toolCall = { sessionUpdate: 'tool_call_update', title: 'Test', status: 'in_progress' };
      opened.agent.update(
        's1',
        { ...toolCall, toolCallId: 'free', capabilities },
        { ...toolCall, toolCallId: 'bound' },
        { ...terminal, terminalId: 'free', capabilities },
        { ...terminal, terminalId: 'bound' },
      );
      await flush(opened.agent);
      return opened;
    };

    test.each([
      ['cancelToolCall', 'tool_call/cancel', 'toolCallId', 'tool call'],
      ['cancelTerminal', 'terminal/cancel', 'terminalId', 'terminal'],
    ] as const)('%s is sent where the agent permits it', async (call, method, idName, what) => {
      const { agent, session } = await open();
      await session[call]('free');
      expect(sent(agent)).toMatchObject([{ method, params: { sessionId: 's1', [idName]: 'free' } }]);
      for (const [id, value, why] of [
        ['bound', undefined, 'it does not offer that now'],
        ['unknown', undefined, 'the session has none with this id'],
      ] as const) {
        const reason = `The ${what} "${id}" cannot be cancelled separately: ${why}.`;
        const error = await session[call](id).catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(CapabilityError);
        expect(error).toMatchObject({
          method,
          message: expect.stringContaining(reason),
          missing: [{ feature: method, path: 'capabilities.cancel', value, reason }],
        });
      }
      expect(sent(agent)).toHaveLength(1);
    });
  },
);

describe('a call by the name of its method', () => {
  const modes = { currentModeId: 'ask', availableModes: [{ id: 'ask', name: 'Ask' }] };

  test.each([
    ['session/set_mode', { modeId: 'dance' }, 'mode must be one of "ask"'],
    [
      'session/set_model',
      { modelId: 'huge' },
      'model must be one that the session offers, and the session offers none; got "huge"',
    ],
    [
      'session/set_config_option',
      { configId: 'x', value: 'y' },
      'config option must be one that the session offers',
    ],
  ])('%s is refused where the session does not offer it', async (method, params, message) => {
    const { agent, connection } = await openSession('v1', { opened: { modes } });
    const error = await connection
      .request(method, { sessionId: 's1', ...params })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InvalidParamsError);
    expect(error).toMatchObject({ message: expect.stringContaining(message) });
    expect(sent(agent)).toEqual([]);
  });
});
