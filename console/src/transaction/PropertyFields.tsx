import { Button } from '~/ui/Button';
import { TextField } from '~/ui/fields/Field';

type Property = readonly [key: string, value: string];

/** Keys and values; an empty value removes the property. */
export function PropertyFields({ properties, onChange }: { readonly properties: readonly Property[]; readonly onChange: (properties: readonly Property[]) => void }) {
  const set = (index: number, property: Property | undefined) =>
    onChange(properties.flatMap((old, at) => (at === index ? (property ? [property] : []) : [old])));
  return (
    <fieldset className="tx-properties">
      <legend>Properties</legend>
      {properties.map(([key, value], index) => (
        <div key={index} className="tx-property">
          <TextField isCompact label={`Name of property ${index + 1}`} placeholder="name" value={key} onChange={(next) => set(index, [next, value])} />
          <TextField isCompact label={key ? `Value of ${key}` : `Value of property ${index + 1}`} placeholder="value" value={value} onChange={(next) => set(index, [key, next])} />
          <Button look="ghost" icon="close" aria-label={`Remove ${key || `property ${index + 1}`}`} onPress={() => set(index, undefined)} />
        </div>
      ))}
      <Button look="ghost" icon="plus" onPress={() => onChange([...properties, ['', '']])}>Add a property</Button>
    </fieldset>
  );
}
