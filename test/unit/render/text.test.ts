import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Conversation } from '../../../src/core/model/conversation.ts';
import { wrapLines } from '../../../src/core/render/lines.ts';
import { renderText } from '../../../src/core/render/text.ts';
import { runs } from '../../support/runs.ts';
import { conversation, EXAMPLE, message, sessionMessage, subagent, text, toolCall } from './example.ts';
import { saying } from './hostile.ts';

test('the parts of a transcript', () => {
  expect(renderText({ ...EXAMPLE, entries: EXAMPLE.entries.slice(0, 7) })).toMatchInlineSnapshot(`
    "Fix the flaky test
      sess-1 · 1 Mar 2026, 10:30 UTC · 53,120 of 200,000 tokens · 0.42 USD

    User
      The test \`drains in order\` fails one time in ten. Fix it, please.

      queue.ts file:///project/src/queue.ts

      image/png 70 bytes

    Thought
      The queue resolves before the last item is written.

      A timer is involved, so the order depends on the machine.

    Agent
      ## What happens

      The queue calls \`flush<T>()\` too early, which a slow disk makes visible, so I
      will await the write before the queue settles:

      - \`push\` returns a promise that is not awaited, and the caller goes on
      - \`drain\` looks at the length only

        const pending: Promise<void>[] = [];
        await Promise.all(pending);

      Next I run the tests.

    ✗ Run \`npm test\` (failed)
      $ npm test # exit 1
        RUN  queue
        100%
        ✗ drains in order
        ✓ settles

    ✓ Edit src/queue.ts
      modify /project/src/queue.ts:12
        @@ -2,7 +2,8 @@
         two
         three
         four
        -five
        +FIVE
        +five and a half
         six
         seven
         eight

    ○ Apply a patch (in progress)
      move /project/a.ts → /project/b.ts
        @@ -1,2 +1,2 @@
        -const a = 1;
        +const b = 1;
         export {};

    ○ Delete the cache
      Permission: Allow / Reject

      Input
        {
          "path": "/project/.cache"
        }

    Plan
      - [x] Find the race
      - [ ] Await the write (in progress)
      - [ ] Run the tests ten times
    "
  `);
});

test('colors do not change the text', () => {
  const colored = renderText(EXAMPLE, { color: true });
  expect(stripVTControlCharacters(colored)).toBe(renderText(EXAMPLE));
  expect(colored).toContain('\x1b[0;1;36mUser\x1b[0m');
  expect(colored).toContain('    \x1b[0;31m-five\x1b[0m\n    \x1b[0;32m+FIVE\x1b[0m\n');
  expect(colored).toContain('\x1b[0;32m✓ settles\x1b[0m');
  expect(colored).toContain('\x1b[0;2m  The queue resolves before the last item is written.\x1b[0m\n');
});

test('prose is wrapped and indented after a bullet, and long words and code are not broken', () => {
  const long = 'x'.repeat(40);
  const shown = renderText(
    conversation({
      entries: [
        message('agent', text(`one two three four\n- five six seven\n\n${long} y\n\n~~~\n${long} y\n~~~`)),
      ],
    }),
    { width: 16 },
  );
  expect(shown.slice(shown.indexOf('Agent'))).toBe(
    `Agent\n  one two three\n  four\n  - five six\n    seven\n\n  ${long}\n  y\n\n    ${long} y\n`,
  );
});

test.each([
  ['aaa bbb\ncccc dddd', 7, 'aaa bbb\ncccc\ndddd'],
  ['- aa bb\n  * cc dd', 6, '- aa\n  bb\n  * cc\n    dd'],
  ['  -aa bb', 5, '  -aa\n  bb'],
  ['日本 語a', 5, '日本\n語a'],
  ['aa  bb   cc     ', 6, 'aa  bb\ncc'],
  ['aaa  ', 4, 'aaa'],
  ['aaaa bb cc', 3, 'aaaa\nbb\ncc'],
])('%j in %i columns is %j', (line, columns, wrapped) => {
  expect(wrapLines(line, columns)).toBe(wrapped);
});

test('escape sequences are removed, and the rest does not form a new one', () => {
  const hostile = [
    'a\x1b[2J\x1b[1;1Hb', // clears the screen
    'c\x1b]0;owned\x07d\x1b]8;;http://evil.example\x1b\\e', // window title, hyperlink
    'f\x1b]52;c;aGk=', // clipboard, not terminated
    'g\x9b31mh\x90i\x1bPq#0\x1b\\j', // sequences of one character, device control
    'k\x08\x7f\x00\x0b\x0cl\x1b',
    'm\u202en\u2066o', // reordering
    '\x1b\x1b[[31mp',
  ].join('\n');
  const shown = renderText(
    conversation({
      info: { title: `t\x1b[31m${hostile}`, updatedAt: null },
      entries: [message('agent', text(hostile))],
    }),
  );
  expect(shown.slice(shown.indexOf('Agent'))).toBe(
    'Agent\n  ab\n  cde\n  f\n  g31mhij\n  kl\n  m\ufffdn\ufffdo\n  31mp\n',
  );
});

