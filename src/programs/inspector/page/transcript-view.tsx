import type { Conversation } from '../../../model/conversation.ts';
import { Select } from './controls.tsx';
import { entryHtml } from './entry-html.ts';
import { EntryList } from './entry-list.tsx';
import type { PageState } from './page-state.ts';

/** The conversation at the time that is shown. */
export function TranscriptView({ state }: { readonly state: PageState }) {
  const { timeline, choices } = state;
  const number = state.conversation;
  const conversation = number === null ? undefined : timeline.conversationAt(number, state.position);
  const marked = markedEntries(state);
  const entries = conversation?.entries ?? [];
  const target = entries.findIndex(({ key }) => marked.has(key));
  const draw = (place: number) => {
    const entry = entries[place];
    if (!conversation || !entry || number === null) return { class: '', children: null };
    const count = timeline.itemsOf(number, entry.key).length;
    return {
      class: `${marked.has(entry.key) ? 'marked' : ''} ${choices.entry === entry.key ? 'chosen' : ''}`,
      children: (
        <>
          <span class="count" title="Messages that made this entry">
            {count === 1 ? '1 message' : `${count} messages`}
          </span>
          {/* The library escapes everything in it, and the content security policy allows nothing active. */}
          {/* biome-ignore lint/security/noDangerouslySetInnerHtml: see above */}
          <div dangerouslySetInnerHTML={{ __html: entryHtml(conversation, entry) }} />
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
      </div>
      {entries.length === 0 && (
        <p class="none">
          {number === null && state.session === null
            ? 'No session has begun.'
            : 'Nothing has happened in this session yet.'}
        </p>
      )}
      <EntryList
        keys={entries.map(({ key }) => key)}
        target={target}
        targetId={choices.entry === null ? `${choices.message}` : ''}
        follows={state.follows}
        entry={draw}
        onOpen={(place) => {
          const key = entries[place]?.key;
          if (key !== undefined) state.chooseEntry(key);
        }}
      />
    </section>
  );
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

/** The entries that the chosen message changed, or the chosen entry. */
function markedEntries({ timeline, choices, conversation }: PageState): ReadonlySet<string> {
  if (choices.entry !== null) return new Set([choices.entry]);
  const { changes = [] } = timeline.rows[choices.message ?? -1] ?? {};
  return new Set(
    changes.filter((change) => change.conversation === conversation).flatMap(({ entries }) => entries),
  );
}
