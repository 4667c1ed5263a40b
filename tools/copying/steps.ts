import { writable } from '../../server/kernel/body/input.ts'
import type { Operation } from '../../server/kernel/declare/operation.ts'
import { linkTypeOf, listsRows } from '../../server/kernel/declare/relationship.ts'
import type { Resource } from '../../server/kernel/declare/resource.ts'
import type { Singleton } from '../../server/kernel/declare/singleton.ts'
import type { Field, Fields } from '../../server/kernel/shape/fields.ts'
import { actionLinks, matchKeyOf, needsToo, skipReasons, specialCreates } from './exceptions.ts'

/** The objects of one list, which are copied together. */
export interface CopyStep {
  /** The noun of its objects, in the plural. */
  readonly name: string
  readonly path: string
  readonly resource: Resource
  /** The step of the objects that its lists are below. */
  readonly parent: CopyStep | undefined
  /** The list on both servers, where a store defines what it is a list of. */
  readonly at?: readonly [from: string, to: string]
  /** Whether the new server creates such objects, or has them by itself. */
  readonly creates: boolean
  readonly updates: boolean
}

/** The links of the objects of a list. */
export interface LinkStep {
  readonly name: string
  readonly owner: CopyStep
  readonly type: string
  /** The paths that list and change links, below an owner. */
  readonly list: string
  readonly change: string
  readonly holds: 'one' | 'many'
  readonly isPaged: boolean
  readonly operations: { readonly add: boolean; readonly replace: boolean; readonly remove: boolean }
  /** The members of a link's `meta`. */
  readonly meta: readonly string[]
  /** The type of a link in the change feed, where a change of links is not one of their owner. */
  readonly changesAs?: string
}

export interface CopyPlan {
  readonly steps: readonly CopyStep[]
  readonly links: readonly LinkStep[]
  readonly singletons: readonly Singleton[]
  /** The slugs of flows whose values are members of other objects, and are copied with those that are. */
  readonly extended: ReadonlySet<string>
  /** See `gateways.ts`. */
  readonly gateways: Resource
}

const collectionOf = (path: string) => path.replace(/:\w+/g, ':')

/** What there is to copy, in the order of what needs what: from the declarations of the API. */
export function planOf(operations: readonly Operation[]): CopyPlan {
  const candidates = operations.flatMap(({ of }) => (of.is === 'resource' ? [of.resource] : []))
  const resources = [...new Set(candidates)].filter(
    (resource) => isListed(operations, resource) && !Object.hasOwn(skipReasons, nameOf(resource)),
  )
  const steps: CopyStep[] = []
  const placed = new Map<Resource, CopyStep>()
  const place = (resource: Resource, above: readonly Resource[]): void => {
    if (placed.has(resource) || above.includes(resource)) return
    if (!hasCreate(operations, resource) && !Object.hasOwn(matchKeyOf, nameOf(resource))) return
    for (const other of resources) {
      if (needs(resource, other, operations)) place(other, [...above, resource])
    }
    const parent = parentOf(resource, resources)
    const parentStep = parent && placed.get(parent)
    if (!parentStep && resource.path.includes('/:')) return
    const step = {
      name: nameOf(resource),
      path: resource.path,
      resource,
      parent: parentStep,
      creates: hasCreate(operations, resource),
      updates: has(operations, resource, 'update'),
    }
    placed.set(resource, step)
    steps.push(step)
  }
  for (const resource of resources) place(resource, [])
  const gateways = resources.find((resource) => nameOf(resource) === 'gateways')
  if (!gateways) throw new Error('there is no list of gateways')
  const [links, singletons] = [linksOf(operations, placed), singletonsOf(operations)]
  return { steps, links, singletons, extended: extendedBy(operations), gateways }
}

const extendedBy = (operations: readonly Operation[]): ReadonlySet<string> =>
  new Set(
    operations.flatMap(({ of }) => {
      const shown = of.is === 'action' ? of.action.shows?.resource : undefined
      const { addedUnder } = (of.is === 'resource' ? of.resource : shown) ?? {}
      return typeof addedUnder === 'string' ? [addedUnder] : []
    }),
  )

