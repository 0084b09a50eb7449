import { readFileSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AnyUpdate } from '../../../src/core/model/client-update.ts';
import { createConversationMirror } from '../../../src/records/mirror/mirror.ts';
import { publishConversation } from '../../../src/records/mirror/publish.ts';
import { createConversationStore, emptyConversation } from '../../support/fold-any.ts';
import { openServers } from '../tool-program.ts';
import { root } from './pages.ts';
import { createReader, javaScriptSteps, type Reader, stepsOf } from './walkthrough.ts';

let reader: Reader;
beforeEach(async () => {
  reader = await createReader();
}, 60_000);
afterEach(() => reader.remove());

// Each program is saved and run in a folder that has only the installed package.
test.skipIf(process.platform === 'win32').each([
  ['docs/permissions.md', 'rules.mjs'],
  ['docs/mcp-servers.md', 'servers.mjs'],
])('the program of %s prints what the page shows', async (page, program) => {
  const steps = await stepsOf(page);
  expect(steps.map((step) => ('file' in step ? step.file : step.commands))).toEqual([
    program,
    [`node ${program}`],
  ]);
  await reader.follow(steps);
});

const steps = await stepsOf('docs/getting-started.md');

test('the page has files and commands with their output', () => {
  expect(steps.flatMap((step) => ('file' in step ? step.file : []))).toEqual([
    'tsconfig.json',
    ...['ask.mts', 'ask.mjs', 'client.mts', 'restore.mts', 'restore.mjs', 'ask.test.mts', 'trace.mts'],
    'client.cjs',
  ]);
  const config = steps.find((step) => 'file' in step && step.file === 'tsconfig.json');
  for (const option of ['strict', 'exactOptionalPropertyTypes', 'noUncheckedIndexedAccess']) {
    expect(config).toMatchObject({ content: expect.stringContaining(`"${option}": true`) });
  }
  expect(config).toMatchObject({ content: expect.stringContaining('"verbatimModuleSyntax": true') });
  expect(steps.filter((step) => 'printed' in step && step.printed !== '').length).toBeGreaterThan(1);
});

// test/package/first-hour.full.test.ts follows the steps in TypeScript.
test.skipIf(process.platform === 'win32')(
  'the steps of the page print what it shows, in JavaScript',
  async () => {
    await reader.follow(javaScriptSteps(steps));
    const trace = await readFile(join(reader.folder, 'trace.ndjson'), 'utf8');
    expect(trace).toContain('"method":"session/prompt"');
    expect(await reader.shell('npx acp-client-sdk fold trace.ndjson')).toContain(
      'Hello, and please plan my day.',
    );
  },
  900_000,
);

test('the CommonJS build finds the demo agent', async () => {
  const program = `
    const { demoAgentCommand } = require('acp-client-sdk/node');
    console.log(require('node:fs').existsSync(demoAgentCommand().args[0]));`;
  expect(await reader.node('--eval', program)).toBe('true\n');
});

const page = 'docs/tools.md';
const installed = ['@modelcontextprotocol/server', '@valibot/to-json-schema', '@modelcontextprotocol/client'];
const toolSteps = await stepsOf(page);
const installTools = () => Promise.all(installed.map((name) => reader.install(name)));

test.skipIf(process.platform === 'win32')('the program of the page prints what the page shows', async () => {
  await installTools();
  const commands = toolSteps.flatMap((step) => ('commands' in step ? step.commands : []));
  // What the page has the reader install is what this test installs. The package needs valibot itself.
  const named = commands.flatMap((command) => /^npm install (.+)$/.exec(command)?.[1]?.split(' ') ?? []);
  expect(named.sort()).toEqual(['acp-client-sdk', 'valibot', ...installed].sort());
  await reader.follow(toolSteps);
});

/** Opens a session with the server of the recipe, and uses it as an agent does. */
const agent = `${openServers}
  import { notesServer } from './notes.mjs';

  const { client, close } = await open(notesServer({ transports: [process.argv[2]] }));
  const { content } = await client.callTool({ name: 'write_note', arguments: { name: 'tea', content: 'Buy tea.' } });
  const { resources } = await client.listResources();
  const { contents } = await client.readResource({ uri: resources[0].uri });
  const { messages } = await client.getPrompt({ name: 'review' });
  console.log(JSON.stringify([content[0].text, contents[0].text, messages[0].content.text]));
  await close();
`;

