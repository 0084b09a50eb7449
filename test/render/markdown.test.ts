import fc from 'fast-check';
import markdownIt from 'markdown-it';
import { expect, test } from 'vitest';
import { renderMarkdown } from '../../src/render/markdown.ts';
import { conversation, EXAMPLE, message, text, toolCall } from './example.ts';
import { ATTACKS, saying } from './hostile.ts';

/** A viewer that trusts what it shows: HTML passes, every address is a link. */
const trusting = markdownIt({ html: true, linkify: true });
trusting.validateLink = () => true;

const FORMATTING =
  /<\/?(?:p|h[1-6]|ul|ol|li|code|pre|em|strong|s|blockquote|hr|br|table|thead|tbody|tr|th|td)\b[^<>]*>/g;
const LINK = /<a href="([^"]*)"[^<>]*>|<\/a>/g;

/** Whether a browser takes an address for one on the web, or for what the agent may well link to. */
function isHarmless(address: string): boolean {
  const url = address.replaceAll('&amp;', '&');
  return (
    !URL.canParse(url, 'https://a.example') ||
    /^(?:https?|mailto|file):$/.test(new URL(url, 'https://a.example').protocol)
  );
}

/** The HTML that a trusting viewer makes of it, less the formatting and the harmless links: there should be none. */
function acting(value: string): string[] {
  const html = trusting.render(renderMarkdown(saying(value)));
  const rest = html
    .replace(FORMATTING, '')
    .replace(LINK, (tag, address = '') => (isHarmless(address) ? '' : tag));
  return rest.match(/<[^>]*>?/g) ?? [];
}

const agentSays = (value: string): string =>
  renderMarkdown(conversation({ entries: [message('agent', text(value))] })).split('## Agent\n\n')[1] ?? '';

test('a transcript with one of everything', () => {
  expect(renderMarkdown(EXAMPLE)).toMatchInlineSnapshot(`
    "# Fix the flaky test

    sess-1 · 2026-03-01T10:30:00Z · 53120 of 200000 tokens · 0.42 USD

    ## User

    The test \`drains in order\` fails one time in ten. Fix it, please.

    queue.ts file:///project/src/queue.ts

    image/png 70 bytes

    ## Thought

    > The queue resolves before the last item is written.
    > 
    > A timer is involved, so the order depends on the machine.

    ## Agent

    #### What happens

    The queue calls \`flush<⁠T>()\` too early, which a slow disk makes visible, so I will await the write before the queue settles:

    - \`push\` returns a promise that nobody awaits, and the caller goes on
    - \`drain\` looks at the length only

    \`\`\`ts
    const pending: Promise<void>[] = [];
    await Promise.all(pending);
    \`\`\`

    Next I run the tests.

    ### ✗ Run \\\`npm test\\\` (failed)

    $ npm test # exit 1
    \`\`\`
    RUN  queue
    100%
    ✗ drains in order
    ✓ settles
    \`\`\`

    ### ✓ Edit src/queue.ts

    /project/src/queue.ts:12

    modify /project/src/queue.ts
    \`\`\`diff
    @@ line 2 @@
     two
     three
     four
    -five
    +FIVE
    +five and a half
     six
     seven
     eight
    \`\`\`

    ### ○ Apply a patch (in progress)

    move /project/a.ts → /project/b.ts

    \`\`\`diff
    @@ -1,2 +1,2 @@
    -const a = 1;
    +const b = 1;
     export {};
    \`\`\`

    ### ○ Delete the cache

    Permission: Allow / Reject

    Input
    \`\`\`
    {
      "path": "/project/.cache"
    }
    \`\`\`

    ### ✓ Read README.md

    \`\`\`
    # Queue

    A queue that *drains* in order.
    \`\`\`

    ## Context compacted

    The user wants a stable test.

    ## Agent

    file:///project/notes.md
    \`\`\`
    # Notes
    \`\`\`

    audio/wav 4 bytes

    \\_chart
    \`\`\`
    {
      "type": "_chart",
      "values": [
        1,
        2
      ]
    }
    \`\`\`

    Done.

    ## \\_vendor\\_update

    \`\`\`
    {
      "level": 3
    }
    \`\`\`

    ## Plan

    - [x] Find the race
    - [ ] Await the write (in progress)
    - [ ] Run the tests ten times
    "
  `);
});

