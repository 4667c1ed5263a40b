import type { Answer } from '../shape/answer.ts'
import type { Ctx } from '../work/context.ts'
import type { Action, ActionCall, Method } from './action.ts'
import type { Call } from './call.ts'
import { type LinkOperation, listsRows, type Relationship } from './relationship.ts'
import type { OperationName, Resource } from './resource.ts'
import type { Singleton } from './singleton.ts'

/** One operation of the API, as routing, the pipeline, the API document and the contract suite read it. */
export interface Operation {
  /** Verb-noun; the API document's operationId. */
  readonly id: string
  readonly method: Method
  readonly path: string
  /** A second prefix of the path: see `Chapter`. */
  readonly alsoUnder?: string
  readonly access: 'read' | 'write' | 'open'
  readonly area: string
  readonly about: string
  readonly status: number
  /**
   * The whole operation runs in one transaction. If false, a resource's rules still share a transaction with their
   * write.
   */
  readonly transaction: boolean
  /** The path parameter that names the object the operation writes. Writes of one object wait for each other. */
  readonly queuesBy?: string
  /** The declaration that this operation comes from. */
  readonly of:
    | {
        readonly is: 'resource'
        readonly resource: Resource
        readonly name: OperationName
        /** For a create: the relationships whose links the body may contain. See `withLinkedCreates`. */
        readonly links?: readonly Relationship[]
      }
    | {
        readonly is: 'singleton'
        readonly singleton: Singleton
        readonly name: 'get' | 'update' | 'delete'
      }
    | { readonly is: 'relationship'; readonly relationship: Relationship; readonly name: LinkOperation }
    | { readonly is: 'action'; readonly action: Action }
  /** `include=` may name links that a store has added; `included` then has what they lead to. */
  readonly includesLinked?: true
  /** For the API document: the operation for requests with this header, whose bodies and responses differ. */
  readonly alternative?: { readonly header: string; readonly operation: Operation }
  run(ctx: Ctx, call: Incoming): Promise<Answer>
}

/** The paths that lead to an operation. Links in responses and the API document use the first. */
export const pathsOf = ({ path, alsoUnder }: Operation): readonly string[] =>
  alsoUnder === undefined ? [path] : [path, alsoUnder + path]

/** The right that the access table must grant the caller; an open operation needs none. */
export const rightFor = ({ of, access }: Operation): 'read' | 'update' | 'write' | 'open' =>
  (of.is === 'resource' || of.is === 'singleton') && of.name === 'update' ? 'update' : access

/** Whether an Idempotency-Key stores the response. It never stores secrets, files or responses to uploads. */
export const isRepeatable = ({ of, access }: Operation): boolean => {
  const { signsIn, upload, shows } = of.is === 'action' ? of.action : {}
  return access === 'write' && !signsIn && !upload && !shows?.file
}

const signsIn = 'It makes a token, and a token is valid as soon as someone has it.'

/** Why a request that writes cannot be rehearsed; undefined if it can. */
export const cannotRehearse = ({ of }: Operation): string | undefined =>
  of.is === 'action' ? (of.action.signsIn ? signsIn : of.action.cannotRehearse) : undefined

/** Whether the operation writes, and takes `Prefer: dry-run`. */
export const isRehearsable = (operation: Operation): boolean =>
  operation.access === 'write' && cannotRehearse(operation) === undefined

/** Whether the operation deletes, and its response has no body. A dry run says what would be gone. */
export const isSilentDelete = ({ method, status }: Operation): boolean =>
  method === 'DELETE' && status === 204

/** Whether the operation responds with a page of a list, or with all of it as lines. */
export const isList = ({ of, method }: Operation): boolean =>
  (of.is === 'resource' && of.name === 'list') ||
  (of.is === 'action' &&
    method === 'GET' &&
    (of.action.shows?.page === true || of.action.shows?.lines === true)) ||
  (of.is === 'relationship' && of.name === 'list' && listsRows(of.relationship))

/** A call with its headers, and with its body as a stream for an upload. */
export interface Incoming extends Call, Pick<ActionCall, 'headers' | 'method' | 'upload'> {}
