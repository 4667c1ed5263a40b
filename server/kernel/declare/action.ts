import type { Readable } from 'node:stream'
import type { BodyShape } from '../body/input.ts'
import type { Kinds, KindsBody, SentItem } from '../body/kinds.ts'
import type { ProblemCode } from '../errors.ts'
import type { Answer } from '../shape/answer.ts'
import type { Field, Fields, JsonSchema, Values } from '../shape/fields.ts'
import type { Ctx } from '../work/context.ts'
import type { OutsideCall } from '../work/outside-calls.ts'
import type { Call } from './call.ts'
import type { Resource } from './resource.ts'

/** The names of the parameters of a route. */
export type Names<R extends string> = R extends `${string}:${infer P}/${infer Rest}`
  ? P | Names<`/${Rest}`>
  : R extends `${string}:${infer P}`
    ? P
    : never

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** A named operation that is not CRUD. Each action has a file of its own. */
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
  /** The path parameter of an open action that holds the id of its store. */
  readonly storeIn?: Names<R>
  readonly status: 200 | 201 | 202 | 204 | 303 | 307
  /** For the API document: the path parameters that are not ids of objects. */
  readonly params?: Fields
  /** For the API document: the query parameters. The action checks them itself. */
  readonly query?: Fields
  /** For the API document: the headers, beside those of every operation. The action checks them itself. */
  readonly headers?: Fields
  /** The fields of `data` in the body, with its `type`. If `optional`, a client may leave out the body and `data`. */
  readonly body?: Omit<BodyShape, 'added' | 'refusedWith'> & {
    readonly fields: F
    readonly optional?: true
    /** For the API document: the values of a request, if the examples of all fields together are none. */
    readonly example?: Readonly<Record<string, unknown>>
    /** For the API document: keywords of a JSON Schema for fields that depend on each other. `run` checks them. */
    readonly rules?: JsonSchema
  }
  /** For the API document: the members of the body beside `data`. The action checks them itself, with `dataReader`. */
  readonly besideData?: Fields
  /** Replaces `body` where `data` is not an object with a type. Declare it on a DELETE to give the DELETE a body. */
  readonly data?: Field
  /**
   * Replaces `body` where `data` is an object whose kind chooses its fields, or a list of such objects. See `kinds`.
   */
  readonly kinds?: KindsBody<K>
  /** Gives `run` the bytes of the body, for bodies that are not the usual JSON envelope. */
  readonly rawBody?: boolean
  /** For the API document: the schema of a raw body, by media type. */
  readonly rawBodies?: Readonly<Record<string, JsonSchema>>
  /** For the API document: refusals that do not follow from the rest of the declaration, such as too many attempts. */
  readonly refuses?: readonly ProblemCode[]
  /**
   * The action only reads, although it is not a GET: its query is in the body. It runs as a GET does: a caller needs
   * the right to read, there is no transaction, it uses the connections for reading, and it ends when the client hangs
   * up. It ignores an Idempotency-Key.
   */
  readonly reads?: true
  /** The time limit of an action that reads. After it the server ends the statement and responds with 422. */
  readonly withinMs?: number
  /**
   * The action opens its own transactions with `ctx.transaction`, because it waits for something slow between them,
   * such as a slow hash or a sign-in at another server. Every other action that writes runs in one transaction.
   */
  readonly ownTransactions?: true
  /**
   * The path parameter that names the object the action writes. The request waits for other writes of that object
   * before it takes a connection. The transactions of an action that calls out wait so, but never for a call.
   */
  readonly queuesBy?: Names<R>
  /** The request to another server that the action makes with `callOut`. Such an action opens its own transactions. */
  readonly callsOut?: OutsideCall
  /**
   * The body is an upload. `run` gets it as a stream and reads it with `pipeline` or `for await`, so that a faulty body
   * fails the request. The limit counts the whole body, including the multipart envelope. No transaction may wait for a
   * client, so the action opens its own after reading.
   */
  readonly upload?: U
  /**
   * The action signs the caller in. The server ignores a shopper token on the request, since it may have expired. The
   * response contains a secret, so neither a cache nor an Idempotency-Key may store it.
   */
  readonly signsIn?: boolean
  /** Why the action refuses a dry run, as a sentence for clients. One that signs in refuses it anyway. */
  readonly cannotRehearse?: string
  /**
   * For the API document: the response is an object of this resource, a page of a list (`page`) or a file; it may have
   * `errors` beside its `data`. `rows` names the resources whose fields sort and filter the page, if the page shows
   * them as objects of another resource. The first is the usual one; a request may choose the others.
   */
  readonly shows?: {
    readonly resource?: Resource
    readonly page?: true
    readonly rows?: readonly [usual: Resource, ...others: Resource[]]
    /** The media type, if it is always the same. Clients may request a part of it if `headers` has `Range`. */
    readonly file?: true | string
    readonly errors?: true
    /** The response has an entity tag. An object of a resource always has one. */
    readonly etag?: true
    /** The response sets a cookie, for browsers. */
    readonly cookie?: true
    /** `data` if it is not an object of a resource; of a page, each item. See `named`. */
    readonly data?: Field
    /** The members of the response beside `data`; of a page, beside `meta` and `links`. */
    readonly beside?: Fields
    /** The members of a page's `meta` beside `page` and `results`. */
    readonly meta?: Fields
    /** The other statuses of the response, with their whole body, or null for no body. */
    readonly others?: Readonly<Record<number, Field | null>>
    /** The whole body, if the response has no `data`; null for no body. */
    readonly body?: Field | null
    /** The media type of a stream that clients may get in place of JSON, with `Accept`. */
    readonly stream?: string
    /** The response is all of the objects of the body as lines, if `Accept` prefers them. */
    readonly lines?: true
  }
  run(ctx: Ctx, call: ActionCall<R, F, U, K>): Promise<Answer>
  /**
   * Repeats the checks of `run` that go beyond the area. The server calls it before it repeats a stored response for an
   * Idempotency-Key, since `run` is not called then.
   */
  mayRepeat?(ctx: Ctx, call: Pick<ActionCall<R>, 'params'>): Promise<void>
}

export interface UploadRule {
  readonly bytesMax: number
  /** For the API document: the body is a form with these parts, which `run` reads with `readForm`. */
  readonly form?: Fields
  /** For the API document: keywords of a JSON Schema for parts that depend on each other. */
  readonly formRules?: JsonSchema
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
  /** The checked value of `data`, for an action with `data`. */
  readonly data: unknown
  /** The checked objects of `data`, for an action with `kinds`. */
  readonly items: readonly SentItem<K>[]
  /** The whole parsed body, for an action that reads more than its declared fields. */
  readonly rawBody: unknown
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** HEAD if the client reads only the headers of the response. */
  readonly method: string
  /** The body as a stream, for an action with `upload`. */
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
