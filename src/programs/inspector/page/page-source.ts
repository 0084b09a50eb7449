let source = '';

/** Keeps the page as it was loaded. Call it before the page is drawn. */
export function keepPageSource(): void {
  const timelines = document.getElementById('timelines');
  const embedded = timelines?.textContent ?? '';
  if (timelines) timelines.textContent = '';
  source = `<!doctype html>\n${document.documentElement.outerHTML}\n`;
  if (timelines) timelines.textContent = embedded;
}

/** The page as it was loaded, without timelines. */
export function pageSource(): string {
  return source;
}
