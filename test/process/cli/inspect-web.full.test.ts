import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { copyFile, open } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { LoadedTimeline } from '../../../src/programs/inspector/page/loaded-timeline.ts';
import type { TimelineItem, TimelineLine } from '../../../src/programs/inspector/timeline/items.ts';
import { buildPackage } from '../../support/build.ts';
import { eventually } from '../../support/eventually.ts';
import { authorized, startServeExample } from '../../support/serve-example.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { type Running, run, startCommand } from './command-line.ts';

const token = authorized['Authorization']?.slice('Bearer '.length) ?? '';
const recording = join(import.meta.dirname, '../../fixtures/traffic/sdk-example-0.12.0.ndjson');
const [transcriptName = ''] = readdirSync(join(import.meta.dirname, '../../fixtures/transcripts'));
const transcript = join(import.meta.dirname, '../../fixtures/transcripts', transcriptName);

// The programs of these tests are built without the page, which `npm run build` makes.
beforeAll(async () => {
  const page = join(import.meta.dirname, '../../../dist/inspector.html.br');
  await copyFile(page, join(await buildPackage(), 'inspector.html.br'));
});

/** A page of the inspector, without the page itself. */
interface WebPage {
  readonly command: Running;
  readonly html: string;
  /** Reads the timeline until an item is of this type, and returns the items so far. */
  itemsUntil(type: TimelineItem['type']): Promise<readonly TimelineItem[]>;
  /** Reads the timeline of a file. */
  lines(): Promise<readonly TimelineLine[]>;
  call(method: string, params: object): Promise<unknown>;
}

/** Starts `npx acp-client-sdk inspect --web`, and opens the address that it prints. */
async function inspectWeb(args: readonly string[], env: Readonly<Record<string, string>>): Promise<WebPage> {
  const command = await startCommand(['inspect', '--web', ...args], { env, cwd: temporaryFolder() });
  let printed = '';
  command.process.stdout.on('data', (text: string) => {
    printed += text;
  });
  await command.shows('Open this address');
  const url = new URL(printed.trim());
  expect(url.hostname).toBe('127.0.0.1');
  const headers = {
    authorization: `Bearer ${url.hash.slice('#token='.length)}`,
    'content-type': 'application/json',
  };
  return {
    command,
    html: await (await fetch(url.origin)).text(),
    async itemsUntil(type) {
      const { body } = await fetch(`${url.origin}/items?from=0`, { headers });
      const items: TimelineItem[] = [];
      let rest = '';
      for await (const part of body?.pipeThrough(new TextDecoderStream()) ?? []) {
        const lines = (rest + part).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines.filter(Boolean)) {
          const read: TimelineLine = JSON.parse(line);
          if ('item' in read) items.push(read.item);
        }
        if (items.some((item) => item.type === type)) break;
      }
      return items;
    },
    async lines() {
      const text = await (await fetch(`${url.origin}/items?from=0`, { headers })).text();
      return text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
    },
    async call(method, params) {
      const body = JSON.stringify({ method, params });
      return (await fetch(`${url.origin}/call`, { method: 'POST', headers, body })).json();
    },
  };
}

describe('npx acp-client-sdk inspect --web', () => {
  test('shows and drives an agent at an address, and its token is nowhere', async () => {
    const { url, children } = await startServeExample();
    const page = await inspectWeb(['--token-env', 'AGENT_TOKEN', '--', url], { AGENT_TOKEN: token });
    expect(page.html).toContain('<title>ACP inspector</title>');
    const items = await page.itemsUntil('connection');
    expect(items.find((item) => item.type === 'process')).toMatchObject({ state: 'starting', url });
    expect(items.find((item) => item.type === 'connection')).toMatchObject({ dialect: 'v2-baseline' });
    // The page hears of the connection a moment before calls can be sent.
    await eventually(() => page.call('session/list', {})).toHaveProperty('result.sessions');
    expect(JSON.stringify(items)).not.toContain(token);
    page.command.process.kill('SIGINT');
    expect(await page.command.ended).toMatchObject({ code: expect.any(Number) });
    await eventually(children).toEqual([]);
  });

  test('shows a recording, without an agent', async () => {
    const page = await inspectWeb([recording], {});
    expect((await page.itemsUntil('connection')).some((item) => item.type === 'message')).toBe(true);
    expect(await page.call('session/list', {})).toEqual({ error: { message: 'There is no agent.' } });
  });

  test.skipIf(process.platform === 'win32')('ends at Ctrl-C while it reads a recording', async () => {
    const pipe = join(temporaryFolder(), 'long.ndjson');
    execFileSync('mkfifo', [pipe]);
    const command = await startCommand(['inspect', '--web', pipe]);
    // Opening it waits for its reader.
    const writer = await open(pipe, 'w');
    command.process.kill('SIGINT');
    await writer.write(readFileSync(recording));
    await writer.close();
    expect(await command.ended).toEqual({
      code: 130,
      stdout: '',
      stderr: expect.stringMatching(/^acp-client-sdk: Interrupted\.\n$/),
    });
  });

  test('says that an address is none before it serves a page', async () => {
    const command = await startCommand(['inspect', '--web', '--', 'https://']);
    const { code, stdout } = await command.ended;
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  });

  test('shows a transcript of a file, and an exported one, without an agent', async () => {
    const page = await inspectWeb([transcript], {});
    const [item, changes] = await page.lines();
    const shown = { type: 'transcript', cwd: '/home/user/project', isDamaged: false };
    expect(item).toMatchObject({ item: shown });
    expect(JSON.stringify(changes)).toContain('Is 1900 a leap year?');
    expect(await page.call('session/list', {})).toEqual({ error: { message: 'There is no agent.' } });
    const { stdout } = await run(['fold', recording, '--format', 'json']);
    const exported = join(temporaryFolder(), 'exported.json');
    writeFileSync(exported, stdout);
    const timeline = new LoadedTimeline('', await (await inspectWeb([exported], {})).lines());
    expect(timeline.conversationAt(0, 0)).toEqual(JSON.parse(stdout).conversation);
  });

  test('says why a file cannot be shown before it serves a page', async () => {
    const newer = join(temporaryFolder(), 'newer.jsonl');
    writeFileSync(newer, readFileSync(transcript, 'utf8').replace('"version":1', '"version":99'));
    expect(await run(['inspect', '--web', newer])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/newer\.jsonl" has version 99 .* Update acp-client-sdk/),
    });
    const notes = join(temporaryFolder(), 'notes.txt');
    writeFileSync(notes, 'Water the plants.\n');
    expect(await run(['inspect', '--web', notes])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/notes\.txt is not a recording: no line has the form/),
    });
    expect(await run(['inspect', '--web', recording, transcript])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/compares the messages of recordings, and .*\.jsonl is a transcript/),
    });
  });
});
