import { useRef } from 'preact/hooks';
import { Select } from './controls.tsx';
import { countWhile } from './count-while.ts';
import { directionNames, FilteredRows, kindChoices, type WireFilter } from './filter.ts';
import { MessageView } from './message-view.tsx';
import type { PageState } from './page-state.ts';
import { RowList } from './row-list.tsx';
import { bytesText, isAnswer, type Row, secondsText, sizeOf, tookText } from './rows.ts';

/** The messages and what else happened, and the chosen one. */
export function WireView({ state, hasHands }: { readonly state: PageState; readonly hasHands: boolean }) {
  const { timeline, choices } = state;
  const filtered = useRef(new FilteredRows());
  const indexes = filtered.current.update(timeline.rows, choices.filter);
  const marked = markedMessages(state);
  const active = choices.message === null ? -1 : placeOf(indexes, choices.message);
  const draw = (place: number) => {
    const row = timeline.rows[indexes[place] ?? -1];
    if (!row) return { class: '', children: null };
    const { item, index } = row;
    const classes = [
      row.kind,
      item.type === 'message' ? item.dir : '',
      marked.has(index) ? 'marked' : '',
      index > state.position ? 'later' : '',
      index === state.position && choices.position !== null ? 'now' : '',
      row.pair !== null && row.pair === choices.message ? 'pair' : '',
    ];
    return {
      class: classes.join(' '),
      children: <Cells row={row} />,
    };
  };
  const showPair = (place: number) => {
    const pair = timeline.rows[indexes[place] ?? -1]?.pair;
    if (pair != null) state.showMessage(pair);
  };
  return (
    <div class="wire">
      <Filters state={state} shown={indexes.length} />
      <div class="columns" aria-hidden="true">
        {columnsText('#', 'time', 'session', 'took', 'size')} {'  method'}
      </div>
      <RowList
        id="wire"
        label="Messages"
        count={indexes.length}
        active={active}
        follows={state.follows}
        onActivate={(place) => state.chooseMessage(indexes[place] ?? 0)}
        onOpen={showPair}
        row={draw}
        empty={timeline.length === 0 ? 'Nothing has happened yet.' : 'No message passes the filter.'}
      />
      {choices.message !== null && timeline.rows[choices.message] && (
        <MessageView key={choices.message} state={state} index={choices.message} hasHands={hasHands} />
      )}
    </div>
  );
}

const arrows = { in: '←', out: '→' } as const;

/** How many characters of a name are drawn. No row is wider. */
const maxShown = 200;

/** The columns before the method, in a font whose characters have the same width: a row needs few elements. */
function columnsText(number: string, time: string, session: string, took: string, size: string): string {
  return [number.padStart(5), time.padStart(8), session.padEnd(9), took.padStart(7), size.padStart(7)].join(
    ' ',
  );
}

function Cells({ row }: { readonly row: Row }) {
  const { index, item, kind, label, sessionId, changes, diagnostics } = row;
  const columns = columnsText(
    `${index + 1}`,
    secondsText(item.t),
    sessionId === null || sessionId.length < 10 ? (sessionId ?? '') : `…${sessionId.slice(-8)}`,
    tookText(row),
    item.type === 'message' ? bytesText(sizeOf(item)) : '',
  );
  const words = `${isAnswer(row) ? kind : ''} ${detailOf(row)}`.trim();
  return (
    <>
      <span class="dim">{columns} </span>
      <span class="method">
        {item.type === 'message' ? arrows[item.dir] : '·'} {diagnostics.length > 0 && <b class="mark">!</b>}
        {diagnostics.length > 0 && ' '}
        {label.slice(0, maxShown)}
      </span>
      {changes.length > 0 && <span class="dot" title="Changed the conversation" />}
      {words !== '' && <span class="dim"> {words.slice(0, maxShown)}</span>}
    </>
  );
}

/** What kind of update it is, or the title of what it is about. */
function detailOf({ item }: Row): string {
  if (item.type !== 'message') return '';
  // The message is what the other end sent: each step can be absent.
  const message = item.msg as {
    params?: { update?: { sessionUpdate?: unknown; title?: unknown }; toolCall?: { title?: unknown } };
    error?: { message?: unknown };
    result?: { stopReason?: unknown };
  } | null;
  const update = message?.params?.update;
  return [
    update?.sessionUpdate,
    update?.title ?? message?.params?.toolCall?.title,
    message?.error?.message,
    message?.result?.stopReason,
  ]
    .filter((word) => typeof word === 'string')
    .join(' · ');
}

/** The messages that made the chosen entry. */
function markedMessages({ timeline, choices, conversation }: PageState): ReadonlySet<number> {
  if (choices.entry === null || conversation === null) return new Set();
  return new Set(timeline.itemsOf(conversation, choices.entry));
}

/** The place of an index in an ascending list. -1 if it is not in it. */
function placeOf(indexes: readonly number[], index: number): number {
  const place = countWhile(indexes.length, (at) => (indexes[at] ?? 0) < index);
  return indexes[place] === index ? place : -1;
}

function Filters({ state, shown }: { readonly state: PageState; readonly shown: number }) {
  const { timeline, choices } = state;
  const { filter } = choices;
  const set = (change: Partial<WireFilter>) => state.choose({ filter: { ...filter, ...change } });
  const sessionIds = new Set(timeline.conversations().map(({ sessionId }) => sessionId));
  const methods = useRef({ seen: 0, names: new Set<string>() });
  for (; methods.current.seen < timeline.length; methods.current.seen++) {
    const row = timeline.rows[methods.current.seen];
    if (row?.item.type === 'message') methods.current.names.add(row.label);
  }
  return (
    <search class="bar filters" aria-label="Filter the messages">
      <input
        id="search"
        type="search"
        placeholder="Search"
        aria-label="Search in the messages"
        value={filter.text}
        onInput={({ currentTarget }) => set({ text: currentTarget.value })}
      />
      <Select
        label="Direction"
        value={filter.direction}
        options={Object.entries(directionNames)}
        onChange={(direction) => set({ direction })}
      />
      <Select
        label="Kind"
        value={filter.kind}
        options={Object.entries(kindChoices).map(([kind, { name }]) => [kind, name])}
        onChange={(kind) => set({ kind })}
      />
      <Select
        label="Method"
        value={filter.method}
        options={[['', 'all methods'], ...[...methods.current.names].sort().map((name) => [name] as const)]}
        onChange={(method) => set({ method })}
      />
      <Select
        label="Session of the message"
        value={filter.sessionId}
        options={[['', 'all sessions'], ...[...sessionIds].map((id) => [id] as const)]}
        onChange={(sessionId) => set({ sessionId })}
      />
      <span class="shown" role="status">
        {shown === timeline.length ? `${shown}` : `${shown} of ${timeline.length}`}
      </span>
    </search>
  );
}
