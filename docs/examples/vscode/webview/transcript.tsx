import { type ConversationMirror, type ToolOutputItem, toolOutput } from 'acp-client-sdk/conversation';
import { useSyncExternalStore } from 'react';
import type { PanelState, Question } from '../src/messages.ts';
import { EntryView } from './entry.tsx';
import { send } from './panel.ts';

interface Props {
  readonly mirror: ConversationMirror;
  readonly state: PanelState;
}

const none: readonly ToolOutputItem[] = [];

export function Transcript({ mirror, state }: Props) {
  const conversation = useSyncExternalStore(mirror.subscribe, mirror.getSnapshot);
  const { entries, plans } = conversation;
  return (
    <>
      <main ref={stickToEnd}>
        <div className="entries" role="log" aria-busy={state.loadedUpdates !== null}>
          {entries.map((entry) => (
            // An entry and an output that did not change are the same objects, so React skips them.
            <EntryView
              key={entry.key}
              entry={entry}
              output={entry.kind === 'toolCall' ? toolOutput(conversation, entry) : none}
            />
          ))}
          {state.questions.map((question) => (
            <Permission key={question.id} question={question} />
          ))}
        </div>
      </main>
      {plans.map(({ planId, entries: tasks }) => {
        const done = tasks.filter(({ status }) => status === 'completed').length;
        return (
          <details className="plan" key={planId} open={done < tasks.length}>
            <summary>
              Plan: {done} of {tasks.length} done
            </summary>
            <ol>
              {tasks.map(({ content, status }, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: an agent sends a plan as a whole, and tasks have no id
                <li key={index} data-status={status}>
                  {content}
                </li>
              ))}
            </ol>
          </details>
        );
      })}
    </>
  );
}

/** The agent's own options. Their kind chooses the style; ids and order have no meaning. */
function Permission({ question: { id, title, description, options } }: { readonly question: Question }) {
  return (
    <section className="permission" aria-label="Permission">
      <h2>{title}</h2>
      {description !== null && <p>{description}</p>}
      <div className="answers">
        {options.map(({ optionId, name, kind }) => (
          <button
            key={optionId}
            type="button"
            className={kind === 'allow_once' ? '' : 'secondary'}
            onClick={() => send({ type: 'answer', id, optionId })}
          >
            {name}
          </button>
        ))}
      </div>
    </section>
  );
}

/** Keeps the end in view while the content grows, unless the user scrolled up. */
function stickToEnd(scroller: HTMLElement | null): (() => void) | undefined {
  const content = scroller?.firstElementChild;
  if (!scroller || !content) return undefined;
  let isAtEnd = true;
  let top = 0;
  const onScroll = () => {
    const isNear = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 24;
    // The content can have grown since the event. Only the user scrolls up.
    if (isNear || scroller.scrollTop < top) isAtEnd = isNear;
    top = scroller.scrollTop;
  };
  const observer = new ResizeObserver(() => {
    if (isAtEnd) scroller.scrollTop = scroller.scrollHeight;
  });
  observer.observe(scroller);
  observer.observe(content);
  scroller.addEventListener('scroll', onScroll, { passive: true });
  return () => {
    observer.disconnect();
    scroller.removeEventListener('scroll', onScroll);
  };
}
