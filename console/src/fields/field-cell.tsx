import type { FieldFacts } from '../api/document.ts'
import { type Item, isItem, valueAt } from '../api/objects.ts'
import { choiceLabel } from '../words/labels.ts'
import { Cell } from './cell.tsx'
import css from './fields.module.css'
import { Reference } from './reference.tsx'
import { Structure } from './structure.tsx'
import { currencyOf, idsIn } from './values.ts'

interface FieldCellProps {
  readonly item: Item
  readonly path: string
  readonly field: FieldFacts | undefined
  /** The path of the object. */
  readonly near: string
}

/** Where the value of a field is in objects that have it elsewhere: the orders of accounts have contacts in place of customers. */
const standIns: Readonly<Record<string, string>> = {
  'customer.name': 'contact.name',
  'customer.email': 'contact.email',
}

/** A field of an object: what it refers to by its name, amounts in their currency, all else as it is. */
export function FieldCell({ item, path, field, near }: FieldCellProps) {
  const value = valueAt(item, path) ?? valueAt(item, standIns[path] ?? path)
  const refers = field?.refers
  if (field?.kind === 'choice' && typeof value === 'string') return <bdi>{choiceLabel(value)}</bdi>
  if (!refers || !value) return <Cell value={value} currency={field && currencyOf(field, item)} />
  if (typeof value === 'string') return <Reference type={refers} id={value} near={near} />
  const ids = idsIn(value)
  if (!ids.length) return <Cell value={value} />
  return (
    <ul className={css.amounts}>
      {ids.map((id, i) => (
        <li key={id}>
          <Reference type={refers} id={id} near={near} />
          <Others value={Array.isArray(value) ? value[i] : undefined} />
        </li>
      ))}
    </ul>
  )
}

/** What a reference says beside its id and its name. */
function Others({ value }: { readonly value: unknown }) {
  if (!isItem(value)) return null
  const { id: _, type: __, name: ___, ...others } = value
  return <Structure value={others} />
}
