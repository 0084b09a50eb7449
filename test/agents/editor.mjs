import { connect } from '../../dist/index.js';
import { nodeFileSystem, nodeTerminals, spawnAgent } from '../../dist/node.js';

const everything = Object.fromEntries(Object.keys(process.env).map((name) => [name, undefined]));

/**
 * A minimal editor on this library: one run of an agent, connected, with files, terminals and answers to permission
 * requests.
 *
 * `asking` are the options with which it asks for permission when it is started. `open` opens the channel to an agent that runs already. Without it, the agent is started.
 *
 * It records `messages` in the order of the wire, as `{ direction, t, message }`, and `diagnostics`. Without `messages`,
 * the list is a new one. `answerWith` sets how
 * permission requests are answered from now on: `allow`, `reject`, or `hold` to leave them open.
 */
export async function startEditor({
  agent,
  launch,
  place,
  protocolVersions,
  reconnect,
  asking = { permissions: 'ask' },
  onAuthRequired,
  open,
  messages = [],
}) {
  const diagnostics = [];
  const stderr = [];
  let policy = 'allow';
  let held = () => {};
  let beforeStart = () => {};
  let child;
  const start = () => {
    beforeStart();
    if (open) return open();
    child = spawnAgent({
      command: launch.command,
      args: launch.args,
      cwd: place.project.folder,
      env: { ...everything, ...place.environment, ...launch.env },
      ...asking,
      onStderr: (text) => stderr.push(text),
      shutdown: { graceMs: 4000, killAfterMs: 4000 },
    });
    return child;
  };
  const terminals = nodeTerminals({ cwd: place.project.folder });
  const answers = {
    allow: ({ options }) => select(options, ['allow_once', 'allow_always']),
    reject: ({ options }) => select(options, ['reject_once', 'reject_always']),
    hold: (_request, signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve({ outcome: 'cancelled' }), { once: true });
        held(signal);
      }),
  };
  let connection;
  try {
    connection = await connect(start, {
      clientInfo: { name: 'acp-client-sdk-agents', title: 'Agents suite', version: '1.0.0' },
      protocolVersions,
      ...(reconnect && { reconnect }),
      ...(onAuthRequired && { onAuthRequired }),
      handlers: {
        ...nodeFileSystem({ roots: [place.project.folder], ...agent.fileSystem }),
        terminals,
        requestPermission: (request, { signal }) => answers[policy](request, signal),
      },
      trace: {
        write: ({ dir: direction, t, msg: message }) => messages.push({ direction, t, message }),
        redact: (message) => message,
        maxTextLength: Number.POSITIVE_INFINITY,
      },
      onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
    });
  } catch (error) {
    await terminals.close();
    await child?.close();
    error.message += ` It wrote to stderr: ${stderr.join('').slice(-500) || 'nothing'}`;
    throw error;
  }
  const { protocolVersion, dialect, agentInfo, features } = connection;
  return {
    connection,
    /** What the agent answered to `initialize`. */
    answer: { protocolVersion, dialect, agentInfo, features },
    messages,
    diagnostics,
    get process() {
      return child;
    },
    answerWith(name) {
      policy = name;
    },
    /** Resolves when the agent is about to be started again, with what `look` returns at that moment. */
    whenRestarting: (look) =>
      new Promise((resolve) => {
        beforeStart = () => resolve(look());
      }),
    /** Resolves when a permission request is left open, with the signal that is aborted when it is withdrawn. */
    nextHeld: () =>
      new Promise((resolve) => {
        held = resolve;
      }),
    /** The methods of the requests that came from the agent after the first `from` messages. */
    calledSince: (from) =>
      messages
        .slice(from)
        .filter(({ direction, message }) => direction === 'in' && 'method' in message && 'id' in message)
        .map(({ message }) => message.method),
    async close() {
      await connection.close();
      await terminals.close();
    },
  };
}

/** Selects the option of the first kind that is offered. Without one, the answer is `cancelled`. */
function select(options, kinds) {
  for (const kind of kinds) {
    const option = options.find((candidate) => candidate.kind === kind);
    if (option) return { outcome: 'selected', optionId: option.optionId };
  }
  return { outcome: 'cancelled' };
}

/** Opens a session in the project's folder, in the mode in which the agent asks for permission, as the library knows it. `params`: further parameters. */
export async function openSession({ editor, place }, params = {}) {
  return editor.connection.newSession({ cwd: place.project.folder, ...params }, { permissions: 'ask' });
}
