import type { Conversation, ConversationEntry } from '../../../core/model/conversation.ts';
import { renderEntryHtml, renderPlanHtml } from '../../../core/render/html.ts';
import { Button } from './controls.tsx';
import { EntryList } from './entry-list.tsx';
import { changedKeys, plansKey } from './loaded-timeline.ts';
import type { PageState } from './page-state.ts';

/** The conversation at the time that is shown, with its plans at the end. */
export function TranscriptView({ state }: { readonly state: PageState }) {
  const { timeline, choices, conversation: number } = state;
  const conversation = number === null ? undefined : timeline.conversationAt(number, state.position);
  const marked = markedKeys(state);
  const { entries, plans } = conversation ?? { entries: [], plans: [] };
  const keys = entries.map(({ key }) => key);
  if (plans.length > 0) keys.push(plansKey);
  const draw = (key: string, place: number) => {
    const entry = entries[place];
    const failed = entry?.kind === 'turnFailure' ? 'failed' : '';
    const count = timeline.itemsOf(number ?? 0, key).length;
    return {
      class: `${marked.has(key) ? 'marked' : ''} ${choices.entry === key ? 'chosen' : ''} ${failed}`,
      count: timeline.isTranscript ? '' : count === 1 ? '1 message' : `${count} messages`,
      html: conversation && entry ? htmlOf(conversation, entry) : plans.map(renderPlanHtml).join(''),
    };
  };
  return (
    <section class="pane transcript" aria-labelledby="transcript-title">
      <div class="bar">
        <h2 id="transcript-title">Transcript</h2>
        <SessionChoice state={state} />
        {conversation && <Activity conversation={conversation} />}
        {state.isLive && <Button text="Sessions" onClick={() => state.choose({ pane: 'sessions' })} />}
      </div>
      {keys.length === 0 && <p class="none">{emptyText(state)}</p>}
      <EntryList
        key={number}
        keys={keys}
        target={keys.findIndex((key) => marked.has(key))}
        targetId={choices.entry === null ? `${choices.message}` : ''}
        follows={state.follows || state.isPlaying}
        entry={draw}
        onOpen={(key) => state.chooseEntry(key)}
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
  const { timeline, conversation, position } = state;
  const all = timeline.conversations();
  if (all.length === 0) return null;
  return (
    <select
      aria-label="Session"
      value={String(conversation ?? '')}
      onChange={({ currentTarget }) =>
        state.choose({ conversation: Number(currentTarget.value), entry: null })
      }
    >
      {all.map(({ sessionId }, number) => {
        const title = timeline.conversationAt(number, position)?.info.title;
        return (
          // A conversation keeps its number.
          <option key={String(number)} value={String(number)}>
            {title ? `${title} (${sessionId})` : sessionId}
          </option>
        );
      })}
    </select>
  );
}

const tokens = new Intl.NumberFormat('en', { notation: 'compact' });

function Activity({ conversation }: { readonly conversation: Conversation }) {
  const { activity, usage, entries } = conversation;
  const waits = entries.some((entry) => entry.kind === 'toolCall' && entry.permission !== null);
  const last = entries.at(-1);
  const failed = last?.kind === 'turnFailure' ? last.cause : undefined;
  const facts = [
    waits ? 'waits for a permission' : (failed ?? activity.state),
    activity.stopReason,
    usage && `${tokens.format(usage.used)} of ${tokens.format(usage.size)} tokens`,
  ];
  return (
    <span class={`chip ${failed ? 'failed' : activity.state}`}>{facts.filter(Boolean).join(' · ')}</span>
  );
}

/** The keys of what the chosen message changed, or of the chosen entry. */
function markedKeys({ timeline, choices, conversation }: PageState): ReadonlySet<string> {
  if (choices.entry !== null) return new Set([choices.entry]);
  const { changes = [] } = timeline.rows[choices.message ?? -1] ?? {};
  return new Set(changes.filter((change) => change.conversation === conversation).flatMap(changedKeys));
}

/** The HTML of entries, with what it refers to. */
const known = new WeakMap<
  ConversationEntry,
  { readonly html: string; readonly refersTo: readonly unknown[] }
>();

/** The HTML of an entry. It is made once, until the entry changes or what it refers to. */
function htmlOf(conversation: Conversation, entry: ConversationEntry): string {
  const refers = entry.kind === 'toolCall' || entry.kind === 'sessionMessage';
  const refersTo = refers ? [conversation.terminals, conversation.subagents] : [];
  const before = known.get(entry);
  if (before?.refersTo.every((part, place) => part === refersTo[place])) return before.html;
  const html = renderEntryHtml(conversation, entry);
  known.set(entry, { html, refersTo });
  return html;
}
