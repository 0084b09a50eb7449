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
  const { connect, ...transports } = await import(new URL('index.js', build));
  const transport = remote
    ? remoteTransportOf(transports, remote)
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
      const conversation = conversationOf(session);
      return { session, conversation, entries: conversation.entries };
    },
    /** A new session. */
    async open() {
      const session = await connection.newSession({ cwd });
      const answers = () => conversationOf(session).entries.filter(({ role }) => role === 'agent');
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

function remoteTransportOf({ remoteTransport, streamableHttpTransport }, remote) {
  if (remote.way === 'websocket')
    return remoteTransport(webSocketUrl(remote.url), { WebSocket: socketTrusting(remote.ca) });
  const options = { fetch: fetchOver(remote) };
  // Earlier commits have a function for it: `--compare` measures them with this file.
  if (streamableHttpTransport) return streamableHttpTransport(remote.url, options);
  return remoteTransport(remote.url, { ...options, WebSocket: false });
}

function countEntries(onEntries) {
  return ({ session }) => onEntries(conversationOf(session).entries.length);
}

/** How earlier commits named what `session.conversation` is now: `--compare` measures them with this file. */
const oldNames = {
  'session.conversation.getSnapshot()': ({ conversation }) => conversation.getSnapshot?.(),
};

function conversationOf(session) {
  for (const read of Object.values(oldNames)) {
    const found = read(session);
    if (found) return found;
  }
  return session.conversation;
}
