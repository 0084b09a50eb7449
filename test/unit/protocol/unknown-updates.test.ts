import { describe, expect, it } from 'vitest';
import { v1 } from '../../../src/protocol/v1/index.ts';
import { v2Baseline } from '../../../src/protocol/v2/index.ts';

/** Tags that only the client may make, and those of the other version. */
const clients = [
  'prompt_submitted',
  'prompt_settled',
  'permission_update',
  'unfinished_cancelled',
  'modes_update',
  'terminal_output_reported',
  'terminal_started',
  'terminal_printed',
  'terminal_read',
  'terminal_exited',
];
const foreign = {
  v1: ['state_update', 'user_message', '_unknown'],
  v2: ['tool_call', 'plan', 'current_mode_update'],
};

describe.each([
  { dialect: v1, tags: [...clients, ...foreign.v1] },
  { dialect: v2Baseline, tags: [...clients, ...foreign.v2] },
])('an update that $dialect.name does not have', ({ dialect, tags }) => {
  it.each([...tags, '_vendor/thing', 'from_the_future', 'constructor', 'toString'])(
    'is kept as it came, and wrapped: %s',
    (sessionUpdate) => {
      const update = { sessionUpdate, key: 'k', toolCallId: 't' };
      const normalized = dialect.normalize(update).update;
      expect(normalized).toEqual({ sessionUpdate: '_unknown', update });
    },
  );

  it.each([
    [null, 'update'],
    ['text', 'update'],
    [[], 'update'],
    [{}, 'update.sessionUpdate'],
    [{ sessionUpdate: 5 }, 'update.sessionUpdate'],
  ])('is malformed without a tag: %o', (update, path) => {
    expect(dialect.normalize(update)).toMatchObject({ update: undefined, issues: [{ path }] });
  });
});
