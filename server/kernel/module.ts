import { withArticle } from './article.ts'
import type { AccessTable } from './auth/access.ts'
import { dataReader, input, isObject } from './body/input.ts'
import type { Action, Method } from './declare/action.ts'
import type { Call } from './declare/call.ts'
import type { Addition } from './declare/hook.ts'
import { mustHavePlaceForLinks } from './declare/mistakes.ts'
import type { Operation } from './declare/operation.ts'
import type { LinkOperation, Relationship } from './declare/relationship.ts'
import type { OperationName, Resource } from './declare/resource.ts'
import type { Singleton } from './declare/singleton.ts'
import type { DatabaseFigure } from './metrics/database-figures.ts'
import { resolveId, scopeOf } from './query/find.ts'
import { aboutUnborn, scopeOfNew, unbornAbove } from './request/first-write.ts'
import * as operations from './request/operations.ts'
import { linkOperation } from './request/relationships.ts'
import { deleteSingleton, getSingleton, updateSingleton } from './request/singletons.ts'
import { describeOrder, nounOf } from './shape/model.ts'
import { complete } from './shape/values.ts'
import { removeThing, updateThing } from './thing/thing-operations.ts'
import type { Background } from './work/background.ts'
import type { Work } from './work/context.ts'
import type { Chore, Job, LongJob } from './work/job.ts'
import type { OutsideCall } from './work/outside-calls.ts'
import type { RenewSeals } from './work/secret-records.ts'
import { remove } from './write/by-rules.ts'

export interface Module {
  readonly name: string
  readonly about: string
  readonly alsoUnder?: string
  readonly operations: readonly Operation[]
  /** The declared resources, including those that only actions read and write. */
  readonly resources: readonly Resource[]
  readonly jobs: readonly (Job | LongJob)[]
  readonly chores: readonly Chore[]
  readonly background: readonly Background[]
  /** What metrics say of its rows, of all stores. */
  readonly figures: readonly DatabaseFigure[]
  /** What it adds to earlier modules. */
  readonly adds: readonly Addition[]
  readonly firstDay?: FirstDay
  readonly renewSeals?: RenewSeals
}

/** The description of a module for the API document, with its second path prefix. */
export function describeModule({ about, alsoUnder, operations }: Module): string {
  const [path] = operations.map(({ path }) => path).sort()
  return alsoUnder && path
    ? `${about} Every path also works with the prefix \`${alsoUnder}\`: \`${alsoUnder}${path}\` is the same as \`${path}\`.`
    : about
}

/**
 * Creates what every store has from its first day. It runs once for each store; existing stores get it at the next
 * start. See `prepareStores`.
 */
type FirstDay = (work: Work) => Promise<void>

interface Chapter {
  readonly name: string
  /** One sentence for the API document. */
  readonly about: string
  /** A second path prefix for all operations, for contracts in which clients write the paths in two ways. */
  readonly alsoUnder?: string
  readonly resources?: readonly Resource[]
  readonly singletons?: readonly Singleton[]
  readonly relationships?: readonly Relationship[]
  readonly actions?: readonly Action[]
  readonly jobs?: readonly (Job | LongJob)[]
  readonly chores?: readonly Chore[]
  readonly background?: readonly Background[]
  readonly figures?: readonly DatabaseFigure[]
  readonly adds?: readonly Addition[]
  readonly firstDay?: FirstDay
  readonly renewSeals?: RenewSeals
}

/** Declares a module: one chapter of the application. */
export const module = ({
  name,
  about,
  alsoUnder,
  resources = [],
  singletons = [],
  relationships = [],
  actions = [],
  jobs = [],
  chores = [],
  background = [],
  figures = [],
  adds = [],
  firstDay,
  renewSeals,
}: Chapter): Module => ({
  name,
  about,
  ...(alsoUnder && { alsoUnder }),
  operations: [
    ...actions.map(ofAction),
    ...singletons.flatMap(ofSingleton),
    ...resources.flatMap(ofResource),
    ...relationships.flatMap(ofRelationship),
  ].map((operation) => (alsoUnder ? { ...operation, alsoUnder } : operation)),
  resources,
  jobs,
  chores,
  background,
  figures,
  adds,
  ...(firstDay && { firstDay }),
  ...(renewSeals && { renewSeals }),
})

