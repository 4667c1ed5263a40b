import { keepTemplates, type Template, type ValueType } from '../flows/index.ts'
import { invalidFile } from '../imports/index.ts'
import { isId } from '../kernel/ids.ts'
import type { Work } from '../kernel/work/context.ts'
import { Faults } from '../kernel/write/faults.ts'
import { type Column, shown, type TemplateField } from './columns.ts'

/** The columns of a file that are fields of one template. */
export interface TemplateColumns {
  readonly template: Template
  /** By the slugs of the fields. */
  readonly columns: ReadonlyMap<string, { readonly name: string; readonly type: ValueType }>
}

/**
 * The templates that columns are of: they and their fields are as they are to the end of the transaction. A Problem
 * (422) where a column is of none, or the same as another.
 */
export async function templateColumns(
  work: Work,
  columns: readonly Column[],
): Promise<readonly TemplateColumns[]> {
  const asked = columns.filter((column) => column.is === 'template')
  if (!asked.length) return []
  const templates = await keepTemplates(
    work,
    asked.map(({ template }) => template),
  )
  const found = new Map<Template, Map<string, { name: string; type: ValueType }>>()
  const faults = new Faults()
  const find = ({ name, template: called, field }: TemplateField) => {
    const template = templates.get(isId(called) ? called.toLowerCase() : called)
    const type = template?.fields.get(field)
    if (!template || !type) {
      throw invalidFile(`unknown csv header: ${shown(name)}. There is no such field of a template.`)
    }
    const own = found.get(template) ?? new Map()
    found.set(template, own)
    const other = own.get(field)
    if (other) throw invalidFile(`The csv headers ${shown(other.name)} and ${shown(name)} are the same.`)
    own.set(field, { name, type })
  }
  for (const column of asked) faults.check(() => find(column))
  faults.refuse()
  return [...found].map(([template, columns]) => ({ template, columns }))
}
