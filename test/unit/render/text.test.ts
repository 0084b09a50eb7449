import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ConversationTerminal } from '../../../src/core/model/conversation.ts';
import { renderText } from '../../../src/core/render/text.ts';
import { runs } from '../../support/runs.ts';
import { conversation, EXAMPLE, message, terminal, text, toolCall } from './example.ts';

test('a transcript with one of everything', () => {
  expect(renderText(EXAMPLE)).toMatchInlineSnapshot(`
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

    ✓ Read README.md
        # Queue

        A queue that *drains* in order.

    ✓ Find the other races
      Subagent: Explore

      Session: elsewhere

    Message to Explore
      Look for other races.

    Message from Explore
      There are none.

    Context compacted
      The user wants a stable test.

    Agent
      file:///project/notes.md
        # Notes

      audio/wav 4 bytes

      _chart
        {
          "type": "_chart",
          "values": [
            1,
            2
          ]
        }

      Done.

    _vendor_update
        {
          "level": 3
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

test('an unknown terminal is not shown, also if its id is a property of Object.prototype', () => {
  const ids = ['none', 'constructor', '__proto__', 'toString'];
  const entries = ids.map((terminalId) =>
    toolCall({ title: terminalId, content: [{ type: 'terminal', terminalId }] }),
  );
  const shown = renderText(conversation({ entries }));
  expect(shown).toBe(`Session\n  sess-1\n${ids.map((id) => `\n✓ ${id}\n`).join('')}`);

  const own: Record<string, ConversationTerminal> = JSON.parse(
    '{"__proto__":{"terminalId":"__proto__","bytes":"its own"}}',
  );
  expect(renderText(conversation({ entries, terminals: own }))).toContain('✓ __proto__\n    its own\n');
});

test('[security: control-characters] a text has no control characters except line feed and tab', () => {
  const units = fc.string({ unit: fc.constantFrom(...'\x1b[]P\x9b\x07\\3;m\r\n\0a`\u202e') });
  fc.assert(
    fc.property(
      fc.oneof(units, fc.string({ unit: 'binary' })),
      fc.integer({ min: 1, max: 90 }),
      (value, width) => {
        const shown = renderText(
          conversation({
            sessionId: value,
            info: { title: value, updatedAt: value },
            terminals: { [value]: terminal({ command: value, output: value }) },
            entries: [
              message('user', text(value)),
              message(
                'agent',
                { type: 'resource', resource: { uri: value, text: value } },
                { type: '_x', value },
              ),
              toolCall({
                title: value,
                status: value,
                locations: [{ path: value }],
                content: [
                  { type: 'terminal', terminalId: value },
                  { type: 'content', content: text(value) },
                  { type: 'diff', changes: [{ operation: value, path: value, newText: value }], patch: null },
                  { type: 'diff', changes: [], patch: { format: value, text: value } },
                ],
              }),
              { kind: 'unknown', key: 'u', tag: value, raw: { value }, origin: 'live' },
            ],
            plans: [
              { planId: 'p', type: 'items', entries: [{ content: value, priority: 'low', status: value }] },
            ],
          }),
          { width },
        );
        // biome-ignore lint/suspicious/noControlCharactersInRegex: this matches control characters
        expect(shown).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/);
      },
    ),
    { numRuns: runs(40) },
  );
});

test('a turn that failed or was interrupted is shown with the reason', () => {
  const shown = (cause: 'failed' | 'interrupted', reason: string, code: number | null) =>
    renderText(
      conversation({ entries: [{ kind: 'turnFailure', key: 'f', cause, reason, code, origin: 'live' }] }),
      { width: 100 },
    );
  expect(shown('interrupted', 'The agent exited with code 7.', null)).toContain(
    'Turn interrupted\n  The agent exited with code 7.\n',
  );
  expect(shown('failed', 'Out of credit.', -32603)).toContain('Turn failed (-32603)\n  Out of credit.\n');
});

test('the parts of a patch are shown with their files, without the lines that name these', () => {
  const file = (name: string, more = '') =>
    `diff --git a/${name} b/${name}\nold mode 100644\nnew mode 100755\nindex 1..2\n--- a/${name}\n+++ b/${name}\n@@ -1 +1 @@\n--- one\n+++ two\n${more}`;
  const shown = (patch: string, ...paths: string[]) =>
    renderText(
      conversation({
        entries: [
          toolCall({
            content: [
              {
                type: 'diff',
                changes: paths.map((path) => ({ operation: 'modify', path })),
                patch: { format: 'git_patch', text: patch },
              },
            ],
          }),
        ],
      }),
    );
  const hunk = '    @@ -1 +1 @@\n    --- one\n    +++ two\n';
  expect(shown(file('a'), 'a')).toContain(`  modify a\n    old mode 100644\n    new mode 100755\n${hunk}`);
  expect(shown(`--- a/a\n+++ b/a\n@@ -1 +1 @@\n--- one\n+++ two\n`, 'a')).toContain(`  modify a\n${hunk}`);
  expect(shown('diff --git a/a b/a\nBinary files differ\n', 'a')).toContain('    Binary files differ\n');
  expect(shown(file('a', file('b')), 'a', 'b')).toContain('  modify b\n    old mode 100644\n');
});
