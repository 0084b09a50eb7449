// What a page bundles: nothing of Node. One agent is in memory, and a remote one is not there.
import { connect, remoteTransport } from 'acp-client-sdk';
import { textOf } from 'acp-client-sdk/conversation';
import { scriptedAgent } from 'acp-client-sdk/testing';

export async function converse() {
  const agent = scriptedAgent()
    .on('initialize', { protocolVersion: 1, agentCapabilities: {} })
    .on('session/new', { sessionId: 's1' })
    .on('session/prompt', () => {
      const content = { type: 'text', text: 'Hello.' };
      agent.update('s1', { sessionUpdate: 'agent_message_chunk', content });
      return { stopReason: 'end_turn' };
    });
  const clientInfo = { name: 'page', version: '1.0.0' };
  const connection = await connect(agent.transport, { clientInfo });
  const session = await connection.newSession({ cwd: '/project' });
  await session.prompt('Hello?');
  const { entries } = session.conversation;
  await connection.close();
  return entries.map(textOf).join(' ');
}

/** Resolves to the code of the error for an agent that nothing listens for. */
export async function knock() {
  const clientInfo = { name: 'page', version: '1.0.0' };
  const transport = remoteTransport('http://127.0.0.1:9/acp');
  return connect(transport, { clientInfo }).then(
    () => 'connected',
    ({ code }) => code,
  );
}
