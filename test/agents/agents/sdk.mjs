import { fileURLToPath } from 'node:url';

/** A small agent in this folder, on the official SDK. */
export const sdk = {
  name: 'sdk',
  package: '@agentclientprotocol/sdk@2.4.0',
  protocolVersions: [1, 2],

  launch({ home, node, apiKey }) {
    const program = fileURLToPath(new URL('../sdk-agent/main.mjs', import.meta.url));
    return { command: node(20), args: [program, home.path('sessions')], env: { SDK_AGENT_KEY: apiKey } };
  },
};
