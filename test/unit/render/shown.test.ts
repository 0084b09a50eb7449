import { describe, expect, test } from 'vitest';
import type { Conversation, ConversationEntry } from '../../../src/core/model/conversation.ts';
import { columnsOf } from '../../../src/core/render/columns.ts';
import { contentParts } from '../../../src/core/render/content-parts.ts';
import { renderEntryHtml, renderHtml, renderPlanHtml } from '../../../src/core/render/html.ts';
import { renderEntryMarkdown, renderMarkdown } from '../../../src/core/render/markdown.ts';
import { renderEntryText, renderText } from '../../../src/core/render/text.ts';
import { goldenValues } from '../../support/golden-sections.ts';
import {
  conversation,
  EXAMPLE,
  message,
  sessionMessage,
  subagent,
  terminal,
  text,
  toolCall,
} from './example.ts';

const formats = {
  text: [renderText, renderEntryText],
  Markdown: [renderMarkdown, renderEntryMarkdown],
  HTML: [renderHtml, renderEntryHtml],
} as const;

/** What the golden file leaves out of an entry. */
const defaults: Partial<Record<ConversationEntry['kind'], object>> = {
  message: message('agent'),
  toolCall: toolCall({}),
  sessionMessage: sessionMessage({}),
  compaction: { key: 'c', compactionId: 'c', summary: [], error: null, origin: 'live', meta: null },
  turnFailure: { key: 'f', code: null, origin: 'live' },
};

function completed({ entries = [], terminals = {}, subagents, ...fields }: Partial<Conversation>) {
  const known = Object.entries(terminals).map(([id, given]) => [id, terminal(given)]);
  return conversation({
    ...fields,
    // The file has the other fields of their kinds.
    entries: entries.map((entry) => ({ ...defaults[entry.kind], ...entry }) as ConversationEntry),
    terminals: Object.fromEntries(known),
    ...(subagents && { subagents: subagents.map(subagent) }),
  });
}

/** What a format shows, without the page around it and without the heading of a session of which nothing is known. */
function partsOf(render: (shown: Conversation) => string, shown: Conversation) {
  const body = (all: Conversation) => render(all).replace(/^<!.*?(?=<header)|\n<\/main>.*$/gs, '');
  return body(shown)
    .replace(body(conversation({})), '')
    .trim()
    .replace(/^(?=.)/gm, '    ');
}

test('what transcripts show is what the golden file says', async () => {
  const told = goldenValues(new URL('golden/transcripts.txt', import.meta.url)).map(([name, given]) => {
    const lines = [`# ${name}`, ...given.map((fields) => `> ${JSON.stringify(fields)}`)];
    const all = given.length > 0 ? given.map(completed) : [EXAMPLE];
    const shown = all.flatMap((each) => Object.values(formats).map(([render]) => partsOf(render, each)));
    return [...lines, shown.join('\n\n')].join('\n');
  });
  await expect(`${told.join('\n\n')}\n`).toMatchFileSnapshot('golden/transcripts.txt');
});

const nothing = [
  '',
  ' ',
  '\n\n',
  '\u200b',
  '\u00ad\u2060',
  '\u200e',
  '\x1b[31m\x1b[0m',
  `\x1b]0;${'title'.repeat(99)}\x07`,
  ' '.repeat(500),
  '\u3164',
  // A conversation that was read from a file can have it.
  null as never,
];

