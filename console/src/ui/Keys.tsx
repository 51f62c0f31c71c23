import { displayKeys, shortcut } from '~/lib/keymap';

const mac = typeof navigator !== 'undefined' && /Mac|iPhone|iPad/.test(navigator.platform);

/** The keys of a shortcut, for people who look for them. Screen readers get `aria-keyshortcuts` instead. */
export function Keys({ of }: { readonly of: string }) {
  const entry = shortcut(of);
  if (!entry) return null;
  return <KeyChord keys={entry.keys[0]!} />;
}

export function KeyChord({ keys }: { readonly keys: string }) {
  return (
    <span className="keys" aria-hidden="true">
      {displayKeys(keys, mac).map((key, index) => (
        <kbd key={index}>{key}</kbd>
      ))}
    </span>
  );
}
