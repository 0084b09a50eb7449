import type { ComponentChildren } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import type { Panel } from '../../../ui/panel/connect.ts';
import { type PanelProps, usePart } from '../../../ui/panel-element/use-part.ts';
import { recordingText } from '../save/recording.ts';
import { CapabilitiesView } from './capabilities-view.tsx';
import { CompareView } from './compare-view.tsx';
import { Composer } from './composer.tsx';
import { Button } from './controls.tsx';
import { useChanges } from './hooks.ts';
import { keyTarget } from './list-keys.ts';
import type { LoadedTimeline } from './loaded-timeline.ts';
import { type PageState, type Tab, tabNames } from './page-state.ts';
import { RequestForm } from './request-form.tsx';
import type { Hands } from './server.ts';
import { SessionsView } from './sessions-view.tsx';
import { onPageKey, Shortcuts, showShortcuts } from './shortcuts.tsx';
import { TimeBar } from './time-bar.tsx';
import { TranscriptView } from './transcript-view.tsx';
import { TurnsView } from './turns-view.tsx';
import { WireView } from './wire-view.tsx';

interface AppProps {
  readonly state: PageState;
  readonly hands: Hands | undefined;
}

const views: Readonly<Record<Tab, (props: AppProps) => ComponentChildren>> = {
  wire: ({ state }) => <WireView state={state} />,
  turns: ({ state }) => <TurnsView state={state} />,
  capabilities: ({ state }) => <CapabilitiesView state={state} />,
  agent: ({ state, hands }) => hands && <RequestForm state={state} hands={hands} />,
  compare: ({ state }) => state.other && <CompareView state={state} other={state.other} />,
};

export function App({ state, hands }: AppProps) {
  useChanges(state);
  const needs: Partial<Record<Tab, unknown>> = { agent: hands, compare: state.other };
  // The keys of the table.
  const tabs = Object.keys(tabNames) as Tab[];
  const shown = tabs.filter((tab) => !(tab in needs) || needs[tab] !== undefined);
  // Not after the next frame: a key that is pressed before it is not lost.
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent) => onPageKey(state, event, shown);
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  });
  const { pane, tab } = state.choices;
  const hasTranscript = state.session !== null || state.conversation !== null;
  return (
    <>
      <Header state={state} hands={hands} />
      <main class="panes">
        <div class="left">
          {hands && (pane === 'sessions' || !hasTranscript) ? (
            <SessionsView state={state} panel={hands.panel} hasTranscript={hasTranscript} />
          ) : (
            <TranscriptView state={state} />
          )}
          {hands && <Composer panel={hands.panel} />}
        </div>
        <section class="pane right" aria-label="Details">
          <Tabs state={state} shown={shown} />
          <div class="pane" role="tabpanel" id="tab-panel" aria-labelledby={`tab-${tab}`} key={tab}>
            {views[tab]({ state, hands })}
          </div>
        </section>
      </main>
      <TimeBar state={state} />
      <Shortcuts />
    </>
  );
}

function Tabs({ state, shown }: { readonly state: PageState; readonly shown: readonly Tab[] }) {
  const { tab: active } = state.choices;
  const onKeyDown = (event: KeyboardEvent) => {
    const next = shown[keyTarget(event, shown.indexOf(active), shown.length, 1) ?? -1];
    if (next === undefined) return;
    event.preventDefault();
    state.choose({ tab: next });
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label="Views" onKeyDown={onKeyDown}>
      {shown.map((tab) => (
        <button
          key={tab}
          id={`tab-${tab}`}
          type="button"
          role="tab"
          aria-selected={tab === active}
          aria-controls="tab-panel"
          tabIndex={tab === active ? 0 : -1}
          onClick={() => state.choose({ tab })}
        >
          {tabNames[tab]}
        </button>
      ))}
    </div>
  );
}

function Header({ state, hands }: AppProps) {
  const { timeline } = state;
  const found = timeline.connectionAt(state.position);
  return (
    <header class="top">
      <h1>
        ACP inspector <span class="title">{timeline.title}</span>
      </h1>
      {found && (
        <span class="chip agent">
          {found.agent ? `${found.agent.title ?? found.agent.name} ${found.agent.version}` : 'agent'} ·{' '}
          {found.dialect}
        </span>
      )}
      {hands ? <Phase panel={hands.panel} /> : <Recording state={state} />}
      <span class="grow" />
      {hands && <Button text="Restart agent" onClick={() => restart(hands.panel)} />}
      {!timeline.isTranscript && <SaveButton timeline={timeline} />}
      <Button text="?" aria-label="Keys" onClick={showShortcuts} />
    </header>
  );
}

/** Restarts the agent. A turn that goes on would end. */
function restart(panel: Panel): void {
  const isBusy = (panel.getSnapshot().conversation?.activity.state ?? 'idle') !== 'idle';
  if (!isBusy || confirm('The agent works on a turn, which ends now. Restart it?')) void panel.restart();
}

function Recording({ state: { timeline } }: { readonly state: PageState }) {
  return timeline.isReading ? (
    <span class="chip starting" role="status">
      reading the recording, {Math.floor(timeline.readShare * 100)} %
    </span>
  ) : (
    <span class="chip">{timeline.isTranscript ? 'transcript' : 'recording'}</span>
  );
}

function Phase({ panel }: PanelProps) {
  const phase = usePart(panel, (snapshot) => snapshot.phase);
  return (
    <span class={`chip ${phase}`} role="status">
      {phase}
    </span>
  );
}

/** Saves the messages as a recording. */
function SaveButton({ timeline }: { readonly timeline: LoadedTimeline }) {
  const save = () => {
    const text = recordingText(timeline.rows.map(({ item }) => item));
    const url = URL.createObjectURL(new Blob([text], { type: 'application/x-ndjson' }));
    const link = document.createElement('a');
    link.href = url;
    link.download = 'recording.ndjson';
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  };
  return <Button text="Save" title="Save the recording: the messages, one a line" onClick={save} />;
}
