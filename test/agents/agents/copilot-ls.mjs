/** The language server of GitHub Copilot, a native program. Its models are those of GitHub only. */
export const copilotLanguageServer = {
  name: 'copilot-ls',
  package: '@github/copilot-language-server@1.539.0',
  sizeMiB: 640,
  protocolVersions: [1],

  launch({ installed, apiKey }) {
    return {
      command: installed('@github/copilot-language-server-linux-x64/copilot-language-server'),
      args: ['--acp'],
      env: {
        GH_COPILOT_TOKEN: apiKey,
        // At its start it asks npm for the Copilot CLI. Without a network, npm would try for half a minute.
        npm_config_offline: 'true',
        npm_config_fetch_retries: '0',
      },
    };
  },
};
