import { readFileSync, writeFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';

const folder = '@xai-official/grok-linux-x64/bin';

/** xAI Grok. Its package contains the program in compressed form. */
export const grok = {
  name: 'grok',
  package: '@xai-official/grok@1.0.41',
  known: { id: 'grok-build', name: 'Grok', program: 'grok', args: ['agent', 'stdio'] },
  sizeMiB: 220,
  protocolVersions: [1],

  afterInstall(installed) {
    const program = brotliDecompressSync(readFileSync(installed(`${folder}/grok.br`)));
    writeFileSync(installed(`${folder}/grok-bin`), program, { mode: 0o755 });
  },

  launch({ installed, home, modelUrl, apiKey }) {
    const key = apiKey && `xai-${apiKey}`;
    home.write(
      '.grok/config.toml',
      `[models]
default = "mock"

[model.mock]
model = "mock-model"
base_url = "${modelUrl}/v1"
name = "Mock"
${key ? `api_key = "${key}"` : ''}
`,
    );
    return {
      command: installed(`${folder}/grok-bin`),
      args: ['agent', 'stdio'],
      env: { XAI_API_KEY: key, GROK_MODELS_BASE_URL: `${modelUrl}/v1`, GROK_DISABLE_AUTOUPDATER: '1' },
    };
  },
};
