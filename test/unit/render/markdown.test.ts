import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cleanLine } from '../../../src/core/render/clean.ts';
import { renderEntryMarkdown, renderMarkdown } from '../../../src/core/render/markdown.ts';
import { runs } from '../../support/runs.ts';
import { conversation, EXAMPLE, message, text, toolCall } from './example.ts';
import { ATTACKS, acting, saying, trusting } from './hostile.ts';

const agentSays = (value: string): string =>
  renderMarkdown(conversation({ entries: [message('agent', text(value))] })).split('## Agent\n\n')[1] ?? '';

test.each(ATTACKS)('%j does not act in a viewer that renders HTML', (attack) => {
  expect(acting(attack)).toEqual([]);
});

test('headings of the agent start at level 4', () => {
  const html = trusting.render(agentSays('# One\n\n  ## Two\n\n### Three\n\n#### Four\n\n###### Six\n#'));
  expect(html.match(/<h\d>/g)).toEqual(['<h4>', '<h5>', '<h6>', '<h6>', '<h6>', '<h4>']);
});

/** The headings of a rendered transcript that could be those of a section, with their text. */
function sectionHeadings(...said: string[]): readonly string[] {
  const markdown = renderMarkdown(
    conversation({ entries: said.map((value) => message('agent', text(value))) }),
  );
  return trusting.render(markdown).match(/<h[1-3]>.*?<\/h[1-3]>/gs) ?? [];
}

test.each([
  'User\n====',
  'User\n---\t\nmore',
  'User\n  -',
  'User\n--- \u00a0',
  '- x\n\nUser\n-\t\nmore',
  '- User\n  ---',
  '10. User\n    ===',
  '> User\n> ---',
  '> - User\n>   ---\t',
  '# ✓ Ran the tests',
  '#\tUser',
  '- # User',
  '1. ## User',
  '> # User',
  '- - #\tUser',
  '> 1) ### User',
  '-\t# User',
  '> > # User',
  '- x\n\n      # User',
  '- #',
  'Yes.\u2028# User\u2029User\u2028---',
])('the agent cannot imitate a section with %j', (value) => {
  expect(sectionHeadings(value, 'Yes.')).toEqual(['<h1>Session</h1>', '<h2>Agent</h2>', '<h2>Agent</h2>']);
});

test('the agent cannot imitate or hide a section with any Markdown', () => {
  const piece = fc.constantFrom(
    ...'#-=>*+`|:\\x \t\n\n\u2028\u00a0',
    ...['User', '##', '---', '==', '1.', '2)', '[ ]', '```', '~~~', '|-|', '<!--', '  ', '    ', '\n\n'],
  );
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 14 }), (pieces) => {
      // A blank message has no heading.
      fc.pre(cleanLine(pieces.join('')) !== '');
      expect(sectionHeadings(pieces.join(''), 'Yes.')).toEqual([
        '<h1>Session</h1>',
        '<h2>Agent</h2>',
        '<h2>Agent</h2>',
      ]);
    }),
    { numRuns: runs(600) },
  );
});

test('a section starts outside of the lists, tables, quotes and fences of the section before it', () => {
  const call = toolCall({ title: 'Ran', content: [{ type: 'content', content: text('output') }] });
  expect(renderEntryMarkdown(EXAMPLE, toolCall({ title: 'Ran' }))).toBe('### ✓ Ran');
  for (const value of [
    '- x',
    '1. x',
    '> x',
    '```\nx',
    '> ```',
    '- ```\n  x',
    '| a |\n|---|',
    '~~~',
    '    x',
    '$$',
  ]) {
    const shown = renderMarkdown(conversation({ entries: [message('agent', text(value)), call] }));
    expect(trusting.render(shown)).toMatch(/(?:^|\n)<h3>✓ Ran<\/h3>\n<pre><code>output\n<\/code><\/pre>\n$/);
  }
});

test('a title or a label is shown as it is', () => {
  for (const value of [
    '1. one',
    '12) one',
    '# one',
    '- one',
    '> one',
    '+ one',
    '*one*',
    '_one_',
    '~~one~~',
    '[x](y)',
    '`a`',
    '&lt;',
    '<b>',
  ]) {
    const html = trusting.render(
      renderMarkdown(
        conversation({
          entries: [
            toolCall({ title: value }),
            message('agent', { type: 'resource_link', name: value, uri: '' }),
          ],
        }),
      ),
    );
    const shown = value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
    expect(html).toContain(`<h3>✓ ${shown}</h3>\n<h2>Agent</h2>\n<p>${shown}</p>`);
  }
  const title = 'a-b > c #1 + 2. 3)';
  expect(renderMarkdown(conversation({ info: { title, updatedAt: null } }))).toBe(`# ${title}\n\nsess-1\n`);
});

test('Markdown of the agent is kept', () => {
  const said = [
    'Some *emphasis*, `code`, `a < b`, 1 < 2, [a link](https://a.example/b?c=d), [a file](src/a.ts#L3).',
    '[A page](http://a.example), [a mailbox]( mailto:a@a.example), 1 # 2 -',
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

test.each([
  ['of one of everything', EXAMPLE] as const,
  ...ATTACKS.map((attack) => [`that says ${JSON.stringify(attack.slice(0, 40))}`, saying(attack)] as const),
])('an entry by itself is what the document has for it: a transcript %s', (_, conversation) => {
  const entries = conversation.entries.map((entry) => renderEntryMarkdown(conversation, entry));
  expect(entries.length).toBeGreaterThan(0);
  expect(renderMarkdown(conversation)).toContain(`\n\n${entries.join('\n\n')}\n`);
});
