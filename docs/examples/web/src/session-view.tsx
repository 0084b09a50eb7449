import type { Session } from 'acp-client-sdk';
import { type ToolOutputItem, toolOutput } from 'acp-client-sdk/conversation';
import { useSyncExternalStore } from 'react';
import type { Agent, AgentState } from './agent.ts';
import { Composer } from './composer.tsx';
import { EntryView } from './entry-view.tsx';
import { PermissionCard } from './permission-card.tsx';
import { PlanView } from './plan-view.tsx';
import { stickToEnd } from './stick-to-end.ts';

interface Props {
  readonly agent: Agent;
  readonly state: AgentState;
  readonly session: Session;
}

const none: readonly ToolOutputItem[] = [];
const tokens = new Intl.NumberFormat(undefined, { notation: 'compact' });

export function SessionView({ agent, state, session }: Props) {
  // All it takes: the store is told once a batch of updates, and what did not change keeps its identity.
  const conversation = useSyncExternalStore(session.store.subscribe, session.store.getSnapshot);
  const { activity, info, usage, plans } = conversation;
  const questions = state.questions.filter(({ sessionId }) => sessionId === session.sessionId);
  const open = state.phase === 'open' && !state.loading;
  return (
    <>
      <header className="session-header">
        <div>
          <h2>{info.title ?? 'New session'}</h2>
          <small>
            {session.cwd}
            {usage && ` · ${tokens.format(usage.used)} of ${tokens.format(usage.size)} tokens`}
          </small>
        </div>
        <button type="button" disabled={!open} onClick={() => agent.load(session)}>
          Reload
        </button>
      </header>
      <div className="transcript" ref={stickToEnd}>
        <div className="entries" role="log" aria-busy={state.loading}>
          {conversation.entries.map((entry) => (
            <EntryView
              key={entry.key}
              entry={entry}
              output={entry.kind === 'toolCall' ? toolOutput(conversation, entry) : none}
            />
          ))}
          {questions.map((question) => (
            <PermissionCard key={question.key} question={question} />
          ))}
        </div>
      </div>
      {plans.map((plan) => (
        <PlanView key={plan.planId} plan={plan} />
      ))}
      <Composer
        key={session.sessionId}
        open={open}
        activity={activity}
        onPrompt={(text) => agent.prompt(session, text)}
        onCancel={() => agent.cancel(session)}
      />
    </>
  );
}
