import { Fragment } from 'react';
import { isSingleKey, SCOPE_NAMES, SHORTCUTS, type Scope } from '~/lib/keymap';
import { Button } from '~/ui/Button';
import { KeyChord } from '~/ui/Keys';
import { Modal } from '~/ui/Modal';
import { setPrefs, usePrefs } from '~/ui/prefs';
import { isHandled } from '~/ui/shortcuts';
import './overlays.css';

/** The keyboard map. Shortcuts without effect on this view are dimmed. */
export function HelpOverlay({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  const { singleKeys } = usePrefs();
  const scopes = Object.keys(SCOPE_NAMES) as Scope[];
  return (
    <Modal label="Keyboard map" isOpen={isOpen} onClose={onClose} className="help">
      <div className="help-head">
        <h2>Keyboard map</h2>
        <label>
          <input type="checkbox" checked={singleKeys} onChange={(event) => setPrefs({ singleKeys: event.target.checked })} /> Single-key shortcuts
        </label>
        <Button look="ghost" icon="close" aria-label="Close" onPress={onClose} />
      </div>
      <div className="help-body" tabIndex={0} role="group" aria-label="Shortcuts">
        <div className="help-columns">
        {scopes.map((scope) => (
          <section key={scope}>
            <h3>{SCOPE_NAMES[scope]}</h3>
            <dl>
              {SHORTCUTS.filter((entry) => entry.scope === scope).map(({ id, label, keys }) => {
                const isOff = !isHandled(id) || (!singleKeys && keys.every(isSingleKey));
                return (
                  <div key={id} className={isOff ? 'help-row is-off' : 'help-row'}>
                    <dt>{label}</dt>
                    <dd>
                      {keys.map((chord, index) => <Fragment key={chord}>{index > 0 && ' '}<KeyChord keys={chord} /></Fragment>)}
                      <span className="hidden-visually">{keys.join(' or ')}</span>
                    </dd>
                  </div>
                );
              })}
            </dl>
          </section>
        ))}
        </div>
      </div>
    </Modal>
  );
}
