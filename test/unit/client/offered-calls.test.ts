import { describe, expect, test } from 'vitest';
import { InvalidParamsError } from '../../../src/core/base/errors.ts';
import { openSession, sent } from '../../support/open-session.ts';

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
