import { KeyChord } from '~/ui/Keys';

/** Completions in one row, so that the reading below stays visible. Tab takes the marked one. */
export function Suggestions({ items, active, onTake }: {
  readonly items: readonly string[];
  readonly active: number;
  readonly onTake: (item: string) => void;
}) {
  return (
    <div className="entry-suggestions" hidden={items.length === 0}>
      <KeyChord keys="Tab" />
      <ul id="entry-options" role="listbox" aria-label="Completions" aria-orientation="horizontal">
        {items.map((item, index) => (
          <li
            key={item}
            id={`entry-option-${index}`}
            role="option"
            aria-selected={index === active}
            onPointerDown={(event) => {
              event.preventDefault();
              onTake(item);
            }}
          >
            <bdi>{item}</bdi>
          </li>
        ))}
      </ul>
    </div>
  );
}
