import { claudeEnvironment } from './claude-zed.mjs';

/** Claude Code with the adapter that speaks both versions. */
export const claude = {
  name: 'claude',
  package: '@agentclientprotocol/claude-agent-acp@0.101.0',
  known: { id: 'claude-acp', name: 'Claude Code', program: 'claude-agent-acp', args: [] },
  sizeMiB: 391,
  nodeMajor: 22,
  protocolVersions: [1, 2],
  varies: [1, 2].map((version) => ({
    version,
    step: 'delete',
    outcomes: ['works', 'differs'],
    reason: 'the agent can write the file of a resumed session again after it has deleted it',
  })),

  launch({ installed, home, modelUrl, node, apiKey }) {
    return {
      command: node(22),
      args: [installed('@agentclientprotocol/claude-agent-acp/dist/index.js')],
      env: claudeEnvironment(home, modelUrl, apiKey),
    };
  },
};
