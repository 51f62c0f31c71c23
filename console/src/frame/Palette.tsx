import { useEffect, useId, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { rank } from '~/lib/query';
import { KeyChord } from '~/ui/Keys';
import { Modal } from '~/ui/Modal';
import { useCommands, type Command } from './commands';
import './overlays.css';

const LIMIT = 50;

/** Matching commands, best first. Equal labels keep the order of the list. */
function match(commands: readonly Command[], typed: string): Command[] {
  if (!typed.trim()) return commands.slice(0, LIMIT);
  const byLabel = new Map<string, Command[]>();
  for (const command of commands) {
    const list = byLabel.get(command.label);
    if (list) list.push(command);
    else byLabel.set(command.label, [command]);
  }
  return rank([...byLabel.keys()], typed.trim(), LIMIT).flatMap((label) => byLabel.get(label)!).slice(0, LIMIT);
}

export interface PaletteProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** Only commands of this kind, for the account finder. */
  readonly kind?: string | undefined;
}

export function Palette({ isOpen, onClose, kind }: PaletteProps) {
  return (
    <Modal label={kind ? `Find: ${kind}` : 'Command palette'} isOpen={isOpen} onClose={onClose} className="palette">
      <PaletteContent onClose={onClose} kind={kind} />
    </Modal>
  );
}

function PaletteContent({ onClose, kind }: Omit<PaletteProps, 'isOpen'>) {
  const all = useCommands();
  const commands = useMemo(() => (kind ? all.filter((command) => command.kind === kind) : all), [all, kind]);
  const [typed, setTyped] = useState('');
  const [active, setActive] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  const id = useId();
  const found = useMemo(() => match(commands, typed), [commands, typed]);
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  const run = (command: Command | undefined) => {
    if (!command) return;
    onClose();
    // After the dialog has closed and given the focus back.
    requestAnimationFrame(() => command.run());
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && found.length > 0) setActive((index) => (index + step + found.length) % found.length);
    else if (event.key === 'Enter' && !event.nativeEvent.isComposing) run(found[active]);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <input
        className="palette-input"
        role="combobox"
        aria-label={kind ? `Find: ${kind}` : 'Command'}
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={found[active] ? `${id}-${active}` : undefined}
        placeholder={kind ? `Find: ${kind.toLowerCase()}` : 'Go to, do, find an account'}
        autoFocus
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          setActive(0);
        }}
        onKeyDown={onKeyDown}
      />
      <ul ref={list} id={id} role="listbox" aria-label="Commands" className="palette-items">
        {found.map((command, index) => (
          <li key={command.id} id={`${id}-${index}`} role="option" aria-selected={index === active} onClick={() => run(command)} onPointerMove={() => setActive(index)}>
            <span className="muted palette-kind">{command.kind}</span>
            <bdi className="truncate">{command.label}</bdi>
            {command.keys && <KeyChord keys={command.keys} />}
          </li>
        ))}
      </ul>
      {found.length === 0 && <p className="palette-none muted" role="status">No command matches.</p>}
    </>
  );
}
