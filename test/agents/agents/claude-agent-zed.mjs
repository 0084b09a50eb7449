import { claudeEnvironment } from './claude-zed.mjs';

/** Claude Code with the second adapter of Zed, on the agent SDK of Anthropic. */
export const claudeAgentZed = {
  name: 'claude-agent-zed',
  package: '@zed-industries/claude-agent-acp@0.23.1',
  sizeMiB: 85,
  nodeMajor: 22,
  protocolVersions: [1],

  launch({ installed, home, modelUrl, node, apiKey }) {
    return {
      command: node(22),
      args: [installed('@zed-industries/claude-agent-acp/dist/index.js')],
      env: claudeEnvironment(home, modelUrl, apiKey),
    };
  },
};
