import { afterAll, beforeAll, expect, test } from 'vitest';
import { createReader, type Reader, type Step, stepsOf } from './walkthrough.ts';

const page = 'docs/tools.md';
const installed = ['@modelcontextprotocol/server', '@valibot/to-json-schema', '@modelcontextprotocol/client'];

let reader: Reader;
let steps: readonly Step[];
beforeAll(async () => {
  reader = await createReader();
  for (const name of installed) await reader.install(name);
  steps = await stepsOf(page);
}, 60_000);
afterAll(() => reader.remove());

test.skipIf(process.platform === 'win32')('the program of the page prints what the page shows', async () => {
  const commands = steps.flatMap((step) => ('commands' in step ? step.commands : []));
  // What the page has the reader install is what this test installs. The package needs valibot itself.
  const named = commands.flatMap((command) => /^npm install (.+)$/.exec(command)?.[1]?.split(' ') ?? []);
  expect(named.sort()).toEqual(['acp-client-sdk', 'valibot', ...installed].sort());
  await reader.follow(steps);
});

/** Opens a session with the server of the recipe, and uses it as an agent does. */
const agent = `
  import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
  import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
  import { connect } from 'acp-client-sdk';
  import { scriptedAgent } from 'acp-client-sdk/testing';
  import { notesServer } from './notes.mjs';

  const [, , transport] = process.argv;
  const agent = scriptedAgent()
    .on('initialize', { protocolVersion: 1, agentCapabilities: { mcpCapabilities: { http: true } } })
    .on('session/new', { sessionId: 's1' });
  const connection = await connect(agent.transport, {
    clientInfo: { name: 'editor', version: '1.0.0' },
    onDiagnostic: () => {},
  });
  const mcpServers = [notesServer({ transports: [transport] })];
  await connection.newSession({ cwd: '/project', mcpServers });
  const [{ url, headers, command, args, env }] = agent.calls('session/new')[0].params.mcpServers;
  const valuesOf = (list) => Object.fromEntries(list.map(({ name, value }) => [name, value]));
  const client = new Client({ name: 'agent', version: '1.0.0' });
  await client.connect(
    transport === 'http'
      ? new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: valuesOf(headers) } })
      : new StdioClientTransport({ command, args, env: valuesOf(env) }),
  );
  const { content } = await client.callTool({ name: 'write_note', arguments: { name: 'tea', content: 'Buy tea.' } });
  const { resources } = await client.listResources();
  const { contents } = await client.readResource({ uri: resources[0].uri });
  const { messages } = await client.getPrompt({ name: 'review' });
  console.log(JSON.stringify([content[0].text, contents[0].text, messages[0].content.text]));
  await client.close();
  await connection.close();
`;

test.each(['http', 'stdio'])(
  'an agent uses the tools, resources and prompts of the wrapped server over %s',
  async (transport) => {
    const recipe = steps.find((step) => 'file' in step && step.file === 'notes.mjs');
    await reader.write({ 'notes.mjs': (recipe as { content: string }).content, 'agent.mjs': agent });
    expect(JSON.parse(await reader.node('agent.mjs', transport))).toEqual([
      'Written.',
      'Buy milk.\nBuy tea.',
      'Review these notes: milk,tea',
    ]);
  },
);
