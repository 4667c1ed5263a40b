import { withArticle } from '../../kernel/article.ts'
import { isObject } from '../../kernel/body/input.ts'
import { action } from '../../kernel/declare/action.ts'
import type { Operation } from '../../kernel/declare/operation.ts'
import type { Resource } from '../../kernel/declare/resource.ts'
import { Problem } from '../../kernel/errors.ts'
import { type Answer, json, noContent } from '../../kernel/shape/answer.ts'
import { choice, group, list, text } from '../../kernel/shape/fields.ts'
import { shown } from '../../kernel/shape/shown.ts'
import { changeThing } from '../../kernel/thing/change-thing.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { mustBeOwner, mustNameOwn, ownerIn, ownersOf } from '../contents/owners.ts'
import { carts } from './carts.ts'

/** Who a cart can be associated with. */
interface OwnerKind {
  readonly of: 'customers' | 'accounts'
  readonly type: 'customer' | 'account'
  readonly resource: () => Resource
}

const bodyOf = ({ type }: OwnerKind) =>
  list(
    group(
      {
        type: choice([type], { required: true }),
        id: text({ required: true, format: 'uuid', about: `The id of the ${type}.` }),
      },
      {},
    ),
    { required: true, maxItems: 1, about: `The ${type}: a list of one.` },
  )

/** More than any shop needs: a cart with more owners is a mistake or an attack. */
const ownersMax = 100

type Links = readonly { readonly id: string }[]

/** The calls that associate a cart with a customer or an account, and that remove the association. */
export const associationsWith = (kind: OwnerKind) => {
  const { of, type } = kind
  const path = `/v2/carts/:cart_id/relationships/${of}` as const
  return [
    action({
      name: `associate-cart-with-${type}`,
      route: `POST ${path}`,
      about: `Associates a cart with ${withArticle(type)}, whose carts then list it. Shoppers associate carts with themselves only, by the token of the ${type}. Creates the cart if it does not exist yet.`,
      area: 'carts',
      status: 200,
      queuesBy: 'cart_id',
      data: bodyOf(kind),
      shows: {
        data: shown.list(shown.group({ type: shown.constant(type), id: shown.uuid })),
        others: { 204: null },
      },
      run: (ctx, { params, data }) => edit(ctx, params.cart_id, kind, data as Links, add),
    }),
    action({
      name: `dissociate-cart-from-${type}`,
      route: `DELETE ${path}`,
      about: `Removes the association of a cart with ${withArticle(type)}.`,
      area: 'carts',
      status: 204,
      queuesBy: 'cart_id',
      data: bodyOf(kind),
      shows: { body: null },
      run: (ctx, { params, data }) => edit(ctx, params.cart_id, kind, data as Links, remove),
    }),
  ]
}

/** Refuses (403, as in the public contract) a body that is not a list of one. */
export const takesListOfOne = (operation: Operation): Operation => ({
  ...operation,
  run: async (ctx, call) => {
    const data = isObject(call.body) ? call.body.data : undefined
    if (!isObject(data) && !(Array.isArray(data) && data.length > 1)) return operation.run(ctx, call)
    const detail =
      'data must be a list of one object. To associate a cart with several owners, send a request for each.'
    throw new Problem('forbidden', detail, { source: 'data' })
  },
})

type Edit = (ids: readonly string[], sent: readonly string[]) => readonly string[]

const add: Edit = (ids, sent) => [...new Set([...ids, ...sent])]
const remove: Edit = (ids, sent) => ids.filter((id) => !sent.includes(id))

async function edit(
  ctx: Ctx,
  name: string,
  { of, type, resource }: OwnerKind,
  links: Links,
  by: Edit,
): Promise<Answer> {
  const sent = links.map(({ id }) => id.toLowerCase())
  if (by === add) mustNameOwn(ctx, of, sent)
  // Before the cart, as who deletes a person locks them first and then their carts.
  const existing = by === add ? await ctx.store.lockShared(resource(), ...sent) : undefined
  const { before, after } = await changeThing(ctx, carts, name, async (row) => {
    // A cart that this request creates belongs to the shopper of its token.
    const owners = row.inside ? ownersOf(row) : ownerIn(ctx)
    mustBeOwner(ctx, owners)
    const ids = by(owners[of], sent)
    if (ids.length === owners[of].length) return undefined
    if (by === add) {
      if (ids.length > ownersMax) {
        const detail = `A cart can be associated with at most ${ownersMax} ${of}.`
        throw new Problem('unprocessable', detail, { title: 'Limit Reached', source: 'data' })
      }
      mustExist(existing, type, sent)
      if (row.doc.contact?.email) {
        const detail = `A cart with a contact cannot be associated with ${of}. Remove the contact first: send it as {}.`
        throw new Problem('unprocessable', detail, { source: 'data' })
      }
    }
    return { values: { ...owners, [of]: ids } }
  })
  if (by === remove || before === after) return noContent
  return json(200, { data: ownersOf(after)[of].map((id) => ({ type, id })) })
}

function mustExist(existing: ReadonlySet<string> | undefined, type: string, ids: readonly string[]): void {
  const missing = ids.find((id) => !existing?.has(id))
  if (missing !== undefined) {
    throw new Problem('not_found', `There is no ${type} with the id ${missing}.`, { source: 'data.0.id' })
  }
}
