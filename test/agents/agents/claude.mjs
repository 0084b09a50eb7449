import { claudeEnvironment } from './claude-zed.mjs';

/** Claude behind the adapter that speaks both versions. */
export const claude = {
  name: 'claude',
  package: '@agentclientprotocol/claude-agent-acp@0.100.0',
  sizeMiB: 391,
  nodeMajor: 22,
  protocolVersions: [1, 2],

  launch({ installed, home, modelUrl, node }) {
    return {
      command: node(22),
      args: [installed('@agentclientprotocol/claude-agent-acp/dist/index.js')],
      env: claudeEnvironment(home, modelUrl),
    };
  },
};
