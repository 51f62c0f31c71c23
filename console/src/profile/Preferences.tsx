import { CheckField } from '~/ui/fields/ChoiceField';
import { ChoiceField } from '~/ui/fields/ChoiceField';
import { setPrefs, usePrefs } from '~/ui/prefs';
import { Section } from '~/ui/Section';

/** Preferences of this browser. They apply at once. */
export function Preferences() {
  const prefs = usePrefs();
  return (
    <Section title="Preferences" lead="They apply to this browser, at once.">
      <div className="form-line">
        <ChoiceField
          label="Theme" value={prefs.theme} onChange={(theme) => setPrefs({ theme })}
          choices={[{ value: 'system', label: 'Like the system' }, { value: 'light', label: 'Light' }, { value: 'dark', label: 'Dark' }]}
        />
        <ChoiceField
          label="Rows" value={prefs.density} onChange={(density) => setPrefs({ density })}
          choices={[{ value: 'compact', label: 'Compact' }, { value: 'comfortable', label: 'Comfortable' }]}
        />
      </div>
      <CheckField
        label="Single-key shortcuts" value={prefs.singleKeys} onChange={(singleKeys) => setPrefs({ singleKeys })}
        note="Keys such as j, x and c. Switch them off if you use speech input. Shortcuts with Ctrl or Alt keep working."
      />
      <CheckField
        label="Debit and Credit" value={prefs.accountingTerms} onChange={(accountingTerms) => setPrefs({ accountingTerms })}
        note="Shows the words of accountants instead of From and To."
      />
    </Section>
  );
}
