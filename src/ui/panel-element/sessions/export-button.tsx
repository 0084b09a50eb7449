import { IconButton } from '../icon.tsx';
import type { PanelProps } from '../panel-props.ts';
import { usePart } from '../use-part.ts';
import { shownTitle } from './shown-title.ts';

/** Saves the transcript of the session that is shown as one file of HTML. Only a session with entries is recorded. */
export function ExportButton({ panel }: PanelProps) {
  const sessionId = usePart(panel, (state) => state.sessionId);
  const title = usePart(panel, shownTitle);
  const hasEntries = usePart(panel, ({ conversation }) => (conversation?.entries.length ?? 0) > 0);
  const isLoading = usePart(panel, (state) => state.loading !== null);
  if (sessionId === null || !hasEntries) return null;
  const save = async () => {
    // The panel shows what went wrong.
    const html = await panel.exportTranscript(sessionId, 'html').catch(() => undefined);
    if (html !== undefined) download(`${fileNameOf(title)}.html`, html);
  };
  return <IconButton name="export" label="Export" isDisabled={isLoading} onClick={save} />;
}

function fileNameOf(title: string): string {
  const name = title.replace(/[^\p{L}\p{N}]+/gu, '-').slice(0, 60);
  return name.replace(/^-|-$/g, '') || 'transcript';
}

function download(name: string, html: string): void {
  const link = document.createElement('a');
  link.download = name;
  link.href = URL.createObjectURL(new Blob([html], { type: 'text/html' }));
  link.click();
  // The browser has read the address when the click returns.
  URL.revokeObjectURL(link.href);
}
