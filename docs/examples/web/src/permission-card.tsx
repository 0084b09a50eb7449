import type { Question } from './agent.ts';

/** What the agent asks, with the answers it offers: styled by their kind, never told by their place or name. */
export function PermissionCard({ question }: { readonly question: Question }) {
  const { title, description, toolCall, options } = question.request;
  return (
    <section className="permission" aria-label="Permission">
      <h3>{title ?? toolCall?.title ?? 'May the agent go on?'}</h3>
      {description && <p>{description}</p>}
      <div className="answers">
        {options.map(({ optionId, name, kind }) => (
          <button
            key={optionId}
            type="button"
            className={kind === 'allow_once' ? 'primary' : ''}
            onClick={() => question.answer({ outcome: 'selected', optionId })}
          >
            {name}
          </button>
        ))}
      </div>
    </section>
  );
}
