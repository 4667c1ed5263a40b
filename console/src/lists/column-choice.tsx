import { Popover } from '@base-ui/react/popover'
import type { FieldFacts } from '../api/document.ts'
import { titleOf } from '../fields/names.ts'
import { Button, buttonClass } from '../parts/button.tsx'
import { words } from '../words/words.ts'
import { type Density, densities } from './density.ts'
import css from './lists.module.css'
import { moved } from './moved.ts'

interface ColumnChoiceProps {
  readonly shown: readonly FieldFacts[]
  readonly possible: readonly string[]
  readonly columns: readonly string[]
  readonly density: Density
  onColumns(columns: readonly string[] | undefined): void
  onDensity(density: Density): void
}

/** Chooses and orders the columns of a list, and the height of all rows. */
export function ColumnChoice(props: ColumnChoiceProps) {
  const { shown, possible, columns, density, onColumns, onDensity } = props
  const titled = (path: string) => titleOf(path, shown)
  const change = (next: readonly string[] | undefined) => {
    if (next?.length !== 0) onColumns(next)
  }
  // Some values are in two places of an object, under the same name.
  const named = new Map([...possible.toReversed(), ...columns].map((path) => [titled(path), path]))
  const others = possible.filter((path) => !columns.includes(path) && named.get(titled(path)) === path)
  return (
    <Popover.Root>
      <Popover.Trigger className={buttonClass()}>{words.list.columns}</Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={6} align="end" className={css.over}>
          <Popover.Popup className={css.choice} aria-label={words.list.columns}>
            <fieldset>
              <legend>{words.columns.shown}</legend>
              {columns.map((path, i) => (
                <div key={path} className={css.column}>
                  <Column
                    title={titled(path)}
                    isShown
                    onToggle={() => change(columns.filter((one) => one !== path))}
                  />
                  <button
                    type="button"
                    className={css.move}
                    aria-label={words.columns.earlier(titled(path))}
                    disabled={i === 0}
                    onClick={() => change(moved(columns, path, -1))}
                  >
                    ↑
                  </button>
                  <button
                    type="button"
                    className={css.move}
                    aria-label={words.columns.later(titled(path))}
                    disabled={i === columns.length - 1}
                    onClick={() => change(moved(columns, path, 1))}
                  >
                    ↓
                  </button>
                </div>
              ))}
            </fieldset>
            {others.length > 0 && (
              <fieldset>
                <legend>{words.columns.others}</legend>
                {others.map((path) => (
                  <Column key={path} title={titled(path)} onToggle={() => change([...columns, path])} />
                ))}
              </fieldset>
            )}
            <fieldset>
              <legend>{words.columns.density}</legend>
              {densities.map((one) => (
                <label key={one}>
                  <input
                    type="radio"
                    name="density"
                    checked={density === one}
                    onChange={() => onDensity(one)}
                  />
                  {words.columns.densities[one]}
                </label>
              ))}
            </fieldset>
            <Button onClick={() => change(undefined)}>{words.columns.usual}</Button>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}

interface ColumnProps {
  readonly title: string
  readonly isShown?: boolean
  onToggle(): void
}

const Column = ({ title, isShown = false, onToggle }: ColumnProps) => (
  <label>
    <input type="checkbox" checked={isShown} onChange={onToggle} />
    {title}
  </label>
)
