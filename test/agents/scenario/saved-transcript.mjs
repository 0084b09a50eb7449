import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { openTranscripts } from '../../../dist/transcripts.js';
import { openSession, startEditor } from '../editor.mjs';
import { endLeftovers } from '../leftovers.mjs';
import { createPlace } from '../place.mjs';
import { keptProblems } from './crash.mjs';
import { fault, works } from './outcome.mjs';
import { promptAgain } from './sessions.mjs';
import { quiet } from './waiting.mjs';

/**
 * Records a session, deletes the agent's own history with everything that it wrote, and reopens the transcript with a new
 * run of the agent. The transcript must be whole, and nothing may be in it twice. `way` is how the session goes on.
 * `messages` gets those of both runs.
 */
export async function reopenSaved({ agent, version, place: { mark }, launchIn, messages }) {
  const place = createPlace(join(mark, `saved-${version}`));
  const directory = join(place.mark, 'transcripts');
  const start = () =>
    startEditor({ agent, launch: launchIn(place, 'mock'), place, protocolVersions: [version], messages });
  try {
    const { sessionId, entries } = await record({ directory, place, editor: await start() });
    await endLeftovers(place.mark);
    // Not every agent keeps its history in its home.
    for (const part of ['home', 'project', 'tmp'])
      rmSync(join(place.mark, part), { recursive: true, maxRetries: 3, retryDelay: 200 });
    createPlace(place.mark);
    return await reopen({ sessionId, entries, directory, messages, editor: await start() });
  } finally {
    await endLeftovers(place.mark);
  }
}

async function record({ directory, place, editor }) {
  const transcripts = await openTranscripts({ directory });
  try {
    const session = await openSession({ editor, place });
    transcripts.record(session);
    await session.prompt(`Please greet me. [[text]]`);
    await session.prompt(`Read this. [[read ${place.project.path('README.md')}]]`);
    await quiet(editor.messages);
    return { sessionId: session.sessionId, entries: session.conversation.entries };
  } finally {
    await editor.close();
    await transcripts.close();
  }
}

async function reopen({ sessionId, entries, directory, messages, editor }) {
  const transcripts = await openTranscripts({ directory });
  try {
    const saved = await transcripts.read(sessionId);
    const { session, continued, conversation } = await transcripts.reopen(sessionId, editor.connection);
    await quiet(messages);
    const shown = session?.conversation ?? conversation;
    const lost = [...keptProblems(entries, saved.entries), ...keptProblems(entries, shown.entries)];
    if (lost.length > 0) return fault(lost.join('; '));
    if (shown.entries.length > entries.length) return fault('entries are in the transcript twice');
    const again = session ? await promptAgain({ session }) : works();
    if (again.outcome !== 'works') return again;
    const note = session ? 'the agent continues a session that it no longer has' : '';
    return { ...works(note), way: continued };
  } finally {
    await editor.close();
    await transcripts.close();
  }
}
