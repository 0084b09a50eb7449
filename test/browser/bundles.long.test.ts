import { once } from 'node:events';
import { resolve } from 'node:path';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { WebSocketServer } from 'ws';
import type * as conversation from '../../src/entries/conversation.ts';
import type * as sdk from '../../src/entries/index.ts';
import type * as testing from '../../src/entries/testing.ts';
import { sharedBrowser } from './browser.ts';

const browser = sharedBrowser();

/** Bundles entries into one script, which sets a global for each. */
async function script(entries: Readonly<Record<string, string>>): Promise<string> {
  const imports = Object.entries(entries).map(([name, entry]) => `import * as ${name} from '${entry}';`);
  const { outputFiles } = await build({
    stdin: {
      contents: `${imports.join('\n')}\nObject.assign(globalThis, { ${Object.keys(entries).join(', ')} });`,
      // The package is found by its own name here.
      resolveDir: resolve(import.meta.dirname, '../..'),
    },
    bundle: true,
    platform: 'browser',
    write: false,
    logLevel: 'error',
  });
  return outputFiles[0]?.text ?? '';
}

// What the script sets in the page.
declare const acp: typeof sdk;
declare const kit: typeof testing;
declare const folding: typeof conversation;

test('the main entry connects over memory and over a WebSocket in a page', async () => {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  server.on('connection', (socket) => {
    socket.on('message', (data) => {
      const { id, method } = JSON.parse(String(data));
      const result =
        method === 'initialize' ? { protocolVersion: 1, agentCapabilities: {} } : { sessionId: 's1' };
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });
  });
  const problems: string[] = [];
  const page = await browser.open({ problems });
  try {
    await page.addScriptTag({
      content: await script({ acp: 'acp-client-sdk', kit: 'acp-client-sdk/testing' }),
    });
    const address = server.address();
    const url = `ws://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    const overSocket = await page.evaluate(async (at) => {
      const connection = await acp.connect(acp.remoteTransport(at), {
        clientInfo: { name: 'page', version: '0' },
      });
      const { sessionId } = await connection.newSession({ cwd: '/project' });
      await connection.close();
      return { sessionId, end: await connection.closed };
    }, url);
    expect(overSocket).toEqual({ sessionId: 's1', end: {} });

    const overMemory = await page.evaluate(async () => {
      const agent = kit
        .scriptedAgent()
        .on('initialize', { protocolVersion: 1, agentCapabilities: {} })
        .on('session/new', { sessionId: 's1' })
        .on('session/prompt', (_params, scripted) => {
          const content = { type: 'text', text: 'Hello, page. ' };
          const update = { sessionUpdate: 'agent_message_chunk', content };
          scripted.update('s1', ...Array.from({ length: 500 }, () => update));
          return { stopReason: 'end_turn' };
        });
      const connection = await acp.connect(agent.transport, { clientInfo: { name: 'page', version: '0' } });
      const session = await connection.newSession({ cwd: '/project' });
      let calls = 0;
      session.store.subscribe(() => calls++);
      const { stopReason } = await session.prompt('Hello?');
      const refused = await connection
        .loadSession({ sessionId: 's2', cwd: '/project' })
        .catch((error: unknown) => acp.AcpError.is(error) && error.code);
      await connection.close();
      return { stopReason, refused, calls, entries: session.conversation.entries };
    });
    expect(overMemory).toMatchObject({
      stopReason: 'end_turn',
      refused: 'usage.capability',
      entries: [{ role: 'user' }, { role: 'agent', content: [{ text: 'Hello, page. '.repeat(500) }] }],
    });
    // A batch of updates is one call, not 500.
    expect(overMemory.calls).toBeLessThan(50);
    expect(problems).toEqual([]);
  } finally {
    await page.close();
    for (const client of server.clients) client.terminate();
    server.close();
  }
});

test('the conversation entry folds and renders in a page by itself', async () => {
  const problems: string[] = [];
  const page = await browser.open({ problems });
  await page.addScriptTag({ content: await script({ folding: 'acp-client-sdk/conversation' }) });
  const html = await page.evaluate(() => {
    const content = { type: 'text' as const, text: 'A < b, in a page.' };
    const folded = folding.foldUpdate(folding.emptyConversation('s1'), {
      sessionUpdate: 'agent_message_chunk',
      content,
    });
    return folding.renderHtml(structuredClone(folded));
  });
  expect(html).toContain('A &lt; b, in a page.');
  expect(problems).toEqual([]);
  await page.close();
});
