import { type Plan, plainText } from 'acp-client-sdk/conversation';
import type { PanelProps } from './panel-props.ts';
import { usePart } from './use-part.ts';

const marks: Readonly<Record<string, string>> = { completed: '✓', in_progress: '▸', cancelled: '✕' };

const none: readonly Plan[] = [];

/** The plans of the session. A plan is closed when it is done, and while a question needs the room. */
export function Plans({ panel }: PanelProps) {
  const plans = usePart(panel, (state) => state.conversation?.plans ?? none);
  const isAsked = usePart(panel, (state) => state.questions.length > 0);
  if (plans.length === 0) return null;
  return (
    <section aria-label="Plans" className="plans">
      {plans.map((plan) => (
        <PlanView key={plan.planId} plan={plan} isAsked={isAsked} />
      ))}
    </section>
  );
}

function PlanView({ plan: { entries }, isAsked }: { readonly plan: Plan; readonly isAsked: boolean }) {
  const done = entries.filter(({ status }) => status === 'completed').length;
  return (
    <details className="plan" open={done < entries.length && !isAsked}>
      <summary>
        Plan: {done} of {entries.length} done
      </summary>
      <ol>
        {entries.map(({ content, status }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: an agent sends a plan as a whole, and tasks have no id
          <li key={index} data-status={status} dir="auto">
            <span aria-hidden="true">{marks[status] ?? '○'}</span> {plainText(content)}
            <span className="sr-only"> ({status.replaceAll('_', ' ')})</span>
          </li>
        ))}
      </ol>
    </details>
  );
}
