import { join } from 'node:path';
import { startEditor } from '../editor.mjs';
import { createPlace } from '../place.mjs';
import { fault, outcomeOf, works } from './outcome.mjs';

/**
 * Starts the agent in a clean home without a key. An error that asks for a login must be an `AuthRequiredError` and
 * must reach `onAuthRequired`. Every error must show the reason that the agent gives. `messages` gets those of the agent.
 */
export async function missingKey({ agent, version, place: { mark }, launchIn, messages }) {
  const place = createPlace(join(mark, `without-key-${version}`));
  const asked = [];
  let editor;
  try {
    editor = await startEditor({
      agent,
      launch: launchIn(place, undefined),
      place,
      protocolVersions: [version],
      messages,
      // The user has logged in, or so it seems: the call is made once more.
      onAuthRequired: ({ method }) => {
        asked.push(method);
      },
    });
  } catch (error) {
    if (error.code === 'agent.exit') return works('the agent ends');
    return outcomeOf(error);
  }
  let method = 'session/new';
  try {
    const session = await editor.connection.newSession({ cwd: place.project.folder });
    method = 'session/prompt';
    const { stopReason } = await session.prompt('Please greet me. [[text]]');
    if (stopReason === 'error') return fault('the prompt resolves, although the turn failed');
    const { entries } = session.conversation;
    const hasWords = entries.some((entry) => entry.kind === 'message' && entry.role === 'agent');
    return works(`${method} ends with ${stopReason}, ${hasWords ? 'and a text' : 'without a text'}`);
  } catch (error) {
    if (error.code === 'connection.closed') return works(`the agent ends during ${method}`);
    if (error.rpcCode === undefined) return outcomeOf(error);
    const problem = loginProblem(error, asked) ?? reasonProblem(error, editor.messages);
    if (problem) return fault(problem);
    const login = asked.length > 0 ? ', and the user is asked to log in' : '';
    return works(`${method} ends with error ${error.rpcCode}${login}`);
  } finally {
    await editor.close();
  }
}

function loginProblem({ rpcCode, code }, asked) {
  if (rpcCode !== -32000) return undefined;
  if (code !== 'remote.auth_required') return `error -32000 is ${code}`;
  return asked.length === 0 ? 'the user is not asked to log in' : undefined;
}

/** The message of the error must contain a reason in the `data` of the last error that the agent sent, if there is one. */
function reasonProblem({ message }, messages) {
  const sent = messages
    .filter(({ direction }) => direction === 'in')
    .map(({ message: { error, params } }) => error ?? params?.update?.error)
    .findLast((error) => error !== undefined);
  // An error has its reason in one line.
  const start = (text) => text.trim().replace(/\s+/g, ' ').slice(0, 20);
  const reasons = reasonsIn(sent?.data).map(start);
  const isShown = reasons.length === 0 || reasons.some((reason) => message.includes(reason));
  return isShown ? undefined : `the reason is not shown: ${JSON.stringify(sent)}`;
}

/** A text can be JSON, as an API of a model sends it. */
function reasonsInText(text) {
  try {
    return reasonsIn(JSON.parse(text));
  } catch {
    return [text];
  }
}

/** The texts in `data`, or in the fields that agents use for a reason. */
function reasonsIn(data) {
  if (typeof data === 'string') return data.trim() === '' ? [] : reasonsInText(data);
  const { details, detail, message, reason, error } = data ?? {};
  return [details, detail, message, reason, error].filter((value) => value !== undefined).flatMap(reasonsIn);
}
