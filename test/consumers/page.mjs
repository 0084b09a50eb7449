// What a page bundles: nothing of Node. The agent is in memory.
import { connect } from 'acp-client-sdk';
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
