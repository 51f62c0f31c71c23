import { Button } from './Button';
import { closeToast, useToasts } from './toasts';
import './Toasts.css';

export function Toasts() {
  const toasts = useToasts();
  return (
    <div className="toasts" role="region" aria-label="Messages" aria-live="polite" data-react-aria-top-layer="true">
      {toasts.map(({ id, message, tone, action }) => (
        <div key={id} className={`toast toast-${tone}`} role={tone === 'error' ? 'alert' : undefined}>
          <span>{message}</span>
          {action && (
            <Button look="ghost" onPress={() => { closeToast(id); action.run(); }}>
              {action.label}
            </Button>
          )}
          <Button look="ghost" icon="close" aria-label="Close message" onPress={() => closeToast(id)} />
        </div>
      ))}
    </div>
  );
}
