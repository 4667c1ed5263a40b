import type { Readable } from 'node:stream'
import type { BodyShape } from '../body/input.ts'
import type { Item, Kinds, KindsBody } from '../body/kinds.ts'
import type { ProblemCode } from '../errors.ts'
import type { Answer } from '../shape/answer.ts'
import type { Field, Fields, JsonSchema, Values } from '../shape/fields.ts'
import type { Ctx } from '../work/context.ts'
import type { OutsideCall } from '../work/outside-calls.ts'
import type { Call } from './call.ts'
import type { Resource } from './resource.ts'

type Names<R extends string> = R extends `${string}:${infer P}/${infer Rest}`
  ? P | Names<`/${Rest}`>
  : R extends `${string}:${infer P}`
    ? P
    : never

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** What is not CRUD: one call with a name, in its own file. */
export interface Action<
  R extends string = string,
  F extends Fields = Fields,
  U extends UploadRule | undefined = UploadRule | undefined,
  K extends Kinds = Kinds,
> {
  /** Verb-noun: the operation id, and the name of its file. */
  readonly name: string
  readonly route: R
  readonly about: string
  /** The row of the access table that says who may call; `open` needs no token. */
  readonly area: string | 'open'
  /** The parameter of an open action's path that names the store it belongs to. */
  readonly storeIn?: Names<R>
  readonly status: 200 | 201 | 202 | 204 | 303 | 307
  /** For the API document: the parameters of its path that are not the ids of objects. */
  readonly params?: Fields
  /** The parameters of the query that it reads, for the API document; it checks them itself. */
  readonly query?: Fields
  /** The headers that it reads, beside those of all operations, for the API document; it checks them itself. */
  readonly headers?: Fields
  /** The fields of `data` in the body, with its `type`. Where it is `optional`, it may be left out with all of them. */
  readonly body?: Omit<BodyShape, 'added' | 'refusedWith'> & { readonly fields: F; readonly optional?: true }
  /** In place of `body`: what all of `data` is, where it is no object with a type. A DELETE that says so has a body. */
  readonly data?: Field
  /** In place of `body`: `data` is an object whose kind chooses its fields, or a list of such objects. See `kinds`. */
  readonly kinds?: KindsBody<K>
  /** `run` sees the body's bytes as they came: for bodies that are not the usual JSON envelope. */
  readonly rawBody?: boolean
  /** For the API document, where the body is raw: its schema, by media type. */
  readonly rawBodies?: Readonly<Record<string, JsonSchema>>
  /** For the API document: refusals that nothing else here tells of, such as too many tries. */
  readonly refuses?: readonly ProblemCode[]
  /**
   * It only reads, though it is no GET: what it asks for is in the body. Whoever may read may call it, it is carried
   * out as reads are (a part of the connections, no transaction, no longer than its client waits), and an
   * Idempotency-Key means as much to it as to a GET: nothing.
   */
  readonly reads?: true
  /** Of an action that reads: how long a request may take. Then its statement is ended, and the answer is a 422. */
  readonly withinMs?: number
  /**
   * It opens its own transactions, with `ctx.transaction`, since it waits for something slow between them: a hash that
   * is slow by design, or a sign-in elsewhere. Any other action that writes runs in one transaction.
   */
  readonly ownTransactions?: true
  /**
   * The parameter of the path that names the object it writes: it waits for other writes of that object before it takes
   * a connection. Not for what calls out: nobody is to wait for another server.
   */
  readonly queuesBy?: Names<R>
  /** It makes this request to another server, with `callOut`; it opens its own transactions too. */
  readonly callsOut?: OutsideCall
  /**
   * The body is an upload: `run` gets it as a stream, and reads it with `pipeline` or `for await`, so that what refuses
   * it refuses the request. The whole body counts, also what is around a file in it. No transaction may wait for a
   * client either: it opens its own when it has read.
   */
  readonly upload?: U
  /**
   * Whoever calls it wants to sign in. A shopper's token that comes along is not looked at, since it may have ended,
   * and the answer is kept neither by a cache nor for an Idempotency-Key, since it is a secret.
   */
  readonly signsIn?: boolean
  /**
   * For the API document: the answer is an object of this resource, or (`page`) a page of a list, or a file; `errors`
   * may be beside its `data`. `rows`: whose rows a page is of, which is sorted and filtered as they are, where they are
   * shown as objects of another resource; and others, where a request may ask for those.
   */
  readonly shows?: {
    readonly resource?: Resource
    readonly page?: true
    readonly rows?: readonly [usual: Resource, ...others: Resource[]]
    /** Its media type, where it is always the same. */
    readonly file?: true | string
    /** A part of the file can be asked for. */
    readonly ranges?: true
    readonly errors?: true
    /** The answer has no body. */
    readonly empty?: true
    /** The answer has an entity tag; that of an object of a resource always has. */
    readonly etag?: true
    /** What `data` is, where it is no object of a resource; of a page, what each of its items is. See `named`. */
    readonly data?: JsonSchema
    /** The members of the answer beside `data`; of a page, beside `meta` and `links`. */
    readonly beside?: Readonly<Record<string, JsonSchema>>
    /** The members of a page's `meta` beside `page` and `results`. */
    readonly meta?: Readonly<Record<string, JsonSchema>>
    /** Other statuses that it answers with: what their body is, or null for none. */
    readonly others?: Readonly<Record<number, JsonSchema | null>>
    /** The whole body, where the answer has no `data`. */
    readonly body?: JsonSchema
  }
  run(ctx: Ctx, call: ActionCall<R, F, U, K>): Promise<Answer>
  /**
   * Refuses whoever may not, where that hangs on more than the area and `run` finds it out: it is not asked when its
   * answer is repeated for an Idempotency-Key.
   */
  mayRepeat?(ctx: Ctx, call: Pick<ActionCall<R>, 'params'>): Promise<void>
}

export interface UploadRule {
  readonly bytesMax: number
  /** For the API document: the body is a form with these parts, which `run` reads with `readForm`. */
  readonly form?: Fields
}

export interface ActionCall<
  R extends string = string,
  F extends Fields = Fields,
  U extends UploadRule | undefined = UploadRule | undefined,
  K extends Kinds = Kinds,
> extends Omit<Call, 'params' | 'body'> {
  readonly params: Readonly<Record<Names<R>, string>>
  /** The checked values of the declared fields. */
  readonly body: Values<F>
  /** The checked value of `data`, where that is one field. */
  readonly data: unknown
  /** The checked objects of `data`, where it has kinds. */
  readonly items: readonly Item<K>[]
  /** The whole body as it came, for an action that reads more than its fields. */
  readonly rawBody: unknown
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** HEAD where nobody reads more than the headers of the answer. */
  readonly method: string
  /** The body, where `upload` takes it as a stream. */
  readonly upload: U extends UploadRule ? Readable : undefined
}

/** Declares an action. */
export const action = <
  const R extends string,
  const F extends Fields = Record<never, never>,
  const U extends UploadRule | undefined = undefined,
  const K extends Kinds = Record<never, never>,
>(
  declared: Action<R, F, U, K>,
): Action => declared as unknown as Action
