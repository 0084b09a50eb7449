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
