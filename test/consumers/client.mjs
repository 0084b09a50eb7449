// A program of a user. It is bundled, and runs a turn with an agent in another process of its runtime, and with one in
// memory.
import { connect } from 'acp-client-sdk';
import { textOf } from 'acp-client-sdk/conversation';
import { nodeCommand, spawnAgent } from 'acp-client-sdk/node';
import { converse, knock } from './page.mjs';

const clientInfo = { name: 'consumer', version: '1.0.0' };
// Bundles in CommonJS cannot wait at the top of a module.
async function main() {
  const connection = await connect(spawnAgent(nodeCommand(process.env.DEMO_AGENT)), { clientInfo });
  const session = await connection.newSession({ cwd: process.cwd() });
  let streamed = '';
  const turn = session.prompt('Hello.');
  for await (const event of turn) if (event.type === 'text') streamed += event.text;
  const { stopReason } = await turn;
  const said = session.conversation.entries.filter(
    ({ kind, role }) => kind === 'message' && role === 'agent',
  );
  await connection.close();
  if (streamed === '' || streamed !== said.map(textOf).join('')) throw new Error(`Streamed: ${streamed}`);
  console.log(stopReason, await converse(), await knock());
}

main();
