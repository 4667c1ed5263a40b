import { Popover } from '@base-ui/react/popover'
import { buttonClass } from '../parts/button.tsx'
import { fieldTitle, words } from '../words/words.ts'
import { keepColumns } from './columns.ts'
import css from './lists.module.css'

interface ColumnChoiceProps {
  readonly listId: string
  readonly possible: readonly string[]
  readonly columns: readonly string[]
  onColumns(columns: readonly string[] | undefined): void
}

/** Chooses the columns of a list; the choice is kept for the next time. */
export function ColumnChoice({ listId, possible, columns, onColumns }: ColumnChoiceProps) {
  const toggle = (path: string) => {
    const next = columns.includes(path) ? columns.filter((one) => one !== path) : [...columns, path]
    if (!next.length) return
    keepColumns(listId, next)
    onColumns(next)
  }
  return (
    <Popover.Root>
      <Popover.Trigger className={buttonClass()}>{words.list.columns}</Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={6} align="end">
          <Popover.Popup className={css.choice} aria-label={words.list.columns}>
            {possible.map((path) => (
              <label key={path}>
                <input type="checkbox" checked={columns.includes(path)} onChange={() => toggle(path)} />
                {fieldTitle(path)}
              </label>
            ))}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}
