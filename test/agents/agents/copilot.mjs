/** GitHub Copilot with a model of the user. */
export const copilot = {
  name: 'copilot',
  package: '@github/copilot@1.0.102',
  known: { id: 'github-copilot-cli', name: 'GitHub Copilot', program: 'copilot', args: ['--acp'] },
  sizeMiB: 189,
  protocolVersions: [1],

  launch({ installed, home, modelUrl, apiKey }) {
    return {
      command: installed('@github/copilot-linux-x64/copilot'),
      args: ['--acp', '--no-auto-update'],
      env: {
        COPILOT_HOME: home.path('.copilot'),
        COPILOT_PROVIDER_BASE_URL: `${modelUrl}/v1`,
        COPILOT_PROVIDER_TYPE: 'openai',
        COPILOT_PROVIDER_API_KEY: apiKey,
        COPILOT_MODEL: 'mock-model',
        COPILOT_OFFLINE: 'true',
        COPILOT_AUTO_UPDATE: 'false',
      },
    };
  },
};

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
