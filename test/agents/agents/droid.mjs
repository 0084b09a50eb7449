/** Factory Droid. Without a network its prompts fail; its sessions can be listed and loaded. */
export const droid = {
  name: 'droid',
  package: 'droid@0.215.0',
  listed: {
    id: 'factory-droid',
    name: 'Factory Droid',
    program: 'droid',
    args: ['exec', '--output-format', 'acp'],
  },
  sizeMiB: 295,
  protocolVersions: [1],

  launch({ installed, home, modelUrl, apiKey }) {
    const model = { model: 'mock-model', displayName: 'Mock', baseUrl: `${modelUrl}/v1`, apiKey };
    const provider = 'generic-chat-completion-api';
    home.writeJson('.factory/settings.json', {
      customModels: [{ ...model, id: 'custom:Mock-0', index: 0, provider, maxOutputTokens: 8192 }],
    });
    return {
      command: installed('@factory/cli-linux-x64/bin/droid'),
      args: ['exec', '--output-format', 'acp', '-m', 'custom:Mock-0'],
      env: { FACTORY_API_KEY: apiKey && `fk-${apiKey}`, FACTORY_DROID_AUTO_UPDATE_ENABLED: 'false' },
    };
  },
};
