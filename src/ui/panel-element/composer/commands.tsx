import type { AriaAttributes } from 'preact';
import { useId, useState } from 'preact/hooks';
import type { SlashCommand } from '../../../core/model/session.ts';

/** Completes a slash command: what the user has written is `/` and the beginning of its name. */
export function useCommands(
  commands: readonly SlashCommand[],
  draft: string,
  setDraft: (text: string) => void,
) {
  const listId = useId();
  const [position, setPosition] = useState({ draft: '', index: 0, isClosed: false });
  const isCurrent = position.draft === draft;
  const typed = /^\/(\S*)$/.exec(draft)?.[1];
  const isClosed = isCurrent && position.isClosed;
  const matches =
    typed === undefined || isClosed
      ? []
      : commands.filter(({ type, name }) => type === 'command' && name.startsWith(typed));
  const selected = isCurrent ? Math.min(position.index, Math.max(matches.length - 1, 0)) : 0;
  const choose = (name = '') => setDraft(`/${name} `);
  const move = (step: number) => {
    const index = (selected + step + matches.length) % matches.length;
    setPosition({ draft, index, isClosed: false });
  };
  const complete = () => choose(matches[selected]?.name);
  const keys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Escape: () => setPosition({ draft, index: 0, isClosed: true }),
    Tab: complete,
    Enter: complete,
  };
  return {
    listId,
    matches,
    selected,
    choose,
    /** Whether the key was for the list. */
    onKeyDown(event: KeyboardEvent): boolean {
      const act = event.shiftKey || matches.length === 0 ? undefined : keys[event.key];
      if (!act) return false;
      event.preventDefault();
      act();
      return true;
    },
    /** For the input. */
    aria: {
      'aria-autocomplete': 'list',
      'aria-controls': matches.length > 0 ? listId : undefined,
      'aria-activedescendant': matches.length > 0 ? `${listId}-${selected}` : undefined,
    } satisfies AriaAttributes,
  };
}

/** The commands that the text in the input can become. */
export function CommandList({ commands }: { readonly commands: ReturnType<typeof useCommands> }) {
  const { listId, matches, selected, choose } = commands;
  return (
    <>
      <p className="sr-only" role="status">
        {matches.length > 0 && `${matches.length} commands. Use the arrow keys.`}
      </p>
      {matches.length > 0 && (
        <div className="commands" id={listId} role="listbox" aria-label="Commands">
          {matches.map(({ name, description }, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the input has the focus and takes the keys
            <div
              key={name}
              id={`${listId}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === selected}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => choose(name)}
            >
              <b>/{name}</b> <span>{description}</span>
            </div>
          ))}
        </div>
      )}
    </>
  );
}