test('an agent cannot imitate a heading', () => {
  const shown = renderText(
    conversation({ entries: [message('agent', text('Yes.\n\nUser\n  Delete it all.\u2028User\u2029User'))] }),
  );
  // A multiline `^` also matches after line and paragraph separators.
  expect(shown.match(/^\S.*$/gm)).toEqual(['Session', 'Agent']);
});

test('[security: control-characters] a text has no control characters except line feed and tab', () => {
  const units = fc.string({ unit: fc.constantFrom(...'\x1b[]P\x9b\x07\\3;m\r\n\0a`\u202e') });
  fc.assert(
    fc.property(
      fc.oneof(units, fc.string({ unit: 'binary' })),
      fc.integer({ min: 1, max: 90 }),
      (value, width) => {
        const shown = renderText(saying(value), { width });
        // biome-ignore lint/suspicious/noControlCharactersInRegex: this matches control characters
        expect(shown).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/);
      },
    ),
    { numRuns: runs(40) },
  );
});

const failure = { kind: 'turnFailure', key: 'f', cause: 'failed', code: null, origin: 'live' } as const;
const compaction = { kind: 'compaction', key: 'c', compactionId: 'c', origin: 'live', meta: null } as const;

test.each<[string, Partial<Conversation>, string]>([
  [
    'why the last turn ended',
    { activity: { state: 'idle', stopReason: 'cancelled', error: { message: 'No credit.' } } },
    'Session\n  sess-1 · cancelled · No credit.\n',
  ],
  ['usage without cost', { usage: { used: 1, size: 2000 } }, 'Session\n  sess-1 · 1 of 2,000 tokens\n'],
  [
    'a plan in a file',
    { plans: [{ planId: 'p', type: 'markdown', content: '# Do', path: '/plan.md' }] },
    'Plan\n  /plan.md\n\n  # Do\n',
  ],
  [
    'a plan of a later version',
    { plans: [{ planId: 'p', type: '_steps' }] },
    'Plan\n    {\n      "planId": "p",\n      "type": "_steps"\n    }\n',
  ],
  [
    'an interrupted turn',
    { entries: [{ ...failure, cause: 'interrupted', reason: 'The agent exited with code 7.' }] },
    'Turn interrupted\n  The agent exited with code 7.\n',
  ],
  [
    'a failed turn',
    { entries: [{ ...failure, reason: 'Out of credit.', code: -32603 }] },
    'Turn failed (-32603)\n  Out of credit.\n',
  ],
  [
    'a failed compaction',
    { entries: [{ ...compaction, status: 'failed', summary: [], error: 'No.' }] },
    'Context compacted (failed)\n  No.\n',
  ],
  [
    'another status',
    { entries: [toolCall({ status: 'not_completed' }), toolCall({ status: 'pending_too_long' })] },
    '○ other (not completed)\n\n○ other (pending too long)\n',
  ],
  [
    'messages that name only the session itself',
    {
      entries: [
        sessionMessage({ senderSessionId: 'sess-1' }, text('a')),
        sessionMessage({ recipientSessionId: 'sess-1' }, text('b')),
      ],
    },
    'Message between sessions\n  a\n\nMessage between sessions\n  b\n',
  ],
  [
    'a message to the second of two subagents',
    {
      entries: [sessionMessage({ senderSessionId: 'sess-1', recipientSessionId: 'b' }, text('a'))],
      subagents: [subagent({ title: 'A' }), subagent({ sessionId: 'b', title: 'B' })],
    },
    'Message to B\n  a\n',
  ],
  [
    'a message from a subagent without a title',
    {
      entries: [sessionMessage({ senderSessionId: 'b' }, text('a'))],
      subagents: [subagent({ sessionId: 'b' })],
    },
    'Message from b\n  a\n',
  ],
  ['a word behind spaces', { entries: [message('agent', text(`${' '.repeat(200)}a`))] }, 'Agent\n  a\n'],
  ['a word in a later text', { entries: [message('agent', text(' '), text('a'))] }, 'Agent\n  a\n'],
  [
    'blocks with what they say about themselves',
    {
      entries: [
        message(
          'agent',
          { type: 'skill', name: 'pdf' },
          { type: '_image', a: 1 },
          { type: 'resource_link', name: 'q', title: 'q', uri: 'u' },
          { type: 'resource_link', title: 'q', uri: 'u' } as never,
          { type: 'resource_link', name: 'q', title: 'Queue', description: 'FIFO', uri: 'u', size: 1234 },
        ),
      ],
    },
    'Agent\n  skill pdf\n\n  _image\n    {\n      "type": "_image",\n      "a": 1\n    }\n\n  q u\n\n  q u\n\n  Queue (q) FIFO u 1234 bytes\n',
  ],
])('a transcript shows %s', (_, fields, shown) => {
  expect(renderText(conversation(fields)).replace('Session\n  sess-1\n\n', '')).toBe(shown);
});
