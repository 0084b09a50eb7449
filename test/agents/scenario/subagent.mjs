import { textOf } from '../../../dist/conversation.js';
import { openSession } from '../editor.mjs';
import { afterTaskText, afterToolText } from '../mock-model/directives.mjs';
import { differs, lacks, works } from './outcome.mjs';
import { quiet } from './waiting.mjs';

/** A subagent that reads a file. Some agents let it go on after the turn. */
export async function subagent(context) {
  const { editor, place } = context;
  const session = await openSession(context);
  context.session = session;
  await session.prompt(`Let a subagent work. [[task ${place.project.path('README.md')}]]`);
  await quiet(editor.messages);
  const spoken = wordsOf(session);
  const all = spoken.main.join('');
  if (all.includes('I have no tool for task')) return lacks('it has no tool for subagents here');
  if (!all.includes(afterTaskText)) return differs('the answer is not what the model said');
  context.withSubagent = { sessionId: session.sessionId, spoken };
  return howShown(spoken);
}

/** The session of that step in another run of the agent: whether its history shows the same. */
export async function subagentAgain(context) {
  const { editor, place, withSubagent } = context;
  if (!withSubagent) return lacks();
  const { sessionId, spoken } = withSubagent;
  const session = await editor.connection.loadSession({ sessionId, cwd: place.project.folder });
  context.session = session;
  await quiet(editor.messages);
  const again = wordsOf(session);
  if (JSON.stringify(again) === JSON.stringify(spoken)) return works();
  return differs(differenceOf(spoken, again));
}

/** What the agent and its subagents said: a text for each message. */
function wordsOf({ conversation, subagents }) {
  const said = ({ entries }) =>
    entries.filter((entry) => entry.kind === 'message' && entry.role === 'agent').map(textOf);
  const isOwn = ({ meta }) => meta?.parentToolCallId !== undefined;
  const messages = conversation.entries.filter((entry) => entry.kind === 'message' && entry.role === 'agent');
  return {
    main: messages.filter((entry) => !isOwn(entry)).map(textOf),
    marked: messages.filter(isOwn).map(textOf),
    sessions: subagents.map((one) => said(one.conversation)),
  };
}

function howShown({ main, marked, sessions }) {
  if (main.some((text) => text.includes(afterToolText) && text.includes(afterTaskText)))
    return differs('its words are a part of the answer: the agent does not mark them');
  if (sessions.flat().some((text) => text.includes(afterToolText)))
    return works('it has a session of its own');
  if ([...marked, ...main].some((text) => text.includes(afterToolText)))
    return works('its words are messages of their own');
  return works('only its tool call is shown');
}

function differenceOf(live, again) {
  // A message that is only announced has no words.
  const own = ({ marked, sessions }) => [...marked, ...sessions.flat()].filter((text) => text !== '');
  if (own(live).length > 0 && own(again).length === 0) return 'its words are not in the history';
  if (JSON.stringify(own(live)) !== JSON.stringify(own(again))) return 'its words are others in the history';
  return 'the answer is divided in another way in the history';
}
