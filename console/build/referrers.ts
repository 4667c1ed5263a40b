import type { Body, FieldFacts, Join, Referrer, Resource, ResourceFields } from '../src/api/document.ts'
import { withoutNames } from './document.ts'

/** Values that name an object beside its id, by the names of the fields that hold them. */
const keys: Readonly<Record<string, { readonly type: string; readonly path: string }>> = {
  sku: { type: 'product', path: 'attributes.sku' },
  product_sku: { type: 'product', path: 'attributes.sku' },
}

type FieldsById = ReadonlyMap<string, ResourceFields>

/** Adds to the fields of each resource what refers to its objects. */
export function withReferrers(index: readonly Resource[], fields: FieldsById): FieldsById {
  const keyed = new Map([...fields].map(([id, one]) => [id, withKeys(index, id, one)]))
  const types = new Set(index.map(({ type }) => type))
  const lists = index.filter(
    (one) => !one.path.includes('{') && one.path !== one.item && (!one.item || isMain(index, one)),
  )
  return new Map(
    index.map((target) => {
      const own = keyed.get(target.id) ?? { shown: [] }
      if (!target.item || target.item === target.path || !isMain(index, target)) return [target.id, own]
      const referrers = lists
        .filter((list) => !isAround(index, list, target))
        .flatMap((list) => referrerOf(index, keyed, types, list, target) ?? [])
      const joins = index.flatMap((one) => joinsOf(one, keyed, target))
      return [target.id, { ...own, ...(referrers.length && { referrers }), ...(joins.length && { joins }) }]
    }),
  )
}

/** Whether a list has the objects themselves, their parents, or what their page lists below them anyhow. */
function isAround(index: readonly Resource[], list: Resource, { id, path, item = '' }: Resource): boolean {
  const isBelow = (one: Resource) =>
    one.type === list.type && withoutNames(one.path).startsWith(`${withoutNames(item)}/`)
  return (
    list.id === id || (list.item !== undefined && path.startsWith(`${list.path}/`)) || index.some(isBelow)
  )
}

/** Objects of a type that shoppers see as well have their main page where they are changed. */
const isMain = (index: readonly Resource[], { type, update, remove }: Resource) =>
  update !== undefined ||
  remove !== undefined ||
  !index.some((one) => one.type === type && (one.update ?? one.remove) !== undefined)

function withKeys(index: readonly Resource[], id: string, fields: ResourceFields): ResourceFields {
  const type = index.find((one) => one.id === id)?.type
  const keyedBody = (body: Body | undefined) =>
    body && {
      ...body,
      fields: body.fields.map((field) => {
        const keyOf = keys[nameOf(field.path)]
        return keyOf && keyOf.type !== type ? { ...field, keyOf } : field
      }),
    }
  const [create, update] = [keyedBody(fields.create), keyedBody(fields.update)]
  return { ...fields, ...(create && { create }), ...(update && { update }) }
}

/** The name of a value without the envelope of the API: `relationships.customer.data.id` is `customer_id`. */
const nameOf = (path: string) =>
  path
    .split('.')
    .filter((name) => !['attributes', 'relationships', 'data', 'meta'].includes(name))
    .join('_')

/** What a field refers to; the references of a list may stand in its objects. */
const targetOf = ({ refers, inside }: FieldFacts) =>
  refers ?? inside?.find(({ path }) => path === 'id')?.refers

function referrerOf(
  index: readonly Resource[],
  fields: FieldsById,
  types: ReadonlySet<string>,
  list: Resource,
  { type, id }: Resource,
): Referrer | undefined {
  const creator = list.create ? list : index.find((one) => one.type === list.type && one.create && one.update)
  const sent = (creator && fields.get(creator.id)?.create?.fields) ?? []
  const all = [...(fields.get(list.id)?.shown ?? []), ...sent]
  const named = (name: string) => ({
    ...(creator && { creator: creator.id }),
    ...(sent.some((one) => nameOf(one.path) === name) && {
      preset: sent.find((one) => nameOf(one.path) === name)?.path as string,
    }),
  })
  const filters = Object.entries(list.filter).flatMap(([name, { operators }]) => {
    const operator = ['eq', 'contains'].find((one) => operators.includes(one))
    if (!operator || name === 'id') return []
    const field = all.find((one) => nameOf(one.path) === name.replaceAll('.', '_') && targetOf(one))
    const target = (field && targetOf(field)) ?? typeIn(name, types)
    if (target === type) return [{ name, operator, of: 'id' }]
    const key = keys[name]
    return key?.type === type && list.type !== type ? [{ name, operator, of: key.path }] : []
  })
  const [filter] = filters.toSorted((one, other) => Number(one.of !== 'id') - Number(other.of !== 'id'))
  if (filter) {
    const { name, operator, of } = filter
    return { list: list.id, filter: name, operator, of, ...named(name) }
  }
  // A list that cannot be filtered by it is read whole, if it is short.
  const field = all.find((one) => targetOf(one) === type && one.path !== 'id' && one.path !== '')
  if (!field || list.id === id) return undefined
  const paths = all.filter((one) => targetOf(one) === type).map(({ path }) => path)
  return { list: list.id, paths: [...new Set(paths)], of: 'id', ...named(nameOf(field.path)) }
}

/** A filter by an id says the type in its name. */
function typeIn(name: string, types: ReadonlySet<string>): string | undefined {
  const [, type] = /^(\w+?)[._]ids?$/.exec(name) ?? []
  return type !== undefined && types.has(type) ? type : undefined
}

/** How objects of a type are added to those of a resource. */
function joinsOf(one: Resource, fields: FieldsById, { type }: Resource): readonly Join[] {
  if (one.type === type) return []
  const { actions = [], relationships = [] } = fields.get(one.id) ?? {}
  const isOfType = (field: FieldFacts | undefined) =>
    field !== undefined && field.path === '' && field.kind === 'references' && field.refers === type
  return [
    ...actions
      .filter(({ write, body }) => write.method === 'POST' && isOfType(body?.fields[0]))
      .map(({ write, body }) => ({ to: one.id, write, linkType: body?.fields[0]?.linkType })),
    ...relationships
      .filter(({ field, add }) => add && isOfType(field))
      .flatMap(({ field, add }) => (add ? [{ to: one.id, write: add, linkType: field.linkType }] : [])),
  ].map(({ linkType, ...join }) => ({ ...join, ...(linkType !== undefined && { linkType }) }))
}
