import * as v from 'valibot';
import { expect, test } from 'vitest';
import { dialects } from '../../../../../src/core/protocol/dialects.ts';
import { methodTemplates } from '../../../../../src/programs/inspector/server/method-templates.ts';
import { dialectNames } from '../../../../support/agents.ts';

test.each(dialectNames)('the template of each method of %s has the required parameters', (name) => {
  const { agentMethods } = dialects[name];
  const templates = methodTemplates('/home/user')[name];
  expect(templates.map(({ method }) => method)).toEqual(Object.keys(agentMethods));
  for (const { method, params } of templates) {
    const schema = agentMethods[method]?.params;
    expect(schema && v.is(schema, params), method).toBe(true);
    for (const field of Object.keys(params)) {
      const { [field]: _, ...others } = params;
      expect(schema && v.is(schema, others), `${method} without ${field}`).toBe(false);
    }
  }
});
