import * as v from 'valibot';
import type { Session } from '../../core/client/session/session.ts';
import type { ContentBlockInput } from '../../core/model/content.ts';
import type { PanelHost } from './host.ts';
import type { PanelEditor } from './options.ts';
import { idSchema } from './page-messages.ts';
import { panelError } from './panel-error.ts';
import {
  assertAttachments,
  assertShown,
  diffOf,
  linkOf,
  locationOf,
  type PlaceContext,
  urisOf,
  webAddress,
} from './places.ts';
import { readPlainData } from './plain-data.ts';
import { refused } from './problems.ts';
import type { PanelAnswer, PanelPlace } from './state.ts';
import { foldersOf } from './workspace.ts';

interface Action {
  /** Checks the parameters. Other parameters are refused. */
  readonly params: v.GenericSchema;
  readonly run: (host: PanelHost, params: never) => Promise<unknown>;
}

function action<const E extends v.ObjectEntries>(
  entries: E,
  run: (host: PanelHost, params: v.InferOutput<v.StrictObjectSchema<E, undefined>>) => Promise<unknown>,
): Action {
  return { params: v.strictObject(entries), run };
}

function editorAction(name: 'openFolder' | 'manageTrust' | 'showLog'): Action {
  return action({}, async (host) => {
    await offered(host, name)();
  });
}

const sessionId = { sessionId: idSchema };
/** The blocks themselves are checked where the session sends them. */
const block = v.custom<ContentBlockInput>(
  (value) => typeof value === 'object' && value !== null && typeof Reflect.get(value, 'type') === 'string',
);
const content = { content: v.union([v.string(), v.array(block)]) };
const index = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const entryKey = v.string();
const uri = v.pipe(v.string(), v.minLength(1));
const diff = v.strictObject({ kind: v.literal('diff'), entryKey, index, change: v.optional(index) });
const place = v.variant('kind', [
  v.strictObject({ kind: v.literal('location'), entryKey, index }),
  diff,
  v.strictObject({ kind: v.literal('link'), entryKey, uri }),
  v.strictObject({ kind: v.literal('plan'), planId: v.string(), uri: v.optional(uri) }),
]) satisfies v.GenericSchema<unknown, PanelPlace>;
const answer = v.union([
  v.strictObject({ optionId: v.string() }),
  v.strictObject({ methodId: v.string() }),
  v.strictObject({
    action: v.literal('accept'),
    content: v.optional(v.record(v.string(), v.unknown())),
  }),
  v.strictObject({ action: v.picklist(['decline', 'cancel']) }),
]) satisfies v.GenericSchema<unknown, PanelAnswer>;

/** What each action does, and what it takes. */
const actions: Readonly<Record<string, Action>> = {
  newSession: action({}, async (host) => {
    await host.create(await host.ready());
  }),
  openSession: action(sessionId, async (host, params) => {
    const saved = host.saved.get(params.sessionId);
    if (saved) return host.openSaved(params.sessionId, saved);
    await host.open(await host.ready(), params.sessionId);
  }),
  deleteSession: action(sessionId, (host, params) => host.delete(params.sessionId)),
  searchTranscripts: action({ text: v.pipe(v.string(), v.maxLength(1000)) }, (host, { text }) =>
    host.saved.search(text),
  ),
  exportTranscript: action(
    { ...sessionId, format: v.picklist(['json', 'markdown', 'html', 'text']) },
    async (host, params) => ({ text: await host.saved.export(params.sessionId, params.format) }),
  ),
  closeSession: action(sessionId, async (host, params) =>
    host.closeSession(await host.ready(), params.sessionId),
  ),
  refreshSessions: action({}, async (host) => {
    await host.ready();
    await host.refresh();
  }),
  prompt: action(content, (host, params) => runTurn(host, params.content, 'prompt')),
  queue: action(content, (host, params) => runTurn(host, params.content, 'queue')),
  steer: action(content, (host, params) =>
    send(host, params.content, async (session) => {
      const result = await session.steer(params.content);
      // The call of the page ends here: nothing else waits for the turn.
      if ('turn' in result) {
        result.turn.catch((error: unknown) => {
          host.problems.turnFailed(session, error);
          host.problems.fail(error);
        });
      }
      return { outcome: result.outcome };
    }),
  ),
  revoke: action({ id: v.string() }, async (host, { id }) => ({ revoked: await shownIn(host).revoke(id) })),
  cancel: action({}, async ({ session }) => session?.cancel()),
  changeSetting: action(
    { settingId: v.string(), value: v.union([v.string(), v.boolean()]) },
    async (host, { settingId, value }) => {
      await host.ready();
      const session = host.session ?? (await host.opened()) ?? shownIn(host);
      await session.changeSetting(settingId, value);
    },
  ),
  answer: action({ questionId: idSchema, answer }, (host, params) =>
    host.questions.answer(params.questionId, params.answer),
  ),
  login: action({ methodId: v.string() }, (host, { methodId }) => host.login(methodId)),
  cancelLogin: action({}, async (host) => host.logins.cancel()),
  logout: action({}, async (host) => (await host.ready()).logout()),
  restart: action({}, (host) => host.start()),
  stop: action({}, async (host) => {
    host.runner.dispatch({ type: 'stop' });
    await host.started;
  }),
  chooseAgent: action({ agentId: v.nullable(idSchema) }, (host, { agentId }) => host.chooseAgent(agentId)),
  refreshAgents: action({}, (host) => host.agents.refresh()),
  retryNow: action({}, async (host) => host.connection?.reconnection.retryNow()),
  dismissProblem: action({}, async (host) => host.runner.dispatch({ type: 'dismissed' })),
  openLocation: action({ place }, async (host, params) => {
    await offered(host, 'openLocation')(locationOf(params.place, placesOf(host)));
  }),
  openDiff: action({ place: diff }, async (host, params) => {
    await offered(host, 'openDiff')(diffOf(params.place, placesOf(host)));
  }),
  openLink: action({ url: v.string() }, async (host, { url }) => {
    const openLink = offered(host, 'openLink');
    const { questions } = host.runner.state;
    const isAsked = questions.some((question) => question.kind === 'url' && question.url === url);
    await openLink(isAsked ? webAddress(url) : linkOf(url, placesOf(host)));
  }),
  chooseAttachments: action({}, async (host) => {
    const blocks = await offered(host, 'chooseAttachments')();
    for (const each of blocks.flatMap(urisOf)) host.chosen.add(each);
    // A message that cannot be posted would be posted again and again.
    return readPlainData(blocks, Number.POSITIVE_INFINITY);
  }),
  insertText: action({ text: v.string() }, async (host, { text }) => {
    const insertText = offered(host, 'insertText');
    assertShown(text, shownIn(host).conversation);
    await insertText(text);
  }),
  openFolder: editorAction('openFolder'),
  manageTrust: editorAction('manageTrust'),
  showLog: editorAction('showLog'),
};

