import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Samples } from '../support/samples.ts'
import { openWorld, type World } from '../support/world.ts'
import { expected, fill, idsOf, type Listing, listings, makeIn, mayFilter, timesIn } from './listings.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const pageLength = 9
const recordsBefore = 60

/** Lists that can be walked by a field while others write to them. */
const walked = (field: string, op: 'gt' | 'ge') =>
  listings.filter(({ kind, id, ...listing }) => {
    const own = id === kind.operations.list?.id
    const sorted = kind.resource.sort?.includes(field)
    return own && sorted && kind.operations.create && mayFilter({ kind, id, ...listing }, field, op)
  })

/** A list with records, and writers that add and delete others until they are told to stop. */
async function busyList(listing: Listing) {
  const samples = new Samples(world.admin)
  const path = await samples.path(listing.path)
  await fill(world, samples, listing, path, recordsBefore)
  const anId = idsOf(await world.admin.get(path))[0] as string
  const before = (await expected(world, listing, anId, 'created_at')).filter((id) => id !== anId)
  const touched = new Set([anId])
  let stopped = false
  const alive = [...before]
  const write = async () => {
    while (!stopped) {
      const made = await makeIn(samples, listing, path)
      touched.add(made.id)
      if (!listing.kind.operations.delete) continue
      // Now one of the new, now one of the old: both must leave the others in place.
      const [old] =
        Math.random() < 0.5 || alive.length < 10
          ? []
          : alive.splice(Math.floor(Math.random() * alive.length), 1)
      const victim = old ?? made.id
      touched.add(victim)
      await world.admin.delete(`${path}/${victim}`)
    }
  }
  const writers = [write(), write()]
  const stop = async () => {
    stopped = true
    await Promise.all(writers)
    return before.filter((id) => !touched.has(id))
  }
  return { path, stop }
}

describe.each(walked('id', 'gt'))('$id', (listing) => {
  test('a walk by id meets every record that stayed exactly once, whatever is written meanwhile', async () => {
    const { path, stop } = await busyList(listing)
    const met: string[] = []
    const ends = Date.now() + 5000
    for (let after = ''; Date.now() < ends; ) {
      const filter = after && `&filter=gt(id,${after})`
      const ids = idsOf(await world.admin.get(`${path}?sort=id&page[limit]=${pageLength}${filter}`))
      met.push(...ids)
      // Writers add faster than a slow machine walks: what came after the start need not be reached.
      if (ids.length < pageLength) break
      after = ids.at(-1) as string
    }
    const stayed = await stop()
    expect(new Set(met).size).toBe(met.length)
    expect(stayed.filter((id) => !met.includes(id))).toEqual([])
  })
})

for (const field of ['created_at', 'updated_at']) {
  describe.each(walked(field, 'ge'))('$id', (listing) => {
    test(`a walk by ${field} meets every record that stayed at least once`, async () => {
      const { path, stop } = await busyList(listing)
      const met = new Set<string>()
      const ends = Date.now() + 5000
      for (let from = ''; Date.now() < ends; ) {
        const filter = from && `&filter=ge(${field},${from})`
        const { body } = await world.admin.get(`${path}?sort=${field}&page[limit]=${pageLength}${filter}`)
        const fresh = body.data.filter(({ id }: { id: string }) => !met.has(id))
        for (const { id } of body.data) met.add(id)
        if (fresh.length === 0 || body.data.length < pageLength) break
        from = timesIn(listing.kind.resource, body.data.at(-1))[field] as string
      }
      const stayed = await stop()
      expect(stayed.filter((id) => !met.has(id))).toEqual([])
    })
  })
}
