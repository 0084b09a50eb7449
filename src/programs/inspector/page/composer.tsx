import type { ContentBlock } from '../../../core/model/content.ts';
import type { Panel } from '../../../ui/panel/connect.ts';
import { Button } from './controls.tsx';
import { useChanges } from './hooks.ts';
import { QuestionView } from './question-view.tsx';

/** The questions of the agent, and the input for a prompt. */
export function Composer({ panel }: { readonly panel: Panel }) {
  useChanges(panel);
  const { phase, draft, questions, conversation, problem, waiting, loading } = panel.getSnapshot();
  const isBusy = conversation !== null && conversation.activity.state !== 'idle';
  // Not each agent has an error of its own for a session that it lost.
  const isCut = conversation?.entries.at(-1)?.kind === 'turnFailure';
  const isGone = problem !== null && (isCut || problem.code === 'remote.not_found');
  const canSend = phase === 'open' && draft.trim() !== '';
  const send = () => {
    if (!canSend) return;
    if (isBusy) void panel.queue(draft).catch(() => {});
    else void panel.prompt(draft).catch(() => {});
  };
  return (
    <div class="composer">
      {problem && (
        <div class="card error" role="alert">
          <p>{problem.message}</p>
          {problem.detail !== null && <pre class="text">{problem.detail}</pre>}
          {isGone && <p>An agent can lose its sessions when it ends. A new session begins empty.</p>}
          <div class="buttons">
            {isGone && (
              <Button class="main" text="New session" onClick={() => panel.newSession().catch(() => {})} />
            )}
            {problem.remedy === 'restart' && (
              <Button class="main" text="Restart agent" onClick={() => panel.restart()} />
            )}
            <Button text="Dismiss" onClick={() => panel.dismissProblem()} />
          </div>
        </div>
      )}
      {questions.map((question) => (
        <QuestionView key={question.id} panel={panel} question={question} />
      ))}
      {waiting.length > 0 && (
        <p class="facts">
          {waiting.reduce((sum, { count }) => sum + count, 0)} questions wait in other sessions.
        </p>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <textarea
          id="prompt"
          aria-label="Prompt"
          rows={2}
          placeholder={phase === 'open' ? 'Prompt. Enter sends it.' : `The agent is not ready: ${phase}.`}
          value={draft}
          onInput={({ currentTarget }) => panel.setDraft(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
            event.preventDefault();
            send();
          }}
        />
        <div class="buttons">
          <Button type="submit" class="main" disabled={!canSend} text={isBusy ? 'Queue' : 'Send'} />
          <Button text="Cancel" disabled={!isBusy} onClick={() => panel.cancel()} />
        </div>
      </form>
      {loading && <p class="facts">Loading the session: {loading.updates} updates.</p>}
      {conversation?.pendingMessages?.map(({ id, kind, state, content }) => (
        <p key={id} class="facts">
          {kind === 'queue' ? 'Queued' : 'For the running turn'}, {state}: {textIn(content)}{' '}
          <Button
            class="link"
            text="Take back"
            onClick={() => {
              // What was written meanwhile stays.
              const takeBack = (isBack: boolean) => isBack && draft === '' && panel.setDraft(textIn(content));
              void panel.revoke(id).then(takeBack, () => {});
            }}
          />
        </p>
      ))}
    </div>
  );
}

function textIn(content: readonly ContentBlock[]): string {
  return content.map((block) => (block.type === 'text' ? block.text : block.type)).join(' ');
}