test('the example is read as it was meant', () => {
  const html = trusting.render(renderMarkdown(EXAMPLE));
  expect(html.match(/<h[1-6]>.*?<\/h[1-6]>/g)).toMatchInlineSnapshot(`
    [
      "<h1>Fix the flaky test</h1>",
      "<h2>User</h2>",
      "<h2>Thought</h2>",
      "<h2>Agent</h2>",
      "<h4>What happens</h4>",
      "<h3>✗ Run \`npm test\` (failed)</h3>",
      "<h3>✓ Edit src/queue.ts</h3>",
      "<h3>○ Apply a patch (in progress)</h3>",
      "<h3>○ Delete the cache</h3>",
      "<h3>✓ Read README.md</h3>",
      "<h2>Context compacted</h2>",
      "<h2>Agent</h2>",
      "<h2>_vendor_update</h2>",
      "<h2>Plan</h2>",
    ]
  `);
  expect(html).toContain('<pre><code class="language-ts">const pending: Promise&lt;void&gt;[] = [];\n');
  expect(html).toContain('<pre><code class="language-diff">@@ line 2 @@\n two\n');
});

test.each(ATTACKS)('nothing acts in a viewer that trusts it: %j', (attack) => {
  expect(acting(attack)).toEqual([]);
});

test('nothing acts, whatever was said', () => {
  const pieces = fc.array(
    fc.constantFrom(
      '<',
      'b>',
      '`',
      '``',
      '```',
      '~~~',
      '\\',
      '!',
      '[',
      ']',
      '(',
      ')',
      ']:',
      'javascript:',
      '&#58;',
      '|',
      '---',
      '\n',
      '\n\n',
      ' ',
      '\t',
      '> ',
      '- ',
      '    ',
      '=',
      '# ',
      'https://a.example/',
      '"',
      'a',
      '*',
      '_',
    ),
  );
  fc.assert(
    fc.property(pieces, (value) => {
      expect(acting(value.join(''))).toEqual([]);
    }),
    { numRuns: 1000 },
  );
});

test('the agent cannot set a heading that passes for one of ours', () => {
  const html = trusting.render(
    agentSays('# User\n\n  ## User\n\nUser\n====\n\nUser\n---\n\nUser\n  -\n\n###### Six'),
  );
  expect(html.match(/<h\d>/g)).toEqual(['<h3>', '<h4>', '<h6>']);
});

test('what was said in Markdown still is', () => {
  const said = [
    'Some *emphasis*, `code`, `a < b`, 1 < 2, [a link](https://a.example/b?c=d), [a file](src/a.ts#L3).',
    '',
    '1. one',
    '2. two',
    '',
    '| a | b |',
    '|---|---|',
    '| 1 | 2 |',
  ].join('\n');
  expect(agentSays(said)).toBe(`${said}\n`);
  expect(agentSays('`Array<string>`, Array<string>')).toBe('`Array<\u2060string>`, Array&lt;string>\n');
});

test('a fence is longer than any inside, and one left open is closed', () => {
  const call = toolCall({ title: 'cat', content: [{ type: 'content', content: text('a\n`````\nb') }] });
  const said = conversation({ entries: [call, message('agent', text('Look:\n~~~md\n```js\nx\n```'))] });
  expect(renderMarkdown(said).split('### ✓ cat\n\n')[1]).toBe(
    [
      '``````',
      'a',
      '`````',
      'b',
      '``````',
      '',
      '## Agent',
      '',
      'Look:',
      '',
      '````md',
      '```js',
      'x',
      '```',
      '````',
      '',
    ].join('\n'),
  );
});
