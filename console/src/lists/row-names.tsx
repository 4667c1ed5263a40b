import type { ReactNode } from 'react'
import type { FieldFacts } from '../api/document.ts'
import { type Item, valueAt } from '../api/objects.ts'
import { RowNames, sourceOf, useNames, type Wanted } from '../fields/references.ts'
import { idsIn } from '../fields/values.ts'

interface RowNamesOfProps {
  readonly rows: readonly Item[]
  readonly shown: readonly FieldFacts[]
  readonly columns: readonly string[]
  readonly near: string
  readonly children: ReactNode
}

/** Reads what the references in the columns of a table are called, all of a kind at once. */
export function RowNamesOf({ rows, shown, columns, near, children }: RowNamesOfProps) {
  const wanted = new Map<string, Wanted>()
  for (const { path, refers } of shown) {
    const source = refers !== undefined && columns.includes(path) ? sourceOf(refers, near) : undefined
    if (!source) continue
    const ids = rows.flatMap((row) => {
      const value = valueAt(row, path)
      return typeof value === 'string' ? [value] : idsIn(value)
    })
    const before = wanted.get(source.listPath)?.ids ?? []
    wanted.set(source.listPath, { source, ids: [...before, ...ids] })
  }
  return <RowNames.Provider value={useNames([...wanted.values()])}>{children}</RowNames.Provider>
}
