import { useEffect, useState } from 'preact/hooks';
import { plainText } from '../../core/render/clean.ts';
import type { PanelAgentChoice } from '../panel/state.ts';
import { type PanelProps, usePart } from './use-part.ts';

/** More agents than this are searched by name. */
const maxWithoutSearch = 8;

/** The first page: the agents that the user can choose from. */
export function Agents({ panel }: PanelProps) {
  const agents = usePart(panel, (state) => state.agents);
  const [search, setSearch] = useState('');
  // The host starts the agents that are installed to look at their login: only while the list is shown.
  useEffect(() => {
    panel.refreshAgents().catch(() => {});
  }, [panel]);
  const wanted = search.trim().toLowerCase();
  const found = agents.filter(({ id, name }) => `${name} ${id}`.toLowerCase().includes(wanted));
  return (
    <section className="agents" aria-label="Agents">
      <h2>Choose an agent</h2>
      {agents.length > maxWithoutSearch && (
        <input
          type="search"
          aria-label="Search the agents"
          placeholder="Search the agents"
          value={search}
          onInput={({ currentTarget }) => setSearch(currentTarget.value)}
        />
      )}
      <ul>
        {found.map((agent) => (
          <li key={agent.id}>
            <Agent agent={agent} onStart={() => panel.chooseAgent(agent.id)} />
          </li>
        ))}
      </ul>
      {found.length === 0 && <p className="note">No agent has this name.</p>}
    </section>
  );
}

const logins: Readonly<Record<PanelAgentChoice['login'], string | null>> = {
  loggedIn: 'Logged in',
  needed: 'Needs a login',
  unknown: null,
};

function Agent({ agent, onStart }: { readonly agent: PanelAgentChoice; readonly onStart: () => void }) {
  const name = plainText(agent.name);
  const { description, note, isInstalled, installedVersion, testedVersion, installCommand } = agent;
  const facts = [
    isInstalled === true && (installedVersion === null ? 'Installed' : `Installed: ${installedVersion}`),
    isInstalled === false && 'Not installed',
    testedVersion !== null && `Tested with ${testedVersion}`,
    logins[agent.login],
  ].filter((fact) => typeof fact === 'string');
  const hasMore = description !== null || note !== null || installCommand !== null;
  return (
    <article aria-label={name}>
      <div className="agent-line">
        <h3>{name}</h3>
        <span className="facts">{plainText(facts.join(' · '))}</span>
        <button
          type="button"
          className={isInstalled === false ? 'secondary' : ''}
          aria-label={`Start ${name}`}
          disabled={agent.isChosen}
          onClick={onStart}
        >
          {agent.isChosen ? 'Chosen' : 'Start'}
        </button>
      </div>
      {hasMore && (
        <details>
          <summary aria-label={`More about ${name}`}>More</summary>
          {description !== null && <p>{plainText(description)}</p>}
          {note !== null && <p className="note">{plainText(note)}</p>}
          {installCommand !== null && <Install command={installCommand} name={name} />}
        </details>
      )}
    </article>
  );
}

/** A command line, which the user copies and runs. */
function Install({ command, name }: { readonly command: string; readonly name: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = () => {
    navigator.clipboard.writeText(command).then(
      () => setCopied(true),
      // The text can be selected.
      () => {},
    );
  };
  return (
    <p className="install">
      <code>{plainText(command)}</code>
      <button
        type="button"
        className="link"
        aria-label={`Copy the command that installs ${name}`}
        onClick={copy}
      >
        {isCopied ? 'Copied' : 'Copy'}
      </button>
    </p>
  );
}
