import type { Template, Templates } from '../../fields/index.ts'
import { Problem } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { columnsMax } from '../../store/index.ts'
import {
  attributeColumns,
  findColumn,
  type KeyGroup,
  keyGroups,
  type ProductColumn,
  type TemplateField,
} from './columns.ts'

/** A column of an export, with its name. For a field of a template, `template` is the slug. */
export type ExportColumn = ProductColumn & { readonly name: string }

/** What a client requests: a column, or all keys that products have in a group. */
export type ColumnRequest = ExportColumn | { readonly is: 'all keys'; readonly of: KeyGroup }

/** An import needs these. */
const always = ['id', 'name', 'sku', 'external_ref', 'commodity_type']

interface ExportChoice {
  /** Undefined stands for all columns. */
  readonly include: readonly string[] | undefined
  readonly templates: Templates
  readonly useTemplateSlugs: boolean
}

/** The columns of a request, each once. Throws a Problem (422) for an unknown column. */
export function parseColumns(choice: ExportChoice): readonly ColumnRequest[] {
  const names = choice.include?.map((name) => name.trim()) ?? listAllNames(choice)
  const requests = [...always, ...names].map((name) => parseColumn(name, choice))
  const each = [
    ...new Map(requests.map((one) => [one.is === 'all keys' ? `${one.of}.*` : one.name, one])).values(),
  ]
  for (const group of keyGroups) {
    const all = each.some((one) => one.is === 'all keys' && one.of === group)
    if (all && each.some((one) => one.is === 'key' && one.of === group)) {
      throw refuse(`Include either ${group}.* or single keys of ${group}, not both.`)
    }
  }
  return each
}

const refuse = (detail: string) =>
  new Problem('unprocessable', detail, { source: 'data.attributes.columns.include' })

function listAllNames({ templates }: ExportChoice): readonly string[] {
  const fields = [...new Set(templates.values())].flatMap(({ id, fields }) =>
    [...fields.keys()].map((field) => `template:${id}:${field}`),
  )
  const keys = keyGroups.map((group) => `${group}.*`)
  return [...attributeColumns, 'main_image_id', ...keys, ...fields, '_created_at', '_updated_at']
}

function parseColumn(name: string, choice: ExportChoice): ColumnRequest {
  const group = keyGroups.find((one) => name === `${one}.*`)
  if (group) return { is: 'all keys', of: group }
  const column = findColumn(name)
  if (column?.is === 'template') return findTemplateColumn(column, choice)
  if (column) return column.is === 'attribute' ? column : { ...column, name }
  throw refuse(
    `There is no column ${name}. Valid columns are ${[...always, 'main_image_id', '_created_at', '_updated_at'].join(', ')}, ` +
      `${attributeColumns.filter((one) => !always.includes(one)).join(', ')}, admin_attributes.<key> or .*, ` +
      'shopper_attributes.<key> or .*, products(<slug>):<field>, template:<flow>:<field>.',
  )
}

function findTemplateColumn(
  { name, template: nameOrId, field }: TemplateField,
  choice: ExportChoice,
): ExportColumn {
  const { templates, useTemplateSlugs } = choice
  const template = templates.get(isId(nameOrId) ? nameOrId.toLowerCase() : nameOrId)
  if (!template?.fields.has(field)) throw refuse(`There is no column ${name}: no template has this field.`)
  return {
    is: 'template',
    name: toColumnName(template, field, useTemplateSlugs),
    template: template.slug,
    field,
  }
}

const toColumnName = ({ id, slug }: Template, field: string, bySlug: boolean): string =>
  bySlug ? `${slug}:${field}` : `template:${id}:${field}`

/**
 * Replaces each group by the keys that products have. Throws a Problem if there are more columns than an import
 * accepts.
 */
export function expandKeys(
  requests: readonly ColumnRequest[],
  keys: Readonly<Record<KeyGroup, readonly string[]>>,
): readonly ExportColumn[] {
  const columns = requests.flatMap((one): readonly ExportColumn[] => {
    if (one.is !== 'all keys') return [one]
    return keys[one.of].map((key) => ({ is: 'key', of: one.of, key, name: `${one.of}.${key}` }))
  })
  if (columns.length <= columnsMax) return columns
  throw refuse(
    `An export has at most ${columnsMax} columns, and this one would have ${columns.length}: ` +
      'list the columns that you need in columns.include.',
  )
}
