import { type FieldValueType, keepTemplates, type Template } from '../../fields/index.ts'
import { Faults } from '../../kernel/body/faults.ts'
import { isId } from '../../kernel/ids.ts'
import type { Work } from '../../kernel/work/context.ts'
import { invalidFile } from '../../store/index.ts'
import { type ProductColumn, shorten, type TemplateField } from './columns.ts'

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
