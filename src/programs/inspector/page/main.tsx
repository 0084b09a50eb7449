import { type ComponentChildren, render } from 'preact';
import { connectPanel } from '../../../ui/panel/connect.ts';
import { App } from './app.tsx';
import { LoadedTimeline } from './loaded-timeline.ts';
import { PageState } from './page-state.ts';
import { type Hands, httpChannel, serverOf, takeToken } from './server.ts';
import { follow, namedTimeline } from './sources.ts';

function draw(content: ComponentChildren): void {
  const element = document.getElementById('app');
  if (element) render(content, element);
}

function show(state: PageState, hands: Hands | undefined): void {
  document.title = `${state.timeline.title} · ACP inspector`;
  draw(<App state={state} hands={hands} />);
}

function fail(error: unknown): void {
  draw(
    <main class="none">
      <h1>The inspector cannot show this</h1>
      <p role="alert">{error instanceof Error ? error.message : String(error)}</p>
    </main>,
  );
}

/** The page of a server: its timelines, which can grow, and the agent. */
async function serve(token: string): Promise<void> {
  const server = serverOf(token);
  const { timelines, methods } = await server.about();
  const [first, second] = timelines;
  const state = new PageState({
    timeline: new LoadedTimeline(first?.title ?? '', []),
    other: second && new LoadedTimeline(second.title, []),
    isLive: first?.live === true,
  });
  const panel = methods ? connectPanel(() => httpChannel(server)) : undefined;
  panel?.subscribe(() => {
    const { sessionId } = panel.getSnapshot();
    if (sessionId === state.session) return;
    state.session = sessionId;
    state.choose({ conversation: null, pane: 'transcript' });
  });
  show(state, panel && methods ? { server, panel, methods } : undefined);
  const loads = [first && follow(server, 0, state.timeline, first, state)];
  if (state.other && second) loads.push(follow(server, 1, state.other, second, state));
  await Promise.all(loads);
}

async function start(): Promise<void> {
  if (location.hash.startsWith('#recording=')) {
    draw(
      <p class="none" role="status">
        The recording is being read.
      </p>,
    );
  }
  const named = await namedTimeline();
  if (named) return show(new PageState({ timeline: named, isLive: false }), undefined);
  const token = takeToken();
  if (token === undefined) {
    throw new Error(
      'Open the address that “npx acp-client-sdk inspect --web” printed. It ends with a token.',
    );
  }
  await serve(token);
}

start().catch(fail);
