import { Input } from '../../../ui/panel-element/composer/composer.tsx';
import { Waiting } from '../../../ui/panel-element/header.tsx';
import { Problem } from '../../../ui/panel-element/problem.tsx';
import { Questions } from '../../../ui/panel-element/questions/questions.tsx';
import { type PanelProps, usePart } from '../../../ui/panel-element/use-part.ts';
import { Button } from './controls.tsx';
import { PanelParts } from './panel-parts.tsx';

/** What went wrong, the questions of the agent, and the input for a prompt. */
export function Composer({ panel }: PanelProps) {
  const asks = usePart(panel, ({ questions, problem }) => questions.length > 0 || problem !== null);
  return (
    <PanelParts panel={panel} class={asks ? 'composer asking' : 'composer'}>
      {(shown) => (
        <>
          <Problem panel={shown} />
          <LostSession panel={shown} />
          <Waiting panel={shown} />
          <Questions panel={shown} subject={none} />
          <Input panel={shown} />
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
    <div class="read-only">
      <p>An agent can lose its sessions when it ends. A new session begins empty.</p>
      <Button text="New session" onClick={() => panel.newSession()} />
    </div>
  );
}
