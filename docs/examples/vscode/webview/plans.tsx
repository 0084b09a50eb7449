import { type Plan, plainText } from 'acp-client-sdk/conversation';

const marks: Readonly<Record<string, string>> = { completed: '✓', in_progress: '▸', cancelled: '✕' };

/** The plans of the session. A plan that is done is closed. */
export function Plans({ plans }: { readonly plans: readonly Plan[] }) {
  if (plans.length === 0) return null;
  return (
    <section aria-label="Plans">
      {plans.map((plan) => (
        <PlanView key={plan.planId} {...plan} />
      ))}
    </section>
  );
}

function PlanView({ entries }: Plan) {
  const done = entries.filter(({ status }) => status === 'completed').length;
  return (
    <details className="plan" open={done < entries.length}>
      <summary>
        Plan: {done} of {entries.length} done
      </summary>
      <ol>
        {entries.map(({ content, status }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: an agent sends a plan as a whole, and tasks have no id
          <li key={index} data-status={status}>
            <span aria-hidden="true">{marks[status] ?? '○'}</span> {plainText(content)}
            <span className="sr-only"> ({status.replaceAll('_', ' ')})</span>
          </li>
        ))}
      </ol>
    </details>
  );
}
