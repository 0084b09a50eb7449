import { Pending } from '../../../ui/panel-element/composer/pending.tsx';
import { Problem } from '../../../ui/panel-element/problem.tsx';
import { Questions } from '../../../ui/panel-element/questions/questions.tsx';
import { type PanelProps, usePart } from '../../../ui/panel-element/use-part.ts';
import { Button } from './controls.tsx';
import { useChanges } from './hooks.ts';
import { PanelParts } from './panel-parts.tsx';

/** What went wrong, the questions of the agent, and the input for a prompt. */
export function Composer({ panel }: PanelProps) {
  return (
    <PanelParts panel={panel} class="composer">
      {(shown) => (
        <>
          <Problem panel={shown} />
          <LostSession panel={shown} />
          <Questions panel={shown} subject={none} />
          <Pending panel={shown} />
          <Prompt panel={shown} />
        </>
      )}
    </PanelParts>
  );
}

/** The transcript beside the question shows what it is about. */
const none = () => null;

/** A way on, if the agent can have lost its session when it ended. */
function LostSession({ panel }: PanelProps) {
  const isGone = usePart(panel, ({ problem, conversation }) => {
    // Not each agent has an error of its own for a session that it lost.
    const isCut = conversation?.entries.at(-1)?.kind === 'turnFailure';
    return problem !== null && (isCut || problem.code === 'remote.not_found');
  });
  if (!isGone) return null;
  return (
    <p class="buttons">
      An agent can lose its sessions when it ends. A new session begins empty.
      <Button class="main" text="New session" onClick={() => panel.newSession()} />
    </p>
  );
}

function Prompt({ panel }: PanelProps) {
  useChanges(panel);
  const { phase, draft, conversation, waiting, loading } = panel.getSnapshot();
  const isBusy = conversation !== null && conversation.activity.state !== 'idle';
  const canSend = phase === 'open' && draft.trim() !== '';
  const send = () => {
    if (canSend) void (isBusy ? panel.queue(draft) : panel.prompt(draft));
  };
  return (
    <>
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
    </>
  );
}
