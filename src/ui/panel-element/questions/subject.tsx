import { useMemo } from 'preact/hooks';
import { askedPlan } from '../../../core/conversation/asked-plan.ts';
import type { Conversation, ToolCallEntry } from '../../../core/model/conversation.ts';
import type { Plan } from '../../../core/model/plan.ts';
import { plainText } from '../../../core/render/clean.ts';
import type { FileDiff } from '../../../core/render/diff-lines.ts';
import { type ToolOutputItem, toolOutput } from '../../../core/render/tool-output.ts';
import { countsOf } from '../transcript/diff.tsx';
import { fileName } from '../transcript/file-name.tsx';
import { PlanDocument } from '../transcript/plan-document.tsx';
import { Output } from '../transcript/tool-call.tsx';
import { type PanelProps, usePart } from '../use-part.ts';

export interface SubjectProps extends PanelProps {
  /** The `key` of the tool call that the agent asks for. */
  readonly toolCallKey: string;
  /** The title of the question. The title of the tool call is not said again. */
  readonly asked: string;
}

const none: readonly ToolOutputItem[] = [];
const noPlans: readonly Plan[] = [];

/** What the user allows or refuses: the changes of files, the plan, the command, or the arguments of the tool. */
export function Subject({ panel, toolCallKey, asked }: SubjectProps) {
  const entry = usePart(panel, (state) => toolCallOf(state.conversation, toolCallKey));
  const output = usePart(panel, ({ conversation }) => {
    return conversation && entry ? toolOutput(conversation, entry) : none;
  });
  const plans = usePart(panel, (state) => state.conversation?.plans ?? noPlans);
  const plan = useMemo(() => entry && askedPlan({ plans }, entry), [plans, entry]);
  if (!entry) return null;
  const { title, name, locations, rawInput } = entry;
  const what = title ?? name;
  const files = output.flatMap((item) => (item.type === 'diff' ? item.files : []));
  const command = commandOf(rawInput);
  const hasMore = output.length > 0 || command !== null || plan !== undefined;
  const names = files.length > 0 ? [] : [...new Set(locations.map(({ path }) => path))];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable with the keyboard
    <section className="subject" aria-label="What the agent asks for" tabIndex={0}>
      {what !== null && what !== asked && <p dir="auto">{plainText(what)}</p>}
      {files.length > 1 && <p className="note">{summary(files)}</p>}
      {names.length > 0 && (
        <ul aria-label="Files of the question">
          {names.map((path) => (
            <li key={path} title={plainText(path)}>
              {plainText(fileName(path))}
            </li>
          ))}
        </ul>
      )}
      {command !== null && <pre className="command">{`$ ${plainText(command)}`}</pre>}
      {plan && (
        <PlanDocument panel={panel} plan={plan} entryKey={plans.includes(plan) ? undefined : toolCallKey} />
      )}
      {output.map((item, index) =>
        plan && item.type === 'content' && item.content.type === 'text' ? null : (
          // biome-ignore lint/suspicious/noArrayIndexKey: the agent appends output or replaces all of it
          <Output key={index} panel={panel} entryKey={toolCallKey} index={index} item={item} />
        ),
      )}
      {!hasMore && rawInput !== undefined && rawInput !== null && <pre>{plainText(shortJson(rawInput))}</pre>}
    </section>
  );
}

/** The tool call that asks is one of the last entries. */
function toolCallOf(conversation: Conversation | null, key: string): ToolCallEntry | undefined {
  const entry = conversation?.entries.findLast((each) => each.key === key);
  return entry?.kind === 'toolCall' ? entry : undefined;
}

function summary(files: readonly FileDiff[]): string {
  const { added, removed } = countsOf(files.flatMap((file) => file.lines));
  const paths = new Set(files.map(({ path }) => path)).size;
  return `${paths === 1 ? '1 file' : `${paths} files`}, +${added} -${removed}`;
}

/** The command of a tool that runs one. Agents write it as a text, or as a list of a program and its arguments. */
function commandOf(input: ToolCallEntry['rawInput']): string | null {
  const command: unknown = Object(input).command;
  if (typeof command === 'string') return command;
  if (!Array.isArray(command)) return null;
  return command.map((part) => (/[\s"'$]/.test(part) ? JSON.stringify(part) : part)).join(' ');
}

/** What of the arguments is shown, in characters. */
const maxInputLength = 4000;

function shortJson(value: unknown): string {
  const text = JSON.stringify(value, null, 2);
  return text.length <= maxInputLength
    ? text
    : `${text.slice(0, maxInputLength)}\n… ${text.length - maxInputLength} more characters`;
}
