import type { ContentBlockInput } from '../../core/model/content.ts';
import type { ConfigValue } from '../../core/protocol/calls.ts';
import type { ExportFormat } from '../../records/transcripts/export.ts';
import type { PanelChannel } from './channel.ts';
import { PanelPage } from './page.ts';
import type { PanelError } from './panel-error.ts';
import type { PanelAnswer, PanelHit, PanelPlace, PanelState } from './state.ts';

/** The codes of what was not begun. */
const refusals: readonly string[] = ['panel.unsent', 'panel.refused', 'panel.outside'];

/**
 * A page's end of a panel: a store of its state, and the actions of the user.
 *
 * Each action returns a promise. It resolves when the action is done, and {@link Panel.getSnapshot} then shows what it
 * has changed. It rejects with a {@link PanelError}, whose message a user can read. The state has the same error as
 * `problem`, unless the conversation tells it, or `phase` shows it. So a page that draws these need not handle the
 * rejection: it does not count as unhandled.
 *
 * What the host could not read, such as `NaN` or a picture that is too large, is not sent: the action rejects with
 * `panel.unsent`.
 *
 * An action that is called before the host answers waits for it.
 */
export interface Panel {
  /** The state now. The same object until something changes. Needs no `this`. */
  readonly getSnapshot: () => PanelState;
  /**
   * Calls `listener` after changes, at most once in a frame, and at once after {@link Panel.setDraft}. In a page that is
   * not visible, about a second after a change. Returns the function that removes it. Needs no `this`.
   */
  readonly subscribe: (listener: () => void) => () => void;
  /** Creates a session in the directories of the workspace, and shows it. */
  newSession(): Promise<void>;
  /** Shows a session of `state.sessions`, with its history. */
  openSession(sessionId: string): Promise<void>;
  /** Deletes a session at the agent, if the agent has it, and its transcript. */
  deleteSession(sessionId: string): Promise<void>;
  /** Closes a session at the agent. Its work ends. */
  closeSession(sessionId: string): Promise<void>;
  /**
   * Searches the transcripts of the sessions in `state.sessions`. `isComplete` is `false` if there are more than 200 hits.
   * Empty if the host has no transcripts. To show a hit, open its session and scroll to the entry.
   */
  searchTranscripts(
    text: string,
  ): Promise<{ readonly hits: readonly PanelHit[]; readonly isComplete: boolean }>;
  /** A transcript as a text, for a download. Rejects if the host has no transcript of the session. */
  exportTranscript(sessionId: string, format: ExportFormat): Promise<string>;
  /** Asks the agent for its sessions. */
  refreshSessions(): Promise<void>;
  /**
   * Sends a prompt in the session that is shown, or in a new one. Resolves when its turn ends, with the `stopReason` of
   * `session.prompt`. It clears the draft. If the agent does not accept the prompt, its text is the draft again, unless
   * something else was written meanwhile.
   *
   * Links and resources in it must be in the workspace, on the web, or from {@link Panel.chooseAttachments}. A file
   * that the user gives to the page itself is a `resource` with its content and the URI `attachment:` and its name.
   */
  prompt(content: string | readonly ContentBlockInput[]): Promise<{ readonly stopReason: string | null }>;
  /** Gives the running turn a message. Treats the draft as {@link Panel.prompt} does. Resolves to what became of it. */
  steer(content: string | readonly ContentBlockInput[]): Promise<{ readonly outcome: string }>;
  /** Sends a prompt when nothing runs. Treats the draft and resolves as {@link Panel.prompt} does. */
  queue(content: string | readonly ContentBlockInput[]): Promise<{ readonly stopReason: string | null }>;
  /** Takes back a message of `conversation.pendingMessages`. Resolves to whether that was in time. */
  revoke(id: string): Promise<boolean>;
  /** Asks the agent to stop. */
  cancel(): Promise<void>;
  /**
   * Changes one of `state.settings`. If no session is shown, the next new session starts with the value. Rejects with
   * `panel.session` if there is nothing to change.
   */
  changeSetting(settingId: string, value: ConfigValue): Promise<void>;
  /** Answers one of `state.questions`. If the answer does not fit, the question stays open. */
  answer(questionId: string, answer: PanelAnswer): Promise<void>;
  /** Logs in with one of `state.authMethods`. `state.login` shows it while it runs. */
  login(methodId: string): Promise<void>;
  /** Gives up the login that runs. Its call rejects with `panel.cancelled`. */
  cancelLogin(): Promise<void>;
  /** Logs the user out at the agent. */
  logout(): Promise<void>;
  /** Ends the agent and starts it again. */
  restart(): Promise<void>;
  /** Ends the agent, or its start. The phase is `closed` without a problem until {@link Panel.restart}. */
  stop(): Promise<void>;
  /**
   * Starts one of `state.agents`, and ends the agent that runs. The host starts it the next time, too. `null`: ends the
   * agent, so that the user can choose another one.
   */
  chooseAgent(agentId: string | null): Promise<void>;
  /**
   * Reads the list of agents again, and looks up the login of those that are installed. Call it when the list is shown:
   * each look-up starts the agent. Resolves when all are looked up; `state.agents` shows each as soon as it is known.
   */
  refreshAgents(): Promise<void>;
  /** Begins the next attempt to start or reach the agent at once, where `state.nextAttemptAt` says that it waits. */
  retryNow(): Promise<void>;
  /** Removes `state.problem`. */
  dismissProblem(): Promise<void>;
  /** Sets the text in the input. The host keeps it, for the page that is loaded next, unless it is too long. */
  setDraft(text: string): void;
  /** Opens a file that the conversation names. */
  openLocation(place: PanelPlace): Promise<void>;
  /** Opens a diff of a tool call. */
  openDiff(place: Extract<PanelPlace, { kind: 'diff' }>): Promise<void>;
  /** Opens a page of the web that the conversation or a question names. */
  openLink(url: string): Promise<void>;
  /** Shows the editor's dialog. Resolves to blocks for a prompt; empty if the user chose nothing. */
  chooseAttachments(): Promise<readonly ContentBlockInput[]>;
  /**
   * Inserts a text at the cursor of the editor, such as the code of a block. The messages and tool calls of the
   * conversation must contain each of its lines.
   */
  insertText(text: string): Promise<void>;
  /** Shows the editor's dialog for opening a directory. */
  openFolder(): Promise<void>;
  /** Shows the editor's settings for the trust in the workspace. */
  manageTrust(): Promise<void>;
  /** Shows what the agent writes to its log. */
  showLog(): Promise<void>;
  /** Stops listening. Open actions reject. The host and the agent continue. */
  close(): void;
}

