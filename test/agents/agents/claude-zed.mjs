/** Claude Code with the first adapter of Zed. It uses the files and terminals of the client. */
export const claudeZed = {
  name: 'claude-zed',
  package: '@zed-industries/claude-code-acp@0.16.2',
  sizeMiB: 124,
  nodeMajor: 22,
  protocolVersions: [1],

  launch({ installed, home, modelUrl, node, apiKey }) {
    return {
      command: node(22),
      args: [installed('@zed-industries/claude-code-acp/dist/index.js')],
      env: claudeEnvironment(home, modelUrl, apiKey),
    };
  },
};

/** The environment of Claude Code: the address of the model, and settings that turn other traffic off. */
export function claudeEnvironment(home, modelUrl, apiKey) {
  return {
    ANTHROPIC_BASE_URL: modelUrl,
    ANTHROPIC_API_KEY: apiKey,
    CLAUDE_CONFIG_DIR: home.path('.claude'),
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
  };
}
