import { useId } from 'preact/hooks';
import { plainText } from '../../../core/render/clean.ts';
import type { PanelLoginMethod } from '../../panel/state.ts';
import { KeyHint } from './keys.tsx';

interface Props {
  readonly methods: readonly PanelLoginMethod[];
  readonly onChoose: (methodId: string) => void;
  /** Whether the number of a method chooses it. Default: no. */
  readonly hasKeys?: boolean;
}

/** The ways to log in. The agent lists the one that it prefers first. */
export function LoginMethods({ methods, onChoose, hasKeys = false }: Props) {
  const id = useId();
  return methods.map(({ methodId, name, description }, index) => (
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
  ));
}
