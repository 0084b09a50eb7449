import { recordingText } from '../save/recording.ts';
import { Button } from './controls.tsx';
import type { LoadedTimeline } from './loaded-timeline.ts';

/** Saves the messages as a recording. */
export function SaveButton({ timeline }: { readonly timeline: LoadedTimeline }) {
  const save = () => {
    const text = recordingText(timeline.items());
    const url = URL.createObjectURL(new Blob([text], { type: 'application/x-ndjson' }));
    const link = document.createElement('a');
    link.href = url;
    link.download = 'recording.ndjson';
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  };
  return <Button text="Save" title="Save the recording: the messages, one a line" onClick={save} />;
}
