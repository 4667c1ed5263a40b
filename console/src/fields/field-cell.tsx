import type { FieldFacts } from '../api/document.ts'
import { type Item, valueAt } from '../api/objects.ts'
import { Cell } from './cell.tsx'
import css from './fields.module.css'
import { Reference } from './reference.tsx'
import { currencyOf, idsIn } from './values.ts'

interface FieldCellProps {
  readonly item: Item
  readonly path: string
  readonly field: FieldFacts | undefined
  /** The path of the object. */
  readonly near: string
}

/** A field of an object: what it refers to by its name, amounts in their currency, all else as it is. */
export function FieldCell({ item, path, field, near }: FieldCellProps) {
  const value = valueAt(item, path)
  const refers = field?.refers
  if (!refers || !value) return <Cell value={value} currency={field && currencyOf(field, item)} />
  if (typeof value === 'string') return <Reference type={refers} id={value} near={near} />
  const ids = idsIn(value)
  if (!ids.length) return <Cell value={value} />
  return (
    <ul className={css.amounts}>
      {ids.map((id) => (
        <li key={id}>
          <Reference type={refers} id={id} near={near} />
        </li>
      ))}
    </ul>
  )
}
