import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawn } from '@lydell/node-pty';
import { Unicode11Addon } from '@xterm/addon-unicode11';
import { type IBuffer, Terminal } from '@xterm/headless';
import { onTestFinished } from 'vitest';
import { columnsOf } from '../../../src/core/render/columns.ts';
import { buildPackage } from '../../support/build.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** A program in a pseudo-terminal, and the screen that a person sees. */
export interface RealTerminal {
  /** Presses keys. `\x03` is Ctrl-C. */
  type(keys: string): void;
  /** Changes the width, as dragging the edge of a window does. Resolves when the program knows it, which must be ours. */
  resize(columns: number): Promise<void>;
  /** The rows of the screen and above it, without the empty ones at the end. */
  rows(): readonly string[];
  /** The rows as one text, in which a line that the terminal broke has its parts on rows of their own. */
  screen(): string;
  /** The same with each line in one piece, however many rows it takes. */
  lines(): readonly string[];
  /** The bytes that the screen has got, as text. */
  written(): string;
  /** The lines that the terminal broke because they were too wide, although each of their words would have fitted. */
  brokenLines(): readonly string[];
  isCursorVisible(): boolean;
  /** Whether the next character would have neither a color nor another attribute. */
  isPlain(): Promise<boolean>;
  /** Resolves to the exit code when the program has ended and the screen shows all that it wrote. */
  readonly ended: Promise<number>;
  /** The settings of the terminal when the program has ended, as `stty -a` prints them to the next program. */
  settings(): string;
}

/** What the shell writes when the program has ended. A terminal shows nothing of it. */
const endMark = '\x1b]777;ended\x07';

/** What a program with {@link reportsWidth} writes when it knows a new width. A terminal shows nothing of it either. */
const widthMark = '\x1b]777;resized\x07';
const reportsWidth = `data:text/javascript,${encodeURIComponent(
  `process.stdout.on('resize', () => process.stdout.write(${JSON.stringify(widthMark)}))`,
)}`;

/**
 * What a shell does around a program: it survives Ctrl-C, and the terminal is still there afterwards. The shell waits for
 * a line before it ends: 200 ms after the end, node-pty drops what it has not read.
 */
const around = `trap : INT; "$@"; code=$?; stty -a >"$STTY"; stty sane -echo; printf '${endMark}'; read -r _; exit $code`;

/** Runs a program in a pseudo-terminal of 40 rows. */
export function startInTerminal(
  command: readonly string[],
  columns: number,
  { cwd, env = {} }: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): RealTerminal {
  const screen = new Terminal({
    cols: columns,
    rows: 40,
    scrollback: 10_000,
    allowProposedApi: true,
    reflowCursorLine: true,
  });
  // Terminals of today show an emoji in two columns.
  screen.loadAddon(new Unicode11Addon());
  screen.unicode.activeVersion = '11';
  let isCursorVisible = true;
  const onCursor = (isVisible: boolean) => (params: readonly (number | number[])[]) => {
    if (params.includes(25)) isCursorVisible = isVisible;
    return false;
  };
  screen.parser.registerCsiHandler({ prefix: '?', final: 'h' }, onCursor(true));
  screen.parser.registerCsiHandler({ prefix: '?', final: 'l' }, onCursor(false));

  const stty = join(temporaryFolder(), 'stty');
  const { FORCE_COLOR: _, NO_COLOR: __, ...inherited } = process.env;
  const pty = spawn('/bin/sh', ['-c', around, 'sh', ...command], {
    cols: columns,
    rows: 40,
    name: env['TERM'] ?? 'xterm-256color',
    ...(cwd !== undefined && { cwd }),
    env: { ...inherited, ...env, STTY: stty },
  });
  let written = '';
  let onWidth = () => {};
  const marks: readonly (readonly [string, () => void])[] = [
    [endMark, () => pty.write('\n')],
    [widthMark, () => onWidth()],
  ];
  pty.onData((data) => {
    written += data;
    screen.write(data);
    for (const [mark, take] of marks) {
      if (!written.includes(mark)) continue;
      written = written.replace(mark, '');
      take();
    }
  });
  screen.onData((answer) => pty.write(answer));
  const ended = new Promise<number>((resolve) => {
    pty.onExit(({ exitCode }) => screen.write('', () => resolve(exitCode)));
  });
  let hasEnded = false;
  void ended.then(() => {
    hasEnded = true;
  });
  onTestFinished(() => {
    if (!hasEnded) pty.kill('SIGKILL');
    screen.dispose();
  });

  const { normal } = screen.buffer;
  const rows = () => {
    const texts = Array.from(
      { length: normal.length },
      (_, at) => normal.getLine(at)?.translateToString(true) ?? '',
    );
    return texts.slice(0, texts.findLastIndex((text) => text !== '') + 1);
  };
  return {
    type: (keys) => pty.write(keys),
    resize(size) {
      const known = new Promise<void>((resolve) => {
        onWidth = resolve;
      });
      screen.resize(size, 40);
      pty.resize(size, 40);
      return known;
    },
    rows,
    screen: () => rows().join('\n'),
    written: () => written,
    lines: () => linesOf(normal).map(({ text }) => text),
    brokenLines: () =>
      linesOf(normal)
        .filter(({ rows, text }) => rows > 1 && wordsOf(text).every((word) => columnsOf(word) <= screen.cols))
        .map(({ text }) => text),
    isCursorVisible: () => isCursorVisible,
    async isPlain() {
      await new Promise<void>((resolve) => screen.write('\r\nx', resolve));
      const cell = normal.getLine(normal.baseY + normal.cursorY)?.getCell(0);
      return cell?.getChars() === 'x' && cell.isAttributeDefault();
    },
    ended,
    settings: () => (existsSync(stty) ? readFileSync(stty, 'utf8') : ''),
  };
}

/** A line, and how many rows it takes. */
interface Line {
  readonly text: string;
  readonly rows: number;
}

function linesOf(buffer: IBuffer): readonly Line[] {
  const lines: Line[] = [];
  for (let at = 0; at < buffer.length; at++) {
    const row = buffer.getLine(at);
    const isContinued = buffer.getLine(at + 1)?.isWrapped === true;
    // The spaces at the end of a row are part of the line.
    const text = row?.translateToString(!isContinued) ?? '';
    const line = row?.isWrapped ? lines.pop() : undefined;
    lines.push(line ? { text: line.text + text, rows: line.rows + 1 } : { text, rows: 1 });
  }
  return lines.slice(0, lines.findLastIndex(({ text }) => text !== '') + 1);
}

/** The words of a line, the first with its indentation. */
const wordsOf = (line: string) => line.trimEnd().match(/^\s*\S+|\S+/g) ?? [];

/** Runs `acp-client` in a pseudo-terminal. */
export async function startCommandInTerminal(
  args: readonly string[],
  columns: number,
  options: Parameters<typeof startInTerminal>[2] = {},
): Promise<RealTerminal> {
  const program = join(await buildPackage(), 'cli.js');
  return startInTerminal([process.execPath, '--import', reportsWidth, program, ...args], columns, options);
}
