import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Samples, sampleFrom, specimensWith } from '../../builders/samples.ts'
import type { Reply } from '../../support/client.ts'
import { mostOf } from '../../support/limits.ts'
import { bodyWith, createFields, type Specimen } from '../../support/specimens.ts'
import { openWorld, type World } from '../../support/world.ts'
import { appAndWorkshop } from '../../workshop/index.ts'
import { uniquesOf } from '../clone-rows.ts'
import { fill, isOwn, listings } from '../listings.ts'

/** Uniqueness and limits hold under concurrent requests. */

let world: World
let samples: Samples
beforeAll(async () => {
  world = await openWorld(appAndWorkshop)
  samples = new Samples(world.admin)
})
afterAll(() => world.close())

const atOnce = 6
const statuses = { conflict: 409, invalid_field: 400, unprocessable: 422, not_found: 404 } as const

/** The sorted statuses, and each different refusal once. */
const outcome = (replies: readonly Reply[]) => ({
  statuses: replies.map(({ status }) => status).sort(),
  refusals: [
    ...new Set(
      replies.flatMap(({ body }) => body.errors?.map((error: { code: string }) => error.code) ?? []),
    ),
  ],
  sources: [
    ...new Set(
      replies.flatMap(({ body }) => body.errors?.map((error: { source?: string }) => error.source) ?? []),
    ),
  ],
})

/** Constraints that other operations break. */
const brokenElsewhere: Readonly<Record<string, string>> = {
  orders_cart_key: 'by checkouts, which have a cart: tests/orders/checkout.test.ts',
}

/** Its unique constraints that have words for a client; foreign keys have them too. */
const refusedBy = ({ resource }: Specimen) =>
  Object.entries(resource.constraints ?? {}).filter(
    ([name]) => name.endsWith('_key') && !brokenElsewhere[name],
  )

describe.each(specimensWith('create').filter((one) => refusedBy(one).length))('$name', (specimen) => {
  const { resource } = specimen

  test('accepts a unique value once, and refuses the rest in the declared words', async () => {
    const collection = await samples.path(resource.path)
    const uniques = await uniquesOf(world, resource.table)
    for (const [constraint, refusal] of refusedBy(specimen)) {
      const { columns = [] } = uniques.find(({ name }) => name === constraint) ?? {}
      const first = await samples.values(specimen, collection, true)
      const fields = Object.keys(createFields(specimen)).filter((name) => columns.includes(name))
      // What is unique may be a part of something: then all of it is the same.
      const same = fields.length ? Object.fromEntries(fields.map((name) => [name, first[name]])) : first
      const bodies = [bodyWith(specimen, 'create', first)]
      while (bodies.length < atOnce) {
        const values = await samples.values(specimen, collection, true)
        bodies.push(bodyWith(specimen, 'create', { ...values, ...same }))
      }
      // No limit refuses one of them.
      await samples.room(specimen, collection, atOnce)
      const replies = await Promise.all(bodies.map((body) => world.admin.post(collection, body)))
      expect(outcome(replies), `${atOnce} at once with the same ${fields}: ${constraint}`).toEqual({
        statuses: [201, ...Array.from({ length: atOnce - 1 }, () => statuses[refusal.code])],
        refusals: [refusal.code],
        sources: [refusal.source],
      })
    }
  })
})

/** Lists whose objects cannot be copied, so this file does not fill them. */
const filledElsewhere = {
  'account-membership': 'of a thousand users: tests/people/accounts/account-memberships.test.ts',
}

const limited = listings.filter((listing) => {
  const { name, resource, operations } = listing.specimen
  return (
    isOwn(listing) && resource.most && operations.create && operations.delete && !(name in filledElsewhere)
  )
})

test('some lists have a limit', () => {
  expect(limited.map(({ specimen }) => specimen.name)).toContain('gadget')
})

describe.each(limited)('$specimen.name', (listing) => {
  const { specimen } = listing
  const { resource } = specimen

  test('fills up to its limit under concurrent creates, and accepts one more after a delete', async () => {
    const collection = await samples.path(resource.path)
    const most = (await mostOf(resource, world.work)) as number
    const room = await samples.room(specimen, collection, most)
    await fill(world, samples, listing, collection, room - 3)
    const total = async () => (await world.admin.get(collection)).body.meta.results.total
    expect(await total(), 'how many there are to begin with').toBe(most - 3)

    const bodies = []
    while (bodies.length < atOnce) bodies.push(await samples.body(specimen, collection))
    const replies = await Promise.all(bodies.map((body) => world.admin.post(collection, body)))
    expect(outcome(replies), `${atOnce} at once where there is room for 3`).toMatchObject({
      statuses: [201, 201, 201, 422, 422, 422],
      refusals: ['unprocessable'],
    })
    const refused = replies.findIndex(({ status }) => status === 422)
    expect(replies[refused]?.body.errors[0].detail).toBe(resource.most?.detail(most))
    expect(await total(), 'how many there are').toBe(most)

    const success = replies.find(({ status }) => status === 201) as Reply
    const { path } = sampleFrom(collection, resource, success.body)
    expect((await world.admin.delete(path)).status, `DELETE ${path}`).toBe(specimen.operations.delete?.status)
    const again = await world.admin.post(collection, bodies[refused])
    expect(again.status, `what was refused, when one is gone: ${JSON.stringify(again.body)}`).toBe(201)
  })
})
