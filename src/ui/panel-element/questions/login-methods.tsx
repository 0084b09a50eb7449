import { useId } from 'preact/hooks';
import { plainText } from '../../../core/render/clean.ts';
import type { PanelLoginMethod } from '../../panel/state.ts';
import { Dots, Seconds } from '../progress.tsx';
import { type PanelProps, usePart } from '../use-part.ts';
import { KeyHint } from './keys.tsx';

interface Props extends PanelProps {
  readonly methods: readonly PanelLoginMethod[];
  readonly onChoose: (methodId: string) => void;
  /** Whether the number of a method chooses it. Default: no. */
  readonly hasKeys?: boolean;
}

/** The ways to log in. The agent lists the one that it prefers first. While one runs, the way to give it up. */
export function LoginMethods({ panel, methods, onChoose, hasKeys = false }: Props) {
  const running = usePart(panel, (state) => state.login);
  const id = useId();
  // A login can take minutes: the user is in a browser or a terminal.
  if (running) {
    return (
      <p className="note activity">
        <Dots />
        <span role="status">Waiting for “{plainText(running.name)}”…</span>
        <Seconds />
        <button type="button" className="link" onClick={() => panel.cancelLogin()}>
          Cancel
        </button>
      </p>
    );
  }
  return (
    <>
      {methods.map(({ methodId, name, description }, index) => (
        <div key={methodId} className={description === null ? 'login-method short' : 'login-method'}>
          <button
            type="button"
            className={index === 0 ? 'answer' : 'answer secondary'}
            aria-describedby={description === null ? undefined : `${id}-${index}`}
            onClick={() => onChoose(methodId)}
          >
            {hasKeys && <KeyHint index={index} />}
            <span>{plainText(name)}</span>
          </button>
          {description !== null && (
            <small id={`${id}-${index}`} dir="auto">
              {plainText(description)}
            </small>
          )}
        </div>
      ))}
    </>
  );
}
