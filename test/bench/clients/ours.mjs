import { agentCommand, clientInfo, cwd } from './agent-command.mjs';
import { fetchOver, socketTrusting, webSocketUrl } from './remote-ways.mjs';

/**
 * This library as an editor uses it: checked, folded, readable.
 *
 * @param remote - The server of the agent. Without it, the agent is a child process.
 * @param build - The folder with the build to measure, as a URL that ends with a slash.
 */
export async function connectOurs({
  version,
  histories,
  remote,
  build = new URL('../../../dist/', import.meta.url),
}) {
  const { connect, remoteTransport } = await import(new URL('index.js', build));
  const transport = remote
    ? remoteTransportOf(remoteTransport, remote)
    : (await import(new URL('node.js', build))).spawnAgent(agentCommand(version, histories));
  const problems = [];
  const connection = await connect(transport, {
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
      return { session, conversation: session.conversation };
    },
    /** A new session. */
    async open() {
      const session = await connection.newSession({ cwd });
      const answers = () => session.conversation.entries.filter(({ role }) => role === 'agent');
      return {
        sessionId: session.sessionId,
        prompt: (text) => session.prompt(text),
        text: () =>
          answers()
            .flatMap(({ content }) => content.map(({ text }) => text))
            .join(''),
      };
    },
    close: () => connection.close(),
  };
}

function remoteTransportOf(remoteTransport, remote) {
  if (remote.way === 'websocket')
    return remoteTransport(webSocketUrl(remote.url), { WebSocket: socketTrusting(remote.ca) });
  return remoteTransport(remote.url, { fetch: fetchOver(remote), WebSocket: false });
}

function countEntries(onEntries) {
  return ({ session }) => onEntries(session.conversation.entries.length);
}
