import { Section } from '~/ui/Section';
import { PERMISSION_EFFECTS, PERMISSION_NAMES, SHARED, type GrantedPermission } from './permissions';

const ROWS: readonly GrantedPermission[] = [...SHARED, 'OWNER'];

/** What each permission may do, in words. */
export function PermissionTable() {
  return (
    <Section title="What each permission may do">
      <dl className="people-words">
        {ROWS.map((permission) => (
          <div key={permission}>
            <dt>{PERMISSION_NAMES[permission]}</dt>
            <dd>
              {PERMISSION_EFFECTS[permission].may}{' '}
              <span className="muted">{PERMISSION_EFFECTS[permission].mayNot}</span>
            </dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}
