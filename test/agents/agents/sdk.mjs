import { fileURLToPath } from 'node:url';

/** A small agent of this repository, on the official SDK. */
export const sdk = {
  name: 'sdk',
  package: '@agentclientprotocol/sdk@2.4.0',
  protocolVersions: [1, 2],

  launch({ home, node, apiKey }) {
    const program = fileURLToPath(new URL('../../peers/programs/agent.mjs', import.meta.url));
    const args = [program, 'sessions', home.path('sessions')];
    return { command: node(20), args, env: { SDK_AGENT_KEY: apiKey } };
  },
};
