import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { start } from './panel.ts';
import './style.css';

const root = document.getElementById('root');
if (!root) throw new Error('The page has no element "root".');
createRoot(root).render(<App />);
start();
