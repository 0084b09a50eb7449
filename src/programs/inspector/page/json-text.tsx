import { JsonTree } from './json-tree.tsx';

/** JSON in color, whose objects and lists fold, or as it is on the wire. */
export function JsonText({ value, isRaw }: { readonly value: unknown; readonly isRaw: boolean }) {
  return (
    // biome-ignore lint/a11y: a region that scrolls needs the focus
    <div class="json" tabIndex={0} role="region" aria-label="JSON">
      {isRaw ? (JSON.stringify(value) ?? 'undefined') : <JsonTree value={value} />}
    </div>
  );
}
