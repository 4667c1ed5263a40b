import type { Operation } from '../../server/kernel/declare/operation.ts'
import type { OperationName, Resource } from '../../server/kernel/declare/resource.ts'
import { place } from '../../server/kernel/shape/envelope.ts'
import type { Fields } from '../../server/kernel/shape/fields.ts'

/** One kind of object for the tests: its resource and its operations, some of which may be actions. */
export interface Specimen {
  /** The resource's noun. */
  readonly name: string
  readonly resource: Resource
  readonly operations: Partial<Readonly<Record<OperationName, Operation>>>
  /** A request defines its resource. The one here stands for it, and the type of its objects is unknown. */
  readonly runTime: boolean
}

/** What the operations do not tell. */
interface More {
  readonly runTime: readonly Resource[]
  /** Nouns whose create differs from others: it has another response, or a job changes the object afterwards. */
  readonly specialCreates: readonly string[]
}

const routes = { list: 'GET', create: 'POST', get: 'GET', update: 'PUT', delete: 'DELETE' } as const

/** A path whose parameters have no names: two that are the same lead to the same objects. */
export const placeOf = (path: string): string => path.replace(/:\w+/g, ':')

/** One specimen of every kind of object of the operations. */
export function specimensOf(operations: readonly Operation[], more: More): readonly Specimen[] {
  const declared = new Set(operations.flatMap(({ of }) => (of.is === 'resource' ? [of.resource] : [])))
  const specimen = (resource: Resource, runTime: boolean): Specimen => {
    const own = (Object.keys(routes) as OperationName[]).flatMap((name) => {
      // The laws of creates do not hold for theirs.
      if (name === 'create' && more.specialCreates.includes(resource.noun[0])) return []
      const operation = operationOf(operations, resource, name, runTime)
      // The laws of creates hold for those with a JSON body.
      if (name === 'create' && operation?.of.is === 'action' && operation.of.action.upload) return []
      return operation ? [[name, operation] as const] : []
    })
    return { name: resource.noun[0], resource, runTime, operations: Object.fromEntries(own) }
  }
  return [
    ...[...declared].map((resource) => specimen(resource, false)),
    ...more.runTime.map((resource) => specimen(resource, true)),
  ]
}

const lists = (operation: Operation | undefined, resource: Resource): boolean => {
  const shows = operation?.of.is === 'action' ? operation.of.action.shows : undefined
  return shows?.page === true && shows.resource === resource && !shows.rows
}

/** The resource's own operation, or the action that stands at its address. */
function operationOf(
  operations: readonly Operation[],
  resource: Resource,
  name: OperationName,
  runTime: boolean,
): Operation | undefined {
  const own = operations.find(
    ({ of }) => of.is === 'resource' && of.resource === resource && of.name === name,
  )
  const path = placeOf(name === 'list' || name === 'create' ? resource.path : `${resource.path}/:id`)
  const action = operations.find((other) => other.method === routes[name] && placeOf(other.path) === path)
  // An action with GET may answer anything: it is a list if it says so.
  if (own || (!runTime && (name === 'list' ? !lists(action, resource) : name === 'get'))) return own
  return action
}

/** A body of one of the specimen's operations with these values, which an action has at the top. */
export function bodyWith(
  { operations, resource }: Specimen,
  name: 'create' | 'update',
  values: Readonly<Record<string, unknown>>,
): { data: Readonly<Record<string, unknown>> } {
  const envelope = operations[name]?.of.is === 'action' ? undefined : resource.envelope
  const data = place(envelope, values)
  return { data: envelope?.type === 'attributes' ? { type: resource.type, ...data } : data }
}

/** The fields that a create of the specimen takes. */
export const createFields = ({ resource, operations }: Specimen): Fields => {
  const of = operations.create?.of
  return of?.is === 'action' && of.action.body ? of.action.body.fields : resource.fields
}