/** Joins the modules of one application: adds to each what later ones have for it. */
export function joined(modules: readonly Module[]): readonly Module[] {
  for (const add of modules.flatMap(({ adds }) => adds)) add()
  return modules
}

/** Throws if a module uses an area without a row in the access table: no one could call its operations. */
export function mustHaveRows(access: AccessTable, modules: readonly Module[]): void {
  for (const { name, operations } of modules) {
    const without = operations.find((one) => one.access !== 'open' && !access[one.area])
    if (without) throw new Error(`The area ${without.area} of ${name} has no row in the access table`)
  }
}

const all: readonly OperationName[] = ['list', 'create', 'get', 'update', 'delete']
const methods = { list: 'GET', create: 'POST', get: 'GET', update: 'PUT', delete: 'DELETE' } as const
const statuses = { list: 200, create: 201, get: 200, update: 200, delete: 204 } as const
const sentences = {
  list: (_one: string, many: string, order: string, whole = false) =>
    whole ? `Lists all ${many}, ${order}.` : `Lists ${many}, a page at a time, ${order}.`,
  create: (one: string) => `Creates ${one}.`,
  get: (one: string) => `Reads ${one}.`,
  update: (one: string) => `Updates ${one}. Fields that are not sent keep their values.`,
  delete: (one: string) => `Deletes ${one}.`,
} as const

const writes = (name: OperationName) => name !== 'list' && name !== 'get'

function ofResource(resource: Resource): Operation[] {
  const [one, many] = resource.noun
  const phrase = withArticle(nounOf(resource))
  const runs = runsOf(resource)
  return (resource.operations ?? all).map((name) => ({
    id: `${name}-${name === 'list' ? many : one}`,
    method: methods[name],
    path: name === 'list' || name === 'create' ? resource.path : `${resource.path}/:id`,
    access: writes(name) ? 'write' : 'read',
    area: resource.area,
    about: [
      sentences[name](phrase, many.replaceAll('-', ' '), describeOrder(resource), resource.whole),
      ...aboutUnborn(resource, name),
      ...(resource.computed && name === 'get' ? [aboutComputed] : []),
    ].join(' '),
    status: statuses[name],
    transaction: false,
    ...((name === 'update' || name === 'delete') && { queuesBy: 'id' }),
    ...(name === 'create' && belowUnborn(resource)),
    of: { is: 'resource', resource, name },
    run: runs[name],
  }))
}

type OperationRun = Operation['run']

/** How each operation of a resource runs. */
function runsOf(resource: Resource): Readonly<Record<OperationName, OperationRun>> {
  const nameIn = ({ params }: Call) => params.id ?? ''
  const onExisting =
    (run: typeof operations.get): OperationRun =>
    async (ctx, call) => {
      const scope = await scopeOf(ctx, resource, call.params)
      return run(ctx, resource, scope, await resolveId(ctx, resource, scope, nameIn(call)), call)
    }
  const { unborn, thing = unborn } = resource
  const ofThing =
    (run: typeof updateThing): OperationRun =>
    (ctx, call) =>
      run(ctx, resource, nameIn(call), call)
  return {
    list: async (ctx, call) =>
      operations.list(ctx, resource, await scopeOf(ctx, resource, call.params), call),
    create: async (ctx, call) =>
      operations.create(ctx, resource, await scopeOfNew(ctx, resource, call.params), call),
    get: onExisting(operations.get),
    update: thing ? ofThing(updateThing) : onExisting(operations.update),
    delete: thing ? ofThing(removeThing) : onExisting(remove),
  }
}

const aboutComputed =
  'Its entity tag has two parts: a version and the state of the computed values. If-Match compares only the version.'

/** A create may also create the object above it, in the same transaction. */
function belowUnborn(resource: Resource): Pick<Operation, 'queuesBy' | 'transaction'> | undefined {
  const queuesBy = unbornAbove(resource)
  return queuesBy === undefined ? undefined : { queuesBy, transaction: true }
}

