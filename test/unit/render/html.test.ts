import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderHtml } from '../../../src/render/html.ts';
import { conversation, EXAMPLE, message, PIXEL, terminal, text, toolCall } from './example.ts';
import { ATTACKS, saying } from './hostile.ts';

/** The page from its first section. */
const bodyOf = (html: string): string => html.slice(html.indexOf('<section'));

/** Every tag that the page can have, with its attributes. */
const TAGS =
  /<(?:\/?(?:html|title|style|section|details|h1|h2|summary|p|pre|code|span)|section class="[a-z]+"|details class="thought"|p class="label"|span class="(?: s\d+)+"|img src="data:image\/(?:png|jpeg|gif|webp);base64,[\w+/=]+" alt="[^"<>]*")>/g;

test('a transcript with one of everything', () => {
  expect(bodyOf(renderHtml(EXAMPLE))).toMatchInlineSnapshot(`
    "<section class="session"><h1>Fix the flaky test</h1><p class="label">sess-1 · 2026-03-01T10:30:00Z · 53120 of 200000 tokens · 0.42 USD</p></section>
    <section class="user"><h2>User</h2><p>The test <code>drains in order</code> fails one time in ten. Fix it, please.</p>

    <p class="label">queue.ts file:///project/src/queue.ts</p>

    <img src="data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==" alt="image/png 70 bytes"></section>
    <details class="thought"><summary>Thought</summary><p>The queue resolves before the last item is written.

    A timer is involved, so the order depends on the machine.</p></details>
    <section class="agent"><h2>Agent</h2><p><b>What happens</b>

    The queue calls <code>flush&lt;T&gt;()</code> too early, which a slow disk makes visible, so I will await the write before the queue settles:

    • <code>push</code> returns a promise that nobody awaits, and the caller goes on
    • <code>drain</code> looks at the length only</p>

    <pre>const pending: Promise&lt;void&gt;[] = [];
    await Promise.all(pending);
    </pre>

    <p>Next I run the tests.</p></section>
    <section class="tool"><h2>✗ Run <code>npm test</code> (failed)</h2><p class="label">$ npm test # exit 1</p>
    <pre><span class=" s1">RUN</span>  queue
    100%
    <span class=" s31">✗ drains in order</span>
    <span class=" s32">✓ settles</span>
    </pre></section>
    <section class="tool"><h2>✓ Edit src/queue.ts</h2><p class="label">modify /project/src/queue.ts:12</p>
    <pre><span class=" s36">@@ -2,7 +2,8 @@
    </span> two
     three
     four
    <span class=" s31">-five
    </span><span class=" s32">+FIVE
    +five and a half
    </span> six
     seven
     eight</pre></section>
    <section class="tool"><h2>○ Apply a patch (in progress)</h2><p class="label">move /project/a.ts → /project/b.ts</p>

    <pre><span class=" s36">@@ -1,2 +1,2 @@
    </span><span class=" s31">-const a = 1;
    </span><span class=" s32">+const b = 1;
    </span> export {};
    </pre></section>
    <section class="tool"><h2>○ Delete the cache</h2><p class="label">Permission: Allow / Reject</p>

    <p class="label">Input</p>
    <pre>{
      &quot;path&quot;: &quot;/project/.cache&quot;
    }</pre></section>
    <section class="tool"><h2>✓ Read README.md</h2><pre># Queue

    A queue that *drains* in order.</pre></section>
    <section class="other"><h2>Context compacted</h2><p>The user wants a stable test.</p></section>
    <section class="agent"><h2>Agent</h2><p class="label">file:///project/notes.md</p>
    <pre># Notes
    </pre>

    <p class="label">audio/wav 4 bytes</p>

    <p class="label">_chart</p>
    <pre>{
      &quot;type&quot;: &quot;_chart&quot;,
      &quot;values&quot;: [
        1,
        2
      ]
    }</pre>

    <p>Done.</p></section>
    <section class="other"><h2>_vendor_update</h2><pre>{
      &quot;level&quot;: 3
    }</pre></section>
    <section class="other"><h2>Plan</h2><p>☑ Find the race
    ☐ Await the write (in progress)
    ☐ Run the tests ten times</p></section>
    </html>
    "
  `);
});

