import { checker } from '../../kernel/body/checker.ts'
import { Problem } from '../../kernel/errors.ts'
import type { JsonSchema } from '../../kernel/shape/fields.ts'
import type { AddedField, Row } from '../../kernel/shape/model.ts'
import { columns, flag, json } from '../../kernel/storage/columns.ts'
import type { Work } from '../../kernel/work/context.ts'
import { defineAddedFields } from '../../kernel/write/define-added-fields.ts'
import type { ValueField } from '../values/changes.ts'
import { coerceDefault, type FlowFieldType, valueSchema } from './field-rules.ts'
import type { FlowField } from './flow-fields.ts'
import { slugsUnder } from './kinds.ts'

const flowColumns = columns({
  id: 'f.id',
  doc: ['f.doc', json<FlowField>],
  enabled: ["w.doc->>'enabled' = 'true'", flag],
})

/** Rebuilds the added fields of a name from the flows that add them. Needs a transaction. */
export function updateAddedFields(work: Work, name: string): Promise<void> {
  return defineAddedFields(work, name, async () => {
    const slugs = slugsUnder(name)
    const rows = await work.store.run(
      `SELECT ${flowColumns.sql} FROM flow_fields f
       JOIN flows w ON w.store_id = f.store_id AND w.id = f.flow_id
       WHERE f.store_id = $1 AND ${slugs ? 'w.slug = ANY($2::text[])' : 'w.id = $2::uuid'}
       ORDER BY (f.doc->>'order')::float8 NULLS LAST, f.created_at, f.id`,
      slugs ?? name,
    )
    const fields = rows.map(flowColumns.read)
    const values = fields.filter(({ doc }) => doc.field_type !== 'relationship')
    const links = values.length < fields.length ? [linksField] : []
    return [...values.map(({ id, doc, enabled }) => addedField(id, doc, enabled)), ...links]
  })
}

const linksField: AddedField = { id: '', name: 'relationships', schema: { type: 'object' }, holdsLinks: true }

function addedField(id: string, doc: FlowField, flowEnabled: boolean): AddedField {
  // Fields of earlier versions have no `shoppers_write`.
  const { slug, name, description, required, omit_null, shoppers_write = true, validation_rules } = doc
  const type = doc.field_type as Exclude<FlowFieldType, 'relationship'>
  const schema = { ...valueSchema(type, validation_rules, !required), title: name }
  const fallback = coerceDefault(type, doc.default)
  return {
    id,
    name: slug,
    schema,
    required,
    ...(fallback === null || fits(schema, fallback) ? { default: fallback } : { unusableDefault: fallback }),
    ...(type === 'string' && { takesScalars: true }),
    ...(description && { about: description }),
    ...(isHidden(doc, flowEnabled) && { hidden: true }),
    ...(omit_null && { omitNull: true }),
    ...(!shoppers_write && { closedToShoppers: true }),
  }
}

function fits(schema: JsonSchema, value: unknown): boolean {
  try {
    checker(schema, 'data')(value)
    return true
  } catch (refusal) {
    if (refusal instanceof Problem) return false
    throw refusal
  }
}

/** The fields that responses show with a value, of a resource that has the added fields of a store. */
export const shownFieldsOf = ({ added }: Pick<Row, 'added'>): readonly AddedField[] =>
  (added?.fields ?? []).filter(({ hidden, holdsLinks }) => !hidden && !holdsLinks)

export const isHidden = ({ enabled }: Pick<FlowField, 'enabled'>, flowEnabled: boolean): boolean =>
  !enabled || !flowEnabled

export const toValueField = ({ slug, field_type }: FlowField): ValueField => ({
  slug,
  isLink: field_type === 'relationship',
})

export async function fieldsOf(work: Work, flowId: string): Promise<readonly FlowField[]> {
  const rows = await work.store.run(
    'SELECT doc FROM flow_fields WHERE store_id = $1 AND flow_id = $2 ORDER BY created_at, id',
    flowId,
  )
  return rows.map(([doc]) => JSON.parse(doc as string) as FlowField)
}
