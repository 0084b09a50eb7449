import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { droppedParts } from '../../../src/core/protocol/dropped.ts';
import { v1 } from '../../../src/core/protocol/v1/index.ts';
import { v2Baseline, v2Markers } from '../../../src/core/protocol/v2/index.ts';
import {
  lenient,
  lenientArray,
  rewritten,
  struct,
  withDefault,
} from '../../../src/core/protocol/vocabulary.ts';
import { updates, versions } from '../../oracle/ours.ts';
import { officialDefs } from '../../support/official-schema.ts';
import { runs } from '../../support/runs.ts';
import { instanceOf, mutationsOf } from '../../support/schema-arbitrary.ts';

const dialects = [v1, v2Baseline, v2Markers];
const second = [v2Baseline, v2Markers];

const text = { type: 'text', text: 'Hello' };
const block = { type: 'content', content: text };

describe.each(dialects)('a malformed part of an update ($name)', (dialect) => {
  it('is named, with the reason', () => {
    const update = {
      sessionUpdate: 'tool_call_update',
      toolCallId: 't',
      title: 5,
      locations: [{ path: '/a' }, { path: 7 }, 'text'],
    };
    expect(dialect.normalize(update)).toEqual({
      update: {
        sessionUpdate: 'tool_call_update',
        toolCallId: 't',
        // A rule of permissions sees that there are three.
        locations: [{ path: '/a' }, { path: '{"path":7}' }, { path: '"text"' }],
      },
      dropped: [
        { path: 'update.title', message: 'must be a string; got 5' },
        { path: 'update.locations.1.path', message: 'must be a string; got 7' },
        { path: 'update.locations.2', message: 'must be an object; got "text"' },
      ],
    });
  });

  it('is not reported for an update without one', () => {
    const update = { sessionUpdate: 'tool_call_update', toolCallId: 't', content: [block] };
    expect(dialect.normalize(update)).toEqual({ update });
    expect(dialect.normalize({ sessionUpdate: 'from_the_future', content: 5 })).not.toHaveProperty('dropped');
  });

  it('is kept as unknown content in the content of a tool call', () => {
    const malformed = [{ type: 'content', content: { type: 'text' } }, 5];
    const content = [block, ...malformed];
    expect(dialect.normalize({ sessionUpdate: 'tool_call_update', toolCallId: 't', content })).toEqual({
      update: {
        sessionUpdate: 'tool_call_update',
        toolCallId: 't',
        content: [block, ...malformed.map((value) => ({ type: '_malformed', value }))],
      },
      dropped: [
        { path: 'update.content.1.content.text', message: 'is missing' },
        { path: 'update.content.2', message: 'must be an object; got 5' },
      ],
    });
  });

  it.each([[null], [undefined], [5]])(
    'never makes an empty edit of a diff whose new text is %j',
    (newText) => {
      const diff = { type: 'diff', path: '/a', oldText: 'old', newText };
      const update = { sessionUpdate: 'tool_call_update', toolCallId: 't', content: [diff] };
      expect(dialect.normalize(update)).toMatchObject({
        update: { content: [{ type: '_malformed', value: diff }] },
        dropped: [{ path: expect.stringMatching(/^update\.content\.0\./) }],
      });
      const toolCall = { toolCallId: 't', title: 'Edit', content: [diff] };
      const options = [{ optionId: 'o', name: 'Yes', kind: 'allow_once' }];
      expect(dialect.normalizePermission({ sessionId: 's', toolCall, options })).toMatchObject({
        toolCall: { content: [{ type: '_malformed', value: diff }] },
        dropped: [{ path: expect.stringMatching(/toolCall\.content\.0\./) }],
      });
    },
  );

  it('is kept as an unknown block in the summary of a compaction', () => {
    const summary = [text, { type: 'text', txt: 'typo' }];
    const update = { sessionUpdate: 'compaction_update', compactionId: 'c', status: 'completed', summary };
    expect(dialect.normalize(update)).toMatchObject({
      update: { summary: [text, { type: '_malformed', value: summary[1] }] },
      dropped: [{ path: 'update.summary.1.text', message: 'is missing' }],
    });
  });

  it('is named at most 100 times', () => {
    const update = { sessionUpdate: 'tool_call_update', toolCallId: 't', locations: Array(5000).fill(5) };
    expect(dialect.normalize(update)).toMatchObject({ dropped: { length: 100 } });
  });
});

