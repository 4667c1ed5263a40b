import { entryOf, type Template } from '../flows/index.ts'
import type { Resource } from '../kernel/declare/resource.ts'
import { Problem, together } from '../kernel/errors.ts'
import type { Row } from '../kernel/shape/model.ts'
import { ownValue } from '../kernel/shape/values.ts'
import { Faults } from '../kernel/write/faults.ts'
import type { Write } from '../kernel/write/write-many.ts'
import { type Locale, valueOfCell } from './cell-values.ts'
import type { ImportRow } from './import-row.ts'
import type { TemplateColumns } from './template-columns.ts'

/** What a row makes a template say of its product. */
export interface Entry {
  readonly template: Template
  readonly write: Write<Resource['fields']>
}

/** By template, what each says of products now. */
type Said = ReadonlyMap<TemplateColumns, ReadonlyMap<string, Row>>

/** What a row makes templates say of its product; a Problem where one may not say so. */
export function entriesOfRow(
  row: ImportRow,
  productId: string,
  said: Said,
  locale: Locale | undefined,
): readonly Entry[] {
  const faults = new Faults()
  const entryIn = (of: TemplateColumns, before: Row | undefined): readonly Entry[] => {
    const values = valuesIn(row, of.columns, before, locale)
    if (!before && Object.values(values).every((value) => value === null || value === '')) return []
    try {
      return [{ template: of.template, write: entryOf(of.template, productId, before, values) }]
    } catch (error) {
      throw error instanceof Problem ? together(error.all.map((fault) => inColumn(fault, of))) : error
    }
  }
  const entries = [...said].flatMap(
    ([of, before]) => faults.check(() => entryIn(of, before.get(productId))) ?? [],
  )
  faults.refuse()
  return entries
}

/** A text that is not there is none for an empty cell too: what is exported stays what it was. */
function valuesIn(
  row: ImportRow,
  columns: TemplateColumns['columns'],
  before: Row | undefined,
  locale: Locale | undefined,
): Readonly<Record<string, unknown>> {
  const has = before?.doc as Readonly<Record<string, unknown>> | undefined
  const values: Record<string, unknown> = {}
  const faults = new Faults()
  for (const [field, { name, type }] of columns) {
    const cell = row.values.get(name) ?? ''
    if (has && (ownValue(has, field) ?? null) === null && cell === '') continue
    faults.check(() => {
      values[field] = readCell(name, () => valueOfCell(type, cell, locale))
    })
  }
  faults.refuse()
  return values
}

function readCell<T>(name: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw error instanceof Problem ? new Problem(error.code, error.detail, { source: name }) : error
  }
}

/** The refusal of a value, with the name of its column for that of its member. */
function inColumn(fault: Problem, { template, columns }: TemplateColumns): Problem {
  if (!fault.source) return fault
  const field = fault.source.replace(/^data\./, '')
  const name = columns.get(field)?.name ?? `${template.slug}:${field}`
  return new Problem(fault.code, fault.message.replaceAll(fault.source, name), { source: name })
}
