import type { ChangedField } from '../api/changes-between.ts'
import type { FieldFacts } from '../api/document.ts'
import type { Item } from '../api/objects.ts'
import { Cell } from '../fields/cell.tsx'
import { titleOf } from '../fields/names.ts'
import { currencyOf } from '../fields/values.ts'
import { choiceLabel } from '../words/labels.ts'
import { words } from '../words/words.ts'
import css from './records.module.css'

interface ChangeTableProps {
  readonly changes: readonly ChangedField[]
  readonly shown: readonly FieldFacts[]
  /** The object, which says what currency its amounts are in. */
  readonly item?: Item | undefined
}

/** The fields that a change gives another value, with both values. */
export const ChangeTable = ({ changes, shown, item }: ChangeTableProps) => (
  <table className={css.changes}>
    <thead>
      <tr>
        <th scope="col">{words.conflict.field}</th>
        <th scope="col">{words.history.before}</th>
        <th scope="col">{words.history.after}</th>
      </tr>
    </thead>
    <tbody>
      {changes.map(({ path, before, after }) => {
        const field = shown.find((one) => one.path === path)
        return (
          <tr key={path}>
            <th scope="row">{titleOf(path, shown)}</th>
            <td data-label={words.history.before}>
              <Value {...{ field, item }} value={before} />
            </td>
            <td data-label={words.history.after}>
              <Value {...{ field, item }} value={after} />
            </td>
          </tr>
        )
      })}
    </tbody>
  </table>
)

interface ValueProps {
  readonly value: unknown
  readonly field: FieldFacts | undefined
  readonly item: Item | undefined
}

const Value = ({ value, field, item }: ValueProps) =>
  field?.kind === 'choice' && typeof value === 'string' ? (
    <bdi>{choiceLabel(value)}</bdi>
  ) : (
    <Cell value={value} currency={field && currencyOf(field, item)} />
  )