describe.each(second)('a malformed part of an update of version 2 ($name)', (dialect) => {
  it.each(['user_message', 'agent_message', 'agent_thought'])(
    'is an unknown block in the content of %s',
    (tag) => {
      const content = [text, { type: 'text', txt: 'typo' }];
      expect(dialect.normalize({ sessionUpdate: tag, messageId: 'm', content })).toEqual({
        update: {
          sessionUpdate: tag,
          messageId: 'm',
          content: [text, { type: '_malformed', value: content[1] }],
        },
        dropped: [{ path: 'update.content.1.text', message: 'is missing' }],
      });
    },
  );

  it('is named inside a diff, a command and the subject of a permission request', () => {
    const diff = { type: 'diff', changes: [{ operation: 'modify' }] };
    expect(
      dialect.normalize({ sessionUpdate: 'tool_call_update', toolCallId: 't', content: [diff] }),
    ).toMatchObject({ dropped: [{ path: 'update.content.0.changes.0.path', message: 'is missing' }] });
    const command = { type: 'command', name: 'plan', description: 'Plan', input: 5 };
    expect(
      dialect.normalize({
        sessionUpdate: 'available_commands_update',
        availableCommands: [command, { name: 5 }],
      }),
    ).toMatchObject({
      dropped: [{ path: 'update.availableCommands.0.input' }, { path: 'update.availableCommands.1.name' }],
    });
    const options = [{ optionId: 'o', name: 'Yes', kind: 'allow_once' }];
    const subject = { type: 'tool_call', toolCall: { toolCallId: 't', status: 5 } };
    expect(dialect.normalizePermission({ sessionId: 's', title: 'T', options, subject })).toMatchObject({
      dropped: [{ path: 'params.subject.toolCall.status' }],
    });
  });
});

describe('the dropped parts of a value', () => {
  it('include what a schema with a default replaces', () => {
    const schema = struct({ list: withDefault(lenientArray(v.string()), []) });
    expect(droppedParts(schema, { list: 'text' }, 'result')).toMatchObject([{ path: 'result.list' }]);
    expect(droppedParts(schema, { list: ['a', 5] }, 'result')).toMatchObject([{ path: 'result.list.1' }]);
  });

  it('are those of the rewritten value, if the schema rewrites it', () => {
    const schema = rewritten(struct({ a: lenient(v.string()) }), () => ({ a: 5 }));
    expect(droppedParts(schema, null, 'result')).toMatchObject([{ path: 'result.a' }]);
  });
});

describe.each(versions)('over the updates of version %i', (version) => {
  const instances = mutationsOf(instanceOf(officialDefs(version), 'SessionUpdate'));

  it('there are dropped parts if and only if a parse changes the update', () => {
    const seen = { changed: 0, unchanged: 0 };
    fc.assert(
      fc.property(instances, (update) => {
        const tag = (update as { sessionUpdate?: unknown } | null)?.sessionUpdate;
        const schema = updates[version][String(tag)];
        if (!schema) return;
        const result = v.safeParse(schema, update);
        if (!result.success) return;
        const isChanged = !isDeepStrictEqual(result.output, update);
        expect({ update, dropped: droppedParts(schema, update, 'update').length > 0 }).toEqual({
          update,
          dropped: isChanged,
        });
        seen[isChanged ? 'changed' : 'unchanged'] += 1;
      }),
      { numRuns: runs(1000), seed: Number(process.env['FC_SEED'] ?? 1) },
    );
    expect(seen.changed).toBeGreaterThan(runs(50));
    expect(seen.unchanged).toBeGreaterThan(runs(50));
  });
});

/** Tags that only the client may make, and those of the other version. */
const clients = [
  'prompt_submitted',
  'prompt_settled',
  'permission_update',
  'tool_progress',
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
      expect(dialect.normalize(update).update).toEqual({ sessionUpdate: '_unknown', update });
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
