import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/base/json.ts';
import type { Conversation } from '../../../src/core/model/conversation.ts';
import { diffHtml, renderEntryHtml, renderHtml, renderPlanHtml } from '../../../src/core/render/html.ts';
import { runs } from '../../support/runs.ts';
import { conversation, EXAMPLE, message, PIXEL, terminal, text, toolCall } from './example.ts';
import { ATTACKS, saying } from './hostile.ts';

/** The page from its first section. */
const bodyOf = (html: string): string => html.slice(html.indexOf('<header'));

/** Every tag that the page can have, with its attributes. */
const TAGS =
  /<(?:\/?(?:html|title|style|header|main|section|details|h1|h2|summary|p|pre|code|span|i|a)|(?:h1|h2|summary|p|pre tabindex="0"|p class="label") dir="auto"|pre tabindex="0" class="diff" dir="ltr"|section class="[a-z]+" id="e\d+"|details class="thought" id="e\d+"|details class="long"|a href="#e\d+"|span class="(?:add|del|hunk|(?: s\d+)+)"|img src="data:image\/(?:png|jpeg|gif|webp);base64,[\w+/=]+" alt="[^"<>]*")>/g;

test('the page allows only its own style and embedded images', () => {
  const html = renderHtml(EXAMPLE);
  expect(html).toContain('<style>:root{color-scheme:light dark;');
  expect(html).toContain(
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">`,
  );
  expect(html).not.toMatch(/<(?:script|link|iframe|base|form)\b|\bon\w+=|\burl\(|@import/i);
  expect(html.match(/href="(?!#e\d+")/g)).toBeNull();
  expect(html.match(/src="(?!data:)/g)).toBeNull();
});

test('the title is the title of the session, or the option', () => {
  expect(renderHtml(EXAMPLE)).toContain('<title>Fix the flaky test</title>');
  expect(renderHtml(conversation({}))).toContain('<title>Session</title>');
  expect(renderHtml(EXAMPLE, { title: '</title><b>' })).toContain('<title>&lt;/title&gt;&lt;b&gt;</title>');
});

const outputOf = (lines: number) => {
  const block = text(Array.from({ length: lines }, (_, index) => `line ${index + 1}`).join('\n'));
  return conversation({
    entries: [toolCall({ title: 'Run', content: [{ type: 'content', content: block }] })],
  });
};

test('more than 40 lines are folded', () => {
  expect(renderHtml(outputOf(40))).not.toContain('<details');
  const folded = renderHtml(outputOf(1041));
  expect(folded).toContain(
    '<details class="long"><summary>1,041 lines</summary><pre tabindex="0" dir="auto"><code>line 1\n',
  );
  expect(folded).toContain('line 1041</code></pre></details>');
});

test('a diff has the line numbers of both sides', () => {
  const lines = Array.from({ length: 120 }, (_, index) => `line ${index + 1}`);
  const change = {
    operation: 'modify',
    path: '/a',
    oldText: `${lines.join('\n')}\n`,
    newText: `${lines.with(99, '<changed>').toSpliced(101, 1).join('\n')}\n`,
  };
  const call = toolCall({ content: [{ type: 'diff', changes: [change], patch: null }] });
  const html = renderHtml(conversation({ entries: [call] }));
  expect(/<pre tabindex="0" class="diff" dir="ltr"><code>(.*)<\/code><\/pre>/s.exec(html)?.[1]).toBe(
    [
      '<span class="hunk">@@ -97,9 +97,8 @@',
      '</span><i> 97  97 </i> line 97',
      '<i> 98  98 </i> line 98',
      '<i> 99  99 </i> line 99',
      '<span class="del"><i>100     </i>-line 100',
      '</span><span class="add"><i>    100 </i>+&lt;changed&gt;',
      '</span><i>101 101 </i> line 101',
      '<span class="del"><i>102     </i>-line 102',
      '</span><i>103 102 </i> line 103',
      '<i>104 103 </i> line 104',
      '<i>105 104 </i> line 105',
      '',
    ].join('\n'),
  );
  const numbered = (oldLine: number, newLine: number) =>
    diffHtml([{ change: 'same', text: 'a', oldLine, newLine }]);
  expect([numbered(9, 10), numbered(10, 9)]).toEqual(['<i> 9 10 </i> a\n', '<i>10  9 </i> a\n']);
});

test('a diff of more than 1 MiB has no line numbers', () => {
  const numbersIn = (length: number) => {
    const change = {
      operation: 'add',
      path: '/a',
      newText: 'x'.repeat(length - '@@ -0,0 +1,1 @@\n+\n'.length),
    };
    const call = toolCall({ content: [{ type: 'diff', changes: [change], patch: null }] });
    return renderHtml(conversation({ entries: [call] })).match(/<i>/g)?.length;
  };
  expect([numbersIn(2 ** 20), numbersIn(2 ** 20 + 1)]).toEqual([1, undefined]);
});

test('terminal output keeps colors and bold, and no other styles', () => {
  const output = [
    '\x1b[1mbold\x1b[22m plain \x1b[91mbright red\x1b[39m',
    '\x1b[4;31;44mred\x1b[m \x1b[38;5;1;1mbold\x1b[0m \x1b[48;2;31;32;33mplain',
    '\x1b[2J\x1b]0;title\x07\x1b[?25lend',
    '\x1b[1;31mboth\x1b[22mred\x1b[1;39mbold\x1b[;mplain',
    '\x1b[32;130;310mgreen\x1b[38;5;196;48;2;1;22;133;1mbold\x1b[00m',
    '10%\r20%\r\x1b[K30%\r',
  ].join('\n');
  const call = toolCall({ title: 'Run', content: [{ type: 'terminal', terminalId: 't' }] });
  const html = renderHtml(
    conversation({ entries: [call], terminals: { t: terminal({ command: 'x', output }) } }),
  );
  const shown = /<pre tabindex="0" dir="auto"><code>(.*)<\/code><\/pre>/s.exec(html)?.[1];
  expect(shown).toBe(
    [
      '<span class=" s1">bold</span> plain <span class=" s31">bright red</span>',
      '<span class=" s31">red</span> <span class=" s1">bold</span> plain',
      'end',
      '<span class=" s31 s1">both</span><span class=" s31">red</span><span class=" s1">bold</span>plain',
      '<span class=" s32">green</span><span class=" s1">bold</span>',
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
  ['text/html,data:image/png', PIXEL, false],
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
    ...'<>&"\'=/!-p \n`',
    ...['script', '```', '\x1b[31m', 'data:image/png;base64,'],
  );
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit }), fc.string({ unit: 'binary' })), (value) => {
      const body = bodyOf(renderHtml(saying(value), { title: value }));
      expect(body.replace(TAGS, '')).not.toMatch(/[<>]/);
      expect(body.replace(/&(?:amp|lt|gt|quot);/g, '')).not.toContain('&');
    }),
    { numRuns: runs(40) },
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

test('any JSON in place of a block is rendered', () => {
  const anyOf = (...names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, fc.jsonValue()]));
  const fields = fc.record(
    {
      type: fc.constantFrom(
        ...['text', 'image', 'audio', 'resource', 'resource_link', 'content', 'diff', 'terminal', '_x'],
        ...[5, null],
      ),
      ...anyOf('text', 'data', 'mimeType', 'uri', 'resource', 'content', 'terminalId'),
      changes: fc.oneof(
        fc.jsonValue(),
        fc.array(
          fc.oneof(fc.jsonValue(), fc.record(anyOf('path', 'oldText', 'newText'), { requiredKeys: [] })),
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
  let raw: JsonObject = {};
  for (let depth = 0; depth < 50_000; depth++) raw = { deeper: [raw] };
  const html = renderHtml(
    conversation({ entries: [{ kind: 'unknown', key: 'u', tag: '_deep', raw, origin: 'live' }] }),
  );
  expect(html).toContain('<h2 dir="auto">_deep<a href="#e1">#</a></h2><details class="long">');
  expect(html).toMatch(/&quot;deeper&quot;: \[\n *&quot;…&quot;\n/);
  expect(html.length).toBeLessThan(20_000);
});

test('prose is formatted line by line, except in code spans', () => {
  const prose = [
    ['### A **bold** heading', '<b>A <b>bold</b> heading</b>'],
    ['##  **h **i** #', '<b>**h <b>i</b> #</b>'],
    ['####### f\n#g\n *#* h', '####### f\n#g\n *#* h'],
    ['- one\n  * `two` - three', '• one\n  • <code>two</code> - three'],
    ['- [ ] a\n\t* [X] b\nc - [x] - d\n- [y] e', '☐ a\n\t☑ b\nc - [x] - d\n• [y] e'],
    ['`**four**` 2 ** 3 ** 4', '<code>**four**</code> 2 ** 3 ** 4'],
    ['**<i>** ** j** **k*l** **mn**\n**o\n**', '<b>&lt;i&gt;</b> ** j** **k*l** <b>mn</b>\n**o\n**'],
    ['``p`\nq`', '`<code>p</code>\nq`'],
  ] as const;
  const said = text(prose.map(([markdown]) => markdown).join('\n'));
  expect(bodyOf(renderHtml(conversation({ entries: [message('agent', said)] })))).toContain(
    `<p dir="auto">${prose.map(([, html]) => html).join('\n')}</p>`,
  );
});

test.each<readonly [string, Conversation]>([
  ['of one of everything', EXAMPLE],
  ...ATTACKS.map((attack) => [`that says ${JSON.stringify(attack.slice(0, 40))}`, saying(attack)] as const),
])(
  'an entry or a plan by itself is what the page has for it, without the anchor: a transcript %s',
  (_, conversation) => {
    const entries = conversation.entries.map((entry) => renderEntryHtml(conversation, entry));
    const plans = conversation.plans.map(renderPlanHtml);
    const page = bodyOf(renderHtml(conversation)).replace(
      / (?:id="e\d+"|tabindex="0")|<a href="#e\d+">#<\/a>/g,
      '',
    );
    expect([entries, plans]).not.toContainEqual([]);
    expect(page).toContain([...entries, ...plans].join('\n'));
  },
);
