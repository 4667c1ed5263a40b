import { authorize } from '../kernel/auth/access.ts'
import { isList, type Operation, pathsOf, rightFor } from '../kernel/declare/operation.ts'
import { Problem } from '../kernel/errors.ts'
import type { Module } from '../kernel/module.ts'
import type { Ctx } from '../kernel/work/context.ts'

/** A list whose objects can be changed at once, at a path of it. */
export interface ChangeableList extends TargetOperations {
  readonly path: string
  readonly params: Readonly<Record<string, string>>
}

/** How objects of a list are listed, read and updated one by one. */
interface TargetOperations {
  readonly list: Operation
  readonly get: Operation
  readonly update: Operation
}

/** Rights, secrets, definitions and shoppers' own carts are changed one at a time. */
const oneAtATime: readonly string[] = [
  ...['application-keys', 'authentication-realms', 'merchant-realm-mappings', 'user-authentication-info'],
  ...['user-authentication-password-profile-info', 'user-authentication-oidc-profile-info'],
  ...['permissions', 'colleagues', 'integrations', 'gateways', 'custom-apis', 'flows', 'currencies', 'carts'],
]

/** Updates that are actions of their own, of objects that are listed as those of a resource are. */
const ownUpdates: readonly string[] = [
  ...['update-custom-entry', 'update-custom-entry-in-settings', 'update-stock'],
]

interface Pattern extends TargetOperations {
  readonly segments: readonly string[]
}

/** The lists whose objects can be changed at once. */
export class ChangeableLists {
  readonly #modules: () => readonly Module[]
  #patterns: readonly Pattern[] | undefined

  constructor(modules: () => readonly Module[]) {
    this.#modules = modules
  }

  get all(): readonly TargetOperations[] {
    return this.#all
  }

  /** The list at a path; throws a Problem if its objects cannot be changed at once. */
  at(path: string): ChangeableList {
    const parts = path.split('/').map(decode)
    for (const { segments, ...operations } of this.#all) {
      const params = parts.length === segments.length ? match(segments, parts) : undefined
      if (params) return { ...operations, path, params }
    }
    const detail =
      'data.list must be the path of a list whose objects have an update, such as /pcm/products, without a query. ' +
      'Rights, secrets, definitions and carts are changed one at a time.'
    throw new Problem('invalid_field', detail, { source: 'data.list' })
  }

  get #all(): readonly Pattern[] {
    this.#patterns ??= patternsOf(this.#modules().flatMap(({ operations }) => operations))
    return this.#patterns
  }
}

/** Those with fewer parameters come first: a segment that is a word may also be a value. */
function patternsOf(operations: readonly Operation[]): readonly Pattern[] {
  const at = (method: string, path: string) =>
    operations.find((one) => one.method === method && one.path === path)
  return operations
    .filter((one) => one.method === 'PUT' && !oneAtATime.includes(one.area) && changesOneObject(one))
    .flatMap((update) => {
      const list = at('GET', update.path.slice(0, update.path.lastIndexOf('/')))
      const get = at('GET', update.path)
      return list && get && isList(list)
        ? pathsOf(list).map((path) => ({ list, get, update, segments: path.split('/') }))
        : []
    })
    .toSorted((one, other) => countParameters(one.segments) - countParameters(other.segments))
}

const changesOneObject = ({ id, of }: Operation): boolean =>
  (of.is === 'resource' && of.name === 'update') || ownUpdates.includes(id)

const isParameter = (segment: string) => segment.startsWith(':')
const countParameters = (segments: readonly string[]) => segments.filter(isParameter).length

function match(segments: readonly string[], parts: readonly string[]): ChangeableList['params'] | undefined {
  const params: Record<string, string> = {}
  for (const [i, segment] of segments.entries()) {
    const part = parts[i] as string
    if (!isParameter(segment)) {
      if (segment !== part) return undefined
    } else if (part === '') return undefined
    else params[segment.slice(1)] = part
  }
  return params
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** Refuses (403) a caller who may not list these objects, or not update one of them. */
export function mustBeAllowed({ instance, who }: Ctx, { list, update }: TargetOperations): void {
  for (const operation of [list, update]) {
    const right = rightFor(operation)
    if (right !== 'open') authorize(instance, who, operation.area, right)
  }
}
