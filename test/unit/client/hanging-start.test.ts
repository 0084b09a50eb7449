import { afterEach, describe, expect, test } from 'vitest';
import { connect } from '../../../src/agents/connect.ts';
import { type Deferred, deferred } from '../../../src/core/base/wait.ts';
import type { ClientConnection, ConnectionState } from '../../../src/core/client/connection.ts';
import type { Transport } from '../../../src/core/transport/transport.ts';
import { noAnswer, type ScriptedAgent, scriptedAgent } from '../../../src/records/testing/scripted-agent.ts';
import { everything, settle } from '../../support/agents.ts';
import { cwd } from '../../support/open-session.ts';

const clientInfo = { name: 'test', version: '0' };
const reconnect = { firstDelayMs: 0 };

let connection: ClientConnection | undefined;
afterEach(() => connection?.close());

/** A transport of an agent, and how often it was closed. */
function closable(): { readonly transport: Transport; readonly closes: () => number } {
  const { transport } = scriptedAgent().on('initialize', everything.v1);
  let closes = 0;
  const close = transport.close.bind(transport);
  transport.close = () => {
    closes++;
    return close();
  };
  return { transport, closes: () => closes };
}

describe('[reliability: hanging-start] a start function that does not return', () => {
  test('connect rejects with the reason of its signal, and closes a transport that arrives later', async () => {
    const { promise: started, resolve } = deferred<Transport>();
    const control = new AbortController();
    const connecting = connect(() => started, { clientInfo, signal: control.signal });
    await settle();
    control.abort('enough');
    await expect(connecting).rejects.toBe('enough');
    const { transport, closes } = closable();
    resolve(transport);
    await settle();
    expect(closes()).toBe(1);
  });

  test.each<[string, (start: Deferred<Transport>) => void]>([
    ['the function throws', ({ reject }) => reject(new Error('too late'))],
    [
      'close of the transport throws',
      ({ resolve }) => {
        const close = () => {
          throw new Error('stuck');
        };
        resolve(Object.assign(closable().transport, { close }));
      },
    ],
  ])('connect ignores what %s after the signal was aborted', async (_, settleLate) => {
    const start = deferred<Transport>();
    const control = new AbortController();
    const connecting = connect(() => start.promise, { clientInfo, signal: control.signal });
    control.abort('enough');
    await expect(connecting).rejects.toBe('enough');
    settleLate(start);
    // An unhandled rejection would fail the test run.
    await settle();
  });
});

describe('[reliability: hanging-start] close() while the agent is started again', () => {
  /** A connection whose agent crashed, and is being started again. */
  async function crashed(restart: () => Transport | Promise<Transport>) {
    const restarted = deferred();
    const agents: ScriptedAgent[] = [];
    const newAgent = () => {
      const agent = scriptedAgent()
        .on('initialize', everything['v2-baseline'])
        .on('session/new', { sessionId: 's1' })
        .on('session/prompt', () => noAnswer);
      agents.push(agent);
      return agent.transport;
    };
    const start = () => {
      if (agents.length === 0) return newAgent();
      restarted.resolve();
      return restart();
    };
    const made = await connect(start, { clientInfo, reconnect });
    connection = made;
    const states: ConnectionState[] = [];
    made.onStateChange((state) => states.push(state));
    const session = await made.newSession({ cwd });
    const turn = session.prompt('Begin.').catch((error: unknown) => error);
    agents[0]?.channel.exit();
    await restarted.promise;
    await settle();
    return { made, states, session, turn };
  }

  test('settles when the start function never returns, and closes a transport that arrives later', async () => {
    const { promise: started, resolve } = deferred<Transport>();
    const { made, states, session, turn } = await crashed(() => started);
    expect(states).toEqual(['reconnecting']);
    await made.close();
    expect(await turn).toMatchObject({ code: 'connection.closed', promptAccepted: false });
    expect(await made.closed).toBeDefined();
    await expect(made.ready).rejects.toMatchObject({ code: 'connection.closed' });
    expect([states.at(-1), session.isClosed]).toEqual(['closed', true]);
    const { transport, closes } = closable();
    resolve(transport);
    await settle();
    expect(closes()).toBe(1);
  });

  test('settles when the new agent does not answer initialize', async () => {
    const { transport, closes } = closable();
    transport.send = () => new Promise(() => {});
    const { made, states } = await crashed(() => transport);
    await made.close();
    expect([states.at(-1), closes()]).toEqual(['closed', 1]);
  });

  test('settles when the new agent does not answer session/resume', async () => {
    const agent = scriptedAgent()
      .on('initialize', everything['v2-baseline'])
      .on('session/resume', () => noAnswer);
    const { made, states, session } = await crashed(() => agent.transport);
    await agent.called('session/resume');
    await made.close();
    expect([states.at(-1), session.isClosed]).toEqual(['closed', true]);
  });
});
