import type { ActionCall } from '../../kernel/declare/action.ts'
import { file } from '../../kernel/http/file.ts'
import { Memory } from '../../kernel/memory.ts'
import { parse } from '../../kernel/query/parse.ts'
import { isUnborn } from '../../kernel/query/unborn.ts'
import type { Answer } from '../../kernel/shape/answer.ts'
import type { Row } from '../../kernel/shape/model.ts'
import { columns, flag } from '../../kernel/storage/columns.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { perInstance } from '../../kernel/work/per-instance.ts'
import { wantsExplanation } from '../../shop/index.ts'
import type { Cart } from '../contents/cart-fields.ts'
import { mustBeOwner, type Owners, ownersOf } from '../contents/owners.ts'
import { stillHolds } from '../contents/priced-cart.ts'
import { mustHaveRight } from '../contents/shopper-rights.ts'
import { includeNames } from '../shown/includes.ts'
import { carts } from './carts.ts'
import { findCart, readStoredCart, storedCartSql } from './find-cart.ts'

/** A request for a cart, or for its items. */
interface CartReading {
  readonly shows: 'cart' | 'items'
  readonly name: string
  readonly includes: readonly string[]
}

/** What decides who may read a cart. */
interface Access {
  readonly owners: Owners
  readonly isPreview: boolean
}

/** What an answer depends on. */
interface CartState extends Access {
  readonly id: string
  readonly version: string
  readonly state: string
}

/** The answer to a question. Its body is ready to be sent, to any number of readers. */
interface ReadyAnswer extends CartState {
  readonly until: string | undefined
  readonly answer: Answer
}

/** The bytes of all answers that a process remembers: those of 400 carts of 20 lines, or of 2,000 of three. */
const bytesMax = 33_554_432

const bytesOf = ({ body }: Answer): number =>
  typeof body === 'string' || body instanceof Uint8Array ? body.length : 0

const answersOf = perInstance(
  () =>
    new Memory<string, ReadyAnswer>(bytesMax, {
      sizeOf: (question, { answer }) => question.length + bytesOf(answer),
    }),
)

/** The answers that are being made, by the question and what they depend on. One that is forgotten is made twice. */
const unfinishedOf = perInstance(() => new Memory<string, Promise<ReadyAnswer>>(1000))

const keyOf = ({ store, baseUrl }: Ctx, { shows, name, includes }: CartReading): string =>
  JSON.stringify([store.id, baseUrl, shows, name, includes])

/** Changes with every write of the cart, and when the store changes the added fields. As in SQL: `versionSql`. */
const versionOf = ({ version, updatedAt, added }: Cart): string =>
  `${version} ${updatedAt} ${added?.state ?? ''}`

const versionSql = `concat(carts.version, ' ',
  to_char(carts.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), ' ',
  (SELECT f.state FROM added_fields f WHERE f.store_id = $1 AND f.name = 'carts'))`

/**
 * The answer to a read of a cart: that of before, or what `answer` makes of the cart. Storefronts read it on every
 * page, and with its items that is the longest answer that they get. One statement says whether anything has changed
 * that the answer depends on. Of many readers who come at once, one makes the answer, and the others wait for it.
 */
export async function answerCart(
  ctx: Ctx,
  shows: CartReading['shows'],
  name: string,
  { query, headers }: Pick<ActionCall, 'query' | 'headers'>,
  answer: (row: Cart) => Promise<Answer>,
): Promise<Answer> {
  if (wantsExplanation(ctx, { headers })) return answer(await findCart(ctx, name, { explains: true }))
  const current = await findState(ctx, name)
  if (!current) return answer(await findCart(ctx, name))
  await mustBeReader(ctx, current)
  const question = { shows, name, includes: includesIn(query) }
  const remembered = rememberedAnswer(ctx, question, current)
  if (remembered) return passOn(ctx, question, remembered)
  const unfinished = unfinishedOf(ctx.instance)
  const key = `${keyOf(ctx, question)} ${current.id} ${current.version} ${current.state}`
  for (;;) {
    const making = unfinished.get(key)
    if (!making) break
    // A request ends with its client; another one makes the answer then.
    const ready = await making.catch(() => undefined)
    if (ready) return passOn(ctx, question, ready)
  }
  const making = makeAnswer(ctx, question, answer)
  unfinished.set(key, making)
  try {
    return (await making).answer
  } finally {
    unfinished.delete(key)
  }
}

/** The answer that another request has made. */
async function passOn(ctx: Ctx, { shows }: CartReading, ready: ReadyAnswer): Promise<Answer> {
  await mustBeReader(ctx, ready)
  if (shows === 'cart') ctx.onRead(carts, { id: ready.id, scope: [] } as Pick<Row, 'id' | 'scope'> as Row)
  return ready.answer
}

/** The names that mean something, each once, so that few answers are made of one cart. */
const includesIn = (query: string): readonly string[] =>
  [...new Set(parse(query).include)].filter((name) => accepted.includes(name))

const componentProducts = 'component_products'
const accepted: readonly string[] = [...includeNames, componentProducts]

async function mustBeReader(ctx: Ctx, { owners, isPreview }: Access): Promise<void> {
  mustBeOwner(ctx, owners)
  if (isPreview) await mustHaveRight(ctx, 'shoppers_see_snapshots')
}

const idsIn = (text: string | null) => JSON.parse(text ?? '[]') as readonly string[]

/** Made once: a storefront sends it on every page, and a long text that is new is hashed anew each time. */
const stateColumns = columns({
  id: 'carts.id',
  version: versionSql,
  customers: ['carts.customers', idsIn],
  accounts: ['carts.accounts', idsIn],
  isPreview: ["carts.doc->>'snapshot_date' IS NOT NULL", flag],
})
const stateTexts = storedCartSql(stateColumns.sql)

/** What the answers about a stored cart depend on now; undefined where nobody has written it. */
async function findState(ctx: Ctx, name: string): Promise<CartState | undefined> {
  const row = await readStoredCart(ctx, stateTexts, name)
  if (!row) return undefined
  const [state, ...values] = row
  const { customers, accounts, ...others } = stateColumns.read(values)
  return { ...others, state: state as string, owners: { customers, accounts } }
}

/** The answer that was given before, if it would be the same now. */
function rememberedAnswer(ctx: Ctx, question: CartReading, current: CartState): ReadyAnswer | undefined {
  const before = answersOf(ctx.instance).get(keyOf(ctx, question))
  const isSame = before?.id === current.id && before.version === current.version
  return isSame && stillHolds(before, current.state, ctx.clock.now()) ? before : undefined
}

/** Makes the answer, and remembers it. */
async function makeAnswer(
  ctx: Ctx,
  question: CartReading,
  answer: (row: Cart) => Promise<Answer>,
): Promise<ReadyAnswer> {
  const row = await findCart(ctx, question.name)
  const { body, headers = {} } = await answer(row)
  const { state, until } = row.inside.priced
  const ready: ReadyAnswer = {
    ...{ id: row.id, version: versionOf(row), state, until },
    ...{ owners: ownersOf(row), isPreview: row.doc.snapshot_date !== undefined },
    answer: file(Buffer.from(body as string), 'application/json; charset=utf-8', headers),
  }
  // What is published of a component may change at any time.
  const isKept = !isUnborn(row) && !question.includes.includes(componentProducts)
  if (isKept) answersOf(ctx.instance).set(keyOf(ctx, question), ready)
  return ready
}
