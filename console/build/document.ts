import type { Body, FieldFacts, Resource, ResourceFields, Write } from '../src/api/document.ts'
import { labelOf, nounOf } from '../src/words/labels.ts'
import { deedsAt, listDeedsAt } from './deeds.ts'
import { fieldsOf, referencesIn, resolve } from './fields.ts'
import { withReferrers } from './referrers.ts'

/** A part of an API document, of which only some members are known. */
export interface Node {
  readonly [member: string]: unknown
}

export const isNode = (part: unknown): part is Node =>
  typeof part === 'object' && part !== null && !Array.isArray(part)

const member = (node: unknown, ...names: readonly string[]): unknown =>
  names.reduce<unknown>((at, name) => (isNode(at) ? at[name] : undefined), node)

/** Takes the API document apart: the index of all resources, and the fields of each by its id. */
export function takeApart(document: Node): {
  readonly index: readonly Resource[]
  readonly fields: ReadonlyMap<string, ResourceFields>
} {
  const paths = Object.entries(document.paths as Readonly<Record<string, Node>>)
  const groups = (document['x-tagGroups'] ?? []) as Groups
  const fields = new Map<string, ResourceFields>()
  const listAt = (path: string, methods: Node, facts: unknown): Resource[] => {
    const list = methods.get
    if (!isNode(list) || !isNode(facts)) return []
    const [itemPath, item] = paths.find(([other]) => isItemOf(other, path)) ?? []
    const id = String(list.operationId).replace(/^list-/, '')
    // The same list at another path.
    if (id.endsWith('-too')) return []
    const { post } = methods
    const many = nounOf(id)
    const one = nameOfOne(item?.get, 'get') ?? nameOfOne(post, 'create') ?? many
    const resource = {
      ...{ id, path, title: titleOf(document, list) ?? labelOf(id) },
      ...{ noun: [one, many] as const, ...groupOf(groups, list) },
      right: rightOf(list),
      ...(facts as unknown as Pick<Resource, 'type' | 'filter' | 'sort' | 'order' | 'isWhole'>),
      ...(isNode(item?.get) && itemPath && { item: itemPath }),
      ...(isNode(post) && isCreate(post) && { create: writeOf('POST', path, post) }),
      ...(isNode(item?.put) && itemPath && { update: writeOf('PUT', itemPath, item.put) }),
      ...(isNode(item?.delete) && itemPath && { remove: writeOf('DELETE', itemPath, item.delete) }),
    } satisfies Resource
    const create = resource.create && isNode(post) ? bodyOf(document, post) : undefined
    const update = resource.update && isNode(item?.put) ? bodyOf(document, item.put) : undefined
    fields.set(id, {
      shown: asSent(shownIn(document, list), [...(create?.fields ?? []), ...(update?.fields ?? [])]),
      ...(create && { create }),
      ...(update && { update }),
      ...(isNode(item?.get) && itemPath && deedsAt(document, paths, itemPath)),
      ...listDeedsAt(document, paths, { path, ...(itemPath && { item: itemPath }) }),
    })
    return [resource]
  }
  const index = paths.flatMap(([path, methods]) =>
    listAt(
      path,
      methods,
      member(methods.get, 'x-sutler-list') ?? partsOf(document, paths, path, methods.get),
    ),
  )
  const chosen = new Set([...fields.values()].flatMap(typesChosenIn))
  for (const [path, methods] of paths) {
    const type = typeOfWhole(document, path, methods.get)
    if (type !== undefined && chosen.has(type) && !index.some((one) => one.type === type))
      index.push(...listAt(path, methods, { type, filter: {}, sort: [], isWhole: true }))
  }
  for (const [path, methods] of paths) {
    const resource = singleOf(groups, path, methods)
    if (!resource) continue
    index.push(resource)
    fields.set(resource.id, {
      shown: fieldsIn(document, dataOf(document, methods.get)),
      update: bodyOf(document, methods.put as Node),
    })
  }
  index.sort((one, other) => one.title.localeCompare(other.title))
  return { index, fields: withReferrers(index, fields) }
}

/** What an object is made of, such as the items of an order, is a list that is neither filtered nor sorted. */
function partsOf(
  document: Node,
  paths: readonly (readonly [path: string, methods: Node])[],
  path: string,
  list: unknown,
): Node | undefined {
  const parent = path.slice(0, path.lastIndexOf('/'))
  const isBelow = paths.some(
    ([other, { get }]) => isNode(get) && withoutNames(other) === withoutNames(parent),
  )
  if (!isBelow || !parent.endsWith('}')) return undefined
  const items = resolve(document, member(dataOf(document, list), 'items'))
  // What a store adds to the API is in its own document.
  if (isNode(member(items, 'additionalProperties'))) return undefined
  const shown = fieldsOf(document, items, false)
  const [type] = shown.flatMap((field) => (field.path === 'type' ? (field.choices ?? []) : []))
  const hasList = paths.some(([, { get }]) => member(get, 'x-sutler-list', 'type') === type)
  const isTold = !hasList && shown.some((field) => !/^(id|type|(meta|links)\b.*)$/.test(field.path))
  return isTold
    ? { type: type ?? nounOf(path.slice(parent.length + 1)), filter: {}, sort: [], isWhole: true }
    : undefined
}

/** The types of the objects that forms choose. */
const typesChosenIn = ({ create, update }: ResourceFields): readonly string[] =>
  [create, update].flatMap((body) => (body?.fields ?? []).flatMap(({ refers }) => refers ?? []))

