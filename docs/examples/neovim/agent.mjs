import { connect } from 'acp-client-sdk';
import { demoAgentCommand, nodeFileSystem, nodeTerminals, spawnAgent } from 'acp-client-sdk/node';

let connecting; // a promise

/** The connection to the agent. It is another one after the connection has ended. */
export async function connection(nvim, requestPermission) {
  const before = connecting;
  const earlier = await before?.catch(() => {});
  await earlier?.ready.catch(() => {}); // after a crash, the agent can still be starting
  if (earlier && earlier.state !== 'closed') return earlier;
  if (connecting === before) connecting = start(nvim, requestPermission);
  return connecting;
}

/** Ends the agent and what it started. */
export async function disconnect() {
  const opened = await connecting?.catch(() => {});
  await opened?.close();
}

async function start(nvim, requestPermission) {
  const cwd = await nvim.call('getcwd');
  const [command, ...args] = await nvim.eval("get(g:, 'acp_command', [])");
  const onStderr = (text) => nvim.logger.info(text);
  const callFiles = (name, ...given) => nvim.lua(`return require('acp.files').${name}(...)`, given);
  const agent = () => spawnAgent(command ? { command, args, cwd, onStderr } : demoAgentCommand());
  return connect(agent, {
    clientInfo: { name: 'acp-nvim', version: '1.0.0' },
    handlers: {
      requestPermission,
      ...nodeFileSystem({
        roots: [cwd],
        openBuffer: async (path) => (await callFiles('read', path)) ?? undefined,
        async writeBuffer(path, content) {
          const result = await callFiles('write', path, content);
          if (typeof result === 'string') throw new Error(result);
          return result;
        },
      }),
      terminals: nodeTerminals({ cwd }),
    },
    onDiagnostic: ({ message }) => nvim.logger.warn(message),
    // After a crash, the agent starts again and the session continues. The user sees at once how it ended.
    reconnect: { maxAttempts: 3, resendPrompts: 'never' },
  });
}
