import { expect, test } from 'vitest';
import { settingsOf } from '../../../src/core/conversation/settings.ts';
import type { ConfigOption } from '../../../src/core/model/session.ts';
import { emptyConversation, foldUpdates } from '../../support/fold-any.ts';

const models = {
  currentModelId: 'small',
  availableModels: [
    { modelId: 'small', name: 'Small', description: 'Fast' },
    { modelId: 'large', name: 'Large' },
  ],
};

function fold(...configOptions: readonly ConfigOption[]) {
  return foldUpdates(emptyConversation('s1'), [
    { sessionUpdate: 'models_update', models },
    { sessionUpdate: 'config_option_update', configOptions },
  ]);
}

test('the models of a session are a setting', () => {
  expect(settingsOf(fold())).toEqual([
    {
      settingId: 'model',
      name: 'Model',
      description: null,
      category: 'model',
      value: 'small',
      choices: [
        { value: 'small', name: 'Small', description: 'Fast', group: null },
        { value: 'large', name: 'Large', description: null, group: null },
      ],
    },
  ]);
});

test('a config option for the model replaces the models', () => {
  const option = { type: 'select', name: 'Model', currentValue: 'small', options: [] } as const;
  expect(settingsOf(fold({ ...option, configId: 'model' }))).toHaveLength(1);
  expect(settingsOf(fold({ ...option, configId: 'm', category: 'model' }))).toMatchObject([
    { settingId: 'm' },
  ]);
});

test('a conversation without models has no key for them', () => {
  expect(emptyConversation('s1')).not.toHaveProperty('models');
});
