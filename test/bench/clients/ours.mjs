import { connect } from '../../../dist/index.js';
import { spawnAgent } from '../../../dist/node.js';
import { agentCommand, clientInfo, cwd } from './agent-command.mjs';

/** This library as an editor uses it: checked, folded, readable. */
export async function connectOurs({ version, histories }) {
  const problems = [];
  const connection = await connect(spawnAgent(agentCommand(version, histories)), {
    clientInfo,
    protocolVersions: [version],
    onDiagnostic(diagnostic) {
      if (diagnostic.severity !== 'info') problems.push(diagnostic);
    },
  });
  return {
    connection,
    problems,
    async replay(sessionId) {
      const session = await connection.loadSession({ sessionId, cwd });
      const conversation = session.conversation.getSnapshot();
      return { session, conversation, entries: conversation.entries };
    },
    close: () => connection.close(),
  };
}
