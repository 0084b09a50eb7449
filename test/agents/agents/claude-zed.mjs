/** Claude Code behind Zed's first adapter: it works through the client's files and terminals. */
export const claudeZed = {
  name: 'claude-zed',
  package: '@zed-industries/claude-code-acp@0.16.2',
  sizeMiB: 124,
  nodeMajor: 22,
  protocolVersions: [1],

  launch({ installed, home, modelUrl, node }) {
    return {
      command: node(22),
      args: [installed('@zed-industries/claude-code-acp/dist/index.js')],
      env: claudeEnvironment(home, modelUrl),
    };
  },
};

/** Claude Code with its model elsewhere, and nothing else that it might reach for. */
export function claudeEnvironment(home, modelUrl) {
  return {
    ANTHROPIC_BASE_URL: modelUrl,
    ANTHROPIC_API_KEY: 'mock',
    CLAUDE_CONFIG_DIR: home.path('.claude'),
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
  };
}
