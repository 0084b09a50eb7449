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
  launch: launch('@agentclientprotocol/claude-agent-acp'),
};

/** Claude Code with an adapter that another one has replaced. */
const replaced = (name, npmPackage, version, more) => ({
  name,
  package: `${npmPackage}@${version}`,
  nodeMajor: 22,
  protocolVersions: [1],
  ...more,
  launch: launch(npmPackage),
});

/** The first adapter of Zed. It uses the files and terminals of the client. */
export const claudeZed = replaced('claude-zed', '@zed-industries/claude-code-acp', '0.16.2', {
  sizeMiB: 124,
});

/** The second one, on the agent SDK of Anthropic. */
export const claudeAgentZed = replaced('claude-agent-zed', '@zed-industries/claude-agent-acp', '0.23.1', {
  sizeMiB: 85,
});

/** That of sudocode, made from the first. */
export const claudeSudocode = replaced('claude-sudocode', '@sudocode-ai/claude-code-acp', '0.13.10', {
  sizeMiB: 125,
  listed: { name: 'Claude Code, by sudocode', program: 'claude-code-acp', args: [] },
});

/** Starts the adapter of a package, with the address of the model and settings that turn other traffic off. */
function launch(npmPackage) {
  return ({ installed, home, modelUrl, node, apiKey }) => ({
    command: node(22),
    args: [installed(`${npmPackage}/dist/index.js`)],
    env: {
      ANTHROPIC_BASE_URL: modelUrl,
      ANTHROPIC_API_KEY: apiKey,
      CLAUDE_CONFIG_DIR: home.path('.claude'),
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_ERROR_REPORTING: '1',
    },
  });
}
