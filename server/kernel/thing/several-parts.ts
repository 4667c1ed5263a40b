import type { KindsBody } from '../body/kinds.ts'
import { allOrNothing, isList } from '../body/many-objects.ts'
import type { Action } from '../declare/action.ts'
import { Problem } from '../errors.ts'
import { withErrors } from '../http/problems.ts'
import { newId } from '../ids.ts'
import { type Answer, json, noContent } from '../shape/answer.ts'
import type { Field } from '../shape/fields.ts'
import type { Ctx } from '../work/context.ts'
import { applyEach } from './apply-each.ts'
import { type Holder, partChange } from './holder.ts'
import { thingIn } from './parts.ts'
import type { Spot } from './spot.ts'

/** What one request does with parts at several places of a thing. `V` is a new part, as a request has it. */
interface SeveralParts<W, C, O, R, V> {
  readonly of: Holder<W, C, O, R>
  /** Its only parameter names the thing. */
  readonly at: string
  readonly area: string
  readonly create: {
    readonly name: string
    readonly about: string
    /** The parts: a list, or objects of several kinds, one or many. */
    readonly body: { readonly data: Field<readonly V[]> } | { readonly kinds: KindsOf<V> }
    readonly shows: Field
    /** Where a new part goes. Throws a Problem if it cannot go there. */
    readonly into: (values: V, contents: C, source: string) => Spot<W, C, O, V>
    /** The refusal of all parts because of one, where the request wants all or nothing. */
    readonly refusal?: (problem: Problem) => Problem
  }
  readonly delete: {
    readonly name: string
    readonly about: string
    readonly clear: (contents: C, thing: string) => C
  }
}

/** Declares how one request adds parts at several places of a thing, and how one removes them. */
export function severalParts<W, C, O, R, V>({
  of,
  at: path,
  area,
  create: { body, shows, into, refusal, ...created },
  delete: { clear, ...deleted },
}: SeveralParts<W, C, O, R, V>): Readonly<Record<'create' | 'delete', Action>> {
  const thing = thingIn(path)

  const common = { area, queuesBy: thing }
  const create = {
    ...{ ...common, ...created, route: `POST ${path}`, status: 201, ...body },
    shows: { data: shows, errors: true },
    async run(ctx: Ctx, { params, items, data, rawBody }: SeveralCall<V>): Promise<Answer> {
      const isAllOrNothing = allOrNothing(rawBody, 'add_all_or_nothing', false)
      const sent = 'kinds' in body ? items : data.map((values, i) => ({ values, source: `data.${i}` }))
      let refused: Problem[] = []
      let added: (readonly [Spot<W, C, O, V>, id: string])[] = []
      const whole = await of.change(ctx, params[thing] as string, (contents, on) => {
        refused = []
        added = []
        return applyEach(contents, sent, { isAllOrNothing, refused }, (sofar, { values, source }) => {
          const spot = into(values, sofar, source)
          const id = newId()
          const next = spot.add(sofar, values, { ...on, ...partChange(ctx, id, source) })
          added.push([spot, id])
          return next
        }).catch((problem) => {
          throw isAllOrNothing && refusal && problem instanceof Problem ? refusal(problem) : problem
        })
      })
      const shown = added.map(([spot, id]) => spot.show(whole, id))
      return withErrors(json(201, { data: isList(rawBody) ? shown : shown[0] }), refused)
    },
  }
  const remove = {
    ...{ ...common, ...deleted, route: `DELETE ${path}`, status: 204, shows: { body: null } },
    async run(ctx: Ctx, { params }: SeveralCall<V>): Promise<Answer> {
      const name = params[thing] as string
      await of.change(ctx, name, (contents) => clear(contents, name))
      return noContent
    },
  }
  return { create, delete: remove } as unknown as Readonly<Record<'create' | 'delete', Action>>
}

interface NewPart<V> {
  readonly values: V
  readonly source: string
}

type KindsOf<V> = Omit<KindsBody, 'read'> & { read(body: unknown): readonly NewPart<V>[] }

interface SeveralCall<V> {
  readonly params: Readonly<Record<string, string>>
  readonly items: readonly NewPart<V>[]
  readonly data: readonly V[]
  readonly rawBody: unknown
}
