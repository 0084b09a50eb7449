interface JsonEditorProps {
  readonly label: string;
  readonly text: string;
  readonly onInput: (text: string) => void;
}

/** Where the user writes JSON. It says what is wrong with it. */
export function JsonEditor({ label, text, onInput }: JsonEditorProps) {
  const { fault } = readJson(text);
  return (
    <>
      <label class="field">
        <span>{label}</span>
        <textarea
          rows={Math.min(14, Math.max(3, text.split('\n').length))}
          spellcheck={false}
          value={text}
          aria-invalid={fault !== undefined}
          onInput={({ currentTarget }) => onInput(currentTarget.value)}
        />
      </label>
      <div role="status">{fault !== undefined && `This is no JSON: ${fault}`}</div>
    </>
  );
}

/** The value of a text, or what is wrong with the text, in the words of the browser. */
export function readJson(text: string): { readonly value?: unknown; readonly fault?: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    // It throws errors only.
    return { fault: (error as Error).message };
  }
}
