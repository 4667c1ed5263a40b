import type { ChangedField } from '../api/changes-between.ts'
import type { FieldFacts } from '../api/document.ts'
import type { Item } from '../api/objects.ts'
import { Cell } from '../fields/cell.tsx'
import { currencyInPath, titleOf } from '../fields/names.ts'
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
      {changes.map(({ path, before, after }) => (
        <tr key={path}>
          <th scope="row">{titleOf(path, shown)}</th>
          <td data-label={words.history.before}>
            <ChangedValue {...{ path, shown, item }} value={before} />
          </td>
          <td data-label={words.history.after}>
            <ChangedValue {...{ path, shown, item }} value={after} />
          </td>
        </tr>
      ))}
    </tbody>
  </table>
)

interface ChangedValueProps extends Pick<ChangeTableProps, 'shown' | 'item'> {
  readonly path: string
  readonly value: unknown
}

/** A value before or after a change. */
export function ChangedValue({ path, shown, item, value }: ChangedValueProps) {
  const field = shown.find((one) => one.path === path)
  if (field?.kind === 'choice' && typeof value === 'string') return <bdi>{choiceLabel(value)}</bdi>
  return <Cell value={value} currency={(field && currencyOf(field, item)) ?? currencyInPath(path)} />
}
