import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect } from 'preact/hooks';
import type { Panel } from '../../../panel/connect.ts';
import { AgentView } from './agent-view.tsx';
import { CapabilitiesView } from './capabilities-view.tsx';
import { CompareView } from './compare-view.tsx';
import { Composer } from './composer.tsx';
import { Button, Select } from './controls.tsx';
import { DiagnosticsView } from './diagnostics-view.tsx';
import { useChanges } from './hooks.ts';
import { type PageState, type Tab, type Theme, tabs } from './page-state.ts';
import { ProcessView } from './process-view.tsx';
import { SaveMenu } from './save-menu.tsx';
import { SavedTranscript } from './saved-transcript.tsx';
import type { Hands } from './server.ts';
import { SessionsView } from './sessions-view.tsx';
import { onPageKey, Shortcuts } from './shortcuts.tsx';
import { Splitter } from './splitter.tsx';
import { TimeBar } from './time-bar.tsx';
import { TranscriptView } from './transcript-view.tsx';
import { TurnsView } from './turns-view.tsx';
import { WireView } from './wire-view.tsx';

const tabNames = {
  wire: 'Wire',
  turns: 'Turns',
  capabilities: 'Capabilities',
  diagnostics: 'Diagnostics',
  process: 'Process',
  agent: 'Agent',
  compare: 'Compare',
} as const satisfies Record<Tab, string>;

interface AppProps {
  readonly state: PageState;
  readonly hands: Hands | undefined;
}

const views: Readonly<Record<Tab, (props: AppProps) => ComponentChildren>> = {
  wire: ({ state, hands }) => <WireView state={state} hasHands={hands !== undefined} />,
  turns: ({ state, hands }) => <TurnsView state={state} hasHands={hands !== undefined} />,
  capabilities: ({ state }) => <CapabilitiesView state={state} />,
  diagnostics: ({ state }) => <DiagnosticsView state={state} />,
  process: ({ state, hands }) => <ProcessView state={state} panel={hands?.panel} />,
  agent: ({ state, hands }) => hands && <AgentView state={state} hands={hands} />,
  compare: ({ state }) => <CompareView state={state} />,
};

export function App({ state, hands }: AppProps) {
  useChanges(state);
  const { saved } = state.timeline;
  const needs: Partial<Record<Tab, unknown>> = { agent: hands, compare: state.other };
  const shown = saved ? [] : tabs.filter((tab) => !(tab in needs) || needs[tab] !== undefined);
  // Not after the next frame: a key that is pressed before it is not lost.
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent) => onPageKey(state, event, shown);
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  });
  return (
    <>
      <Header state={state} hands={hands} />
      <main class="panes">
        <div class="left">
          <Left state={state} hands={hands} />
          {hands && <Composer panel={hands.panel} />}
        </div>
        <Splitter />
        <section class="pane right" aria-label="Details">
          {saved ? (
            <SavedTranscript item={saved} />
          ) : (
            <>
              <Tabs state={state} shown={shown} />
              <div
                class="tab-panel"
                role="tabpanel"
                id="tab-panel"
                aria-labelledby={`tab-${state.choices.tab}`}
                key={state.choices.tab}
              >
                {views[state.choices.tab]({ state, hands })}
              </div>
            </>
          )}
        </section>
      </main>
      {!saved && <TimeBar state={state} />}
      <Shortcuts state={state} />
      <p class="said" role="status">
        {state.said}
      </p>
    </>
  );
}

/** The transcript, or the sessions to choose from. */
function Left({ state, hands }: AppProps) {
  const hasTranscript = state.session !== null || state.conversation !== null;
  if (hands && (state.choices.pane === 'sessions' || !hasTranscript)) {
    return <SessionsView state={state} panel={hands.panel} hasTranscript={hasTranscript} />;
  }
  return <TranscriptView state={state} hasHands={hands !== undefined} />;
}

function Tabs({ state, shown }: { readonly state: PageState; readonly shown: readonly Tab[] }) {
  const { tab: active } = state.choices;
  const { count, isFault } = diagnosticsIn(state);
  const onKeyDown = (event: KeyboardEvent) => {
    const at = shown.indexOf(active);
    const moves: Readonly<Record<string, number>> = {
      ArrowRight: (at + 1) % shown.length,
      ArrowLeft: (at - 1 + shown.length) % shown.length,
      Home: 0,
      End: shown.length - 1,
    };
    const next = shown[moves[event.key] ?? -1];
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
          {tab === 'diagnostics' && count > 0 && (
            <span class={`badge ${isFault ? 'fault' : ''}`}>{count}</span>
          )}
        </button>
      ))}
    </div>
  );
}

/** How many diagnostics there are, and whether one is a fault, and not only information. */
function diagnosticsIn({ timeline }: PageState) {
  let count = 0;
  let isFault = false;
  for (const { item } of timeline.rows) {
    if (item.type !== 'diagnostic') continue;
    count++;
    isFault ||= item.severity !== 'info';
  }
  return { count, isFault };
}

const themeNames = { auto: 'Auto', light: 'Light', dark: 'Dark' } as const satisfies Record<Theme, string>;

function Header({ state, hands }: AppProps) {
  const found = state.timeline.connectionAt(state.position);
  const { theme } = state.choices;
  useEffect(() => {
    document.documentElement.dataset['theme'] = theme;
  }, [theme]);
  return (
    <header class="top">
      <h1>
        ACP inspector <span class="title">{state.timeline.title}</span>
      </h1>
      {found && (
        <span class="chip agent">
          {found.agent ? `${found.agent.title ?? found.agent.name} ${found.agent.version ?? ''}` : 'agent'} ·{' '}
          {found.dialect}
        </span>
      )}
      {hands ? <Phase panel={hands.panel} /> : <Recording state={state} />}
      <span class="grow" />
      <SaveMenu state={state} />
      <Select
        label="Colors"
        value={theme}
        options={Object.entries(themeNames)}
        onChange={(chosen) => state.choose({ theme: chosen })}
      />
      <Button text="?" aria-label="Keys" onClick={() => state.choose({ dialog: 'shortcuts' })} />
    </header>
  );
}

function Recording({ state }: { readonly state: PageState }) {
  const { isReading, readShare, saved } = state.timeline;
  return isReading ? (
    <span class="chip starting" role="status">
      reading the recording, {Math.floor(readShare * 100)} %
    </span>
  ) : (
    <span class="chip">{saved ? 'transcript' : 'recording'}</span>
  );
}

function Phase({ panel }: { readonly panel: Panel }) {
  useChanges(panel);
  const { phase } = panel.getSnapshot();
  return (
    <span class={`chip phase ${phase}`} role="status">
      {phase}
    </span>
  );
}
