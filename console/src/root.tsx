import { QueryClientProvider } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { queryClient } from './api/cache';
import { sentence } from './api/problem';
import { onSessionChange, refresh, sessionState } from './api/session';
import { Shell } from './frame/Shell';
import { SignIn } from './frame/SignIn';
import { Toasts } from './ui/Toasts';

export function App() {
  const session = useSyncExternalStore(onSessionChange, sessionState);
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    refresh().catch((error: unknown) => setProblem(sentence(error)));
  }, []);
  if (session === 'unknown' && !problem) return null;
  if (session !== 'signed-in') return <SignIn problem={problem} />;
  return (
    <QueryClientProvider client={queryClient}>
      <Shell />
      <Toasts />
    </QueryClientProvider>
  );
}