/** Whether the lists of a resource are below the objects of another. */
const isBelow = ({ path }: Resource, other: Resource) =>
  collectionOf(path.slice(0, path.lastIndexOf('/:'))) === collectionOf(other.path)

const parentOf = (resource: Resource, resources: readonly Resource[]) =>
  resource.path.includes('/:') ? resources.find((other) => isBelow(resource, other)) : undefined

const nameOf = ({ noun }: Resource) => noun[1]

const has = (operations: readonly Operation[], resource: Resource, name: 'create' | 'list' | 'update') =>
  operations.some(({ of }) => of.is === 'resource' && of.resource === resource && of.name === name)

const hasCreate = (operations: readonly Operation[], resource: Resource) =>
  has(operations, resource, 'create') || Object.hasOwn(specialCreates, nameOf(resource))

/** By an operation of its own, or an action at its address. */
const isListed = (operations: readonly Operation[], resource: Resource) =>
  has(operations, resource, 'list') ||
  operations.some(
    ({ method, path, of }) =>
      method === 'GET' && of.is === 'action' && collectionOf(path) === collectionOf(resource.path),
  )

/** Whether objects of one resource may name those of another, or use fields that the other defines. */
function needs(resource: Resource, other: Resource, operations: readonly Operation[]): boolean {
  if (other === resource) return false
  if (isBelow(resource, other)) return true
  if (needsToo[nameOf(resource)]?.includes(nameOf(other))) return true
  if (resource.addedUnder !== undefined && nameOf(other) === 'flow-fields') return true
  if (typesIn(resource.fields).has(other.type)) return true
  // A create may contain links.
  return operations.some(
    ({ of }) =>
      of.is === 'resource' &&
      of.resource === resource &&
      (of.links ?? []).some((relationship) => relationship.target() === other),
  )
}

function typesIn(fields: Fields): Set<string> {
  return new Set(writable(fields).flatMap(([, field]) => typesOf(field)))
}

function typesOf({ options, members = {}, element, each }: Field): string[] {
  const inside = [...Object.values(members), ...(element ? [element] : []), ...(each ? [each] : [])]
  return [...(options.refersTo ? [options.refersTo] : []), ...inside.flatMap(typesOf)]
}

function linksOf(
  operations: readonly Operation[],
  placed: ReadonlyMap<Resource, CopyStep>,
): readonly LinkStep[] {
  const relationships = new Set(
    operations.flatMap(({ of }) => (of.is === 'relationship' ? [of.relationship] : [])),
  )
  const declared = [...relationships].flatMap((relationship): LinkStep[] => {
    const owner = placed.get(relationship.owner())
    const { name, path, holds, operations: own, meta = {} } = relationship
    // Some are listed by an action.
    const isListed = operations.some((one) => one.method === 'GET' && one.path === path)
    if (!owner || !isListed || !(own.add || own.replace) || Object.hasOwn(skipReasons, name)) return []
    const isPaged = listsRows(relationship)
    const below = path.slice(path.indexOf('/relationships/'))
    const has = { add: Boolean(own.add), replace: Boolean(own.replace), remove: Boolean(own.remove) }
    return [
      {
        ...{ name, owner, holds, isPaged, type: linkTypeOf(relationship) },
        ...{ list: below, change: below, operations: has, meta: Object.keys(meta) },
      },
    ]
  })
  const owners = [...placed.values()]
  const others = actionLinks.flatMap(({ owner: named, ...link }): LinkStep[] => {
    const owner = owners.find(({ name }) => name === named)
    const has = { add: true, replace: false, remove: true }
    return owner ? [{ ...link, owner, holds: 'many', isPaged: true, operations: has, meta: [] }] : []
  })
  return [...declared, ...others]
}

const singletonsOf = (operations: readonly Operation[]) => [
  ...new Set(
    operations.flatMap(({ of }) =>
      of.is === 'singleton' && of.name === 'update' && !Object.hasOwn(skipReasons, of.singleton.name)
        ? [of.singleton]
        : [],
    ),
  ),
]