/**
 * Performs an action of a page. The user sees its error.
 *
 * @throws a refusal if there is no such action, or its parameters are wrong. Then nothing was done.
 */
export async function act(host: PanelHost, name: string, params: object): Promise<unknown> {
  host.runner.dispatch({ type: 'action' });
  try {
    // A page can use the name of a method that every object has.
    const known = Object.hasOwn(actions, name) ? actions[name] : undefined;
    if (!known) throw refused(`The panel does not have the action ${JSON.stringify(name.slice(0, 100))}.`);
    const result = v.safeParse(known.params, params);
    if (!result.success) {
      // What the page sent is not repeated: it can be text of the user.
      const where = result.issues.map((issue) => v.getDotPath(issue) ?? 'the parameters').join(', ');
      throw refused(`The parameters of ${name} are wrong: check ${where}.`);
    }
    // The schema is the one of this action.
    return await known.run(host, result.output as never);
  } catch (error) {
    host.problems.fail(error);
    throw error;
  }
}

type Content = string | readonly ContentBlockInput[];

/** Sends a message of the user in the session that is shown, or in a new one. Its text is not lost if it is refused. */
async function send<T>(
  host: PanelHost,
  message: Content,
  task: (session: Session) => Promise<T>,
): Promise<T> {
  const { options, chosen } = host;
  if (typeof message !== 'string') {
    assertAttachments(message, foldersOf(options.workspace()), (uri) => chosen.has(uri));
  }
  host.runner.dispatch({ type: 'draft', text: '' });
  try {
    return await task(await host.current(await host.ready()));
  } catch (error) {
    const isAccepted = Reflect.get(Object(error), 'promptAccepted') === true;
    if (!isAccepted) host.runner.dispatch({ type: 'put_back', text: textOf(message) });
    throw error;
  } finally {
    // The agent can have named the session.
    host.refresh().catch((error: unknown) => host.problems.fault(error));
  }
}

/** Sends a message that begins a turn, and waits for the end of the turn. */
function runTurn(host: PanelHost, message: Content, method: 'prompt' | 'queue') {
  return send(host, message, async (session) => {
    try {
      const { stopReason } = await session[method](message);
      return { stopReason };
    } catch (error) {
      host.problems.turnFailed(session, error);
      throw error;
    }
  });
}

function textOf(message: Content): string {
  if (typeof message === 'string') return message;
  return message
    .flatMap((each) => ('text' in each && typeof each.text === 'string' ? [each.text] : []))
    .join('\n');
}

function shownIn({ session }: PanelHost): Session {
  if (session) return session;
  throw panelError('panel.session', 'No session is open. Open one first.');
}

function placesOf(host: PanelHost): PlaceContext {
  const { conversation, cwd } = shownIn(host);
  return { conversation, cwd, folders: foldersOf(host.options.workspace()) };
}

/** A function of the editor. A page gets only what the host has. */
function offered<K extends keyof PanelEditor>(
  { options: { editor } }: PanelHost,
  name: K,
): NonNullable<PanelEditor[K]> {
  const own = editor?.[name];
  if (own) return own.bind(editor) as NonNullable<PanelEditor[K]>;
  throw refused(`This panel does not offer ${name}.`);
}
