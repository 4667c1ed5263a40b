import type { Answer } from '../shape/answer.ts'
import type { Ctx } from '../work/context.ts'
import type { Action, ActionCall, Method } from './action.ts'
import type { Call } from './call.ts'
import type { LinkOperation, Relationship } from './relationship.ts'
import type { OperationName, Resource } from './resource.ts'
import type { Singleton } from './singleton.ts'

/** One call of the API: what routing, the pipeline, the API document and the contract suite need to know of it. */
export interface Operation {
  /** Verb-noun; the API document's operationId. */
  readonly id: string
  readonly method: Method
  readonly path: string
  /** What may also stand before its path: see `Chapter`. */
  readonly alsoUnder?: string
  readonly access: 'read' | 'write' | 'open'
  readonly area: string
  readonly about: string
  readonly status: number
  /** All of it runs in one. Where it does not, a resource's rules and the write that they are for still do. */
  readonly transaction: boolean
  /** The parameter of its path that names the object it writes: writes of one object wait for each other. */
  readonly queuesBy?: string
  /** Which of these it was made from. */
  readonly of:
    | {
        readonly is: 'resource'
        readonly resource: Resource
        readonly name: OperationName
        /** Of a create: the relationships whose links it takes, see `withLinkedCreates`. */
        readonly links?: readonly Relationship[]
      }
    | {
        readonly is: 'singleton'
        readonly singleton: Singleton
        readonly name: 'get' | 'update' | 'delete'
      }
    | { readonly is: 'relationship'; readonly relationship: Relationship; readonly name: LinkOperation }
    | { readonly is: 'action'; readonly action: Action }
  /** For the API document: what it is for requests with this header, where bodies and answers are then others. */
  readonly alternative?: { readonly header: string; readonly operation: Operation }
  run(ctx: Ctx, call: Incoming): Promise<Answer>
}

/** The paths that lead to an operation; links of answers and the API document have the first. */
export const pathsOf = ({ path, alsoUnder }: Operation): readonly string[] =>
  alsoUnder === undefined ? [path] : [path, alsoUnder + path]

/** What a caller must be allowed to do; for an open operation there is nothing to allow. */
export const rightFor = ({ of, access }: Operation): 'read' | 'update' | 'write' | 'open' =>
  (of.is === 'resource' || of.is === 'singleton') && of.name === 'update' ? 'update' : access

/** Whether the answer is kept for an Idempotency-Key: neither a secret nor a file is, nor the answer to an upload. */
export const isRepeatable = ({ of, access }: Operation): boolean => {
  const { signsIn, upload, shows } = of.is === 'action' ? of.action : {}
  return access === 'write' && !signsIn && !upload && !shows?.file
}

/** A call with its headers, and its body where that is a stream. */
export interface Incoming extends Call, Pick<ActionCall, 'headers' | 'method' | 'upload'> {}
