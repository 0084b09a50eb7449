import { codexConfiguration } from './codex.mjs';

/** OpenAI Codex with the adapter of Zed, a native program. */
export const codexZed = {
  name: 'codex-zed',
  package: '@zed-industries/codex-acp@0.16.0',
  sizeMiB: 223,
  protocolVersions: [1],

  launch({ installed, home, modelUrl, apiKey }) {
    home.write('.codex/config.toml', codexConfiguration(modelUrl));
    return {
      command: installed('@zed-industries/codex-acp-linux-x64/bin/codex-acp'),
      args: [],
      env: { CODEX_HOME: home.path('.codex'), MOCK_API_KEY: apiKey, NO_BROWSER: '1' },
    };
  },
};
