import { delimiter, dirname } from 'node:path';

/** pi with its adapter, which starts the `pi` in PATH. It runs tools without asking for permission. */
export const pi = {
  name: 'pi',
  package: 'pi-acp@0.0.34',
  known: { id: 'pi-acp', name: 'pi', program: 'pi-acp', args: [] },
  alsoInstalled: ['@earendil-works/pi-coding-agent@1.5.2'],
  remark:
    'with `@earendil-works/pi-coding-agent@1.5.2`, the newest version that npm installs: 1.6.0 needs packages that are not there (2026-11-26)',
  sizeMiB: 166,
  nodeMajor: 22,
  protocolVersions: [1],

  launch({ installed, home, modelUrl, node, apiKey }) {
    const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
    const model = { id: 'mock-model', name: 'mock-model', reasoning: true, input: ['text'], cost };
    const models = [{ ...model, contextWindow: 128_000, maxTokens: 8192 }];
    const api = 'openai-completions';
    home.writeJson('.pi/agent/models.json', {
      providers: { mock: { baseUrl: `${modelUrl}/v1`, api, apiKey, models } },
    });
    home.writeJson('.pi/agent/settings.json', { defaultProvider: 'mock', defaultModel: 'mock-model' });
    const path = [installed('.bin'), dirname(node(22)), process.env.PATH].join(delimiter);
    return {
      command: node(22),
      args: [installed('pi-acp/dist/index.js')],
      env: { PI_OFFLINE: '1', PATH: path },
    };
  },
};
