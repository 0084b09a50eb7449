import type { TimelineFile, TimelineLine } from '../timeline/items.ts';
import { stepOf } from '../timeline/steps-file.ts';
import { LoadedTimeline } from './loaded-timeline.ts';
import type { PageState } from './page-state.ts';
import { type AboutTimeline, readLines, type Server } from './server.ts';

/** The timeline that the fragment of the address names by its file and its step, for a site with recordings. */
export async function namedTimeline(): Promise<LoadedTimeline | undefined> {
  const address = new URLSearchParams(location.hash.slice(1));
  const name = address.get('recording');
  if (name === null) return undefined;
  // A path below this page, and nothing else.
  if (!/^[\w-][\w./-]*\.json\.gz$/.test(name) || name.includes('..') || name.includes('//')) {
    throw new Error('The address names no recording of this site.');
  }
  const response = await fetch(name);
  const text = response.ok && response.body?.pipeThrough(new DecompressionStream('gzip'));
  const step = address.get('step') ?? '';
  const timeline = text && stepOf(await new Response(text).json(), step);
  if (!timeline) throw new Error(`There is no recording ${name} with the step ${step} here.`);
  // The site has written it, with this version of the page.
  const { title, lines } = timeline as TimelineFile;
  return new LoadedTimeline(title, lines);
}

/** Adds the items of a timeline of the server, as they come. Asks again after a break if the timeline is live. */
export async function follow(
  server: Server,
  place: number,
  timeline: LoadedTimeline,
  { live: isLive, lines: expected }: AboutTimeline,
  state: PageState,
): Promise<void> {
  timeline.isReading = !isLive;
  state.changed();
  /** How many lines have come. An item can have several. */
  let lines = 0;
  for (let pauseMs = 250; ; pauseMs = Math.min(pauseMs * 2, 10_000)) {
    const from = lines;
    try {
      await readLines(await server.open(`/items?timeline=${place}&from=${from}`), (line) => {
        // The server is of the same version as the page.
        timeline.take(JSON.parse(line) as TimelineLine);
        lines++;
        timeline.readShare = lines / Math.max(1, expected);
        state.changed();
      });
      timeline.isReading = false;
      state.changed();
      if (!isLive) return;
    } catch (error) {
      if (!isLive) throw error;
    }
    if (lines > from) pauseMs = 250;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