/**
 * Connects a page to its host, which {@link servePanel} serves. Returns at once, with the phase `disconnected`; the
 * state of the host follows. The page recovers by itself when the host is started again, and when messages are lost.
 *
 * @param channel - The channel, or a function that opens one: it is called again after the channel has ended, with
 *   growing pauses.
 *
 * @example
 * ```ts
 * const panel = connectPanel(() => webSocketChannel(new WebSocket(`ws://${location.host}`)));
 * panel.subscribe(() => draw(panel.getSnapshot()));
 * form.onsubmit = () => panel.prompt(panel.getSnapshot().draft);
 * ```
 */
export function connectPanel(
  channel: PanelChannel | (() => PanelChannel),
  options: {
    /**
     * Called with faults that the user does not see: an error of a listener, or a message that could not be sent.
     * Default: `console.error` for the errors of listeners. The `onProblem` of the host gets those as well.
     */
    readonly onError?: ((error: unknown) => void) | undefined;
  } = {},
): Panel {
  const { onError } = options;
  const page = new PanelPage(channel, onError ?? (() => {}), onError ?? printError);
  // The host is of the same version, so that its results have the types of the actions.
  const call = <T>(
    action: string,
    params: object = {},
    read = (value: unknown) => value as T,
  ): Promise<T> => {
    const result = page.call(action, params).then(read);
    // The state shows the error, so a page need not handle the rejection.
    result.catch(() => {});
    return result;
  };
  const run = (action: string, params?: object) => call<void>(action, params, () => {});
  const send = <T>(action: string, content: string | readonly ContentBlockInput[]) => {
    const { draft, phase } = page.state;
    page.setDraft('');
    const result = call<T>(action, { content });
    // What the user wrote is not lost with a prompt that was not begun. A host that was closed before begins nothing.
    const unbegun = phase === 'closed' ? [...refusals, 'panel.disconnected'] : refusals;
    result.catch(({ code }: PanelError) => {
      if (unbegun.includes(code) && page.state.draft === '') page.setDraft(draft);
    });
    return result;
  };
  return {
    getSnapshot: () => page.state,
    subscribe: (listener) => page.subscribe(listener),
    newSession: () => run('newSession'),
    openSession: (sessionId) => run('openSession', { sessionId }),
    deleteSession: (sessionId) => run('deleteSession', { sessionId }),
    closeSession: (sessionId) => run('closeSession', { sessionId }),
    searchTranscripts: (text) => call('searchTranscripts', { text }),
    exportTranscript: (sessionId, format) =>
      call('exportTranscript', { sessionId, format }, (value) => (value as { text: string }).text),
    refreshSessions: () => run('refreshSessions'),
    prompt: (content) => send('prompt', content),
    steer: (content) => send('steer', content),
    queue: (content) => send('queue', content),
    revoke: (id) => call('revoke', { id }, (value) => (value as { revoked: boolean }).revoked),
    cancel: () => run('cancel'),
    changeSetting: (settingId, value) => run('changeSetting', { settingId, value }),
    answer: (questionId, answer) => run('answer', { questionId, answer }),
    login: (methodId) => run('login', { methodId }),
    cancelLogin: () => run('cancelLogin'),
    logout: () => run('logout'),
    restart: () => run('restart'),
    stop: () => run('stop'),
    chooseAgent: (agentId) => run('chooseAgent', { agentId }),
    refreshAgents: () => run('refreshAgents'),
    retryNow: () => run('retryNow'),
    dismissProblem: () => run('dismissProblem'),
    setDraft: (text) => page.setDraft(text),
    openLocation: (place) => run('openLocation', { place }),
    openDiff: (place) => run('openDiff', { place }),
    openLink: (url) => run('openLink', { url }),
    chooseAttachments: () => call('chooseAttachments'),
    insertText: (text) => run('insertText', { text }),
    openFolder: () => run('openFolder'),
    manageTrust: () => run('manageTrust'),
    showLog: () => run('showLog'),
    close: () => page.close(),
  };
}

function printError(error: unknown): void {
  // biome-ignore lint/suspicious/noConsole: a page that stays empty because its listener fails has no other place
  console.error('A listener of the panel failed:', error);
}