describe.each(Object.entries(formats))('in %s', (_, [render, renderEntry]) => {
  const withoutEntries = render(conversation({}));

  test.each([undefined, ...nothing])(
    'a message, a thought and a prompt without a visible character have no heading: %j',
    (said) => {
      const blocks = said === undefined ? [] : [text(said), text(said)];
      const messages = (['agent', 'thought', 'user'] as const).map((role) => message(role, ...blocks));
      for (const entry of [...messages, sessionMessage({}, ...blocks)]) {
        expect(render(conversation({ entries: [entry] }))).toBe(withoutEntries);
        expect(renderEntry(conversation({ entries: [entry] }), entry)).toBe('');
      }
    },
  );

  test.each(nothing)('a tool call without a visible title has its name or its kind: %j', (title) => {
    const of = (fields: object) =>
      render(conversation({ entries: [{ ...toolCall({ title }), ...fields } as ConversationEntry] }));
    expect(of({ name: 'read_file' })).toMatch(/✓ read(?:_|\\_)file/);
    expect(of({ name: title, toolKind: 'fetch' })).toContain('✓ fetch');
  });

  test('an empty plan has no heading, and one with a task has', () => {
    const plan = (entries: readonly object[]) => ({ planId: 'p', type: 'items', entries }) as never;
    const blank = { planId: 'm', type: 'markdown', content: ' \n' } as const;
    expect(
      render(conversation({ plans: [plan([]), plan([{ content: ' ', status: 'pending' }]), blank] })),
    ).toBe(withoutEntries);
    expect(render(conversation({ plans: [plan([{ content: 'Pour', status: 'pending' }])] }))).toContain(
      'Plan',
    );
    expect(renderPlanHtml(plan([]))).toBe('');
  });

  test.each([
    ['a 10%\ra 50%\ra 100%', 'a 100%', 'a 50%'],
    ['a 10%\ra 50%\r', 'a 50%', 'a 10%'],
    ['-----\r\x1b[KHi', 'Hi', '-----'],
    ['one\r\ntwo\r\n', 'one', 'onetwo'],
  ])('what was overwritten after a carriage return is not shown: %j', (output, last, earlier) => {
    const places = [
      message('agent', text(output)),
      message('agent', text(`\`\`\`\n${output}\n\`\`\``)),
      { ...toolCall({}), content: [{ type: 'content', content: text(output) }] } as ConversationEntry,
      { ...toolCall({}), content: [], rawOutput: output } as ConversationEntry,
    ];
    for (const entry of places) {
      const shown = render(conversation({ entries: [entry] }));
      expect(shown).toContain(last);
      expect(shown).not.toContain(earlier);
    }
  });
});

test.each([
  ['a ```\nb', ['a ```\nb']],
  ['``` a`b\nc', ['``` a`b\nc']],
  ['\u00a0```\nb', ['\u00a0```\nb']],
  [' \n\n\ta \n', ['a']],
  ['~~~ a`b\nc', ['a: c']],
  ['\t ```ts x\na\n  ``` \nb', ['ts: a\n', 'b']],
  ['~~~~c++\na\n~~~~~\nb', ['c++: a\n', 'b']],
  ['```\na\n~~~\nb\n``\n``` x\nx ```\n```', [': a\n~~~\nb\n``\n``` x\nx ```\n']],
  ['````\n```\n````', [': ```\n']],
  ['a\n```\nb\n```\n```\nc\n```\nd', ['a', ': b\n', ': c\n', 'd']],
])('%j has the prose and the code %j', (markdown, parts) => {
  const shown = contentParts([text(markdown)]).map(({ prose, language, spans = [] }) =>
    language === undefined ? prose : `${language}: ${[...spans].map((span) => span.text).join('')}`,
  );
  expect(shown.filter(Boolean)).toEqual(parts);
});

test.each([
  ['𠀀𪛖', 4],
  ['🇩🇪', 2],
  ['👨‍👩‍👧', 2],
  ['👍🏽', 2],
  ['❤️', 2],
  ['❤', 1],
  ['1️⃣', 2],
  ['a\u200bb', 2],
  ['a\u00adb', 2],
  ['\uffe6', 2],
  ['\u3000', 2],
  ['ｶ', 1],
  ['ꀀ', 2],
  ['\ua960', 2],
  ['\ufeffa', 1],
  ['⚠️', 2],
  ['⚠', 1],
  ['✔', 1],
  ['⌚', 2],
  ['⏳', 2],
  ['日本語', 6],
  ['日本 a', 6],
  ['한국어', 6],
  ['\u1112\u1161\u11ab', 2],
  ['e\u0301', 1],
  ['abc', 3],
  ['🏴󠁧󠁢󠁥󠁮󠁧󠁿', 2],
] as const)('%s takes %d columns', (shown, columns) => {
  expect(columnsOf(shown)).toBe(columns);
});
