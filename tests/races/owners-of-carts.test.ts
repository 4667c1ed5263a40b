import type pg from 'pg'
import { beforeAll, expect, test } from 'vitest'
import { cartChapter } from '../../server/carts/index.ts'
import { address, filledCart, guest } from '../builders/orders/buying.ts'
import { person, profile, signedIn } from '../builders/people/members.ts'
import { signUp } from '../builders/people/sign-up.ts'
import type { Reply } from '../support/client.ts'
import { until } from '../support/until.ts'
import { type Arena, collide, lockOf, openArena } from './arena.ts'

/**
 * Those who lock a person and carts do so in one order: first the person, then the carts by their ids. Each test holds
 * what comes first, and sees that nobody holds what comes later: so no two of them wait for each other.
 */

let arena: Arena
beforeAll(async () => {
  arena = await openArena()
})

const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
  AND pg_backend_pid() = ANY(pg_blocking_pids(pid))`

/** Holds a row, waits until the request waits for it, and says whether another row is free then. */
async function isFreeWhile(
  gate: pg.Client,
  [table, id]: readonly [string, string],
  request: () => Promise<Reply>,
  [other, where]: readonly [string, string],
): Promise<readonly [isFree: boolean, reply: Reply]> {
  await gate.query('BEGIN')
  await gate.query(`SELECT FROM ${table} WHERE store_id = $1 AND id = $2 FOR UPDATE`, [
    arena.world.storeId,
    id,
  ])
  const reply = request()
  try {
    await until(async () => ((await gate.query(waiting)).rows.length ? true : undefined))
    const { rows } = await gate.query(
      `SELECT FROM ${other} WHERE store_id = $1 AND ${where} FOR UPDATE SKIP LOCKED`,
      [arena.world.storeId],
    )
    return [rows.length === 1, await gate.query('COMMIT').then(() => reply)]
  } finally {
    await gate.query('ROLLBACK')
  }
}

const isCart = (cart: string) => ['carts', `reference = '${cart.split('/')[3]}'`] as const

async function cartOf(type: 'customer' | 'account', id: string): Promise<string> {
  const cart = await filledCart(arena.world.shopper)
  const data = [{ type, id }]
  expect((await arena.world.admin.post(`${cart}/relationships/${type}s`, { data })).status).toBe(200)
  return cart
}

test('a checkout that waits for its buyer does not hold the cart', async () => {
  const { world, gate } = arena
  const [ada, member] = [await signUp(world), await person(world, await profile(world.admin))]
  const [ofAda, ofMember] = [await cartOf('customer', ada.id), await cartOf('account', member.home)]
  const ofCustomer = { customer: { id: ada.id } }
  const ofAccount = { account: { id: member.home, member_id: member.id }, contact: guest }
  const memberHeaders = await signedIn(world, member)
  const { admin, shopper } = world
  const cases = [
    ['customers', ada.id, ofAda, ofCustomer, {}, admin],
    ['customers', ada.id, ofAda, { customer: { name: 'Ada' } }, ada.headers, shopper],
    ['accounts', member.home, ofMember, ofAccount, {}, admin],
    ['accounts', member.home, ofMember, { contact: guest }, memberHeaders, shopper],
    ['user_authentication_infos', member.id, ofMember, ofAccount, {}, admin],
  ] as const
  for (const [i, [table, id, cart, body, headers, client]] of cases.entries()) {
    // Another request each time: the same one gets the order that there is.
    await admin.put(cart, { data: { name: `Case ${i}` } })
    const data = { ...body, billing_address: address }
    const request = () => client.post(`${cart}/checkout`, { data }, headers)
    const [isFree, { status }] = await isFreeWhile(gate, [table, id], request, isCart(cart))
    expect([i, isFree, status]).toEqual([i, true, 201])
  }
})

test('a checkout that waits for the member of an account does not hold the account', async () => {
  const { world, gate } = arena
  const member = await person(world, await profile(world.admin))
  const cart = await cartOf('account', member.home)
  const data = {
    contact: guest,
    account: { id: member.home, member_id: member.id },
    billing_address: address,
  }
  const request = () => world.admin.post(`${cart}/checkout`, { data })
  const at = ['user_authentication_infos', member.id] as const
  const [isFree, { status }] = await isFreeWhile(gate, at, request, ['accounts', `id = '${member.home}'`])
  expect([isFree, status]).toEqual([true, 201])
})

test('a cart that waits for its new owner is free, and gets no owner who is deleted', async () => {
  const { world, gate, sides } = arena
  const { id } = await signUp(world)
  const [cart, second] = [await filledCart(world.shopper), await filledCart(world.shopper)]
  const data = [{ type: 'customer', id }]
  const request = () => world.admin.post(`${cart}/relationships/customers`, { data })
  const [isFree, { status }] = await isFreeWhile(gate, ['customers', id], request, isCart(cart))
  expect([isFree, status]).toEqual([true, 200])
  const replies = await collide(arena, lockOf(world, 'customers', `id = '${id}'`), [
    () => sides[0].seller.delete(`/v2/customers/${id}`),
    () => sides[1].seller.post(`${second}/relationships/customers`, { data }),
  ])
  expect(replies.map((reply) => reply.status)).toEqual([204, 404])
})

test.each(['customer', 'account'] as const)(
  'a deleted %s leaves carts in the order of their ids',
  async (type) => {
    const { world, gate } = arena
    const id =
      type === 'customer' ? (await signUp(world)).id : (await person(world, await profile(world.admin))).home
    const made = [await cartOf(type, id), await cartOf(type, id), await cartOf(type, id)]
    const { rows } = await world.sql(`SELECT id, reference FROM carts WHERE ${type}s ? $1 ORDER BY id`, [id])
    expect(rows).toHaveLength(made.length)
    const [first, , last] = rows as { id: string; reference: string }[]
    // Its row becomes the last one in the table and by its time: without an order, it would be locked last.
    const isLast = `SELECT id FROM carts WHERE ${type}s ? $1 ORDER BY ctid DESC LIMIT 1`
    await until(async () => {
      await world.sql('UPDATE carts SET updated_at = clock_at(store_id) WHERE id = $1', [first?.id])
      return (await world.sql(isLast, [id])).rows[0]?.id === first?.id || undefined
    })
    const request = () => world.admin.delete(`/v2/${type}s/${id}`)
    const at = ['carts', first?.id ?? ''] as const
    const [isFree, { status }] = await isFreeWhile(gate, at, request, ['carts', `id = '${last?.id}'`])
    expect([isFree, status]).toEqual([true, 204])
    const left = await world.sql(`SELECT FROM carts WHERE ${type}s ? $1`, [id])
    expect(left.rows).toEqual([])
  },
)

test('the chore leaves an expired cart that somebody holds to its next run', async () => {
  const { world, gate } = arena
  const carts = [await filledCart(world.shopper), await filledCart(world.shopper)]
  const ids = carts.map((cart) => cart.split('/')[3] ?? '')
  await world.sql('UPDATE carts SET updated_at = $2 WHERE reference = ANY($1)', [
    ids,
    new Date(Date.now() - 30 * 86_400_000),
  ])
  const left = async () => {
    await cartChapter.chores?.[0]?.run(world.work.instance)
    const { rows } = await world.sql(`SELECT reference FROM carts WHERE reference = ANY($1)`, [ids])
    return rows.map(({ reference }) => reference)
  }
  await gate.query('BEGIN')
  await gate.query(lockOf(world, 'carts', `reference = '${ids[0]}'`))
  expect(await left()).toEqual([ids[0]])
  await gate.query('COMMIT')
  expect(await left()).toEqual([])
})
