import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from './controls.tsx';

/** A part with more values than this begins folded, unless it is near the top. */
const maxOpenValues = 40;
const openDepth = 2;

/** A list shows so many values, and a text so many characters, until the user asks for more. */
const maxValues = 200;
const maxCharacters = 4000;

interface JsonTreeProps {
  readonly value: unknown;
  readonly name?: string;
  /** What follows the value: a comma, or nothing. */
  readonly end?: string;
  readonly depth?: number;
}

/** A value of JSON. What is folded is not in the document. */
export function JsonTree({ value, name, end = '', depth = 0 }: JsonTreeProps) {
  const isList = Array.isArray(value);
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) {
    return (
      <div>
        <Name name={name} />
        <Leaf value={value} />
        {end}
      </div>
    );
  }
  const entries: readonly (readonly [string, unknown])[] = Object.entries(value);
  return <Part {...{ entries, isList, name, end, depth }} />;
}

interface PartProps {
  readonly entries: readonly (readonly [string, unknown])[];
  readonly isList: boolean;
  readonly name: string | undefined;
  readonly end: string;
  readonly depth: number;
}

/** An object or a list. */
function Part({ entries, isList, name, end, depth }: PartProps) {
  const [isOpen, setIsOpen] = useState(
    () =>
      depth < openDepth || (countValues(entries, maxOpenValues) <= maxOpenValues && depth < maxOpenValues),
  );
  const [limit, setLimit] = useState(maxValues);
  const [open, close] = isList ? '[]' : '{}';
  const { length } = entries;
  const folded = `${open} ${length} ${isList ? (length === 1 ? 'value' : 'values') : length === 1 ? 'field' : 'fields'} ${close}${end}`;
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>
        <Name name={name} />
        {isOpen ? open : <span class="j-folded">{folded}</span>}
      </summary>
      {isOpen && (
        <>
          <div class="j-inner">
            {entries.slice(0, limit).map(([key, value], place) => (
              <JsonTree
                key={key}
                value={value}
                {...(!isList && { name: key })}
                end={place < length - 1 ? ',' : ''}
                depth={depth + 1}
              />
            ))}
            {length > limit && (
              <Button
                class="link"
                text={`and ${length - limit} more`}
                onClick={() => setLimit(limit + 10 * maxValues)}
              />
            )}
          </div>
          <div>
            {close}
            {end}
          </div>
        </>
      )}
    </details>
  );
}

function Name({ name }: { readonly name: string | undefined }) {
  if (name === undefined) return null;
  return (
    <>
      <span class="j-key">{JSON.stringify(name)}</span>
      {': '}
    </>
  );
}

function Leaf({ value }: { readonly value: unknown }): ComponentChildren {
  const [showsAll, setShowsAll] = useState(false);
  const text = JSON.stringify(value) ?? 'undefined';
  if (typeof value !== 'string') return <span class="j-value">{text}</span>;
  if (text.length <= maxCharacters || showsAll) return <span class="j-string">{text}</span>;
  return (
    <>
      <span class="j-string">{text.slice(0, maxCharacters)}…</span>{' '}
      <Button
        class="link"
        text={`Show all ${text.length} characters`}
        onClick={(event) => {
          event.preventDefault();
          setShowsAll(true);
        }}
      />
    </>
  );
}

/** How many values there are in a part, as far as it is not more than `most`. */
function countValues(entries: readonly (readonly [string, unknown])[], most: number): number {
  const waiting: unknown[] = entries.map(([, value]) => value);
  let count = 0;
  while (waiting.length > 0 && count <= most) {
    const value = waiting.pop();
    count++;
    if (typeof value === 'object' && value !== null) waiting.push(...Object.values(value).slice(0, most + 1));
  }
  return count;
}
