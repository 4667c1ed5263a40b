import { type Resource, resource } from '../../kernel/declare/resource.ts'
import { invalidField, notFound, Problem } from '../../kernel/errors.ts'
import { choice, field, flag, group, integer, list, reference, text } from '../../kernel/shape/fields.ts'
import { type Draft, indexed, type Row, walks } from '../../kernel/shape/model.ts'
import type { Work } from '../../kernel/work/context.ts'
import { change } from '../../kernel/write/by-rules.ts'
import { ownerMeta } from '../../store/index.ts'
import { eraseValues, hideValues, renameValues, unindexValues } from '../values/changes.ts'
import { isHidden, toValueField, updateAddedFields } from './define.ts'
import {
  type FieldRule,
  type FlowFieldType,
  fieldTypes,
  findFault,
  type RuleFault,
  ruleTypes,
} from './field-rules.ts'
import { extendedBy } from './find-extended-by.ts'
import { flowEnvelope } from './flow-envelope.ts'
import { rowsOfFlow, touchShownWith } from './flow-rows.ts'
import { flows } from './flows.ts'
import { isCore, kindOf, nameOfFields, slugsUnder } from './kinds.ts'

/** Names that every entry, its envelope or any JavaScript object already has. */
const reservedSlugs = [
  ...['id', 'type', 'meta', 'links', 'relationships', 'created_at', 'updated_at', '__proto__'],
  ...['attribute', 'attributes', 'dimension', 'dimensions', 'weight', 'weights'],
]

const fieldsMax = 100

const ofField = { description: 'A value of the type of the field.' }
const rule = field<FieldRule>(
  {
    type: 'object',
    required: ['type'],
    properties: {
      type: { type: 'string', enum: ruleTypes },
      options: { type: ['array', 'object', 'null'], items: ofField, additionalProperties: ofField },
      to: { type: ['string', 'null'], maxLength: 255 },
    },
    additionalProperties: false,
  },
  {},
)

const fields = {
  name: text({
    required: true,
    min: 1,
    max: 255,
    pattern: /^[^$]/,
    about: 'The name that people see.',
    example: 'Fabric',
  }),
  slug: text({
    required: true,
    max: 255,
    pattern: /^[A-Za-z0-9_-]+$/,
    about: 'The name of the field in an entry; unique in the flow.',
    example: 'fabric',
  }),
  description: text({ default: '', max: 65_535, about: 'The meaning of the values.' }),
  field_type: choice(fieldTypes, {
    required: true,
    immutable: true,
    about: 'The type of the values. It cannot be changed.',
  }),
  required: flag({
    default: false,
    about: 'Whether a value is required. A relationship cannot be required.',
  }),
  default: field<unknown>(
    { type: ['string', 'number', 'boolean', 'null'], maxLength: 65_535 },
    {
      default: null,
      about:
        'The default value of new objects, converted to the type of the field. A new object is refused if the default ' +
        'breaks the rules.',
    },
  ),
  enabled: flag({ default: true, about: 'Whether the field is shown and validated.' }),
  order: integer({
    nullable: true,
    default: null,
    about: 'The position among the fields: the lowest first, fields without a position last.',
  }),
  shoppers_write: flag({
    default: true,
    about:
      'Whether shoppers can set the value in their own objects. If not, the value that they send is ignored.',
  }),
  omit_null: flag({ default: false, about: 'Whether responses omit the field while it has no value.' }),
  validation_rules: list(rule, {
    default: [],
    maxItems: 100,
    about: 'The rules for the values; all of them apply.',
  }),
  relationships: group(
    {
      flow: group(
        {
          data: group(
            { id: reference('flow', { required: true }), type: choice(['flow'], { required: true }) },
            { required: true },
          ),
        },
        { required: true },
      ),
    },
    { required: true, immutable: true, about: 'The flow of the field. It cannot be changed.' },
  ),
}

const flowIn = ({ relationships }: Pick<Row<typeof fields>['doc'], 'relationships'>): string =>
  relationships.flow.data.id

export type FlowField = Row<typeof fields>['doc']

/** A field of a flow. */
export const flowFields = resource({
  type: 'field',
  noun: ['flow-field', 'flow-fields'],
  about: 'A field of a flow.',
  path: '/v2/fields',
  table: 'flow_fields',
  fields,
  filter: { ...walks, slug: indexed('eq', 'like') },
  sort: ['created_at', 'id', 'slug', 'updated_at'],
  whole: true,
  area: 'flows',
  visible: 'all',
  envelope: flowEnvelope,
  meta: ownerMeta,
  links: {
    fields: { self: text({ format: 'uri', about: 'The field under its flow.' }) },
    of: ({ id, doc }, { baseUrl }) => ({ self: `${baseUrl}/v2/flows/${flowIn(doc)}/fields/${id}` }),
  },
  refusedWith: 422,
  beforeWrite: mustBeDefinable,
  afterWrite: applyToObjects,
  beforeDelete: async (work, { doc }) => void (await work.store.lock(flows, flowIn(doc))),
  afterDelete: dropFromObjects,
  constraints: {
    flow_fields_slug_key: {
      code: 'unprocessable',
      detail: 'the flow has a field with the given slug already',
      source: 'data.slug',
    },
  },
})

