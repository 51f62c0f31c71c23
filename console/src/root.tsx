import { QueryClientProvider } from '@tanstack/react-query';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { queryClient } from './api/cache';
import { sentence } from './api/problem';
import { onSessionChange, refresh, sessionState } from './api/session';
import { SessionEnded } from './frame/SessionEnded';
import { Shell } from './frame/Shell';
import { SignIn } from './frame/SignIn';
import { Toasts } from './ui/Toasts';

export function App() {
  const session = useSyncExternalStore(onSessionChange, sessionState);
  const [problem, setProblem] = useState<string>();
  const wasSignedIn = useRef(false);
  wasSignedIn.current ||= session === 'signed-in';
  useEffect(() => {
    refresh().catch((error: unknown) => setProblem(sentence(error)));
  }, []);
  if (session === 'unknown' && !problem) return null;
  if (!wasSignedIn.current) return <SignIn problem={problem} />;
  // The views stay mounted when the session ends, so that typed text is not lost.
  return (
    <QueryClientProvider client={queryClient}>
      <Shell />
      <Toasts />
      {session === 'signed-out' && <SessionEnded />}
    </QueryClientProvider>
  );
}
