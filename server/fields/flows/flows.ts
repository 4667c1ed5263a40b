import { action } from '../../kernel/declare/action.ts'
import { resource } from '../../kernel/declare/resource.ts'
import { invalidField, Problem } from '../../kernel/errors.ts'
import { list } from '../../kernel/request/operations.ts'
import { flag, text } from '../../kernel/shape/fields.ts'
import { type Draft, indexed, type Row, walks } from '../../kernel/shape/model.ts'
import { linkTo, optional, readOnly, relationshipTo, shown } from '../../kernel/shape/shown.ts'
import type { Work } from '../../kernel/work/context.ts'
import { ownerMeta } from '../../store/index.ts'
import { eraseValues, hideValues, unindexValues } from '../values/changes.ts'
import { fieldsOf, isHidden, toValueField, updateAddedFields } from './define.ts'
import { flowEnvelope } from './flow-envelope.ts'
import { flowEntries, flowFieldRows, rowsOfFlow, touchShownWith } from './flow-rows.ts'
import { isCore, kindOf, nameOfFields, reservedSlugs } from './kinds.ts'

const fields = {
  name: text({
    required: true,
    min: 1,
    max: 255,
    pattern: /^[^$]/,
    about: 'The name that people see.',
    example: 'Care instructions',
  }),
  slug: text({
    required: true,
    max: 255,
    pattern: /^(?:[A-Za-z0-9_-]+|products\([A-Za-z0-9_.-]+\))$/,
    about:
      'The slug; unique in the store. The name of a resource extends that resource, products(…) creates a template, and any other ' +
      'slug creates a flow with its own entries.',
    example: 'care-instructions',
  }),
  description: text({ default: '', max: 65_535, about: 'The purpose of the flow.' }),
  enabled: flag({ default: true, about: 'Whether the fields are shown and validated.' }),
  relationships: readOnly(shown.group({ fields: optional(relationshipTo(shown.list(linkTo('field')))) }), {
    about: 'The fields of the flow.',
  }),
}

export const flows = resource({
  type: 'flow',
  noun: ['flow', 'flows'],
  about:
    'A set of fields that a store adds: to a resource, to products as a template, or for its own entries.',
  path: '/v2/flows',
  table: 'flows',
  fields,
  filter: { ...walks, slug: indexed('eq', 'like') },
  sort: ['created_at', 'id', 'slug', 'updated_at'],
  whole: true,
  operations: ['create', 'get', 'update', 'delete'],
  area: 'flows',
  visible: 'all',
  envelope: flowEnvelope,
  meta: ownerMeta,
  refusedWith: 422,
  refuses: { delete: ['method_not_allowed'] },
  beforeWrite: mustBeNamed,
  afterWrite: applyToFields,
  beforeDelete: deleteContents,
  most: { n: 1000, detail: (n) => `A store can have at most ${n} flows.` },
  constraints: {
    flows_slug_key: {
      code: 'unprocessable',
      detail: 'a flow with the given slug already exists',
      source: 'data.slug',
    },
  },
})

const refuse = (detail: string) => invalidField('data.slug', detail, 'unprocessable')

async function mustBeNamed(work: Work, { id, values, before }: Draft<typeof fields>): Promise<void> {
  const { slug } = values
  if (slug === before?.doc.slug) return
  if (reservedSlugs.includes(slug)) throw refuse(`must not be one of ${reservedSlugs.join(', ')}`)
  if (!before || kindOf(slug) === kindOf(before.doc.slug)) return
  // Locks out new entries until the end of the transaction. Creating an entry locks the added fields before the flow.
  await updateAddedFields(work, nameOfFields({ id, slug: before.doc.slug }))
  await work.store.lockExclusive(flows, id)
  const [entry] = await work.store.run(
    'SELECT id FROM flow_entries WHERE store_id = $1 AND flow_id = $2 LIMIT 1',
    id,
  )
  if (entry)
    throw refuse(`must remain the slug of a ${kindOf(before.doc.slug)} flow, because the flow has entries`)
}

/** Applies a change of the slug or of `enabled` to the objects of the flow. */
async function applyToFields(
  work: Work,
  { id, doc }: Row<typeof fields>,
  before: Row<typeof fields> | undefined,
): Promise<void> {
  const previous = before?.doc
  if (!previous || (previous.slug === doc.slug && previous.enabled === doc.enabled)) return
  const [old, now] = [
    { id, slug: previous.slug },
    { id, slug: doc.slug },
  ]
  const moves = nameOfFields(old) !== nameOfFields(now)
  await updateAddedFields(work, nameOfFields(now))
  if (moves) await updateAddedFields(work, nameOfFields(old))
  for (const field of await fieldsOf(work, id)) {
    const isLink = field.field_type === 'relationship'
    // The resource that it extended no longer has the fields.
    if (moves && isCore(old.slug)) await eraseValues(work, rowsOfFlow(old), toValueField(field))
    else if (!isLink && isHidden(field, previous.enabled) !== isHidden(field, doc.enabled)) {
      await hideValues(work, rowsOfFlow(now), field.slug, isHidden(field, doc.enabled))
    }
  }
  await touchShownWith(work, now)
}

async function deleteContents(work: Work, { id, doc }: Row<typeof fields>): Promise<void> {
  if (isCore(doc.slug)) {
    const detail = `${doc.slug} is a core flow and cannot be deleted; change its slug first.`
    throw new Problem('method_not_allowed', detail, { headers: { allow: 'GET, PUT, HEAD, OPTIONS' } })
  }
  await work.store.lock(flows, id)
  const fields = await work.store.removeAll(flowFieldRows, (bind) => `flow_id = ${bind(id)}`)
  await updateAddedFields(work, id)
  // Not earlier, to keep the order of locks: creating an entry locks the added fields first, then the flow.
  await work.store.lockExclusive(flows, id)
  await touchShownWith(work, { id, slug: doc.slug })
  await work.store.removeAll(flowEntries, (bind) => `flow_id = ${bind(id)}`)
  await unindexValues(work, ...fields)
}

/** Lists the flows of a store, or only the templates. */
export const listFlows = action({
  name: 'list-flows',
  route: 'GET /v2/flows',
  about: 'Lists all flows, the newest first.',
  area: 'flows',
  status: 200,
  query: {
    template: text({ about: 'Returns only the templates of this resource.', example: 'products' }),
  },
  shows: { resource: flows, page: true },
  async run(ctx, call) {
    const of = new URLSearchParams(call.query).get('template')
    return list(ctx, flows, [], call, of ? (bind) => `starts_with(slug, ${bind(of)} || '(')` : undefined)
  },
})
