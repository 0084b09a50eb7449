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
    home.writeJson('.pi/agent/models.json', { providers: { mock: provider(modelUrl, apiKey) } });
    home.writeJson('.pi/agent/settings.json', { defaultProvider: 'mock', defaultModel: 'mock-model' });
    const path = [installed('.bin'), dirname(node(22)), process.env.PATH].join(delimiter);
    return {
      command: node(22),
      args: [installed('pi-acp/dist/index.js')],
      env: { PI_OFFLINE: '1', PATH: path },
    };
  },
};

/** oh-my-pi, which is made from pi and needs Bun. */
export const omp = {
  name: 'omp',
  package: '@oh-my-pi/pi-coding-agent@18.2.3',
  listed: { name: 'oh-my-pi', program: 'omp', args: ['acp'], isPinned: true },
  alsoInstalled: ['@oven/bun-linux-x64@1.4.5'],
  remark: 'the newest version whose parts fit together (2026-11-29)',
  sizeMiB: 1437,
  protocolVersions: [1],

  launch({ installed, home, modelUrl, apiKey }) {
    // JSON is YAML too.
    home.writeJson('.omp/agent/models.yml', {
      providers: { mock: { ...provider(modelUrl, apiKey ?? ''), auth: 'apiKey' } },
    });
    home.writeJson('.omp/agent/config.yml', {
      modelRoles: { default: 'mock/mock-model', smol: 'mock/mock-model' },
      startup: { checkUpdate: false },
    });
    return {
      command: installed('@oven/bun-linux-x64/bin/bun'),
      args: [installed('@oh-my-pi/pi-coding-agent/dist/cli.js'), 'acp'],
      env: { PI_OFFLINE: '1' },
    };
  },
};

function provider(modelUrl, apiKey) {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const model = { id: 'mock-model', name: 'mock-model', reasoning: true, input: ['text'], cost };
  const models = [{ ...model, contextWindow: 128_000, maxTokens: 8192 }];
  return { baseUrl: `${modelUrl}/v1`, api: 'openai-completions', apiKey, models };
}
