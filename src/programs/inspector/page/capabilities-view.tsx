import { Button, Facts } from './controls.tsx';
import type { PageState } from './page-state.ts';

/** What the agent supports, with the reason for each feature. */
export function CapabilitiesView({ state }: { readonly state: PageState }) {
  const found = state.timeline.connectionAt(state.position);
  if (!found) {
    return (
      <div class="page">
        <p class="none">The agent has not answered “initialize” yet.</p>
      </div>
    );
  }
  const { agent, protocolVersion, dialect, offered, how, features, cause } = found;
  const name = [agent?.title, agent?.name, agent?.version].filter(Boolean).join(' ');
  const source = (
    <Button
      class="link"
      text={`the agent’s answer to initialize, #${cause + 1}`}
      onClick={() => state.showMessage(cause)}
    />
  );
  return (
    <div class="page">
      <Facts
        facts={[
          ['Agent', name || 'does not say what it is'],
          ['Version', `${protocolVersion}, of ${offered.join(' and ')} that the client offered`],
          ['Why', how],
          ['Dialect', dialect],
          ['Source', source],
        ]}
      />
      <div class="bar">
        <h3>Capabilities</h3>
        <span class="facts">
          {features.filter(({ supported }) => supported).length} of {features.length} supported
        </span>
      </div>
      <table>
        <thead>
          <tr>
            <th scope="col">Feature</th>
            <th scope="col">Supported</th>
            <th scope="col">Reason</th>
          </tr>
        </thead>
        <tbody>
          {features.map(({ feature, supported, reason }) => (
            <tr key={feature} class={supported ? '' : 'dim'}>
              <th scope="row">
                <code>{feature}</code>
              </th>
              <td>{supported ? '✓ yes' : '– no'}</td>
              <td>{reason}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
