// Their prompts need a login, and the login needs a network.

/** Factory Droid. Its sessions can be listed and loaded. */
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

/** Augment's Auggie. It opens no session. */
export const auggie = {
  name: 'auggie',
  package: '@augmentcode/auggie@0.36.0',
  listed: { id: 'auggie', name: 'Auggie', program: 'auggie', args: ['--acp'] },
  sizeMiB: 39,
  protocolVersions: [1],

  launch({ installed, node }) {
    return {
      command: node(20),
      args: [installed('@augmentcode/auggie/augment.mjs'), '--acp'],
      env: { AUGMENT_DISABLE_AUTO_UPDATE: '1' },
    };
  },
};

/** Qoder. It opens no session. */
export const qoder = {
  name: 'qoder',
  package: '@qoder-ai/qodercli@1.1.52',
  listed: { id: 'qoder', name: 'Qoder', program: 'qodercli', args: ['--acp'] },
  sizeMiB: 92,
  protocolVersions: [1],

  launch({ installed, node }) {
    return {
      command: node(20),
      args: [installed('@qoder-ai/qodercli/bundle/qodercli.js'), '--acp'],
      env: {},
    };
  },
};
