/** opencode, a native program. */
export const opencode = {
  name: 'opencode',
  package: 'opencode-ai@1.18.33',
  known: { id: 'opencode', name: 'OpenCode', program: 'opencode', args: ['acp'] },
  sizeMiB: 354,
  protocolVersions: [1],

  launch({ installed, home, modelUrl, apiKey }) {
    home.writeJson('.config/opencode/opencode.json', configuration(modelUrl, apiKey));
    return {
      command: installed('opencode-linux-x64/bin/opencode'),
      args: ['acp', '--pure'],
      env: environment('OPENCODE'),
    };
  },
};

/** Kilo, which is made from opencode. */
export const kilo = {
  name: 'kilo',
  package: '@kilocode/cli@7.7.7',
  listed: { name: 'Kilo', program: 'kilo', args: ['acp'], isPinned: true },
  remark: 'the newest version with a program for Linux on npm: 7.8.1 has none (2026-11-29)',
  sizeMiB: 228,
  protocolVersions: [1],

  launch({ installed, home, modelUrl, apiKey }) {
    home.writeJson('.config/kilo/kilo.json', configuration(modelUrl, apiKey));
    return {
      command: installed('@kilocode/cli-linux-x64/bin/kilo'),
      args: ['acp', '--pure'],
      env: { ...environment('OPENCODE'), ...environment('KILO'), KILO_TELEMETRY_LEVEL: 'off' },
    };
  },
};

function configuration(modelUrl, apiKey) {
  const model = { name: 'Mock model', tool_call: true, limit: { context: 128_000, output: 8192 } };
  return {
    autoupdate: false,
    share: 'disabled',
    model: 'mock/mock-model',
    small_model: 'mock/mock-model',
    provider: {
      mock: {
        npm: '@ai-sdk/openai-compatible',
        name: 'Mock',
        options: { baseURL: `${modelUrl}/v1`, apiKey },
        models: { 'mock-model': model },
      },
    },
  };
}

const environment = (prefix) => ({
  [`${prefix}_DISABLE_AUTOUPDATE`]: '1',
  [`${prefix}_DISABLE_MODELS_FETCH`]: '1',
  [`${prefix}_DISABLE_LSP_DOWNLOAD`]: '1',
});
