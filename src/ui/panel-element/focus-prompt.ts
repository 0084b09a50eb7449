/** Moves the focus to the input of the panel that an element is in. */
export function focusPrompt(within: Element | null): void {
  const root = within?.getRootNode();
  if (root instanceof ShadowRoot) root.querySelector('textarea')?.focus();
}
