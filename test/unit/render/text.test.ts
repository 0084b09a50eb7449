import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Conversation } from '../../../src/core/model/conversation.ts';
import { wrapLines } from '../../../src/core/render/lines.ts';
import { renderEntryText, renderText, wrapHeading } from '../../../src/core/render/text.ts';
import { runs } from '../../support/runs.ts';
import { conversation, EXAMPLE, message, sessionMessage, subagent, text, toolCall } from './example.ts';
import { saying } from './hostile.ts';

test('the parts of a transcript', () => {
  expect(renderText({ ...EXAMPLE, entries: EXAMPLE.entries.slice(0, 5) })).toMatchInlineSnapshot(`
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
  expect(colored).toContain('\x1b[0;1mAgent\x1b[0m');
  expect(colored).toContain('    \x1b[0;31m-five\x1b[0m\n    \x1b[0;32m+FIVE\x1b[0m\n');
  expect(colored).toContain('\x1b[0;32m✓ settles\x1b[0m');
  expect(colored).toContain('\x1b[0;2m  The queue resolves before the last item is written.\x1b[0m\n');
});

test('prose is wrapped, and code is not', () => {
  const entries = [message('agent', text('aaa bbb\n~~~\naaa bbb\n~~~'))];
  const shown = (width: number) => renderText(conversation({ entries }), { width }).split('Agent\n')[1];
  expect(shown(8)).toBe('  aaa\n  bbb\n\n    aaa bbb\n');
  expect(shown(9)).toBe('  aaa bbb\n\n    aaa bbb\n');
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

test('a long heading is indented from its second line', () => {
  expect([8, 9].map((width) => wrapHeading('aaa bbb', width))).toEqual(['aaa\n  bbb', 'aaa bbb']);
});

test('an entry by itself is what the text has for it', () => {
  const options = { width: 40, color: true };
  const entries = EXAMPLE.entries.map((entry) => renderEntryText(EXAMPLE, entry, options));
  expect(renderText(EXAMPLE, options)).toContain(`\n\n${entries.join('\n\n')}\n`);
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

const failure = { kind: 'turnFailure', key: 'f', code: null, reason: 'No.', origin: 'live' } as const;
const compaction = { kind: 'compaction', key: 'c', compactionId: 'c', origin: 'live', meta: null } as const;
const plan = { planId: 'p', type: 'markdown', content: 'Do' } as const;

test.each<[string, Partial<Conversation>, string]>([
  [
    'why the last turn ended',
    { activity: { state: 'idle', stopReason: 'cancelled', error: { message: 'No credit.' } } },
    'Session\n  sess-1 · cancelled · No credit.\n',
  ],
  [
    'usage without cost',
    { usage: { used: 1, size: 2000, cost: null } },
    'Session\n  sess-1 · 1 of 2,000 tokens\n',
  ],
  ['a plan in a file', { plans: [{ ...plan, path: '/p' }] }, 'Plan\n  /p\n\n  Do\n'],
  [
    'a plan of a later version',
    { plans: [{ planId: 'p', type: '_steps' }] },
    'Plan\n    {\n      "planId": "p",\n      "type": "_steps"\n    }\n',
  ],
  ['an interrupted turn', { entries: [{ ...failure, cause: 'interrupted' }] }, 'Turn interrupted\n  No.\n'],
  ['a failed turn', { entries: [{ ...failure, cause: 'failed', code: 7 }] }, 'Turn failed (7)\n  No.\n'],
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
    'the second of two subagents',
    {
      entries: [
        sessionMessage({ senderSessionId: 'sess-1', recipientSessionId: 'b' }, text('a')),
        toolCall({ content: [{ type: 'session', sessionId: 'b' }] }),
      ],
      subagents: [subagent({ title: 'A' }), subagent({ sessionId: 'b', title: 'B' })],
    },
    'Message to B\n  a\n\n✓ other\n  Subagent: B\n',
  ],
  [
    'a session that is no subagent',
    { entries: [toolCall({ content: [{ type: 'session', sessionId: 'b' }] })] },
    '✓ other\n  Session: b\n',
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
  ['a number as a text', { entries: [message('agent', text(5 as never))] }, 'Agent\n  5\n'],
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
