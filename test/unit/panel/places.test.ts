import { describe, expect, test } from 'vitest';
import type { AnyUpdate } from '../../../src/core/model/client-update.ts';
import { assertAttachments, assertShown, diffOf, linkOf, locationOf } from '../../../src/ui/panel/places.ts';
import { emptyConversation, foldUpdates } from '../../support/fold-any.ts';

const cwd = '/home/user/project';
const folders = [cwd, '/home/user/other'];
const said = [
  'See [a](src/a.ts#L12), [docs](https://example.com/docs), http://plain.example and https://sub.example/path?q=1.',
  '> quoted   ',
  '  indented',
].join('\n');
const updates: readonly AnyUpdate[] = [
  { sessionUpdate: 'agent_message_chunk', messageId: 'm1', content: { type: 'text', text: said } },
  {
    sessionUpdate: 'tool_call_update',
    toolCallId: 't1',
    title: 'Edits https://in-title.example',
    locations: [{ path: `${cwd}/a.ts`, line: 3 }, { path: '/etc/hosts', line: 0 }, { path: 'a.ts' }],
    content: [
      { type: 'content', content: { type: 'text', text: 'https://in-content.example' } },
      { type: 'diff', changes: [{ path: `${cwd}/a.ts`, oldText: 'a', newText: 'b' }], patch: null },
      { type: 'diff', changes: [{ path: `${cwd}/new.ts`, newText: 'b' }], patch: null },
    ],
  } as AnyUpdate,
];
const folded = foldUpdates(emptyConversation('s1'), updates);
const text = (words: string) => ({ type: 'text', text: words });
/** Entries of other kinds, with what is read of them. */
const others: readonly object[] = [
  { kind: 'turnFailure', key: 'failure', reason: 'It failed.' },
  {
    kind: 'toolCall',
    key: 'untitled',
    title: null,
    locations: [],
    content: [{ type: 'terminal', terminalId: 'x' }],
  },
  {
    kind: 'sessionMessage',
    key: 'note',
    content: [
      text('https://in-note.example and src/note.ts'),
      { type: 'resource', resource: { uri: 'file:///x', text: 'embedded' } },
    ],
  },
  { kind: 'compaction', key: 'summary', summary: [text('https://in-summary.example')], error: null },
];
const document = {
  planId: 'p',
  type: 'markdown',
  content: 'See [b](src/b.ts#L3) and https://in-plan.example\nas planned',
  path: '/home/user/plans/PLAN.md',
} as const;
const { path: _, ...withoutFile } = document;
const conversation = {
  ...folded,
  entries: [...(others as typeof folded.entries), ...folded.entries],
  plans: [
    document,
    { ...withoutFile, planId: 'no file' },
    { ...document, planId: 'share', path: '\\\\server\\share\\PLAN.md' },
    { planId: 'list', type: 'items', entries: [] },
  ] as const,
};
const context = { conversation, cwd, folders };
const [message = '', tool = ''] = folded.entries.map(({ key }) => key);
const unknown = 'The conversation does not have this place. It can have changed: look at it again.';

