/** OpenAI Codex with the adapter that speaks both versions. */
export const codex = {
  name: 'codex',
  package: '@agentclientprotocol/codex-acp@2.6.0',
  known: { id: 'codex-acp', name: 'Codex', program: 'codex-acp', args: [] },
  sizeMiB: 457,
  protocolVersions: [1, 2],

  launch({ installed, home, modelUrl, node, apiKey }) {
    home.write('.codex/config.toml', codexConfiguration(modelUrl));
    return {
      command: node(20),
      args: [installed('@agentclientprotocol/codex-acp/dist/index.js')],
      env: {
        CODEX_HOME: home.path('.codex'),
        MOCK_API_KEY: apiKey,
        MODEL_PROVIDER: 'mock',
        NO_BROWSER: '1',
      },
    };
  },
};

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

/** The configuration of Codex: the address of the model. */
function codexConfiguration(modelUrl) {
  return `model = "gpt-5.5"
model_provider = "mock"
check_for_update_on_startup = false

[analytics]
enabled = false

[tools.update_plan]
enabled = true

[model_providers.mock]
name = "mock"
base_url = "${modelUrl}/v1"
wire_api = "responses"
env_key = "MOCK_API_KEY"
requires_openai_auth = false
supports_websockets = false
request_max_retries = 1
stream_max_retries = 1
`;
}
