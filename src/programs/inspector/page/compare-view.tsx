import { useMemo, useState } from 'preact/hooks';
import { diffHtml } from '../../../render/diff-html.ts';
import { unifiedDiff } from '../../../render/unified-diff.ts';
import { Select } from './controls.tsx';
import { compareRows, type Step, type StepPair } from './difference.ts';
import type { LoadedTimeline } from './loaded-timeline.ts';
import type { PageState } from './page-state.ts';
import { RowList } from './row-list.tsx';
import { isAnswer, tookText } from './rows.ts';
import { timelinesInText } from './sources.ts';

const marks = { equal: '', changed: '≠', removed: '−', added: '+' } as const satisfies Record<
  StepPair['is'],
  string
>;

const shownNames = { all: 'all messages', differences: 'differences' } as const;

/** Two timelines beside each other. */
export function CompareView({ state }: { readonly state: PageState }) {
  const { other, timeline } = state;
  if (!other) return <ChooseOther state={state} />;
  return <Comparison state={state} other={other} key={`${timeline.length} ${other.length}`} />;
}

function ChooseOther({ state }: { readonly state: PageState }) {
  const [fault, setFault] = useState('');
  const read = async (file: File | undefined) => {
    if (!file) return;
    try {
      const [first] = timelinesInText(await file.text());
      state.other = first;
      state.changed();
    } catch (error) {
      setFault((error as Error).message);
    }
  };
  return (
    <div class="page">
      <div class="none">
        <p>
          Compare this timeline with another one: start the command with two recordings, or choose a page that
          the inspector saved.
        </p>
        <label class="field">
          <span>A page or a timeline that the inspector saved</span>
          <input
            type="file"
            accept=".html,.json"
            onChange={({ currentTarget }) => void read(currentTarget.files?.[0])}
          />
        </label>
        {fault !== '' && <p role="alert">{fault}</p>}
      </div>
    </div>
  );
}

function Comparison({ state, other }: { readonly state: PageState; readonly other: LoadedTimeline }) {
  const { rows } = state.timeline;
  const [left, right] = columnNames(state.timeline.title, other.title);
  const pairs = useMemo(() => compareRows(rows, other.rows), [rows, other.rows]);
  const [shown, setShown] = useState<keyof typeof shownNames>('all');
  const [chosen, setChosen] = useState<StepPair | null>(null);
  const list = shown === 'all' ? pairs : pairs.filter((pair) => pair.is !== 'equal');
  const count = (is: StepPair['is']) => pairs.filter((pair) => pair.is === is).length;
  const choose = (place: number) => {
    const pair = list[place];
    setChosen(pair ?? null);
    const first = pair?.left?.rows[0];
    if (first) state.chooseMessage(first.index);
  };
  return (
    <div class="wire compare">
      <div class="bar filters">
        <span class="facts" role="status">
          {count('equal')} equal, {count('changed')} changed, {count('removed')} only on the left,{' '}
          {count('added')} only on the right
        </span>
        <span class="grow" />
        <Select
          label="Which messages"
          value={shown}
          options={Object.entries(shownNames)}
          onChange={setShown}
        />
      </div>
      <div class="columns two" aria-hidden="true">
        <span title={left}>{left}</span>
        <span />
        <span title={right}>{right}</span>
      </div>
      <RowList
        id="compare"
        label="Messages of both timelines"
        count={list.length}
        active={chosen ? list.indexOf(chosen) : -1}
        follows={false}
        onActivate={choose}
        row={(place) => {
          const pair = list[place];
          return {
            class: `two ${pair?.is ?? ''}`,
            children: pair && (
              <>
                <Side step={pair.left} />
                <span class="sign">{marks[pair.is]}</span>
                <Side step={pair.right} />
              </>
            ),
          };
        }}
        empty="The timelines have no differences."
      />
      {chosen && <PairDetail pair={chosen} />}
    </div>
  );
}

/** The names of the columns. They differ. */
function columnNames(left: string, right: string): readonly [string, string] {
  return left === right ? [`${left} (left)`, `${right} (right)`] : [left, right];
}

function Side({ step }: { readonly step: Step | undefined }) {
  const [first] = step?.rows ?? [];
  if (!step || !first || first.item.type !== 'message') return <span class="side" />;
  const [, , , tag] = step.signature.split(' ');
  return (
    <span class={`side ${first.item.dir}`}>
      <span class="arrow">{first.item.dir === 'in' ? '←' : '→'}</span>{' '}
      <span class="method">{first.label}</span>{' '}
      <span class="detail">
        {[
          isAnswer(first) ? first.kind : '',
          tag,
          step.rows.length > 1 ? `×${step.rows.length}` : '',
          tookText(first),
        ]
          .filter(Boolean)
          .join(' · ')}
      </span>
    </span>
  );
}

function PairDetail({ pair: { left, right, is } }: { readonly pair: StepPair }) {
  const diff = unifiedDiff(`${left?.content ?? ''}\n`, `${right?.content ?? ''}\n`);
  return (
    <section class="message" aria-label="Difference">
      <div class="bar">
        <h3>{is === 'equal' ? 'Equal' : 'Difference'}</h3>
        <span class="facts">without ids and times</span>
      </div>
      {/* biome-ignore lint/a11y: a region that scrolls needs the focus */}
      <div class="body" tabIndex={0} role="region" aria-label="Lines">
        <pre class="json diff">
          {is === 'equal' ? (
            left?.content
          ) : (
            // The library escapes everything in it.
            // biome-ignore lint/security/noDangerouslySetInnerHtml: see above
            <code dangerouslySetInnerHTML={{ __html: diffHtml(diff) }} />
          )}
        </pre>
      </div>
    </section>
  );
}
