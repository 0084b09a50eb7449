import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { toUIMessageStream } from '../../../dist/ai-sdk.js';
import { connect } from '../../../dist/index.js';
import { scriptedAgent } from '../../../dist/testing.js';
import { clientInfo, cwd } from '../clients/agent-command.mjs';

const warmUps = 3;
const rounds = 9;
const sessionId = 'bridge';

/** What is done with a turn. Each returns the text that it has read, if it reads. */
const ways = {
  fold: async (turn) => {
    await turn;
  },
  events: async (turn) => {
    let text = '';
    for await (const event of turn) if (event.type === 'text') text += event.text;
    return text;
  },
  // The least that AI SDK needs: a stream with a chunk for each text.
  stream: async (turn, session) => {
    let text = '';
    for await (const chunk of streamOfTexts(turn, session)) text += chunk.delta;
    return text;
  },
  'ai-sdk': async (turn) => {
    let text = '';
    for await (const chunk of toUIMessageStream(turn)) if (chunk.type === 'text-delta') text += chunk.delta;
    return text;
  },
};

function streamOfTexts(turn, session) {
  return new ReadableStream({
    start(controller) {
      const stop = session.onEvent((event) => {
        if (event.type === 'text')
          controller.enqueue({ type: 'text-delta', id: event.key, delta: event.text });
      });
      turn.then(() => {
        stop();
        controller.close();
      });
    },
  });
}

const said = (messageId, text) => ({
  sessionUpdate: 'agent_message_chunk',
  messageId,
  content: { type: 'text', text },
});

/** An agent in memory, whose history has so many entries, and whose turn has so many chunks of text. */
function agentOf({ entries, chunks, delivery }) {
  return scriptedAgent()
    .on('initialize', { protocolVersion: 1, agentCapabilities: { loadSession: true } })
    .on('session/load', (_, agent) => {
      for (let number = 0; number < entries; number++)
        agent.update(sessionId, said(`entry-${number}`, 'An entry.'));
      return {};
    })
    .on('session/prompt', async (_, agent) => {
      for (let number = 0; number < chunks; number++) {
        agent.update(sessionId, said('answer', `word ${number} `));
        // Then a reader gets each chunk before the next one.
        if (delivery === 'one by one') await nextTurn();
      }
      return { stopReason: 'end_turn' };
    });
}

/** The CPU time of a turn in each way. What the agent needs for it is in it. */
export async function measure(job) {
  const names = Object.keys(ways);
  const samples = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < warmUps + rounds; round++) {
    // In turns, so that what else the machine does hits all alike.
    for (const name of names) {
      const cpuMs = await turn(job, ways[name]);
      if (round >= warmUps) samples[name].push(cpuMs);
    }
  }
  // Other work on the machine only adds to it.
  return Object.fromEntries(names.map((name) => [name, Math.min(...samples[name])]));
}

async function turn(job, way) {
  const connection = await connect(agentOf(job).transport, { clientInfo, protocolVersions: [1] });
  const session = await connection.loadSession({ sessionId, cwd });
  globalThis.gc();
  const before = process.cpuUsage();
  const text = await way(session.prompt('Begin.'), session);
  const { user, system } = process.cpuUsage(before);
  const { entries } = session.conversation;
  assert.equal(entries.length, job.entries + 2);
  const blocks = entries.at(-1).content.map((block) => block.text);
  if (text !== undefined) assert.equal(text, blocks.join(''));
  await connection.close();
  return (user + system) / 1000;
}
