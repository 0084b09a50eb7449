// What a user's program may look like. It imports the sources, so that it is checked with everything else; the test
// that installs the package lets it import that.
import { parse } from 'valibot';
import { emptyConversation, foldUpdate, renderText, textOf } from '../../src/entries/conversation.ts';
import { AcpError, CapabilityError, connect } from '../../src/entries/index.ts';
import { demoAgentCommand, spawnAgent } from '../../src/entries/node.ts';
import { ContentBlock as ContentBlockV1 } from '../../src/entries/schema-v1.ts';
import { ContentBlock as ContentBlockV2 } from '../../src/entries/schema-v2.ts';
import { scriptedAgent } from '../../src/entries/testing.ts';

const clientInfo = { name: 'consumer', version: '1.0.0' };

async function main(): Promise<void> {
  const agent = scriptedAgent()
    .on('initialize', { protocolVersion: 1, agentCapabilities: {} })
    .on('session/new', { sessionId: 's1' })
    .on('session/prompt', (_params, script) => {
      const content = { type: 'text', text: 'Hello.' };
      script.update('s1', { sessionUpdate: 'agent_message_chunk', content });
      return { stopReason: 'end_turn' };
    });
  const connection = await connect(agent.transport, {
    clientInfo,
    handlers: { requestPermission: () => ({ outcome: 'cancelled' }) },
  });
  const session = await connection.newSession({ cwd: '/project' });
  const { stopReason } = await session.prompt('Hello?');
  const { entries } = session.conversation;
  const loading = connection.loadSession({ sessionId: 's2', cwd: '/project' });
  const refused: unknown = await loading.catch((error: unknown) => error);
  await connection.close();

  // The agent that ships with the package is found wherever the package is, by either of its copies.
  const demo = await connect(spawnAgent(demoAgentCommand({ sessionsDirectory: 'sessions' })), { clientInfo });
  const { sessions } = await demo.listSessions().page();
  await demo.close();

  // A program that cannot be started says so, and does not delay the end.
  const failed: unknown = await connect(spawnAgent({ command: '/no/such/agent' }), { clientInfo }).catch(
    (error: unknown) => error,
  );

  const v1: ContentBlockV1 = parse(ContentBlockV1, { type: 'text', text: 'one' });
  const v2: ContentBlockV2 = parse(ContentBlockV2, { type: 'text', text: 'two' });
  const folded = foldUpdate(emptyConversation('s3'), {
    sessionUpdate: 'agent_message_chunk',
    content: { type: 'text', text: 'Folded.' },
  });

  const findings = {
    stopReason,
    said: entries.map((entry) => (entry.kind === 'message' ? textOf(entry) : entry.kind)),
    refused: refused instanceof CapabilityError && refused.feature,
    demoSessions: sessions.length > 0,
    failed: AcpError.is(failed) && failed.code,
    blocks: [v1.type, v2.type],
    folded: renderText(folded),
  };
  console.log(JSON.stringify(findings));
}

void main();
