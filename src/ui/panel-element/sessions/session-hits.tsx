import { useEffect, useState } from 'preact/hooks';
import { plainText } from '../../../core/render/clean.ts';
import type { PanelHit } from '../../panel/state.ts';
import { useSurface } from '../surface.ts';
import { showFound } from '../transcript/highlight.ts';
import { type PanelProps, usePart } from '../use-part.ts';

/** How long the user does not type before the transcripts are searched, in milliseconds. */
const pauseMs = 200;

/** How many places are listed. */
const maxShown = 50;

interface Props extends PanelProps {
  readonly text: string;
  readonly isReady: boolean;
  readonly onOpen: (sessionId: string) => void;
}

/** The places in the saved sessions that have the words. Choosing one opens the session there. */
export function SessionHits({ panel, text, isReady, onOpen }: Props) {
  const { element } = useSurface();
  const [hits, setHits] = useState<readonly PanelHit[]>([]);
  const sessions = usePart(panel, (state) => state.sessions);
  useEffect(() => {
    let isLast = true;
    const show = (found: readonly PanelHit[]) => isLast && setHits(found);
    if (text.trim() === '') show([]);
    const search = () =>
      panel.searchTranscripts(text).then(
        ({ hits: found }) => show(found),
        // The panel shows what went wrong.
        () => show([]),
      );
    const timer = text.trim() === '' ? undefined : setTimeout(search, pauseMs);
    return () => {
      isLast = false;
      clearTimeout(timer);
    };
  }, [panel, text]);
  if (hits.length === 0) return null;
  const titleOf = (id: string) =>
    plainText(sessions.find(({ sessionId }) => sessionId === id)?.title ?? 'Untitled');
  const open = ({ sessionId, entryKey }: PanelHit) => {
    showFound(element, { sessionId, entryKey, hits: hits.filter((hit) => hit.sessionId === sessionId) });
    onOpen(sessionId);
  };
  return (
    <>
      <p className="note">In the transcripts</p>
      <ul className="session-hits" aria-label="In the transcripts">
        {hits.slice(0, maxShown).map((hit) => (
          <li key={`${hit.sessionId} ${hit.entryKey}`}>
            <button
              type="button"
              className="quiet session-item"
              disabled={!isReady}
              onClick={() => open(hit)}
            >
              <span className="session-title" dir="auto">
                {titleOf(hit.sessionId)}
              </span>
              <small dir="auto">
                <Excerpt hit={hit} />
              </small>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

function Excerpt({ hit: { text, match } }: { readonly hit: PanelHit }) {
  return (
    <span>
      {plainText(text.slice(0, match.start))}
      <mark>{plainText(text.slice(match.start, match.end))}</mark>
      {plainText(text.slice(match.end))}
    </span>
  );
}
