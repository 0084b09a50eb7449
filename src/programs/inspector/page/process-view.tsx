import type { Panel } from '../../../panel/connect.ts';
import type { ProcessItem } from '../timeline/items.ts';
import { Button, Table } from './controls.tsx';
import type { PageState } from './page-state.ts';
import { secondsText } from './rows.ts';

/** The last lines of stderr that are drawn. */
const maxLines = 2000;

interface ProcessViewProps {
  readonly state: PageState;
  readonly panel: Panel | undefined;
}

/** How the agent was started, what it wrote to stderr, and how it ended. */
export function ProcessView({ state, panel }: ProcessViewProps) {
  const items = state.timeline.rows.slice(0, state.position + 1).map(({ item }) => item);
  const states = items.filter((item) => item.type === 'process');
  const stderr = items.filter((item) => item.type === 'stderr');
  const facts = Object.assign({}, ...states) as Partial<ProcessItem>;
  const now = states.at(-1);
  return (
    <div class="page">
      <div class="bar">
        <h3>Process</h3>
        <span class={`chip ${now?.state ?? ''}`}>{now?.state ?? 'unknown'}</span>
        <span class="grow" />
        {panel && <Button text="Restart" onClick={() => panel.restart()} />}
      </div>
      {states.length === 0 ? (
        <p class="none">This timeline does not say how the agent was started.</p>
      ) : (
        <dl class="facts-list">
          {facts.url !== undefined && <Fact name="URL" value={facts.url} />}
          {facts.command !== undefined && (
            <Fact name="Command" value={[facts.command, ...(facts.args ?? [])].map(quoted).join(' ')} />
          )}
          {facts.cwd !== undefined && <Fact name="Directory" value={facts.cwd} />}
          {facts.pid !== undefined && <Fact name="Process id" value={String(facts.pid)} />}
          {now?.state === 'exited' && <Fact name="Exit" value={exitText(now)} />}
        </dl>
      )}
      {states.length > 0 && (
        <details open>
          <summary>What happened</summary>
          <ol class="log">
            {states.map((item) => (
              <li key={`${item.t} ${item.state}`}>
                <span class="time">{secondsText(item.t)}</span> {item.state}
                {item.pid !== undefined && ` as ${item.pid}`}
                {item.state === 'exited' && `: ${exitText(item)}`}
                {item.state !== 'exited' && item.reason && `: ${item.reason}`}
              </li>
            ))}
          </ol>
        </details>
      )}
      {facts.env !== undefined && facts.env.length > 0 && (
        <details>
          <summary>Environment, {facts.env.length} variables, values redacted</summary>
          <Table columns={['Name', 'Value']}>
            {facts.env.map(({ name, value }) => (
              <tr key={name}>
                <th scope="row">
                  <code>{name}</code>
                </th>
                <td>
                  <code>{value}</code>
                </td>
              </tr>
            ))}
          </Table>
        </details>
      )}
      <div class="bar">
        <h3>stderr</h3>
        <span class="facts">{stderr.length === 0 ? 'nothing was written' : ''}</span>
      </div>
      {stderr.length > 0 && (
        // biome-ignore lint/a11y: a region that scrolls needs the focus, and a section has none of its own
        <pre class="stderr" tabIndex={0} role="region" aria-label="stderr">
          {stderr
            .map(({ text }) => text)
            .join('')
            .split('\n')
            .slice(-maxLines)
            .join('\n')}
        </pre>
      )}
    </div>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>
        <code>{value}</code>
      </dd>
    </>
  );
}

function exitText({ exitCode, signal, reason }: ProcessItem): string {
  if (reason !== undefined) return reason;
  if (signal) return `ended by ${signal}`;
  return exitCode == null ? 'ended' : `exit code ${exitCode}`;
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word);
}
