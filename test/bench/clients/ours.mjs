import { agentCommand, clientInfo, cwd } from './agent-command.mjs';

/**
 * This library as an editor uses it: checked, folded, readable.
 *
 * @param build - The folder with the build to measure, as a URL that ends with a slash.
 */
export async function connectOurs({
  version,
  histories,
  build = new URL('../../../dist/', import.meta.url),
}) {
  const [{ connect }, { spawnAgent }] = await Promise.all([
    import(new URL('index.js', build)),
    import(new URL('node.js', build)),
  ]);
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
    /** `onEntries` is called with the number of readable entries, `onProgress` by the library. */
    async replay(sessionId, { onEntries, onProgress = onEntries && countEntries(onEntries) } = {}) {
      const options = onProgress ? { onProgress } : {};
      const session = await connection.loadSession({ sessionId, cwd }, options);
      const conversation = session.conversation;
      return { session, conversation, entries: conversation.entries };
    },
    close: () => connection.close(),
  };
}

function countEntries(onEntries) {
  return ({ session }) => onEntries(session.conversation.entries.length);
}