test.each(['http', 'stdio'])(
  'an agent uses the tools, resources and prompts of the wrapped server over %s',
  async (transport) => {
    await installTools();
    const recipe = toolSteps.find((step) => 'file' in step && step.file === 'notes.mjs');
    await reader.write({ 'notes.mjs': (recipe as { content: string }).content, 'agent.mjs': agent });
    expect(JSON.parse(await reader.node('agent.mjs', transport))).toEqual([
      'Written.',
      'Buy milk.\nBuy tea.',
      'Review these notes: milk,tea',
    ]);
  },
);

const words = 'The function returns “true” for a leap year, and the test\n\tshows it. ';
const base64 = (text: string | Uint8Array) => Buffer.from(text).toString('base64');

/** What agents stream, in the words of both versions of the protocol: an update by its number. */
const streams: Readonly<
  Record<string, { readonly count: number; readonly update: (index: number) => object; ratio?: number }>
> = {
  'one message': {
    count: 10_000,
    update: (n) => ({
      sessionUpdate: 'agent_message_chunk',
      content: { type: 'text', text: words.slice(n % 50, (n % 50) + 4) },
    }),
  },
  'tool calls with changes of status and output': {
    count: 3000,
    update: (n) => ({
      sessionUpdate: n % 3 === 0 ? 'tool_call' : 'tool_call_update',
      toolCallId: `call-${Math.floor(n / 3)}`,
      ...(n % 3 === 0 && { title: `Read file ${n}`, kind: 'read', rawInput: { path: `/project/${n}.ts` } }),
      status: (['pending', 'in_progress', 'completed'] as const)[n % 3],
      ...(n % 3 === 2 && {
        content: [{ type: 'content', content: { type: 'text', text: words.repeat(10) } }],
      }),
    }),
  },
  'output of a tool call, sent as a whole': {
    count: 200,
    update: (n) => ({
      sessionUpdate: n === 0 ? 'tool_call' : 'tool_call_update',
      toolCallId: 'call-1',
      ...(n === 0 && { title: 'Run' }),
      content: [{ type: 'content', content: { type: 'text', text: words.repeat(n + 1) } }],
    }),
    ratio: 0.1,
  },
  'terminal output with colors': {
    count: 3000,
    update: (n) => ({
      sessionUpdate: 'terminal_output_chunk',
      terminalId: 'terminal-1',
      data: base64(`\u001b[32m✓\u001b[0m test ${n} \u001b[2m${'.'.repeat(270)}\u001b[0m\r\n`),
    }),
  },
  // A byte that is no UTF-8 is a character of three bytes in the mirror.
  'binary terminal output': {
    count: 256,
    update: (n) => ({
      sessionUpdate: 'terminal_output_chunk',
      terminalId: 'terminal-1',
      data: base64(Uint8Array.from({ length: 4096 }, (_, at) => (at * 7 + n) % 256)),
    }),
    ratio: 2,
  },
};

test.each(Object.entries(streams))(
  'a mirror takes as few of the streamed bytes as docs/conversation.md says: %s',
  async (_, { count, update: updateOf, ratio = 1.3 }) => {
    const sessionId = 'session-1';
    const store = createConversationStore(emptyConversation(sessionId));
    const mirror = createConversationMirror(sessionId, {
      requestResend(reason) {
        throw reason;
      },
    });
    let streamedBytes = 0;
    let sentBytes = 0;
    publishConversation(store, {
      send(message) {
        const json = JSON.stringify(message);
        sentBytes += Buffer.byteLength(json);
        mirror.receive(JSON.parse(json));
      },
    });
    // Each update in a message of its own: the most messages that are possible.
    for (let index = 0; index < count; index++) {
      const update = updateOf(index) as AnyUpdate;
      const line = JSON.stringify({
        jsonrpc: '2.0',
        method: 'session/update',
        params: { sessionId, update },
      });
      streamedBytes += Buffer.byteLength(line) + 1;
      store.apply(update);
      await Promise.resolve();
    }
    expect(mirror.getSnapshot()).toEqual(store.getSnapshot());
    expect(sentBytes / streamedBytes).toBeLessThan(ratio);
  },
);

/** Colors of the select graphic rendition codes, on a dark background. */
const colors: Readonly<Record<string, string>> = {
  '31': '#ff7b72',
  '32': '#7ee787',
  '33': '#e3b341',
  '34': '#79c0ff',
  '35': '#d2a8ff',
  '36': '#76e3ea',
};

