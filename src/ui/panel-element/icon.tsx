/** Drawn with lines of the color of the text, in a square of 16. */
const paths = {
  add: 'M8 3v10M3 8h10',
  attach: 'M12.5 7.5 7.6 12.4a3 3 0 0 1-4.3-4.3l5.6-5.5a2 2 0 0 1 2.9 2.8l-5.5 5.5a1 1 0 0 1-1.4-1.4l4.6-4.6',
  change: 'M3 5.5h10M10.5 3 13 5.5 10.5 8M13 10.5H3M5.5 8 3 10.5 5.5 13',
  close: 'M4 4l8 8M12 4l-8 8',
  copy: 'M6 5.5h7v8H6zM10 5.5v-3H3v8h3',
  delete: 'M3 4.5h10M6 4.5V3h4v1.5M4.5 4.5 5 13h6l.5-8.5M7 7v3.5M9 7v3.5',
  done: 'M3.5 8.5 6.5 11.5 12.5 4.5',
  end: 'M8 3v9.5M4 8.5l4 4 4-4',
  export: 'M8 2.5v7M5 7l3 3 3-3M3 10.5V13h10v-2.5',
  next: 'M6 3.5 10.5 8 6 12.5',
  open: 'M3.5 6 8 10.5 12.5 6',
  previous: 'M10 3.5 5.5 8l4.5 4.5',
} as const;

interface Props {
  readonly name: keyof typeof paths;
}

export function Icon({ name }: Props) {
  return (
    <svg className="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}

interface ButtonProps extends Props {
  readonly label: string;
  readonly disabled?: boolean;
  readonly onClick: () => void;
}

/** A button with a picture. Its label is read, and shown under the pointer. */
export function IconButton({ name, label, ...rest }: ButtonProps) {
  return (
    <button type="button" className="quiet icon-only" aria-label={label} title={label} {...rest}>
      <Icon name={name} />
    </button>
  );
}
