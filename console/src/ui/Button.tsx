import type { ReactNode } from 'react';
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components/Button';
import { Icon, type IconName } from './Icon';
import { Keys } from './Keys';
import './Button.css';

export interface ButtonProps extends Omit<AriaButtonProps, 'children' | 'className'> {
  readonly children?: ReactNode;
  readonly icon?: IconName;
  /** `primary` is the one main action of a view; `ghost` has no border. */
  readonly look?: 'plain' | 'primary' | 'ghost' | 'danger';
  /** Id of the shortcut to show beside the label. */
  readonly shortcut?: string;
  readonly className?: string;
}

/** A button with a label. With an icon only, give it an `aria-label`. */
export function Button({ children, icon, look = 'plain', shortcut, className = '', ...rest }: ButtonProps) {
  return (
    <AriaButton {...rest} className={`button button-${look} ${children ? '' : 'button-icon'} ${className}`}>
      {icon && <Icon name={icon} />}
      {children}
      {shortcut && <Keys of={shortcut} />}
    </AriaButton>
  );
}
