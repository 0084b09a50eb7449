import markdownIt from 'markdown-it';
import type { Conversation } from '../../../src/core/model/conversation.ts';
import { renderHtml } from '../../../src/core/render/html.ts';
import { renderMarkdown } from '../../../src/core/render/markdown.ts';
import { renderText } from '../../../src/core/render/text.ts';
import { conversation, message, sessionMessage, subagent, terminal, text, toolCall } from './example.ts';

/**
 * The renderers take linear time and constant stack for any input. A quadratic step or a regular expression that
 * overflows the stack fails these tests by their time limit or by an error, at ten times the time they need.
 */
export const renderers = [renderText, renderMarkdown, renderHtml];

export const megabytes = (count: number, piece: string) => piece.repeat((count * 2 ** 20) / piece.length);

/** A conversation with `value` in every field that an agent controls. */
export function saying(value: string): Conversation {
  return conversation({
    sessionId: value,
    info: { title: value, updatedAt: value },
    usage: { used: 1, size: 2, cost: { amount: 1, currency: value } },
    activity: { state: value, stopReason: value, error: { message: value } },
    terminals: { [value]: terminal({ command: value, output: value, exitStatus: { signal: value } }) },
    entries: [
      message('user', text(value)),
      message('thought', text(value)),
      message('agent', text(value), { type: '_x', value }, text(value)),
      message(
        'agent',
        { type: 'resource', resource: { uri: value, text: value } },
        { type: 'resource', resource: { uri: value, blob: value } },
        { type: 'resource_link', name: value, uri: value },
        { type: 'image', mimeType: value, data: value, uri: value },
        { type: 'image', mimeType: 'image/png', data: value },
        { type: 'audio', mimeType: value, data: value },
        { type: `_${value}`, [value]: value },
      ),
      toolCall({
        title: value,
        toolKind: value,
        status: value,
        locations: [{ path: value }],
        permission: {
          title: value,
          description: value,
          options: [{ optionId: value, name: value, kind: value }],
        },
        content: [
          { type: 'terminal', terminalId: value },
          { type: 'session', sessionId: value },
          { type: 'session', sessionId: 'child' },
          { type: 'content', content: text(value) },
          {
            type: 'diff',
            changes: [{ operation: value, oldPath: value, path: value, newText: value }],
            patch: null,
          },
          { type: 'diff', changes: [], patch: { format: value, text: value } },
          { type: `_${value}`, value },
        ],
      }),
      toolCall({ name: value, rawInput: value, rawOutput: { [value]: value } }),
      sessionMessage({ senderSessionId: value }, text(value)),
      sessionMessage({ recipientSessionId: 'child' }, text(value)),
      {
        kind: 'compaction',
        key: 'c',
        compactionId: value,
        status: value,
        summary: [text(value)],
        error: value,
        origin: 'live',
        meta: null,
      },
      { kind: 'unknown', key: 'u', tag: value, raw: { value }, origin: 'live' },
    ],
    subagents: [subagent({ sessionId: 'child', title: value, description: value })],
    plans: [
      { planId: value, type: 'items', entries: [{ content: value, priority: value, status: value }] },
      { planId: value, type: 'markdown', content: value, path: value },
      { planId: value, type: '_custom', value },
    ],
  });
}

/** Known attacks on pages and viewers. */
export const ATTACKS = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '"><svg onload=alert(1)>',
  "'><iframe srcdoc='<script>alert(1)</script>'>",
  '</pre></p></style></title></textarea><script>alert(1)</script>',
  '<!--><script>alert(1)</script>-->',
  '<![CDATA[<script>alert(1)</script>]]>',
  '<?php <script>alert(1)</script> ?>',
  '<a href="javascript:alert(1)">x</a>',
  '`<script>alert(1)</script>`',
  '` `<img src=x onerror=alert(1)>` `',
  '`a\n\n<img src=x onerror=alert(1)>\n\n`',
  'a `\n` <img src=x onerror=alert(1)> `',
  '\\`<img src=x onerror=alert(1)>`',
  'https://a.example/`<img src=x onerror=alert(1)>`',
  '| a | b |\n|---|---|\n| `x | <img src=x onerror=alert(1)>` |',
  '    <img src=x onerror=alert(1)>\n\n> ```\n<img src=x onerror=alert(1)>',
  '```\n````\n</code></pre><script>alert(1)</script>',
  'text\n    ```\n<img src=x onerror=alert(1)>\n    ```',
  '- ~~~\n<img src=x onerror=alert(1)>',
  '~~~ a`b\n</code></pre><script>alert(1)</script>',
  '[x](javascript:alert(1))',
  '[x]( \n javascript:alert(1))',
  '[x](<javascript:alert(1)>)',
  '[x](< java\tscript:alert(1)>)',
  '[x](java&#115;cript&colon;alert(1))',
  '[x](javascript\\:alert(1))',
  '[x](data:text/html,<script>alert(1)</script>)',
  '[x][y]\n\n[y]: javascript:alert(1)',
  '[x][y]\n\n> [y]:\n> javascript:alert(1)',
  '<javascript:alert(1)>',
  '![x](https://tracker.example/?transcript)',
  '![x][y]\n\n[y]: https://tracker.example/?transcript',
  'data:image/svg+xml;base64,PHN2Zz4=',
  'image/svg+xml',
  'image/png;base64,AA==" onerror="alert(1)',
  '__proto__',
  '&lt;script&gt;',
];

/** A viewer that renders HTML and links to any address. */
export const trusting = markdownIt({ html: true, linkify: true });
trusting.validateLink = () => true;

const FORMATTING =
  /<\/?(?:p|h[1-6]|ul|ol|li|code|pre|em|strong|s|blockquote|hr|br|table|thead|tbody|tr|th|td)\b[^<>]*>/g;
const LINK = /<a href="([^"]*)"[^<>]*>|<\/a>/g;

/** Whether an address is relative, or has a scheme that an agent can link to. */
function isHarmless(address: string): boolean {
  const url = address.replaceAll('&amp;', '&');
  return (
    !URL.canParse(url, 'https://a.example') ||
    /^(?:https?|mailto|file):$/.test(new URL(url, 'https://a.example').protocol)
  );
}

/** The tags in the rendered transcript, without formatting and harmless links. Should be empty. */
export function acting(value: string): string[] {
  const html = trusting.render(renderMarkdown(saying(value)));
  const rest = html
    .replace(FORMATTING, '')
    .replace(LINK, (tag, address = '') => (isHarmless(address) ? '' : tag));
  return rest.match(/<[^>]*>?/g) ?? [];
}