test('the page allows only its own style and embedded images', () => {
  const html = renderHtml(EXAMPLE);
  expect(html).toContain(
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">`,
  );
  expect(html).not.toMatch(/<(?:script|link|iframe|base|a|form)\b|\bon\w+=|\burl\(|@import/i);
  expect(html.match(/src="(?!data:)/g)).toBeNull();
});

test('the title is the title of the session, or the option', () => {
  expect(renderHtml(EXAMPLE)).toContain('<title>Fix the flaky test</title>');
  expect(renderHtml(conversation({}))).toContain('<title>Session</title>');
  expect(renderHtml(EXAMPLE, { title: '</title><b>' })).toContain('<title>&lt;/title&gt;&lt;b&gt;</title>');
});

test('terminal output keeps colors and bold, and no other styles', () => {
  const bytes = [
    '\x1b[1mbold\x1b[22m plain \x1b[91mbright red\x1b[39m',
    '\x1b[4;31;44mred\x1b[m \x1b[38;5;1;1mbold\x1b[0m \x1b[48;2;31;32;33mplain',
    '\x1b[2J\x1b]0;title\x07\x1b[?25lend',
    '10%\r20%\r\x1b[K30%\r',
  ].join('\n');
  const call = toolCall({ title: 'Run', content: [{ type: 'terminal', terminalId: 't' }] });
  const html = renderHtml(
    conversation({ entries: [call], terminals: { t: terminal({ command: 'x', bytes }) } }),
  );
  const shown = /<pre>(.*)<\/pre>/s.exec(html)?.[1];
  expect(shown).toBe(
    [
      '<span class=" s1">bold</span> plain <span class=" s31">bright red</span>',
      '<span class=" s31">red</span> <span class=" s1">bold</span> plain',
      'end',
      '30%',
    ].join('\n'),
  );
});

test.each([
  ['image/png', PIXEL, true],
  ['image/jpeg', PIXEL, true],
  ['image/gif', PIXEL, true],
  ['image/webp', PIXEL, true],
  ['image/svg+xml', 'PHN2Zz4=', false],
  ['text/html', 'PHN2Zz4=', false],
  ['image/png" onerror="alert(1)', PIXEL, false],
  ['image/png,<svg onload=alert(1)>', PIXEL, false],
  ['image/png', `${PIXEL}" onerror="alert(1)`, false],
  ['image/png', `${PIXEL}\n`, false],
  ['image/png', '%3Csvg%3E', false],
  ['image/png', '', false],
])('an image of type %j with data %j', (mimeType, data, shown) => {
  const html = renderHtml(conversation({ entries: [message('agent', { type: 'image', mimeType, data })] }));
  expect(html.includes(`<img src="data:${mimeType};base64,${data}" alt="`)).toBe(shown);
  expect(html.includes('<img')).toBe(shown);
  expect(bodyOf(html).replace(TAGS, '')).not.toMatch(/[<>]/);
});

test.each(ATTACKS)('%j is shown as text', (attack) => {
  expect(bodyOf(renderHtml(saying(attack))).replace(TAGS, '')).not.toMatch(/[<>]/);
});

test('[security: html-markup] agent text never becomes markup', () => {
  const unit = fc.constantFrom(
    '<',
    '>',
    '&',
    '"',
    "'",
    '=',
    '/',
    '!',
    '-',
    'p',
    'script',
    ' ',
    '\n',
    '`',
    '```',
    '\x1b[31m',
    'data:image/png;base64,',
  );
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit }), fc.string({ unit: 'binary' })), (value) => {
      const body = bodyOf(renderHtml(saying(value), { title: value }));
      expect(body.replace(TAGS, '')).not.toMatch(/[<>]/);
      expect(body.replace(/&(?:amp|lt|gt|quot);/g, '')).not.toContain('&');
    }),
  );
});

test('the tags do not depend on the text', () => {
  const unit = fc.constantFrom('<', '>', '&', '"', "'", '=', '/', '<p>', '</pre>', 'class="label"');
  const tags = (value: string) => renderHtml(saying(`-${value}`)).match(/<[^>]*>/g);
  const expected = tags('');
  fc.assert(
    fc.property(fc.string({ unit }), (value) => {
      expect(tags(value)).toEqual(expected);
    }),
  );
});

test('text is escaped', () => {
  const said = 'if (a < b && c > "d") { `e` }';
  const html = renderHtml(conversation({ entries: [message('agent', text(said))] }));
  expect(html).toContain('<p>if (a &lt; b &amp;&amp; c &gt; &quot;d&quot;) { <code>e</code> }</p>');
});

test('any JSON in place of a block is rendered', () => {
  const fields = fc.record(
    {
      type: fc.constantFrom(
        'text',
        'image',
        'audio',
        'resource',
        'resource_link',
        'content',
        'diff',
        'terminal',
        '_x',
        5,
        null,
      ),
      text: fc.jsonValue(),
      data: fc.jsonValue(),
      mimeType: fc.jsonValue(),
      uri: fc.jsonValue(),
      resource: fc.jsonValue(),
      content: fc.jsonValue(),
      terminalId: fc.jsonValue(),
      changes: fc.oneof(
        fc.jsonValue(),
        fc.array(
          fc.oneof(
            fc.jsonValue(),
            fc.record(
              { path: fc.jsonValue(), oldText: fc.jsonValue(), newText: fc.jsonValue() },
              { requiredKeys: [] },
            ),
          ),
        ),
      ),
      patch: fc.oneof(fc.jsonValue(), fc.record({ text: fc.jsonValue() })),
    },
    { requiredKeys: [] },
  );
  const blocks = fc.array(
    fc.oneof(fields, fc.jsonValue(), fc.record({ type: fc.constant('content'), content: fields })),
  );
  fc.assert(
    fc.property(blocks, (values) => {
      // The types exclude these blocks, and this test is about them.
      const content = JSON.parse(JSON.stringify(values)) as never;
      const html = renderHtml(
        conversation({ entries: [message('agent', ...[content].flat()), toolCall({ content })] }),
      );
      expect(bodyOf(html).replace(TAGS, '')).not.toMatch(/[<>]/);
    }),
  );
});

test('a deeply nested value is cut', () => {
  let raw: Record<string, never> = {};
  for (let depth = 0; depth < 100_000; depth++) raw = { deeper: raw as never };
  const html = renderHtml(
    conversation({ entries: [{ kind: 'unknown', key: 'u', tag: '_deep', raw, origin: 'live' }] }),
  );
  expect(html).toContain('<h2>_deep</h2><details>');
  expect(html).toContain('&quot;deeper&quot;: &quot;…&quot;');
  expect(html.length).toBeLessThan(20_000);
});

test('prose is formatted line by line, except in code spans', () => {
  const prose = '### A **bold** heading\n- one\n  * `two` - three\n`**four**` 2 ** 3 ** 4\n**<i>**';
  expect(bodyOf(renderHtml(conversation({ entries: [message('agent', text(prose))] })))).toContain(
    [
      '<p><b>A <b>bold</b> heading</b>',
      '• one',
      '  • <code>two</code> - three',
      '<code>**four**</code> 2 ** 3 ** 4',
      '<b>&lt;i&gt;</b></p>',
    ].join('\n'),
  );
});
