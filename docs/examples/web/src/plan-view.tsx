import type { Plan } from 'acp-client-sdk/conversation';

const marks: Readonly<Record<string, string>> = { completed: '✓', in_progress: '▸', cancelled: '✕' };

export function PlanView({ plan }: { readonly plan: Plan }) {
  const done = plan.entries.filter(({ status }) => status === 'completed').length;
  return (
    <details className="plan" open={done < plan.entries.length}>
      <summary>
        Plan, {done} of {plan.entries.length} done
      </summary>
      <ol>
        {plan.entries.map((entry, index) => (
          // A plan comes whole each time, and its entries have no name but their place.
          // biome-ignore lint/suspicious/noArrayIndexKey: see above
          <li key={index} data-status={entry.status}>
            <span aria-hidden="true">{marks[entry.status] ?? '○'}</span> {entry.content}
          </li>
        ))}
      </ol>
    </details>
  );
}
