import { useState } from 'preact/hooks';
import { Button, Select, Table } from './controls.tsx';
import type { PageState } from './page-state.ts';

const dialects: Readonly<Record<string, string>> = {
  v1: 'version 1 of the protocol',
  'v2-markers':
    'an earlier draft of version 2, in which an agent advertises load, resume, close and list separately',
  'v2-baseline': 'version 2 of the protocol, which is in Preview',
};

const shownNames = { all: 'all', supported: 'supported', missing: 'not supported' } as const;

/** What the agent supports, with the reason for each feature. */
export function CapabilitiesView({ state }: { readonly state: PageState }) {
  const [shown, setShown] = useState<keyof typeof shownNames>('all');
  const found = state.timeline.connectionAt(state.position);
  if (!found) {
    return (
      <div class="page">
        <p class="none">The agent has not answered “initialize” yet.</p>
      </div>
    );
  }
  const { agent, protocolVersion, dialect, offered, how, features, cause } = found;
  const list = features.filter(({ supported }) => shown === 'all' || supported === (shown === 'supported'));
  return (
    <div class="page">
      <dl class="facts-list">
        <dt>Agent</dt>
        <dd>
          {agent ? (
            <>
              {agent.title ?? agent.name} {agent.version} {agent.title && <code>{agent.name}</code>}
            </>
          ) : (
            'does not say what it is'
          )}
        </dd>
        <dt>Version</dt>
        <dd>
          {protocolVersion}, of {offered.join(' and ')} that the client offered
        </dd>
        <dt>Why</dt>
        <dd>{how}</dd>
        <dt>Dialect</dt>
        <dd>
          <code>{dialect}</code> {dialects[dialect] ?? ''}
        </dd>
        <dt>Source</dt>
        <dd>
          {cause === undefined ? (
            'The answer to initialize is not in this timeline.'
          ) : (
            <Button
              class="link"
              text={`the agent’s answer to initialize, #${cause + 1}`}
              onClick={() => state.showMessage(cause)}
            />
          )}
        </dd>
      </dl>
      <div class="bar">
        <h3>Capabilities</h3>
        <span class="facts">
          {features.filter(({ supported }) => supported).length} of {features.length} supported
        </span>
        <span class="grow" />
        <Select
          label="Which capabilities"
          value={shown}
          options={Object.entries(shownNames)}
          onChange={setShown}
        />
      </div>
      <Table class="features" columns={['Feature', 'Supported', 'Reason', 'Value']}>
        {list.map(({ feature, supported, path, value, reason }) => (
          <tr key={feature} class={supported ? 'yes' : 'no'}>
            <th scope="row">
              <code>{feature}</code>
            </th>
            <td>{supported ? '✓ yes' : '– no'}</td>
            <td>{reason}</td>
            <td>
              {value === undefined ? (
                <>
                  no <code>{path}</code>
                </>
              ) : (
                <code class="value" title={path}>
                  {JSON.stringify(value)}
                </code>
              )}
            </td>
          </tr>
        ))}
      </Table>
    </div>
  );
}
