import { Link } from '@tanstack/react-router'
import type { FieldFacts, Resource } from '../api/document.ts'
import { type Item, valueAt } from '../api/objects.ts'
import { rowPath } from '../api/resources.ts'
import { FieldCell } from '../fields/field-cell.tsx'
import { nameOf, namingField, shortId } from '../fields/names.ts'
import { sourceOf, useName } from '../fields/references.ts'

interface RowHeadProps {
  readonly resource: Resource
  readonly listPath: string
  readonly row: Item
  readonly shown: readonly FieldFacts[]
  readonly path: string
}

/** The first value of a row, with the way to its page. An id that another object has too is shown by the name of that. */
export function RowHead({ resource, listPath, row, shown, path }: RowHeadProps) {
  const value = valueAt(row, path)
  const field = shown.find((one) => one.path === path)
  const source = field?.refers === undefined ? undefined : sourceOf(field.refers, listPath)
  const name = useName(source, source ? String(value ?? '') : '')
  const target = rowPath(resource, listPath, row)
  if (!target) return <FieldCell {...{ item: row, path, field }} near={listPath} />
  const isOther = path !== namingField(shown) && typeof value === 'string' && value !== ''
  const text = name?.name ?? (isOther ? value : nameOf(row, shown))
  return (
    <Link to="/$" params={{ _splat: target.slice(1) }} title={String(row.id)}>
      {shortId(text)}
    </Link>
  )
}
