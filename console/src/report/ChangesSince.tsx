import { useState } from 'react';
import { useQueryState } from '~/lib/router';
import { DateField } from '~/ui/fields/DateField';
import { Button } from '~/ui/Button';

/** The beginning of the list of changes: the last closing, or a day. */
export function ChangesSince() {
  const [after, setAfter] = useQueryState('after');
  const [day, setDay] = useState(/^\d{4}-\d{2}-\d{2}T/.test(after) ? after.slice(0, 10) : '');
  return (
    <form
      noValidate
      className="report-since"
      onSubmit={(event) => {
        event.preventDefault();
        setAfter(day ? `${day}T00:00:00Z` : null);
      }}
    >
      <span className="muted" aria-hidden="true">Changes since</span>
      <DateField isCompact label="Changes since" value={day} onChange={setDay} />
      <Button type="submit">Show</Button>
      {after && <Button look="ghost" onPress={() => { setDay(''); setAfter(null); }}>Since the last closing</Button>}
    </form>
  );
}
