import { signInUrl } from '~/api/session';
import { Icon } from '~/ui/Icon';
import './SignIn.css';

/** What a signed-out visitor sees. Signing in happens on the server's own page, which returns here. */
export function SignIn({ problem }: { readonly problem?: string | undefined }) {
  const isPrivate = window.location.protocol === 'https:' || /^(localhost|127\.|\[::1\])/.test(window.location.hostname);
  return (
    <main className="sign-in">
      <span className="sign-in-logo"><Icon name="book" size={26} /></span>
      <h1>Daybook</h1>
      <p className="muted">Double-entry books on your own server.</p>
      {problem && <p role="alert" className="sign-in-problem">{problem}</p>}
      <a className="button button-primary sign-in-button" href={signInUrl()}>Sign in</a>
      {!isPrivate && (
        <p className="sign-in-warning">
          <Icon name="warning" /> This connection is not encrypted. Anyone on the network can read what you see and type.
        </p>
      )}
      <p className="muted sign-in-help">
        No link yet? On the server, run <code>daybook login --email you@example.com</code> and open the address that it prints.
      </p>
    </main>
  );
}
