import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { AcpUIMessage } from '../../src/ui/ai-sdk/message-type.ts';
import { toUIMessages } from '../../src/ui/ai-sdk/messages.ts';
import { playTurns, recordings } from '../support/recorded-turns.ts';

/** What assistant-ui has of a message. */
interface ThreadMessage {
  readonly role: string;
  readonly content: readonly { readonly type: string; readonly text?: string }[];
}

/** assistant-ui reads messages in a hook of React: it is rendered as on a server. */
const program = `
  import { createElement } from 'react';
  import { renderToString } from 'react-dom/server';
  import { useChat } from '@ai-sdk/react';
  import { useAISDKRuntime } from '@assistant-ui/react-ai-sdk';

  export function read(messages) {
    let thread;
    const Reader = () => {
      thread = useAISDKRuntime(useChat({ messages })).thread.getState().messages;
      return null;
    };
    renderToString(createElement(Reader));
    return thread;
  }
`;

let folder: string;
let read: (messages: readonly AcpUIMessage[]) => readonly ThreadMessage[];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'acp-assistant-ui-'));
  const outfile = join(folder, 'reader.cjs');
  const stdin = { contents: program, resolveDir: inject('chatPackages') };
  await build({ stdin, outfile, bundle: true, platform: 'node', logLevel: 'error' });
  ({ read } = createRequire(import.meta.url)(outfile));
}, 600_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

/** All texts, in their order. */
const textsIn = (parts: readonly { readonly type: string; readonly text?: string }[]) =>
  parts.filter(({ type }) => type === 'text' || type === 'reasoning').map(({ text }) => text);

let turns = 0;
let texts = 0;

test.each([...recordings])('assistant-ui has all texts of each turn of %s', async (_name, recorded) => {
  for (const recording of recorded) {
    const checks: Promise<void>[] = [];
    await playTurns(recording, (session, turn) => {
      const check = () => {
        const messages = toUIMessages(session.conversation);
        const expected = messages.flatMap(({ parts }) => textsIn(parts));
        expect(read(messages).flatMap(({ content }) => textsIn(content))).toEqual(expected);
        turns++;
        texts += expected.length;
      };
      checks.push(turn.then(check, check));
    });
    await Promise.all(checks);
  }
});

test('the recordings have turns, with texts', () => {
  expect(turns).toBeGreaterThan(400);
  expect(texts).toBeGreaterThan(1000);
});
