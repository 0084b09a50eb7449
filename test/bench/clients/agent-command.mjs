import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../agent.mjs', import.meta.url));

/** The command line of an agent that knows these corpora, by the id of their session. */
export function agentCommand(version, histories) {
  return { command: process.execPath, args: [program, String(version), JSON.stringify(histories)] };
}

export const clientInfo = { name: 'bench', version: '1.0.0' };
export const cwd = '/home/user/project';

/** How each version asks for a replay on the wire. */
export const replayRequest = {
  1: (sessionId) => ({ method: 'session/load', params: { sessionId, cwd, mcpServers: [] } }),
  2: (sessionId) => ({
    method: 'session/resume',
    params: { sessionId, cwd, mcpServers: [], replayFrom: { type: 'start' } },
  }),
};

export const initializeParams = {
  1: { protocolVersion: 1, clientInfo, clientCapabilities: {} },
  2: { protocolVersion: 2, info: clientInfo, capabilities: {} },
};

const agentInfo = { name: 'bench-agent', version: '1.0.0' };

/** What the agents of the benchmark answer. */
export const initializeResult = {
  1: {
    protocolVersion: 1,
    agentInfo,
    agentCapabilities: { loadSession: true, sessionCapabilities: { close: {} } },
  },
  2: { protocolVersion: 2, info: agentInfo, capabilities: { session: {} } },
};
