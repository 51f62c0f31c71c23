import './styles/tokens.css';
import './styles/base.css';
import './styles/print.css';
import { createRoot } from 'react-dom/client';
import { App } from './root';
import { applyPrefs } from './ui/prefs';
import { startShortcuts } from './ui/shortcuts';

applyPrefs();
startShortcuts();
createRoot(document.getElementById('root')!).render(<App />);
