import { useMemo } from 'preact/hooks';
import { Button } from './controls.tsx';
import { countWhile } from './count-while.ts';
import { WireLines } from './lines.ts';
import { MessageView } from './message-view.tsx';
import type { PageState } from './page-state.ts';
import { RowList } from './row-list.tsx';
import { Cells, factsText, placeText } from './wire-cells.tsx';

/** The messages and what else happened, and the chosen one. */
export function WireView({ state }: { readonly state: PageState }) {
  const { timeline, choices } = state;
  const { rows } = timeline;
  const known = useMemo(() => new WireLines(rows, choices.search), [rows, choices.search]);
  const lines = known.update();
  const made = messagesOfEntry(state);
  const active = choices.message === null ? -1 : known.placeOf(choices.message);
  const shown = state.isPlaying ? known.placeOf(state.position) : active;
  const draw = (place: number) => {
    const line = lines[place];
    const row = rows[line?.first ?? -1];
    if (!line || !row) return { class: '', children: null };
    const { item, pair } = row;
    const isNow = line.first <= state.position && state.position <= line.last;
    const classes = [
      row.kind,
      item.type === 'message' ? item.dir : '',
      item.type === 'diagnostic' ? `at-${item.severity}` : '',
      item.type === 'process' && item.state === 'exited' && item.exitCode !== 0 ? 'at-error' : '',
      hasBetween(made, line.first, line.last) ? 'marked' : '',
      line.first > state.position ? 'later' : '',
      isNow && choices.position !== null ? 'now' : '',
      pair !== null && pair === choices.message ? 'pair' : '',
    ];
    return { class: classes.join(' '), children: <Cells rows={rows} line={line} /> };
  };
  /** Goes from a request to its answer, and back. */
  const open = (place: number) => {
    const pair = rows[lines[place]?.first ?? -1]?.pair;
    if (pair != null) state.showMessage(pair);
  };
  const activate = (place: number) => {
    const line = lines[place];
    if (line) state.chooseMessage(line.first);
  };
  const { count } = known;
  return (
    <div class="pane wire">
      <search class="bar" aria-label="Filter the messages">
        <input
          id="search"
          type="text"
          class="grow"
          autocomplete="off"
          spellcheck={false}
          placeholder="Search, or from: is: method: update: session:"
          aria-label="Search in the messages"
          value={choices.search}
          onInput={({ currentTarget }) => state.choose({ search: currentTarget.value })}
        />
        <span class="facts" role="status">
          {count === timeline.length ? `${count}` : `${count} of ${timeline.length}`}
        </span>
        <Diagnostics state={state} />
      </search>
      <div class="columns" aria-hidden="true">
        {placeText('#', 'time')}
        <span class="wide">{factsText('session', 'took')}</span>
        {'  method'}
      </div>
      <RowList
        id="wire"
        label="Messages"
        count={lines.length}
        active={active}
        shown={shown}
        follows={state.follows}
        onActivate={activate}
        onOpen={open}
        row={draw}
        empty={emptyText(state)}
      />
      {choices.message !== null && rows[choices.message] && (
        <MessageView key={choices.message} state={state} index={choices.message} />
      )}
    </div>
  );
}

/** How many problems the library reported. The button shows them alone. */
function Diagnostics({ state }: { readonly state: PageState }) {
  const found = state.timeline.rows.flatMap(({ item }) => (item.type === 'diagnostic' ? [item] : []));
  if (found.length === 0) return null;
  const isFault = found.some(({ severity }) => severity !== 'info');
  return (
    <Button
      class={isFault ? 'fault' : ''}
      text={found.length === 1 ? '1 diagnostic' : `${found.length} diagnostics`}
      onClick={() => state.choose({ search: 'is:diagnostic ' })}
    />
  );
}

function emptyText({ timeline }: PageState): string {
  if (timeline.length > 0) return 'No message passes the search.';
  return timeline.isReading ? 'The recording is being read.' : 'Nothing has happened yet.';
}

/** The messages that made the chosen entry, in order. */
function messagesOfEntry({ timeline, choices, conversation }: PageState): readonly number[] {
  if (choices.entry === null || conversation === null) return [];
  return timeline.itemsOf(conversation, choices.entry);
}

/** Whether an ascending list has a number between two. */
function hasBetween(list: readonly number[], first: number, last: number): boolean {
  const place = countWhile(list.length, (at) => (list[at] ?? 0) < first);
  return (list[place] ?? Number.POSITIVE_INFINITY) <= last;
}
