import { entryOf, type Template } from '../../fields/index.ts'
import { Faults } from '../../kernel/body/faults.ts'
import type { Resource } from '../../kernel/declare/resource.ts'
import { Problem, together } from '../../kernel/errors.ts'
import type { Row } from '../../kernel/shape/model.ts'
import { ownValue } from '../../kernel/shape/values.ts'
import type { ManyWrite } from '../../kernel/write/write-many.ts'
import { type Locale, parseCell } from './cell-values.ts'
import type { ImportRow } from './import-row.ts'
import type { TemplateColumns } from './template-columns.ts'

/** The entry of a template that a row writes for its product. */
export interface TemplateWrite {
  readonly template: Template
  readonly write: ManyWrite<Resource['fields']>
}

/** The current entries of products, by template. */
type EntriesByTemplate = ReadonlyMap<TemplateColumns, ReadonlyMap<string, Row>>

/** The entries that a row writes. Throws a Problem if a template refuses one. */
export function toEntries(
  row: ImportRow,
  productId: string,
  entriesBefore: EntriesByTemplate,
  locale: Locale | undefined,
): readonly TemplateWrite[] {
  const faults = new Faults()
  const entryIn = (of: TemplateColumns, before: Row | undefined): readonly TemplateWrite[] => {
    const values = readValues(row, of.columns, before, locale)
    if (!before && Object.values(values).every((value) => value === null || value === '')) return []
    try {
      return [{ template: of.template, write: entryOf(of.template, productId, before, values) }]
    } catch (error) {
      throw error instanceof Problem ? together(error.all.map((fault) => nameColumn(fault, of))) : error
    }
  }
  const entries = [...entriesBefore].flatMap(
    ([of, before]) => faults.check(() => entryIn(of, before.get(productId))) ?? [],
  )
  faults.refuse()
  return entries
}

/** An empty cell does not set a missing value: importing an export changes nothing. */
function readValues(
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
      values[field] = readCell(name, () => parseCell(type, cell, locale))
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

/** The refusal of a value, with its column in place of the member. */
function nameColumn(fault: Problem, { template, columns }: TemplateColumns): Problem {
  if (!fault.source) return fault
  const field = fault.source.replace(/^data\./, '')
  const name = columns.get(field)?.name ?? `${template.slug}:${field}`
  return new Problem(fault.code, fault.message.replaceAll(fault.source, name), { source: name })
}
