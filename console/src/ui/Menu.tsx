import type { ReactNode } from 'react';
import { Menu as AriaMenu, MenuItem, MenuTrigger } from 'react-aria-components/Menu';
import { Popover } from 'react-aria-components/Popover';
import { Icon } from './Icon';
import './Menu.css';

export interface MenuEntry {
  readonly id: string;
  readonly label: string;
  readonly detail?: string;
  readonly checked?: boolean;
  readonly run: () => void;
}

/** A button with a menu. `trigger` is a Button. */
export function Menu({ trigger, label, entries }: { readonly trigger: ReactNode; readonly label: string; readonly entries: readonly MenuEntry[] }) {
  return (
    <MenuTrigger>
      {trigger}
      <Popover className="menu-popover" placement="bottom start" offset={4}>
        <AriaMenu aria-label={label} className="menu" onAction={(id) => entries.find((entry) => entry.id === id)?.run()}>
          {entries.map((entry) => (
            <MenuItem key={entry.id} id={entry.id} textValue={entry.label} className="menu-item">
              <span className="menu-mark">{entry.checked && <Icon name="check" size={13} />}</span>
              <span className="truncate">{entry.label}</span>
              {entry.detail && <span className="muted menu-detail">{entry.detail}</span>}
            </MenuItem>
          ))}
        </AriaMenu>
      </Popover>
    </MenuTrigger>
  );
}
