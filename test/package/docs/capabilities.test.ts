import { test } from 'vitest';
import { featureNames, unstableFeatures } from '../../../src/protocol/feature.ts';
import type { AgentMethod } from '../../../src/protocol/method.ts';
import { v1 } from '../../../src/protocol/v1/index.ts';
import { v2Baseline, v2Markers } from '../../../src/protocol/v2/index.ts';
import { expectGenerated, table } from './generated.ts';

const dialects = [v1, v2Markers, v2Baseline];

test('the table of features is up to date', () => {
  const rows = featureNames.map((feature) => [
    `\`${feature}\`${unstableFeatures.has(feature) ? ' (unstable)' : ''}`,
    ...dialects.map(({ features }) => {
      const { path, kind, or } = features[feature];
      if (kind === 'always' || kind === 'never') return kind;
      return `\`${path}\` ${kind}${or ? `, or \`${or.path}\` ${or.kind}` : ''}`;
    }),
  ]);
  expectGenerated(
    'docs/capabilities.md',
    'features',
    table(['feature', 'version 1', 'version 2 with markers', 'version 2'], rows),
  );
});

test('the table of methods is up to date', () => {
  const names = [...new Set(dialects.flatMap(({ agentMethods }) => Object.keys(agentMethods)))].sort();
  const gate = (method: AgentMethod | undefined) => {
    if (!method) return '–';
    return method.requires ? `\`${method.requires}\`` : 'no gate';
  };
  const rows = names.map((name) => [
    `\`${name}\``,
    ...dialects.map(({ agentMethods }) => gate(agentMethods[name])),
  ]);
  expectGenerated(
    'docs/capabilities.md',
    'methods',
    table(['method', 'version 1', 'version 2 with markers', 'version 2'], rows),
  );
});
