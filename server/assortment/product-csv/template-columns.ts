import { entryOf, type FieldValueType, keepTemplates, type Template } from '../../fields/index.ts'
import { Faults } from '../../kernel/body/faults.ts'
import type { Resource } from '../../kernel/declare/resource.ts'
import { Problem, together } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import type { Row } from '../../kernel/shape/model.ts'
import { ownValue } from '../../kernel/shape/values.ts'
import type { Work } from '../../kernel/work/context.ts'
import type { ObjectWrite } from '../../kernel/write/write-many.ts'
import { invalidFile } from '../../store/index.ts'
import { type Locale, parseCell } from './cell-values.ts'
import { type ProductColumn, shorten, type TemplateField } from './columns.ts'
import type { ImportRow } from './import-row.ts'

/** The columns of a file that belong to one template. */
export interface TemplateColumns {
  readonly template: Template
  /** By the slug of the field. */
  readonly columns: ReadonlyMap<string, { readonly name: string; readonly type: FieldValueType }>
}

/**
 * The templates of the columns, locked so that their fields cannot change. Throws a Problem (422) if a column belongs
 * to no template, or repeats another column.
 */
export async function findTemplateColumns(
  work: Work,
  columns: readonly ProductColumn[],
): Promise<readonly TemplateColumns[]> {
  const templateFields = columns.filter((column) => column.is === 'template')
  if (!templateFields.length) return []
  const templates = await keepTemplates(
    work,
    templateFields.map(({ template }) => template),
  )
  const columnsByTemplate = new Map<Template, Map<string, { name: string; type: FieldValueType }>>()
  const faults = new Faults()
  const find = ({ name, template: nameOrId, field }: TemplateField) => {
    const template = templates.get(isId(nameOrId) ? nameOrId.toLowerCase() : nameOrId)
    const type = template?.fields.get(field)
    if (!template || !type) {
      throw invalidFile(`unknown csv header: ${shorten(name)}. No template has this field.`)
    }
    const own = columnsByTemplate.get(template) ?? new Map()
    columnsByTemplate.set(template, own)
    const other = own.get(field)
    if (other)
      throw invalidFile(`The csv headers ${shorten(other.name)} and ${shorten(name)} are the same field.`)
    own.set(field, { name, type })
  }
  for (const column of templateFields) faults.check(() => find(column))
  faults.refuse()
  return [...columnsByTemplate].map(([template, columns]) => ({ template, columns }))
}

/** The entry of a template that a row writes for its product. */
export interface TemplateWrite {
  readonly template: Template
  readonly write: ObjectWrite<Resource['fields']>
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
