import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Samples } from '../../builders/samples.ts'
import { openWorld, type World } from '../../support/world.ts'
import { appAndWorkshop } from '../../workshop/index.ts'
import { listTraits, representativesOf } from '../classes.ts'
import {
  expected,
  fill,
  idsOf,
  isOwn,
  type Listing,
  listings,
  makeIn,
  mayFilter,
  roomIn,
  timesIn,
} from '../listings.ts'

let world: World
beforeAll(async () => {
  world = await openWorld(appAndWorkshop)
})
afterAll(() => world.close())

const writersAtOnce = 2
const recordsBefore = 60
/** Writers add faster than a slow machine walks: after so long they stop, and the walk goes on to its end. */
const writersMaxMs = 5000
// Longer than the copies of a row have the same time.
const pageLengths = { min: 5, max: 9 }

/** Lists that can be walked by a field while others write to them. */
const walked = (field: string, op: 'gt' | 'ge') =>
  representativesOf(
    listings.filter((listing) => {
      const { resource, operations } = listing.specimen
      return (
        isOwn(listing) && resource.sort?.includes(field) && operations.create && mayFilter(listing, field, op)
      )
    }),
    listTraits,
  )

/** A list with records, and writers that add and delete others until they are told to stop, or their time is up. */
async function busyList(listing: Listing) {
  const samples = new Samples(world.admin, world.work)
  const path = await samples.path(listing.path)
  // What a writer adds has room beside them.
  const room = await roomIn(samples, listing, path, recordsBefore + writersAtOnce)
  await fill(world, samples, listing, path, room - writersAtOnce)
  const anId = idsOf(await world.admin.get(path))[0] as string
  const before = (await expected(world, listing, anId, 'created_at')).filter((id) => id !== anId)
  const touched = new Set([anId])
  const stopping = new AbortController()
  const ends = Date.now() + writersMaxMs
  const alive = [...before]
  const write = async () => {
    while (!stopping.signal.aborted && Date.now() < ends) {
      const objects = await makeIn(samples, listing, path)
      touched.add(objects.id)
      // No page may be full of records of one second.
      if (listing.specimen.resource.envelope.digits === 0) {
        await sleep(500, undefined, { signal: stopping.signal }).catch(() => {})
      }
      if (!listing.specimen.operations.delete) continue
      // Now one of the new, now one of the old: both must leave the others in place.
      const [old] =
        Math.random() < 0.5 || alive.length < Math.min(10, before.length / 2)
          ? []
          : alive.splice(Math.floor(Math.random() * alive.length), 1)
      const victim = old ?? objects.id
      touched.add(victim)
      await world.admin.delete(`${path}/${victim}`)
    }
  }
  const writers = Array.from({ length: writersAtOnce }, write)
  const stop = async () => {
    stopping.abort()
    await Promise.all(writers)
    const stayed = before.filter((id) => !touched.has(id))
    expect(stayed.length, 'how many records stayed while others were written').toBeGreaterThan(0)
    return stayed
  }
  // Several pages, in a short list too.
  const { min, max } = pageLengths
  return { path, stop, limit: Math.min(max, Math.max(min, Math.ceil(before.length / 4))) }
}

describe.each(walked('id', 'gt'))('$id', (listing) => {
  test('a walk by id has every lasting record exactly once, under concurrent writes', async () => {
    const { path, stop, limit } = await busyList(listing)
    const met: string[] = []
    for (let after = ''; ; ) {
      const filter = after && `&filter=gt(id,${after})`
      const ids = idsOf(await world.admin.get(`${path}?sort=id&page[limit]=${limit}${filter}`))
      met.push(...ids)
      if (ids.length < limit) break
      after = ids.at(-1) as string
    }
    const stayed = await stop()
    expect(met, 'whom the walk met').toEqual([...new Set(met)])
    expect(
      stayed.filter((id) => !met.includes(id)),
      'who stayed, and was not met',
    ).toEqual([])
  })
})

for (const field of ['created_at', 'updated_at']) {
  describe.each(walked(field, 'ge'))('$id', (listing) => {
    test(`a walk by ${field} has every lasting record at least once`, async () => {
      const { path, stop, limit } = await busyList(listing)
      const met = new Set<string>()
      for (let from = '', size = limit; ; ) {
        const filter = from && `&filter=ge(${field},${from})`
        const { body } = await world.admin.get(`${path}?sort=${field}&page[limit]=${size}${filter}`)
        const fresh = body.data.filter(({ id }: { id: string }) => !met.has(id))
        for (const { id } of body.data) met.add(id)
        // There may be nothing left: what had the last time that was met is deleted by now.
        if (body.data.length < size) break
        const last = timesIn(listing.specimen.resource, body.data.at(-1))[field] as string
        if (fresh.length === 0 && last !== from) break
        // A page of one timestamp: there may be more with it (requirement §4.3).
        size = last === from ? 100 : limit
        from = last
      }
      const stayed = await stop()
      expect(
        stayed.filter((id) => !met.has(id)),
        'who stayed, and was not met',
      ).toEqual([])
    })
  })
}
