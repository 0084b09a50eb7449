import { fileURLToPath } from 'node:url';

/** A small agent of this suite's own, on the official SDK that the project has installed for its tests. */
export const sdk = {
  name: 'sdk',
  package: '@agentclientprotocol/sdk@2.4.0',
  protocolVersions: [1, 2],

  launch({ home, node }) {
    const program = fileURLToPath(new URL('../sdk-agent/main.mjs', import.meta.url));
    return { command: node(20), args: [program, home.path('sessions')], env: {} };
  },
};
