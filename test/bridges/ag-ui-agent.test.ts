import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type AbstractAgent, HttpAgent, type Interrupt, type Message } from '@ag-ui/client';
import { describe, expect, onTestFinished, test } from 'vitest';
import { acpAgent } from '../../src/bridges/ag-ui/agent.ts';
import { toAgUiMessages } from '../../src/bridges/ag-ui/messages.ts';
import { agUiResponse } from '../../src/bridges/ag-ui/response.ts';
import { askInChat } from '../../src/bridges/ask-in-chat.ts';
import { connect } from '../../src/client/connect.ts';
import type { Session } from '../../src/client/session/session.ts';
import { connectPanel } from '../../src/panel/connect.ts';
import { servePanel } from '../../src/panel/serve.ts';
import { asking, permissionOptions, type Run } from '../support/asking-agent.ts';
import { eventually } from '../support/eventually.ts';
import { channelPair, cwd } from '../support/panel-pair.ts';
import { plain } from '../support/ui-messages.ts';

// By its address: the compiler does not read the examples, which are JavaScript.
const { agUiHandler } = await import(
  new URL('../../docs/examples/bridges/ag-ui-handler.mjs', import.meta.url).href
);

interface Place {
  readonly agent: AbstractAgent;
  readonly cancel: () => Promise<void>;
  readonly conversation: () => Session['conversation'];
}

async function openSession({ agent }: Run): Promise<Session> {
  const connection = await connect(agent.transport, {
    clientInfo: { name: 'test', version: '0' },
    handlers: { requestPermission: askInChat },
  });
  onTestFinished(() => connection.close());
  return connection.newSession({ cwd });
}

const places = {
  async 'in the process of the session'(run: Run): Promise<Place> {
    const session = await openSession(run);
    return {
      agent: acpAgent(session),
      cancel: () => session.cancel(),
      conversation: () => session.conversation,
    };
  },
  async 'over HTTP, with the handler of the example'(run: Run): Promise<Place> {
    const session = await openSession(run);
    const server = createServer(agUiHandler(session, agUiResponse));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    const { port } = server.address() as AddressInfo;
    return {
      agent: new HttpAgent({ url: `http://127.0.0.1:${port}/`, threadId: 's1' }),
      cancel: () => session.cancel(),
      conversation: () => session.conversation,
    };
  },
  async 'over the channel of a panel'({ agent }: Run): Promise<Place> {
    agent.on('session/list', { sessions: [] });
    const channel = channelPair();
    const served = servePanel(
      {
        agent: () => agent.transport,
        connect: { clientInfo: { name: 'test', version: '0' }, onDiagnostic: () => {} },
        workspace: () => ({ cwd }),
      },
      channel.host,
    );
    const panel = connectPanel(channel.page);
    onTestFinished(async () => {
      panel.close();
      await served.close();
    });
    await panel.newSession();
    return {
      agent: acpAgent(panel, { HttpAgent }),
      cancel: () => panel.cancel(),
      conversation: () => panel.getSnapshot().conversation as Session['conversation'],
    };
  },
};

/** The messages of the agent. The prompt has the id that the interface gave it. */
const answers = (messages: readonly Message[]) => plain(messages.filter(({ role }) => role !== 'user'));

describe.each(Object.entries(places))('an agent of AG-UI %s', (_name, open) => {
  /** An agent that has asked for a permission. */
  async function asked(run = asking()) {
    const place = await open(run);
    place.agent.addMessage({ id: 'u1', role: 'user', content: 'Delete it.' });
    await place.agent.runAgent();
    const [interrupt] = place.agent.pendingInterrupts;
    return { ...place, run, interrupt: interrupt as Interrupt };
  }

  const resume = (agent: AbstractAgent, { id }: Interrupt, payload: unknown) =>
    agent.runAgent({ resume: [{ interruptId: id, status: 'resolved', payload }] });

  test('is interrupted by a request with all its options', async () => {
    const { interrupt, agent } = await asked();
    expect(interrupt).toMatchObject({
      reason: 'acp.permission',
      message: 'Delete',
      toolCallId: 't1',
      metadata: { options: permissionOptions, subagent: null },
    });
    expect(agent.messages.find(({ id }) => id === 'tool:t1')).toMatchObject({
      toolCalls: [{ id: 't1', function: { name: 'delete', arguments: '{"path":"/a"}' } }],
    });
  });

  test('answers with the option that the user chose, and has the messages of the conversation', async () => {
    const { agent, interrupt, run, conversation } = await asked();
    await resume(agent, interrupt, { optionId: 'no-always' });
    expect(run.outcomes).toEqual([{ outcome: 'selected', optionId: 'no-always' }]);
    expect(agent.pendingInterrupts).toEqual([]);
    expect(answers(agent.messages)).toEqual(answers(toAgUiMessages(conversation())));
    expect(agent.messages.at(-1)).toMatchObject({ role: 'assistant', content: 'Answered no-always.' });
  });

  test.each([
    [true, 'yes'],
    [false, 'no'],
    [{ approved: true }, 'yes'],
    [{ approved: false }, 'no'],
    ['yes-always', 'yes-always'],
  ])('takes the answer %j as the option %s', async (payload, optionId) => {
    const { agent, interrupt, run } = await asked();
    await resume(agent, interrupt, payload);
    expect(run.outcomes).toEqual([{ outcome: 'selected', optionId }]);
  });

  test('does not answer with an option that the request does not have', async () => {
    const { agent, interrupt, run } = await asked();
    const errors: unknown[] = [];
    await agent
      .runAgent(
        { resume: [{ interruptId: interrupt.id, status: 'resolved', payload: { optionId: 'other' } }] },
        { onRunErrorEvent: ({ event }) => void errors.push(event.message) },
      )
      .catch(() => {});
    expect(errors).toEqual([expect.stringContaining('names no option')]);
    expect(run.outcomes).toEqual([]);
    await resume(agent, interrupt, { optionId: 'no' });
    expect(run.outcomes).toEqual([{ outcome: 'selected', optionId: 'no' }]);
  });

  test('withdraws a request whose turn is cancelled', async () => {
    const { agent, interrupt, run, cancel } = await asked();
    await cancel();
    await eventually(() => run.outcomes).toEqual([{ outcome: 'cancelled' }]);
    await resume(agent, interrupt, { optionId: 'yes' });
    expect(run.outcomes).toEqual([{ outcome: 'cancelled' }]);
  });

  test('an abandoned request is answered as cancelled', async () => {
    const { agent, interrupt, run } = await asked();
    await agent.runAgent({ resume: [{ interruptId: interrupt.id, status: 'cancelled' }] });
    expect(run.outcomes).toEqual([{ outcome: 'cancelled' }]);
  });
});
