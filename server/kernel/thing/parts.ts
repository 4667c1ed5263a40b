import type { Action, ActionCall, Names } from '../declare/action.ts'
import { foldId, newId } from '../ids.ts'
import { type Answer, json, noContent } from '../shape/answer.ts'
import type { Field, Fields, JsonSchema, ShownValues } from '../shape/fields.ts'
import { shown } from '../shape/shown.ts'
import type { Ctx } from '../work/context.ts'
import { type HeldPart, type Holder, partChange } from './holder.ts'
import { type PartRules, type Spot, spotOf } from './spot.ts'

/** An operation on parts. */
interface PartOperation<R> {
  readonly name: string
  readonly about: string
  /** For the API document. */
  readonly headers?: Fields
  /** What a request that changes the thing tells it. */
  readonly request?: (headers: ActionCall['headers']) => R
}

type PartOperations<R> = {
  readonly [V in 'list' | 'get' | 'create' | 'update' | 'delete']?: PartOperation<R>
}

/**
 * Parts of a thing: they live in its contents, and are changed with it as a whole. `A` is the address of the list, `F`
 * the fields of a create and `N` the operations; the other letters are those of `Holder`.
 */
interface Parts<W, C, O, R, A extends string, F extends Fields, P extends HeldPart, N>
  extends PartRules<W, C, O, ShownValues<F>, P, PartParams<A>> {
  readonly of: Holder<W, C, O, R>
  /** The address of the list. Its first parameter names the thing. */
  readonly at: A
  /** The parameter that follows in the address of one part. */
  readonly id: string
  readonly area: string
  /** The body of a create. An update may have any of its fields, and needs no type. */
  readonly body: {
    readonly type: string
    readonly alsoType?: readonly string[]
    readonly typeOptional?: true
    readonly fields: F
    /** For the API document: keywords of a JSON Schema for fields that depend on each other. `make` checks them. */
    readonly rules?: JsonSchema
  }
  /** What `show` returns. */
  readonly shows: Field
  readonly operations: N
}

/** The parameters of an address after that of the thing: they say which place the parts are at. */
type PartParams<A extends string> = A extends `${string}:${string}/${infer Rest}`
  ? Readonly<Record<Names<`/${Rest}`>, string>>
  : never

/** A call of any of the actions. */
interface PartCall {
  readonly params: Readonly<Record<string, string>>
  readonly headers: ActionCall['headers']
  readonly body: unknown
}

const verbs = {
  list: { method: 'GET', status: 200, does: 'list' },
  get: { method: 'GET', status: 200, does: 'show' },
  create: { method: 'POST', status: 201, does: 'add' },
  update: { method: 'PUT', status: 200, does: 'change' },
  delete: { method: 'DELETE', status: 204, does: 'remove' },
} as const

/** Declares the parts of a thing: an action for each of the operations, and the parts `at` one address. */
export function parts<
  W,
  C,
  O,
  R,
  const A extends string,
  const F extends Fields,
  P extends HeldPart,
  const N extends PartOperations<R>,
>(
  declared: Parts<W, C, O, R, A, F, P, N>,
): { readonly [V in keyof N]: Action } & {
  readonly at: (params: PartParams<A>) => Spot<W, C, O, ShownValues<F>>
} {
  const { of, at: path, id: idName, area, shows, body } = declared
  const thing = thingIn(path)
  const at = (params: PartParams<A>) => spotOf(declared, params)
  const { rules: _, ...bodyOfUpdate } = { ...body, typeOptional: true, fields: optional(body.fields) }
  const own = {
    list: { shows: { data: shown.list(shows) } },
    get: { shows: { data: shows } },
    create: { queuesBy: thing, body, shows: { data: shows } },
    update: { queuesBy: thing, body: bodyOfUpdate, shows: { data: shows } },
    delete: { queuesBy: thing, shows: { body: null } },
  }

  const declare = (verb: keyof typeof verbs, { request, ...told }: PartOperation<R>) => {
    const { method, status, does } = verbs[verb]
    const route = `${method} ${path}${verb === 'list' || verb === 'create' ? '' : `/:${idName}`}`
    const run = async (ctx: Ctx, { params, headers, body: values }: PartCall): Promise<Answer> => {
      const { [thing]: name = '', ...ids } = params
      const places = Object.fromEntries(Object.entries(ids).map(([at, id]) => [at, foldId(id)]))
      const spot = at(places as PartParams<A>)
      if (does === 'list') return json(status, { data: spot.list(await of.find(ctx, name)) })
      const id = places[idName] ?? newId()
      if (does === 'show') return json(status, { data: spot.show(await of.find(ctx, name), id) })
      const deed = (contents: C, on: O) =>
        spot[does](contents, values as ShownValues<F>, { ...on, ...partChange(ctx, id, 'data') })
      const whole = await of.change(ctx, name, deed, request?.(headers))
      return does === 'remove' ? noContent : json(status, { data: spot.show(whole, id) })
    }
    return { ...told, route, area, status, ...own[verb], run }
  }

  const declaredVerbs = Object.entries(declared.operations) as [keyof typeof verbs, PartOperation<R>][]
  const actions = declaredVerbs.map(([verb, told]) => [verb, declare(verb, told)])
  return { at, ...Object.fromEntries(actions) }
}

/** The first parameter of a path: it names the thing. */
export const thingIn = (path: string): string => /:(\w+)/.exec(path)?.[1] ?? ''

/** The fields of an update, which may have any of them. */
const optional = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      const { required: _, ...options } = field.options
      return [name, { ...field, options }]
    }),
  )
