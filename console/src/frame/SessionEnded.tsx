import { useState } from 'react';
import { everythingChanged } from '~/api/cache';
import { sentence } from '~/api/problem';
import { refresh, signInUrl } from '~/api/session';
import { Button } from '~/ui/Button';
import { Modal } from '~/ui/Modal';
import './SignIn.css';

/** Asks a person whose session has ended to sign in again in another tab, and continues after that. */
export function SessionEnded() {
  const [problem, setProblem] = useState('');
  const resume = async () => {
    try {
      const token = await refresh();
      if (token) await everythingChanged();
      else setProblem('You are still signed out.');
    } catch (error) {
      setProblem(sentence(error));
    }
  };
  return (
    <Modal label="Signed out" isOpen onClose={() => void resume()}>
      <div className="session-ended">
        <h2>You are signed out</h2>
        <p className="muted">Your session has ended. Sign in again in a new tab, then continue here. Nothing that you typed is lost.</p>
        {problem && <p role="alert" className="sign-in-problem">{problem}</p>}
        <div className="session-ended-actions">
          <a className="button" href={signInUrl()} target="_blank" rel="noreferrer">Sign in</a>
          <Button look="primary" onPress={() => void resume()}>Continue</Button>
        </div>
      </div>
    </Modal>
  );
}
