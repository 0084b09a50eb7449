import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Agent } from './agent.ts';
import { App } from './app.tsx';
import './style.css';

const defaultBridge = 'ws://127.0.0.1:8137';
const { searchParams } = new URL(location.href);

// The agent lives as long as the page does, and so not in a component.
const agent = new Agent(searchParams.get('bridge') ?? defaultBridge);
void agent.connect();

const root = document.getElementById('root');
if (!root) throw new Error('The page has no element "root".');
createRoot(root).render(
  <StrictMode>
    <App agent={agent} />
  </StrictMode>,
);
