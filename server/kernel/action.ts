import type { Ctx } from './context.ts'
import type { Fields, Values } from './fields.ts'
import type { Answer } from './http/answer.ts'
import type { Call } from './operations.ts'
import type { Resource } from './resource.ts'

type Names<R extends string> = R extends `${string}:${infer P}/${infer Rest}`
  ? P | Names<`/${Rest}`>
  : R extends `${string}:${infer P}`
    ? P
    : never

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** What is not CRUD: one call with a name, in its own file. */
export interface Action<R extends string = string, F extends Fields = Fields> {
  /** Verb-noun: the operation id, and the name of its file. */
  readonly name: string
  readonly route: R
  readonly about: string
  /** The row of the access table that says who may call; `open` needs no token. */
  readonly area: string | 'open'
  /** The parameter of an open action's path that names the store it belongs to. */
  readonly storeIn?: Names<R>
  readonly status: 200 | 201 | 202 | 204 | 303 | 307
  /** The parameters of the query that it reads, for the API document; it checks them itself. */
  readonly query?: Fields
  /** The fields of `data` in the body, with its `type`. */
  readonly body?: { readonly type: string; readonly alsoType?: readonly string[]; readonly fields: F }
  /** `run` sees the body's bytes as they came: for bodies that are not the usual JSON envelope. */
  readonly rawBody?: boolean
  /**
   * It waits for what no transaction may wait for: another server, or a hash that is slow by design. Any other action
   * that writes runs in one transaction; this one opens its own, with `ctx.transaction`.
   */
  readonly callsOut?: true
  /**
   * Whoever calls it wants to sign in. A shopper's token that comes along is not looked at, since it may have ended,
   * and the answer is kept neither by a cache nor for an Idempotency-Key, since it is a secret.
   */
  readonly signsIn?: boolean
  /** For the API document: the answer is an object of this resource, or (`page`) a page of a list. */
  readonly shows?: { readonly resource?: Resource; readonly page?: true }
  run(ctx: Ctx, call: ActionCall<R, F>): Promise<Answer>
}

export interface ActionCall<R extends string, F extends Fields> extends Omit<Call, 'params' | 'body'> {
  readonly params: Readonly<Record<Names<R>, string>>
  /** The checked values of the declared fields. */
  readonly body: Values<F>
  /** The whole body as it came, for an action that reads more than its fields. */
  readonly rawBody: unknown
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

/** Declares an action. */
export const action = <const R extends string, const F extends Fields = Record<never, never>>(
  declared: Action<R, F>,
): Action => declared as unknown as Action
