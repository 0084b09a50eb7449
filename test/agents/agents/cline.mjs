/** Cline. It leaves a daemon behind, which the suite ends. */
export const cline = {
  name: 'cline',
  package: 'cline@3.0.65',
  known: { id: 'cline', name: 'Cline', program: 'cline', args: ['--acp'] },
  sizeMiB: 439,
  protocolVersions: [1],

  launch({ installed, home, modelUrl, apiKey }) {
    home.writeJson('.cline/data/settings/providers.json', {
      version: 1,
      lastUsedProvider: 'openai-compatible',
      providers: {
        'openai-compatible': {
          settings: {
            provider: 'openai-compatible',
            apiKey,
            model: 'mock-model',
            baseUrl: `${modelUrl}/v1`,
          },
          updatedAt: '2025-01-01T00:00:00.000Z',
          tokenSource: 'manual',
        },
      },
    });
    return {
      command: installed('@cline/cli-linux-x64/bin/cline'),
      args: ['--acp'],
      env: { CLINE_API_KEY: apiKey, CLINE_PROVIDER: 'openai-compatible', CLINE_MODEL: 'mock-model' },
    };
  },
};
