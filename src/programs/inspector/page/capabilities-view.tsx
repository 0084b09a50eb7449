import { useState } from 'preact/hooks';
import type { PageState } from './page-state.ts';

const dialects: Readonly<Record<string, string>> = {
  v1: 'version 1 of the protocol',
  'v2-markers':
    'an earlier draft of version 2, in which an agent advertises load, resume, close and list separately',
  'v2-baseline': 'version 2 of the protocol',
};

/** What the agent supports, with the reason for each feature. */
export function CapabilitiesView({ state }: { readonly state: PageState }) {
  const [shown, setShown] = useState('all');
  const found = state.timeline.connectionAt(state.position);
  if (!found) {
    return (
      <div class="page">
        <p class="none">The agent has not answered “initialize” yet.</p>
      </div>
    );
  }
  const { agent, protocolVersion, dialect, offered, how, features } = found.item;
  const list = features.filter(({ supported }) => shown === 'all' || supported === (shown === 'supported'));
  const initialize = answerToInitialize(state, found.index);
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
          {initialize === undefined ? (
            'The answer to initialize is not in this timeline.'
          ) : (
            <button type="button" class="link" onClick={() => state.showMessage(initialize)}>
              the agent’s answer to initialize, #{initialize + 1}
            </button>
          )}
        </dd>
      </dl>
      <div class="bar">
        <h3>Capabilities</h3>
        <span class="facts">
          {features.filter(({ supported }) => supported).length} of {features.length} supported
        </span>
        <span class="grow" />
        <select
          aria-label="Which capabilities"
          value={shown}
          onChange={({ currentTarget }) => setShown(currentTarget.value)}
        >
          <option value="all">all</option>
          <option value="supported">supported</option>
          <option value="missing">not supported</option>
        </select>
      </div>
      <table class="features">
        <thead>
          <tr>
            <th scope="col">Feature</th>
            <th scope="col">Supported</th>
            <th scope="col">Reason</th>
            <th scope="col">Value</th>
          </tr>
        </thead>
        <tbody>
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
        </tbody>
      </table>
    </div>
  );
}

function answerToInitialize({ timeline }: PageState, index: number): number | undefined {
  for (let at = index; at >= 0; at--) {
    const row = timeline.rows[at];
    if (row?.kind === 'answer' && row.label === 'initialize') return at;
  }
  return undefined;
}
