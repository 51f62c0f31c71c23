import { sessionRights, signOutUrl } from '~/api/session';
import { useCommand } from '~/frame/commands';
import { navigate } from '~/lib/router';
import { setPrefs, usePrefs } from '~/ui/prefs';

/** Commands of the palette for the caller's own pages and preferences. Renders nothing. */
export default function ProfileCommands() {
  const prefs = usePrefs();
  const isDark = prefs.theme === 'dark';
  const isCompact = prefs.density === 'compact';
  useCommand({ id: 'me', label: 'Profile', kind: 'Go to', run: () => navigate('/me') });
  useCommand({ id: 'me-devices', label: 'Devices and sessions', kind: 'Go to', run: () => navigate('/me/devices') });
  useCommand({ id: 'me-access', label: 'Tokens and apps with access', kind: 'Go to', run: () => navigate('/me/access') });
  useCommand({ id: 'me-theme', label: isDark ? 'Light theme' : 'Dark theme', kind: 'Preference', run: () => setPrefs({ theme: isDark ? 'light' : 'dark' }) });
  useCommand({ id: 'me-density', label: isCompact ? 'Comfortable rows' : 'Compact rows', kind: 'Preference', run: () => setPrefs({ density: isCompact ? 'comfortable' : 'compact' }) });
  useCommand({
    id: 'me-terms', label: prefs.accountingTerms ? 'From and To' : 'Debit and Credit', kind: 'Preference',
    run: () => setPrefs({ accountingTerms: !prefs.accountingTerms }),
  });
  useCommand({ id: 'me-sign-out', label: 'Sign out', kind: 'You', run: () => window.location.assign(signOutUrl()) });
  return sessionRights().administrator ? <AdministrationCommand /> : null;
}

function AdministrationCommand() {
  useCommand({ id: 'administration', label: 'Administration', kind: 'Go to', run: () => navigate('/administration') });
  return null;
}
