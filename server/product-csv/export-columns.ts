import type { Template, Templates } from '../flows/index.ts'
import { columnsMax } from '../imports/index.ts'
import { Problem } from '../kernel/errors.ts'
import { isId } from '../kernel/ids.ts'
import {
  attributeColumns,
  type Column,
  columnNamed,
  type KeyGroup,
  keyGroups,
  type TemplateField,
} from './columns.ts'

/** A column of an export, under its name. Of a template's field `template` is the slug. */
export type ExportColumn = Column & { readonly name: string }

/** What is asked for: columns, and all keys of a group, which products know. */
export type Wanted = ExportColumn | { readonly is: 'all keys'; readonly of: KeyGroup }

/** Without these nothing could be imported again. */
const always = ['id', 'name', 'sku', 'external_ref', 'commodity_type']

interface Choice {
  /** All there are, where it says nothing. */
  readonly include: readonly string[] | undefined
  readonly templates: Templates
  readonly useTemplateSlugs: boolean
}

/** The columns that a request wants, each once. A Problem (422) where one is none. */
export function wantedColumns(choice: Choice): readonly Wanted[] {
  const names = choice.include?.map((name) => name.trim()) ?? everything(choice)
  const wanted = [...always, ...names].map((name) => wantedBy(name, choice))
  const each = [
    ...new Map(wanted.map((one) => [one.is === 'all keys' ? `${one.of}.*` : one.name, one])).values(),
  ]
  for (const group of keyGroups) {
    const all = each.some((one) => one.is === 'all keys' && one.of === group)
    if (all && each.some((one) => one.is === 'key' && one.of === group)) {
      throw refuse(`Include ${group}.* or single keys of ${group}, not both.`)
    }
  }
  return each
}

const refuse = (detail: string) =>
  new Problem('unprocessable', detail, { source: 'data.attributes.columns.include' })

function everything({ templates }: Choice): readonly string[] {
  const fields = [...new Set(templates.values())].flatMap(({ id, fields }) =>
    [...fields.keys()].map((field) => `template:${id}:${field}`),
  )
  const keys = keyGroups.map((group) => `${group}.*`)
  return [...attributeColumns, 'main_image_id', ...keys, ...fields, '_created_at', '_updated_at']
}

function wantedBy(name: string, choice: Choice): Wanted {
  const group = keyGroups.find((one) => name === `${one}.*`)
  if (group) return { is: 'all keys', of: group }
  const column = columnNamed(name)
  if (column?.is === 'template') return templateColumn(column, choice)
  if (column) return column.is === 'attribute' ? column : { ...column, name }
  throw refuse(
    `There is no column ${name}. There are ${[...always, 'main_image_id', '_created_at', '_updated_at'].join(', ')}, ` +
      `${attributeColumns.filter((one) => !always.includes(one)).join(', ')}, admin_attributes.<key> or .*, ` +
      'shopper_attributes.<key> or .*, products(<slug>):<field>, template:<flow>:<field>.',
  )
}

function templateColumn({ name, template: called, field }: TemplateField, choice: Choice): ExportColumn {
  const { templates, useTemplateSlugs } = choice
  const template = templates.get(isId(called) ? called.toLowerCase() : called)
  if (!template?.fields.has(field)) throw refuse(`There is no column ${name}: no such field of a template.`)
  return { is: 'template', name: nameIn(template, field, useTemplateSlugs), template: template.slug, field }
}

const nameIn = ({ id, slug }: Template, field: string, bySlug: boolean): string =>
  bySlug ? `${slug}:${field}` : `template:${id}:${field}`

/** The columns, with those of the keys that products have. A Problem where they are too many to be imported again. */
export function expanded(
  wanted: readonly Wanted[],
  keys: Readonly<Record<KeyGroup, readonly string[]>>,
): readonly ExportColumn[] {
  const columns = wanted.flatMap((one): readonly ExportColumn[] => {
    if (one.is !== 'all keys') return [one]
    return keys[one.of].map((key) => ({ is: 'key', of: one.of, key, name: `${one.of}.${key}` }))
  })
  if (columns.length <= columnsMax) return columns
  throw refuse(
    `An export has at most ${columnsMax} columns, and this one would have ${columns.length}: ` +
      'name those that are wanted in columns.include.',
  )
}
