import { describe, expect, test } from 'vitest';
import { InvalidMessageError, InvalidParamsError, RemoteError } from '../../../src/base/errors.ts';
import { RequestError } from '../../../src/rpc/request-error.ts';
import { dialectNames } from '../../support/agents.ts';
import { openSession, outline } from '../../support/open-session.ts';

describe.each(dialectNames)('a prompt that fails in %s', (dialect) => {
  const failing = async (answer: () => object) => {
    const { session, conversation } = await openSession(dialect, {
      script: (agent) => agent.on('session/prompt', answer),
    });
    const error = await session.prompt('Go.').catch((thrown: unknown) => thrown);
    return { error, shown: outline(conversation()) };
  };

  test('stays where an agent of version 1 began with it', async () => {
    const { error, shown } = await failing(() => {
      throw new RequestError(-32603, 'no model');
    });
    expect(error).toBeInstanceOf(RemoteError);
    expect(error).toMatchObject({ promptAccepted: dialect === 'v1' });
    expect(shown).toEqual(dialect === 'v1' ? ['user: Go.', 'failed: no model'] : []);
  });

  test('is removed where the agent refused it', async () => {
    const { error, shown } = await failing(() => {
      throw new RequestError(-32602, 'no pictures');
    });
    expect(error).toMatchObject({ promptAccepted: false });
    expect(shown).toEqual([]);
  });

  // In version 2 the agent goes on, and its idle state ends the turn.
  test.runIf(dialect === 'v1')('stays where the answer of the agent cannot be read', async () => {
    const { error, shown } = await failing(() => ({ stopReason: 5 }));
    expect(error).toBeInstanceOf(InvalidMessageError);
    expect(error).not.toHaveProperty('promptAccepted');
    expect(shown).toEqual(['user: Go.']);
  });
});

test.each(dialectNames)(
  'a prompt after connection.close is refused, and leaves nothing behind (%s)',
  async (dialect) => {
    const { agent, connection, session, conversation } = await openSession(dialect);
    const closing = connection.close();
    await new Promise(setImmediate);
    const error = await session.prompt('Go.').catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'usage.state',
      message: expect.stringContaining('Nothing was sent'),
    });
    await closing;
    expect(agent.calls('session/prompt')).toEqual([]);
    expect(outline(conversation())).toEqual([]);
  },
);

test.each([5, '', []])('a prompt that is %j is refused, and nothing is sent', async (prompt) => {
  const { agent, session } = await openSession('v1');
  const error = await session.prompt(prompt as string).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(InvalidParamsError);
  expect(error).toMatchObject({ method: 'session/prompt' });
  expect(agent.calls('session/prompt')).toEqual([]);
});
