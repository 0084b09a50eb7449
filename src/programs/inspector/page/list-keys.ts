/** The place to which a key leads in a list. `undefined` for other keys, and with a modifier. */
export function keyTarget(event: KeyboardEvent, at: number, count: number, page: number): number | undefined {
  if (event.ctrlKey || event.metaKey || event.altKey) return undefined;
  const moves: Readonly<Record<string, number>> = {
    ArrowDown: at + 1,
    ArrowRight: at + 1,
    ArrowUp: at - 1,
    ArrowLeft: at - 1,
    PageDown: at + page,
    PageUp: at - page,
    Home: 0,
    End: count - 1,
  };
  const move = moves[event.key];
  return move === undefined ? undefined : Math.max(0, Math.min(count - 1, move));
}