function ofSingleton(singleton: Singleton): Operation[] {
  const noun = singleton.name
  return singleton.operations.map((name) => ({
    id: `${name}-${noun}`,
    method: methods[name],
    path: singleton.path,
    access: name === 'get' ? 'read' : 'write',
    area: singleton.area,
    about: singleton.about,
    status: statuses[name],
    transaction: false,
    of: { is: 'singleton', singleton, name },
    run: (ctx, call) => {
      if (name === 'get') return getSingleton(ctx, singleton)
      if (name === 'update') return updateSingleton(ctx, singleton, call)
      return deleteSingleton(ctx, singleton, call)
    },
  }))
}

/** The outside calls of all modules, by name. */
export function outsideCallsOf(modules: readonly Module[]): ReadonlyMap<string, OutsideCall> {
  const calls = modules
    .flatMap((module) => module.operations)
    .flatMap(({ of }) => (of.is === 'action' && of.action.callsOut) || [])
  return new Map(calls.map((call) => [call.name, call]))
}

/** All resources of the modules: the declared ones, then those that only the response of an action shows. */
export function resourcesOf(modules: readonly Module[]): readonly Resource[] {
  const shown = modules
    .flatMap(({ operations }) => operations)
    .flatMap(({ of }) => (of.is === 'action' && of.action.shows) || [])
    .flatMap(({ resource = [], rows = [] }) => [resource, rows].flat())
  return [...new Set([...modules.flatMap(({ resources }) => resources), ...shown])]
}

/** The last parameter of a path, if it has any. */
function queuesByLast(path: string): { readonly queuesBy?: string } {
  const last = path.split('/').findLast((segment) => segment.startsWith(':'))
  return last === undefined ? {} : { queuesBy: last.slice(1) }
}

const linkMethods = { list: 'GET', add: 'POST', replace: 'PUT', remove: 'DELETE' } as const

function ofRelationship(relationship: Relationship): Operation[] {
  const { name, path, area, about, operations } = relationship
  mustHavePlaceForLinks(relationship)
  return (Object.keys(operations) as LinkOperation[]).map((operation) => ({
    id: operation === 'list' ? `list-${name}-of-${relationship.owner().noun[0]}` : `${operation}-${name}`,
    method: linkMethods[operation],
    path,
    access: operation === 'list' ? 'read' : 'write',
    area,
    about,
    status: operations[operation] ?? 200,
    transaction: operation !== 'list',
    ...(operation !== 'list' && queuesByLast(path)),
    of: { is: 'relationship', relationship, name: operation },
    run: (ctx, call) => linkOperation(ctx, relationship, operation, call),
  }))
}

function ofAction(action: Action): Operation {
  const [method, path] = action.route.split(' ') as [Method, string]
  const reader = action.body && input(action.body)
  const readData = action.data && dataReader(action.data)
  mustTakeKinds(action, method)
  const writes = method !== 'GET' && !action.reads
  return {
    id: action.name,
    method,
    path,
    access: action.area === 'open' ? 'open' : writes ? 'write' : 'read',
    area: action.area,
    about: action.about,
    status: action.status,
    transaction: writes && !action.ownTransactions && !action.callsOut && !action.upload,
    ...(action.queuesBy !== undefined && { queuesBy: action.queuesBy }),
    of: { is: 'action', action },
    run: async (ctx, call) => {
      const body =
        action.body && reader ? complete(action.body.fields, reader.create(bodyOf(action, call))) : {}
      return action.run(ctx, {
        ...call,
        body,
        data: readData?.(call.body),
        items: action.kinds?.read(call.body) ?? [],
        rawBody: call.body,
      })
    },
  }
}

/** Throws if an action with kinds also declares another body, or has a method without a body. */
function mustTakeKinds({ name, kinds, body, data, rawBody, upload }: Action, method: Method): void {
  if (!kinds) return
  if (body || data || rawBody || upload || method === 'GET' || method === 'DELETE') {
    throw new Error(`${name}: kinds are the whole body of a POST or a PUT`)
  }
}

/** The body. If it is optional, an empty body and an object without `data` both mean no values. */
function bodyOf({ body }: Action, { body: content }: Call): unknown {
  if (!body?.optional) return content
  const isEmpty = content === undefined || (isObject(content) && content.data === undefined)
  return isEmpty ? { data: { type: body.type } } : content
}
