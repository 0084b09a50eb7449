import { useContext, useEffect, useState } from 'preact/hooks';
import { plainText } from '../../../core/render/clean.ts';
import type { PanelHit } from '../../panel/state.ts';
import { Found } from '../transcript/highlight.ts';
import { type PanelProps, usePart } from '../use-part.ts';

/** How long the user does not type before the transcripts are searched, in milliseconds. */
const pauseMs = 200;

/** How many places are listed. */
const maxShown = 50;

interface Props extends PanelProps {
  /** What the user searches for. */
  readonly words: string;
  readonly isReady: boolean;
  readonly onOpen: (sessionId: string) => void;
}

/** The places in the saved sessions that have the words. Choosing one opens the session there. */
export function SessionHits({ panel, words, isReady, onOpen }: Props) {
  const { setFound } = useContext(Found);
  const [hits, setHits] = useState<readonly PanelHit[]>([]);
  const sessions = usePart(panel, (state) => state.sessions);
  useEffect(() => {
    if (words.trim() === '') return setHits([]);
    let isLast = true;
    const timer = setTimeout(async () => {
      // The panel shows what went wrong.
      const found = await panel.searchTranscripts(words).catch(() => null);
      if (isLast) setHits(found?.hits ?? []);
    }, pauseMs);
    return () => {
      isLast = false;
      clearTimeout(timer);
    };
  }, [panel, words]);
  if (hits.length === 0) return null;
  const titleOf = (id: string) =>
    plainText(sessions.find(({ sessionId }) => sessionId === id)?.title ?? 'Untitled');
  const open = (sessionId: string, entryKey: string) => {
    setFound({ sessionId, entryKey, hits: hits.filter((hit) => hit.sessionId === sessionId) });
    onOpen(sessionId);
  };
  return (
    <>
      <p className="note">In the transcripts</p>
      <ul className="session-hits" aria-label="In the transcripts">
        {hits.slice(0, maxShown).map(({ sessionId, entryKey, text, match }) => (
          <li key={`${sessionId} ${entryKey}`}>
            <button
              type="button"
              className="quiet session-item"
              disabled={!isReady}
              onClick={() => open(sessionId, entryKey)}
            >
              <span className="session-title" dir="auto">
                {titleOf(sessionId)}
              </span>
              <small dir="auto">
                <span>
                  {plainText(text.slice(0, match.start))}
                  <mark>{plainText(text.slice(match.start, match.end))}</mark>
                  {plainText(text.slice(match.end))}
                </span>
              </small>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
