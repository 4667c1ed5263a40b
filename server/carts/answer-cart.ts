import type { ActionCall } from '../kernel/declare/action.ts'
import { Memory } from '../kernel/memory.ts'
import { hasExpired } from '../kernel/query/find.ts'
import { parse } from '../kernel/query/parse.ts'
import { isUnborn } from '../kernel/query/unborn.ts'
import type { Answer } from '../kernel/shape/answer.ts'
import type { Row } from '../kernel/shape/model.ts'
import { Binds } from '../kernel/storage/binds.ts'
import type { Ctx } from '../kernel/work/context.ts'
import { perInstance } from '../kernel/work/per-instance.ts'
import { wantsExplanation } from '../storefront/index.ts'
import type { CartRow } from './cart-fields.ts'
import { carts } from './carts.ts'
import { findCart, storedStateSql } from './find-cart.ts'
import { mustBeOwner, type Owners, ownersOf } from './owners.ts'
import { stillHolds } from './priced-cart.ts'
import { mustHaveRight } from './shopper-rights.ts'

/** A request for a cart, or for its items. */
interface Question {
  readonly shows: 'cart' | 'items'
  readonly name: string
  readonly includes: readonly string[]
}

/** The answer to one, and what it depends on. */
interface CachedAnswer {
  readonly id: string
  readonly version: string
  readonly state: string
  readonly until: string | undefined
  readonly owners: Owners
  readonly isPreview: boolean
  readonly answer: Answer
}

/** The characters of all answers that a process remembers: those of 400 carts of 20 lines, or of 2,000 of three. */
const charsMax = 33_554_432

const charsOf = ({ body }: Answer): number => (typeof body === 'string' ? body.length : 0)

const answersOf = perInstance(
  () =>
    new Memory<string, CachedAnswer>(charsMax, {
      sizeOf: (question, { answer }) => question.length + charsOf(answer),
    }),
)

const keyOf = ({ store, baseUrl }: Ctx, { shows, name, includes }: Question): string =>
  JSON.stringify([store.id, baseUrl, shows, name, includes])

/** Changes with every write of the cart, and when the store changes the added fields. As in SQL: `versionSql`. */
const versionOf = ({ version, updatedAt, added }: CartRow): string =>
  `${version} ${updatedAt} ${added?.state ?? ''}`

const versionSql = `concat(carts.version, ' ',
  to_char(carts.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), ' ',
  (SELECT f.state FROM added_fields f WHERE f.store_id = $1 AND f.name = 'carts'))`

/**
 * The answer to a read of a cart: that of before, or what `answer` makes of the cart. Storefronts read it on every
 * page, and with its items that is the longest answer that they get. One statement says whether anything has changed
 * that the answer depends on.
 */
export async function answerCart(
  ctx: Ctx,
  shows: Question['shows'],
  name: string,
  { query, headers }: Pick<ActionCall, 'query' | 'headers'>,
  answer: (row: CartRow) => Promise<Answer>,
): Promise<Answer> {
  const explains = wantsExplanation(ctx, { headers })
  const question = { shows, name, includes: parse(query).include }
  const isPlain = !explains && !question.includes.includes('component_products')
  const remembered = isPlain ? await rememberedAnswer(ctx, question) : undefined
  if (remembered) return remembered
  const row = await findCart(ctx, name, { explains })
  const made = await answer(row)
  if (isPlain) rememberAnswer(ctx, question, row, made)
  return made
}

/** The answer that was given before, if it would be the same now. */
async function rememberedAnswer(ctx: Ctx, question: Question): Promise<Answer | undefined> {
  const { store, clock, instance } = ctx
  const before = answersOf(instance).get(keyOf(ctx, question))
  if (!before) return undefined
  const now = clock.now()
  const { values, bind } = new Binds([store.id, question.name])
  const text = `SELECT carts.id, ${versionSql}, ${storedStateSql} FROM carts
     WHERE store_id = $1 AND reference = $2 AND NOT ${hasExpired('expires_at', bind, now)}` as const
  const [[id, version, state] = []] = await store.read(text, ...values.slice(1))
  if (id !== before.id || version !== before.version || !stillHolds(before, state ?? null, now))
    return undefined
  mustBeOwner(ctx, before.owners)
  if (before.isPreview) await mustHaveRight(ctx, 'shoppers_see_snapshots')
  if (question.shows === 'cart') ctx.onRead(carts, { id, scope: [] } as Pick<CartRow, 'id' | 'scope'> as Row)
  return before.answer
}

/** Remembers the answer with a cart, if it exists. */
function rememberAnswer(ctx: Ctx, question: Question, row: CartRow, answer: Answer): void {
  const { id, doc, hidden } = row
  const { priced } = hidden
  if (!priced || isUnborn(row)) return
  const { state, until } = priced
  const who = { owners: ownersOf(row), isPreview: doc.snapshot_date !== undefined }
  const remembered = { id, version: versionOf(row), state, until, ...who, answer }
  answersOf(ctx.instance).set(keyOf(ctx, question), remembered)
}