/** Flows at addresses that have their slugs. */
export const flowsBySlug: Resource = { ...flows, key: { field: 'slug' } }

const refuse = (name: string, detail: string) => invalidField(`data.${name}`, detail, 'unprocessable')

async function mustBeDefinable(work: Work, { values, before }: Draft<typeof fields>): Promise<void> {
  const { slug, field_type: type, validation_rules: rules } = values
  // One change of a flow at a time. No exclusive lock: creating an entry locks the added fields before the flow.
  const flowId = flowIn(values)
  if (!(await work.store.lock(flows, flowId)).size) {
    throw notFound('flow', flowId, { source: 'data.relationships.flow.data.id' })
  }
  const flow = (await work.store.find(flows, flowId))?.doc.slug ?? ''
  const ownFields = extendedBy(flow).flatMap((of) => Object.keys(of.fields))
  const takenSlugs = [...new Set([...reservedSlugs, ...ownFields])]
  if (slug !== before?.doc.slug && takenSlugs.includes(slug))
    throw refuse('slug', `must not be one of ${takenSlugs.join(', ')}`)
  if (type === 'relationship' && (kindOf(flow) === 'template' || flow === 'products')) {
    throw refuse('field_type', `must not be relationship in the flow ${flow}`)
  }
  if (type === 'relationship') values.required = false
  mustHold(type, findFault(type, rules))
  if (!before) await mustHaveRoom(work, flowId)
  if (isCore(flow)) await mustBeFree(work, { slug, flowId, name: nameOfFields({ id: flowId, slug: flow }) })
}

function mustHold(type: FlowFieldType, fault: RuleFault | undefined): void {
  if (fault) throw refuse(fault.at, `must ${fault.must} where the field_type is ${type}`)
}

async function mustHaveRoom({ store }: Work, flowId: string): Promise<void> {
  const [row] = await store.run(
    'SELECT count(*) FROM flow_fields WHERE store_id = $1 AND flow_id = $2',
    flowId,
  )
  if (Number(row?.[0]) >= fieldsMax) {
    throw new Problem('unprocessable', `A flow can have at most ${fieldsMax} fields.`)
  }
}

/** Refuses a slug that another flow of the same objects uses. */
async function mustBeFree(
  { store }: Work,
  { slug, flowId, name }: { readonly slug: string; readonly flowId: string; readonly name: string },
): Promise<void> {
  const slugs = slugsUnder(name) ?? []
  if (slugs.length < 2) return
  const [row] = await store.run(
    `SELECT f.id FROM flow_fields f JOIN flows w ON w.store_id = f.store_id AND w.id = f.flow_id
     WHERE f.store_id = $1 AND f.slug = $2 AND f.flow_id <> $3 AND w.slug = ANY($4::text[]) LIMIT 1`,
    slug,
    flowId,
    slugs,
  )
  if (row)
    throw refuse(
      'slug',
      `is already the slug of a field in another of the flows ${slugs.join(', ')}; choose another slug`,
    )
}

async function applyToObjects(
  work: Work,
  { doc }: Row<typeof fields>,
  before: Row<typeof fields> | undefined,
): Promise<void> {
  const flow = await flowOf(work, doc)
  await updateAddedFields(work, nameOfFields(flow))
  if (!before) return showFieldsInFlow(work, flow.id)
  const [was, is] = [before.doc, doc]
  const rows = rowsOfFlow(flow)
  if (was.slug !== is.slug) await renameValues(work, rows, toValueField(was), is.slug)
  const [wasHidden, hidden] = [isHidden(was, flow.enabled), isHidden(is, flow.enabled)]
  if (wasHidden !== hidden && is.field_type !== 'relationship') await hideValues(work, rows, is.slug, hidden)
  if (was.slug !== is.slug || wasHidden !== hidden) await touchShownWith(work, flow)
}

async function dropFromObjects(work: Work, { id, doc }: Row<typeof fields>): Promise<void> {
  const flow = await flowOf(work, doc)
  await updateAddedFields(work, nameOfFields(flow))
  await eraseValues(work, rowsOfFlow(flow), toValueField(doc))
  await touchShownWith(work, flow)
  await unindexValues(work, id)
  await showFieldsInFlow(work, flow.id)
}

async function flowOf({ store }: Work, doc: Row<typeof fields>['doc']) {
  const flow = await store.find(flows, flowIn(doc))
  if (!flow) throw notFound('flow', flowIn(doc))
  const { slug, enabled } = flow.doc
  return { id: flow.id, slug, enabled }
}

/** Updates the links to its fields that the flow shows. */
async function showFieldsInFlow(work: Work, id: string): Promise<void> {
  const rows = await work.store.run(
    'SELECT id FROM flow_fields WHERE store_id = $1 AND flow_id = $2 ORDER BY created_at, id',
    id,
  )
  const data = rows.map(([one]) => ({ id: one as string, type: 'field' as const }))
  await change(work, flows, [], id, { relationships: data.length ? { fields: { data } } : {} })
}
