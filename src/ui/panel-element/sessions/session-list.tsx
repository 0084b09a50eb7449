import type { TargetedKeyboardEvent } from 'preact';
import { useCallback, useContext, useEffect, useId, useState } from 'preact/hooks';
import { plainText } from '../../../core/render/clean.ts';
import type { PanelState } from '../../panel/state.ts';
import { IconButton } from '../icon.tsx';
import { memo } from '../memo.tsx';
import { fileName } from '../transcript/file-name.tsx';
import { Found } from '../transcript/highlight.ts';
import { type PanelProps, usePart } from '../use-part.ts';
import { relativeTime } from './relative-time.ts';
import { SessionHits } from './session-hits.tsx';

interface Props extends PanelProps {
  /** Called when the user has chosen a session. */
  readonly onChosen: () => void;
}

/** The sessions, each with its directory and time. The arrow keys move between them. */
export function SessionList({ panel, onChosen }: Props) {
  const { setFound } = useContext(Found);
  const sessions = usePart(panel, (state) => state.sessions);
  const sessionId = usePart(panel, (state) => state.sessionId);
  const isReady = usePart(panel, (state) => state.phase === 'open' && state.loading === null);
  const canDelete = usePart(panel, ({ features }) => features['session.delete'] === true);
  const canList = usePart(panel, ({ phase, features }) => phase === 'open' && features['session.list']);
  const [search, setSearch] = useState('');
  // Another program can have made sessions since the panel asked.
  useEffect(() => {
    if (canList) void panel.refreshSessions();
  }, [panel, canList]);

  const all = sessions.length === 1 ? '1 session' : `${sessions.length} sessions`;
  const words = search.toLowerCase().split(/\s+/);
  const found = sessions.filter(({ title, cwd }) => {
    const text = `${title ?? ''} ${cwd}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const open = useCallback(
    (id: string) => {
      setFound(null);
      void panel.openSession(id);
      onChosen();
    },
    [panel, setFound, onChosen],
  );
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the buttons in it have the focus and take the keys
    <div className="sessions" onKeyDown={moveFocus}>
      {sessions.length > 0 && (
        <input
          type="search"
          aria-label="Search the sessions"
          placeholder={`Search ${all}`}
          value={search}
          onInput={({ currentTarget }) => setSearch(currentTarget.value)}
        />
      )}
      <p className="note" role="status">
        {search.trim() !== '' && `${found.length} of ${all}`}
        {sessions.length === 0 && 'No sessions yet'}
      </p>
      <ul aria-label="Sessions">
        {found.map((info) => (
          <Item
            key={info.sessionId}
            panel={panel}
            info={info}
            isShown={info.sessionId === sessionId}
            isReady={isReady}
            canDelete={canDelete || info.isSavedOnly === true}
            onOpen={open}
          />
        ))}
      </ul>
      <SessionHits
        panel={panel}
        words={search}
        isReady={isReady}
        onOpen={(id) => {
          if (id !== sessionId) void panel.openSession(id);
          onChosen();
        }}
      />
    </div>
  );
}

/** Moves between the search and the sessions. */
function moveFocus(event: TargetedKeyboardEvent<HTMLElement>): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  const { target, currentTarget } = event;
  if (step === 0 || !(target instanceof HTMLElement)) return;
  event.preventDefault();
  const stops = [...currentTarget.querySelectorAll<HTMLElement>('input, .session-item')];
  const at = stops.findIndex((stop) => stop === target || stop.parentElement === target.closest('li'));
  stops[at + step]?.focus();
}

interface ItemProps extends PanelProps {
  readonly info: PanelState['sessions'][number];
  readonly isShown: boolean;
  readonly isReady: boolean;
  readonly canDelete: boolean;
  readonly onOpen: (sessionId: string) => void;
}

const Item = memo(function Item({ panel, info, isShown, isReady, canDelete, onOpen }: ItemProps) {
  const { sessionId, title, cwd, updatedAt } = info;
  const [isAsking, setAsking] = useState(false);
  const name = plainText(title ?? 'Untitled');
  const time = updatedAt == null ? '' : relativeTime(updatedAt, Date.now());
  return (
    <li>
      <button
        type="button"
        className="quiet session-item"
        aria-current={isShown}
        disabled={!isReady}
        onClick={() => onOpen(sessionId)}
      >
        <span className="session-title" dir="auto">
          {name}
        </span>
        <small>
          {info.isSavedOnly && (
            <span title="The agent does not list this session. It was saved here.">Saved</span>
          )}
          <span title={plainText(cwd)}>{plainText(fileName(cwd))}</span>
          {time !== '' && (
            <time dateTime={updatedAt ?? ''} title={new Date(updatedAt ?? '').toLocaleString()}>
              {time}
            </time>
          )}
        </small>
      </button>
      {canDelete && (
        <IconButton
          name="delete"
          label={`Delete “${name}”`}
          disabled={!isReady}
          onClick={() => setAsking(true)}
        />
      )}
      {canDelete && isAsking && (
        <Confirm name={name} onYes={() => panel.deleteSession(sessionId)} onEnd={() => setAsking(false)} />
      )}
    </li>
  );
});

interface ConfirmProps {
  readonly name: string;
  readonly onYes: () => void;
  readonly onEnd: () => void;
}

/** Asks once more: a deleted session does not come back. */
function Confirm({ name, onYes, onEnd }: ConfirmProps) {
  const id = useId();
  // The focus goes to a session that stays.
  const end = (element: HTMLElement, isDeleted: boolean) => {
    const item = element.closest('li');
    const stays = isDeleted ? (item?.nextElementSibling ?? item?.previousElementSibling) : item;
    stays?.querySelector<HTMLElement>('.session-item')?.focus();
    onEnd();
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for a form
    <div
      className="session-confirm"
      role="group"
      aria-labelledby={id}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        // The list stays open.
        event.preventDefault();
        end(event.currentTarget, false);
      }}
    >
      <p id={id} dir="auto">
        Delete “{name}”?
      </p>
      <div className="answers">
        <button
          type="button"
          onClick={({ currentTarget }) => {
            end(currentTarget, true);
            onYes();
          }}
        >
          Delete
        </button>
        <button
          type="button"
          className="secondary"
          ref={(button) => button?.focus()}
          onClick={({ currentTarget }) => end(currentTarget, false)}
        >
          Keep
        </button>
      </div>
    </div>
  );
}