/** The type of what a list without parents answers as a whole; undefined if it is no such list. */
function typeOfWhole(document: Node, path: string, list: unknown): string | undefined {
  if (path.includes('{') || member(list, 'x-sutler-list') !== undefined) return undefined
  const items = resolve(document, member(dataOf(document, list), 'items'))
  const type = isNode(items) ? fieldsOf(document, items, false).find((one) => one.path === 'type') : undefined
  return type?.choices?.[0]
}

/** An object that is the only one of its kind, such as the settings of the store. */
function singleOf(groups: Groups, path: string, { get, put }: Node): Resource | undefined {
  if (!isNode(get) || !isNode(put) || path.includes('{')) return undefined
  const id = String(get.operationId).replace(/^get-/, '')
  const noun = nounOf(id)
  return {
    ...{ id, path, item: path, type: id, filter: {}, sort: [], right: rightOf(get), noun: [noun, noun] },
    ...{ title: labelOf(id), ...groupOf(groups, get), update: writeOf('PUT', path, put) },
  }
}

type Groups = readonly { name: string; tags: readonly string[] }[]

function groupOf(groups: Groups, operation: Node) {
  const tag = String((operation.tags as readonly string[])[0])
  return { tag, group: groups.find(({ tags }) => tags.includes(tag))?.name ?? tag }
}

/** What an object is called by the operation that reads or creates one. */
function nameOfOne(operation: unknown, verb: 'get' | 'create'): string | undefined {
  const id = isNode(operation) ? String(operation.operationId) : ''
  return id.startsWith(`${verb}-`) ? nounOf(id.slice(verb.length + 1)) : undefined
}

/** What the document of a store calls the objects of a list. */
function titleOf(document: Node, list: Node): string | undefined {
  const title = member(resolve(document, member(dataOf(document, list), 'items')), 'title')
  return typeof title === 'string' ? title : undefined
}

/** What an answer shows; some lists answer in one of several forms. */
function dataOf(document: Node, operation: unknown): unknown {
  const schema = resolve(document, member(jsonIn(member(operation, 'responses', '200')), 'schema'))
  const forms = member(schema, 'anyOf')
  if (!Array.isArray(forms)) return member(schema, 'properties', 'data')
  return { items: { anyOf: forms.map((one) => member(one, 'properties', 'data', 'items')) } }
}

const isItemOf = (path: string, list: string) =>
  path.startsWith(`${list}/{`) && !path.slice(list.length + 2).includes('/')

const isCreate = (post: Node): boolean => hasBody(post)

export const hasBody = ({ requestBody }: Node): boolean =>
  isNode(jsonIn(requestBody)) || isNode(formIn(requestBody))

export function writeOf(method: Write['method'], path: string, operation: Node): Write {
  const takes = (name: string) => JSON.stringify(operation.parameters ?? []).includes(`parameters/${name}`)
  return {
    method,
    path,
    right: rightOf(operation),
    ifMatch: takes('ifMatch'),
    dryRun: takes('dryRun'),
    keyed: takes('idempotencyKey'),
    ...(isNode(formIn(operation.requestBody)) && { isUpload: true }),
  }
}

/** A path whose parameters have no names: they are called by many. */
export const withoutNames = (path: string) => path.replaceAll(/\{\w+\}/g, '{}')

export const rightOf = (operation: Node) => String(operation['x-sutler-right'])

export const jsonIn = (holder: unknown): unknown => member(holder, 'content', 'application/json')

/** An object may have the id of another one, and fields that people have named: its form says so. */
const asSent = (shown: readonly FieldFacts[], sent: readonly FieldFacts[]): readonly FieldFacts[] =>
  shown.map((field) => {
    const { refers, label } = sent.find(({ path }) => path === field.path) ?? {}
    const named = label === undefined ? field : { ...field, label }
    return refers === undefined || field.path !== 'id' ? named : { ...named, refers, kind: 'reference' }
  })

const formIn = (holder: unknown): unknown => member(holder, 'content', 'multipart/form-data')

/** The fields of the objects of a list. */
const shownIn = (document: Node, list: Node) => fieldsIn(document, member(dataOf(document, list), 'items'))

const fieldsIn = (document: Node, schema: unknown) =>
  fieldsOf(document, schema, false).filter(({ path }) => path !== 'type' && !/(^|\.)links(\.|$)/.test(path))

/** The body of a write; one whose data is a list of references has them as its only field. */
export function bodyOf(document: Node, operation: Node): Body {
  const form = formIn(operation.requestBody)
  if (isNode(form)) return { isForm: true, fields: fieldsOf(document, form.schema, true) }
  const json = jsonIn(operation.requestBody)
  const data = member(json, 'schema', 'properties', 'data')
  const whole = referencesIn(document, data)
  if (whole) return { fields: [whole] }
  const all = fieldsOf(document, data, true)
  const type = all.find(({ path, choices }) => path === 'type' && choices?.length === 1)?.choices?.[0]
  const fields = all.filter(
    ({ path }) =>
      (path !== 'type' || type === undefined) &&
      // Some bodies take a value in two places.
      !all.some((other) => path === `attributes.${other.path}`),
  )
  const example = member(json, 'example', 'data')
  return { ...(type !== undefined && { type }), fields, ...(example !== undefined && { example }) }
}