const fontSize = 13;
const lineHeight = 19;
/** Of a monospaced font of that size. The width of each line is set, so the font of the reader does not matter. */
const columnWidth = 7.8;
const margin = 18;

/** An SVG picture of a terminal that shows `text`, which has escape sequences for color and bold only. */
function terminalPicture(text: string): string {
  // A picture has no marks of Markdown.
  const lines = text
    .trimEnd()
    .replace(/\*\*(.+?)\*\*/g, '\x1b[1m$1\x1b[22m')
    .split('\n');
  const columns = Math.max(...lines.map((line) => stripVTControlCharacters(line).length));
  const width = Math.ceil(2 * margin + columns * columnWidth);
  const height = 2 * margin + lines.length * lineHeight;
  const rows = lines.flatMap((line, index) => {
    const y = margin + (index + 0.75) * lineHeight;
    return runsOf(line).map(({ column, text, style }) => {
      const x = (margin + column * columnWidth).toFixed(1);
      const length = (text.length * columnWidth).toFixed(1);
      return `<text x="${x}" y="${y}" textLength="${length}" ${style}>${escaped(text)}</text>`;
    });
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="ui-monospace,monospace" font-size="${fontSize}">
<title>A transcript in a terminal</title>
<style>text{white-space:pre}</style>
<rect width="100%" height="100%" rx="8" fill="#161b22"/>
${rows.join('\n')}
</svg>
`;
}

interface Run {
  readonly column: number;
  readonly text: string;
  readonly style: string;
}

/** The parts of a line that have one style each, without the spaces around them. */
function runsOf(line: string): readonly Run[] {
  const runs: Run[] = [];
  let column = 0;
  let style = 'fill="#e6edf3"';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this matches escape sequences
  for (const [index, piece] of line.split(/\x1b\[([\d;]*)m/).entries()) {
    if (index % 2 === 0) {
      const text = piece.trim();
      const indent = piece.length - piece.trimStart().length;
      if (text !== '') runs.push({ column: column + indent, text, style });
      column += piece.length;
    } else style = styleOf(piece.split(';'));
  }
  return runs;
}

function styleOf(codes: readonly string[]): string {
  const color = codes.map((code) => colors[code]).find(Boolean) ?? '#e6edf3';
  const weight = codes.includes('1') ? ' font-weight="bold"' : '';
  const opacity = codes.includes('2') ? ' opacity="0.65"' : '';
  return `fill="${color}"${weight}${opacity}`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

test.skipIf(process.platform === 'win32')('the first steps print what the page shows', async () => {
  // The commands for a clone need its sources.
  const steps = (await stepsOf('README.md')).filter(
    (step) => 'file' in step || !step.commands.some((command) => command.includes('npm ci')),
  );
  expect(steps.map((step) => ('file' in step ? step.file : step.commands))).toEqual([
    ['npm install acp-client-sdk'],
    'first.mjs',
    ['node first.mjs'],
    expect.arrayContaining(['npx acp-client-sdk chat']),
  ]);
  await reader.follow(steps.slice(0, 2));
  // The number of tokens depends on the length of the path of the folder.
  const withoutUsage = (text: string) => text.replace(/[\d,]+ of 200,000 tokens · [\d.]+ USD/, 'usage');
  const shown = steps.flatMap((step) => ('printed' in step && step.printed !== '' ? [step.printed] : []));
  expect(shown.map(withoutUsage)).toEqual([withoutUsage(await reader.shell('node first.mjs'))]);
});

test.skipIf(process.platform === 'win32')('the picture shows what the command prints', async () => {
  const printed = await reader.shell('FORCE_COLOR=1 npx acp-client-sdk transcript example-leap-day');
  const end = printed.indexOf('Before coffee.');
  const start = printed.lastIndexOf('Agent', printed.indexOf('Found it.'));
  const lastLine = printed.lastIndexOf('User', printed.lastIndexOf('User', end) - 1);
  expect(start).toBeGreaterThan(0);
  const picture = terminalPicture(
    printed.slice(printed.lastIndexOf('\n', start) + 1, printed.lastIndexOf('\n', lastLine)),
  );
  const path = join(root, 'docs/transcript.svg');
  if (process.env['UPDATE_DOCS']) writeFileSync(path, picture);
  else expect(readFileSync(path, 'utf8')).toBe(picture);
});
