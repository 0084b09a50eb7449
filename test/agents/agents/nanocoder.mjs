/** nanocoder. It asks for permission in its mode `normal` only. */
export const nanocoder = {
  name: 'nanocoder',
  package: '@nanocollective/nanocoder@1.30.0',
  known: { id: 'nanocoder', name: 'nanocoder', program: 'nanocoder', args: ['--acp'] },
  sizeMiB: 305,
  nodeMajor: 22,
  protocolVersions: [1],

  launch({ installed, home, modelUrl, node, apiKey }) {
    const provider = { name: 'mock', baseUrl: `${modelUrl}/v1`, apiKey, models: ['mock-model'] };
    home.writeJson('.config/nanocoder/agents.config.json', { nanocoder: { providers: [provider] } });
    return {
      command: node(22),
      args: [installed('@nanocollective/nanocoder/dist/cli.js'), '--acp'],
      env: {},
    };
  },
};
