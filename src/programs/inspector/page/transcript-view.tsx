import type { Conversation } from '../../../model/conversation.ts';
import { Button, Select } from './controls.tsx';
import { entryHtml, planHtml } from './entry-html.ts';
import { EntryList } from './entry-list.tsx';
import type { PageState } from './page-state.ts';
import { changedKeys, plansKey } from './plans.ts';

/** The conversation at the time that is shown, with its plans at the end. */
export function TranscriptView({
  state,
  hasHands,
}: {
  readonly state: PageState;
  readonly hasHands: boolean;
}) {
  const { timeline, choices } = state;
  const number = state.conversation;
  const conversation = number === null ? undefined : timeline.conversationAt(number, state.position);
  const marked = markedKeys(state);
  const { entries, plans } = conversation ?? { entries: [], plans: [] };
  const keys = entries.map(({ key }) => key);
  if (plans.length > 0) keys.push(plansKey);
  const draw = (place: number) => {
    const key = keys[place];
    const entry = entries[place];
    if (!conversation || key === undefined || number === null) return { class: '', children: null };
    const count = timeline.itemsOf(number, key).length;
    const html = entry ? entryHtml(conversation, entry) : plans.map(planHtml).join('');
    return {
      class: `${marked.has(key) ? 'marked' : ''} ${choices.entry === key ? 'chosen' : ''}`,
      children: (
        <>
          {timeline.saved ? null : (
            <span class="count" title="Messages that made this entry">
              {count === 1 ? '1 message' : `${count} messages`}
            </span>
          )}
          {/* The library escapes everything in it, and the content security policy allows nothing active. */}
          {/* biome-ignore lint/security/noDangerouslySetInnerHtml: see above */}
          <div dangerouslySetInnerHTML={{ __html: html }} />
        </>
      ),
    };
  };
  return (
    <section class="pane transcript" aria-labelledby="transcript-title">
      <div class="bar">
        <h2 id="transcript-title">Transcript</h2>
        <SessionChoice state={state} />
        <span class="grow" />
        {conversation && <Activity conversation={conversation} />}
        {hasHands && <Button text="Sessions" onClick={() => state.choose({ pane: 'sessions' })} />}
      </div>
      {keys.length === 0 && <p class="none">{emptyText(state)}</p>}
      <EntryList
        keys={keys}
        target={keys.findIndex((key) => marked.has(key))}
        targetId={choices.entry === null ? `${choices.message}` : ''}
        follows={state.follows || state.isPlaying}
        entry={draw}
        onOpen={(place) => {
          const key = keys[place];
          if (key !== undefined) state.chooseEntry(key);
        }}
      />
    </section>
  );
}

function emptyText({ timeline, conversation, session }: PageState): string {
  if (timeline.isReading) return 'The recording is being read.';
  if (conversation === null && session === null) return 'No session has begun.';
  return 'Nothing has happened in this session yet.';
}

function SessionChoice({ state }: { readonly state: PageState }) {
  const all = state.timeline.conversations();
  if (all.length === 0) return null;
  const nameOf = (number: number, sessionId: string) => {
    const title = state.timeline.conversationAt(number, state.position)?.info.title;
    return title ? `${title} (${sessionId})` : sessionId;
  };
  return (
    <Select
      label="Session"
      value={String(state.conversation ?? '')}
      // A conversation keeps its number.
      options={all.map(({ sessionId }, number) => [String(number), nameOf(number, sessionId)])}
      onChange={(number) => state.choose({ conversation: Number(number), entry: null })}
    />
  );
}

function Activity({ conversation }: { readonly conversation: Conversation }) {
  const { activity, usage, entries } = conversation;
  const waits = entries.some((entry) => entry.kind === 'toolCall' && entry.permission !== null);
  const facts = [
    waits ? 'waits for a permission' : activity.state,
    activity.stopReason,
    usage && `${usage.used} of ${usage.size} tokens`,
  ];
  return <span class={`chip ${activity.state}`}>{facts.filter(Boolean).join(' · ')}</span>;
}

/** The keys of what the chosen message changed, or of the chosen entry. */
function markedKeys({ timeline, choices, conversation }: PageState): ReadonlySet<string> {
  if (choices.entry !== null) return new Set([choices.entry]);
  const { changes = [] } = timeline.rows[choices.message ?? -1] ?? {};
  return new Set(changes.filter((change) => change.conversation === conversation).flatMap(changedKeys));
}
