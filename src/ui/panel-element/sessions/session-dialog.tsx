import { useEffect, useRef } from 'preact/hooks';
import { IconButton } from '../icon.tsx';
import { focusPrompt } from '../surface.ts';
import type { PanelProps } from '../use-part.ts';
import { SessionList } from './session-list.tsx';

/** The list of the sessions, over the page. Escape and a click beside it close it. */
export function SessionDialog({ panel, onClose }: PanelProps & { readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
    dialog.current?.querySelector<HTMLElement>('input, [aria-current="true"], .session-item')?.focus();
  }, []);
  const close = () => dialog.current?.close();
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the browser closes a dialog with Escape
    <dialog
      ref={dialog}
      className="session-dialog"
      aria-label="Sessions"
      onClose={onClose}
      onClick={({ target, currentTarget }) => target === currentTarget && close()}
    >
      <div className="session-dialog-content">
        <div className="session-dialog-title">
          <h2>Sessions</h2>
          <IconButton name="close" label="Close" onClick={close} />
        </div>
        <SessionList
          panel={panel}
          onChosen={() => {
            close();
            // The button that opened the list cannot be used while the session is loaded.
            focusPrompt(dialog.current);
          }}
        />
      </div>
    </dialog>
  );
}
