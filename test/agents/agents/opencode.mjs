/** opencode, a native program. */
export const opencode = {
  name: 'opencode',
  package: 'opencode-ai@1.18.33',
  known: { id: 'opencode', name: 'OpenCode', program: 'opencode', args: ['acp'] },
  sizeMiB: 354,
  protocolVersions: [1],

  launch({ installed, home, modelUrl, apiKey }) {
    const model = { name: 'Mock model', tool_call: true, limit: { context: 128_000, output: 8192 } };
    home.writeJson('.config/opencode/opencode.json', {
      autoupdate: false,
      share: 'disabled',
      model: 'mock/mock-model',
      small_model: 'mock/mock-model',
      permission: { edit: 'ask', bash: 'ask', webfetch: 'ask' },
      provider: {
        mock: {
          npm: '@ai-sdk/openai-compatible',
          name: 'Mock',
          options: { baseURL: `${modelUrl}/v1`, apiKey },
          models: { 'mock-model': model },
        },
      },
    });
    return {
      command: installed('opencode-linux-x64/bin/opencode'),
      args: ['acp', '--pure'],
      env: {
        OPENCODE_DISABLE_AUTOUPDATE: '1',
        OPENCODE_DISABLE_MODELS_FETCH: '1',
        OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      },
    };
  },
};
