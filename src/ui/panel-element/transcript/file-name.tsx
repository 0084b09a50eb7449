import { plainText } from '../../../core/render/clean.ts';
import type { PanelPlace } from '../../panel/state.ts';
import { useAction } from '../events.ts';
import type { PanelProps } from '../use-part.ts';

/** The last part of a path of any system. */
export function fileName(path: string): string {
  return path.split(/[/\\]/).findLast((part) => part !== '') ?? path;
}

interface FileNameProps extends PanelProps {
  readonly place: PanelPlace;
  readonly path: string;
  readonly line?: number | null | undefined;
}

/** The name of a file. It is a button if the host or the page can open files. */
export function FileName({ panel, place, path, line }: FileNameProps) {
  const canOpen = useAction('openLocation');
  const name = `${plainText(fileName(path))}${line == null ? '' : `:${line}`}`;
  const title = plainText(path);
  if (!canOpen) return <span title={title}>{name}</span>;
  return (
    <button type="button" className="link" title={title} onClick={() => panel.openLocation(place)}>
      {name}
    </button>
  );
}
