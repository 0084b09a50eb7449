// Records sessions in one directory: node recorder.mjs DIRECTORY NAME SESSIONS
// A session continues what its transcript has. Prints each turn when it is written, and then waits to be killed, or for the
// end of its input.
import { connect } from '../../../../dist/index.js';
import { scriptedAgent } from '../../../../dist/testing.js';
import { openTranscripts } from '../../../../dist/transcripts.js';

const [, , directory, name, count] = process.argv;
const transcripts = await openTranscripts({ directory });
const cwd = '/project';
const turns = 4;

// It gives no ids, as many agents do: a reader knows an entry only by where it was first written.
const agent = scriptedAgent()
  .on('initialize', { protocolVersion: 1, agentCapabilities: { sessionCapabilities: { resume: {} } } })
  .on('session/resume', {})
  .on('session/prompt', ({ sessionId, prompt }, by) => {
    const text = `${prompt[0].text} answered`;
    by.update(sessionId, { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
    return { stopReason: 'end_turn' };
  });
const connection = await connect(agent.transport, { clientInfo: { name: 'recorder', version: '1.0.0' } });

async function record(sessionId) {
  const saved = await transcripts.reopen(sessionId, connection).catch(() => undefined);
  const session = saved?.session ?? (await connection.resumeSession({ sessionId, cwd }));
  transcripts.record(session);
  for (let turn = 0; turn < turns; turn++) {
    const text = `${name}-${turn}`;
    await session.prompt(text);
    await isWritten(sessionId, `${text} answered`);
    console.log(`${sessionId} ${text}`);
  }
}

/** A message is written when a reader has it. */
async function isWritten(sessionId, text) {
  for (;;) {
    const found = await transcripts.read(sessionId).catch(() => undefined);
    if (found?.entries.some(({ content }) => content[0].text === text)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

process.stdin.resume().once('end', async () => {
  await transcripts.close();
  await connection.close();
});
await Promise.all(Array.from({ length: Number(count) }, (_, index) => record(`s${index}`)));
