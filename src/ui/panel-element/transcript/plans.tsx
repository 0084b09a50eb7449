import type { ItemsPlan, Plan } from '../../../core/model/plan.ts';
import { plainText } from '../../../core/render/clean.ts';
import { type PanelProps, usePart } from '../use-part.ts';
import { PlanDocument } from './plan-document.tsx';

const marks = new Map(Object.entries({ completed: '✓', in_progress: '▸', cancelled: '✕' }));

const none: readonly Plan[] = [];

/** The plans of the session. A plan is closed when it is done, and while a question needs the room. */
export function Plans({ panel }: PanelProps) {
  const plans = usePart(panel, (state) => state.conversation?.plans ?? none);
  const isAsked = usePart(panel, (state) => state.questions.length > 0);
  if (plans.length === 0) return null;
  return (
    <section aria-label="Plans" className="plans">
      {plans.map((plan) => (
        <PlanView key={plan.planId} panel={panel} plan={plan} isAsked={isAsked} />
      ))}
    </section>
  );
}

function PlanView({ panel, plan, isAsked }: PanelProps & { readonly plan: Plan; readonly isAsked: boolean }) {
  if (plan.type === 'items') return <Tasks plan={plan} isAsked={isAsked} />;
  if (plan.type !== 'markdown') return <p className="plan note">A plan of type “{plainText(plan.type)}”</p>;
  // An empty document is no plan any more.
  if (plan.content.trim() === '') return null;
  return (
    <details className="plan" open={!isAsked}>
      <summary>Plan</summary>
      <PlanDocument panel={panel} plan={plan} />
    </details>
  );
}

function Tasks({ plan: { entries }, isAsked }: { readonly plan: ItemsPlan; readonly isAsked: boolean }) {
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
            <span aria-hidden="true">{marks.get(status) ?? '○'}</span> {plainText(content)}
            <span className="sr-only"> ({status.replaceAll('_', ' ')})</span>
          </li>
        ))}
      </ol>
    </details>
  );
}