describe('a place of the conversation', () => {
  test('is a location of a tool call, with its line if it has one', () => {
    const at = (index: number, entryKey = tool) => locationOf({ kind: 'location', entryKey, index }, context);
    expect(at(0)).toEqual({ path: `${cwd}/a.ts`, line: 3 });
    expect(at(1)).toEqual({ path: '/etc/hosts', line: null });
    expect(() => at(2)).toThrow('"a.ts" is not in a folder of the workspace.');
    for (const wrong of [() => at(3), () => at(0, message), () => at(0, 'none')])
      expect(wrong).toThrow(unknown);
  });

  test('is a diff of a tool call', () => {
    const place = (index: number, change?: number) =>
      ({ kind: 'diff', entryKey: tool, index, ...(change !== undefined && { change }) }) as const;
    expect(locationOf(place(1), context)).toEqual({ path: `${cwd}/a.ts`, line: null });
    expect(diffOf(place(1), context)).toMatchObject({ path: `${cwd}/a.ts`, oldText: 'a', newText: 'b' });
    expect(diffOf(place(2, 0), context)).toMatchObject({ path: `${cwd}/new.ts`, oldText: null });
    for (const wrong of [place(0), place(3), place(1, 1)])
      expect(() => diffOf(wrong, context)).toThrow(unknown);
  });

  test('is the file of a Markdown plan, or a file that the plan names', () => {
    const plan = (planId: string, uri?: string) => locationOf({ kind: 'plan', planId, uri }, context);
    expect(plan('p')).toEqual({ path: document.path, line: null });
    expect(plan('p', 'src/b.ts#L3')).toEqual({ path: `${cwd}/src/b.ts`, line: 3 });
    for (const wrong of [
      () => plan('no file'),
      () => plan('list'),
      () => plan('z'),
      () => plan('p', 'src/a.ts'),
    ])
      expect(wrong).toThrow(unknown);
    for (const wrong of [() => plan('share'), () => plan('p', 'https://in-plan.example')])
      expect(wrong).toThrow('is not in a folder of the workspace');
  });

  test('is a link that the entry has', () => {
    const link = (uri: string, entryKey = message) => locationOf({ kind: 'link', entryKey, uri }, context);
    expect(link('src/a.ts#L12')).toEqual({ path: `${cwd}/src/a.ts`, line: 12 });
    expect(link('src/note.ts', 'note')).toEqual({ path: `${cwd}/src/note.ts`, line: null });
    expect(() => link('src/b.ts')).toThrow(unknown);
    expect(() => link('src/a.ts', tool)).toThrow(unknown);
    expect(() => link('https://example.com/docs')).toThrow('is not in a folder of the workspace');
  });
});

describe('an address of the web', () => {
  test.each([
    ['https://example.com/docs', 'https://example.com/docs'],
    ['http://plain.example', 'http://plain.example/'],
    ['http://plain.example/', 'http://plain.example/'],
    ['HTTP://PLAIN.example', 'http://plain.example/'],
    ['https://sub.example/path?q=1', 'https://sub.example/path?q=1'],
    ['https://in-title.example', 'https://in-title.example/'],
    ['https://in-content.example', 'https://in-content.example/'],
    ['https://in-note.example', 'https://in-note.example/'],
    ['https://in-summary.example', 'https://in-summary.example/'],
    ['https://in-plan.example', 'https://in-plan.example/'],
  ])('%s is opened', (url, href) => {
    expect(linkOf(url, context)).toBe(href);
  });

  test.each([
    'https://example.com',
    'https://example.com/doc',
    'https://sub.example/path',
    'https://sub.example/path?q',
    'http://plain.exampl',
    'https://other.example',
  ])('%s is not opened: the conversation does not have it', (url) => {
    expect(() => linkOf(url, context)).toThrow('does not have this address');
  });

  test.each(['src/a.ts', 'javascript:alert(1)', 'file:///etc/passwd', 'http:'])('%s is none', (url) => {
    expect(() => linkOf(url, context)).toThrow('Only addresses that begin with http: or https:');
  });
});

test.each([
  'quoted',
  '  quoted',
  '> indented\n\n',
  '\nhttps://in-content.example\r\nquoted',
  '',
  'embedded',
  'as planned',
])('the text %j is shown', (text) => {
  expect(() => assertShown(text, conversation)).not.toThrow();
});

test.each(['quote', 'quoted\nmore', 'indented quoted'])('the text %j is not shown', (text) => {
  expect(() => assertShown(text, conversation)).toThrow('does not contain this text');
});

describe('an attachment of a page', () => {
  const link = (uri: string) => ({ type: 'resource_link', name: 'a', uri }) as const;
  const resource = (uri: string) => ({ type: 'resource', resource: { uri, text: 'a' } }) as const;
  const attach = (block: Parameters<typeof assertAttachments>[0][number]) =>
    assertAttachments([{ type: 'text', text: 'a' }, block], folders, (uri) => uri === 'chosen:x');

  test.each([
    link(`file://${cwd}/a.ts`),
    link('https://example.com/a'),
    link('HTTP://example.com/a'),
    link('chosen:x'),
    resource('attachment:a b.txt'),
    resource('file:///home/user/other/a.ts'),
  ])('can be %j', (block) => {
    expect(() => attach(block)).not.toThrow();
  });

  test.each([
    link('file:///etc/passwd'),
    link('https://'),
    link('x-https://example.com/a'),
    link('attachment:a.txt'),
    resource('attachment:../a.txt'),
    resource('attachment:a\\b'),
    resource('xattachment:a'),
  ])('cannot be %j', (block) => {
    expect(() => attach(block)).toThrow('is not in a folder of the workspace');
  });
});
