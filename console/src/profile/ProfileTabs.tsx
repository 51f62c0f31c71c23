import { usePath } from '~/lib/router';
import { Link } from '~/ui/Link';
import './profile.css';

const TABS = [
  { path: '/me', label: 'Profile' },
  { path: '/me/devices', label: 'Devices and sessions' },
  { path: '/me/access', label: 'Tokens and apps' },
];

export function ProfileTabs() {
  const path = usePath();
  return (
    <nav className="tabs" aria-label="Profile">
      {TABS.map((tab) => <Link key={tab.path} to={tab.path} className="tab" aria-current={path === tab.path ? 'page' : undefined}>{tab.label}</Link>)}
    </nav>
  );
}
