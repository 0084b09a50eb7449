import { plainText } from '../../core/render/clean.ts';
import { Agents } from './agents.tsx';
import { Activity } from './composer/activity.tsx';
import { hasAgent, useAgentName } from './shown-agent.ts';
import { focusPrompt } from './surface.ts';
import { type PanelProps, usePart } from './use-part.ts';

/** So many commands are offered before the first prompt. */
const maxCommands = 4;

/** In the place of the transcript, while it is empty. */
export function Welcome({ panel }: PanelProps) {
  const isOpen = usePart(panel, (state) => state.phase === 'open' && state.loading === null);
  const isShown = usePart(panel, (state) => state.conversation !== null);
  const isStopped = usePart(panel, (state) => state.phase === 'closed' && hasAgent(state));
  const hasProblem = usePart(panel, (state) => state.problem !== null);
  const isAsked = usePart(panel, (state) => state.questions.length > 0);
  const canChoose = usePart(panel, (state) => state.agents.length > 0 && !hasAgent(state));
  const name = useAgentName({ panel });
  return (
    <main className="welcome" part="transcript">
      {/* A question, such as a login, comes first. */}
      {isOpen && !isAsked && (
        <>
          {name !== null && <h2>{name}</h2>}
          <p>Ask the agent, or open an earlier session.</p>
          <Commands panel={panel} />
        </>
      )}
      {!isOpen && !isShown && <Activity panel={panel} />}
      {isStopped && !hasProblem && (
        <button type="button" onClick={() => panel.restart()}>
          Start
        </button>
      )}
      {canChoose && <Agents panel={panel} />}
    </main>
  );
}

/** The first commands of the agent. Choosing one writes it into the input. */
function Commands({ panel }: PanelProps) {
  const commands = usePart(panel, (state) => state.commands);
  const shown = commands.filter(({ type }) => type === 'command').slice(0, maxCommands);
  if (shown.length === 0) return null;
  return (
    <ul className="suggested" aria-label="Commands">
      {shown.map(({ name, description }) => (
        <li key={name}>
          <button
            type="button"
            className="quiet"
            onClick={({ currentTarget }) => {
              panel.setDraft(`/${name} `);
              focusPrompt(currentTarget);
            }}
          >
            <b>/{plainText(name)}</b> <span>{plainText(description)}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
