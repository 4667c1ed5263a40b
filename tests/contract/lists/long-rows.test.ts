import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openWorld, type World } from '../../support/world.ts'
import { appAndWorkshop } from '../../workshop/index.ts'
import { listTraits, representativesOf } from '../classes.ts'
import { isTable } from '../clone-rows.ts'
import { fill, type Listing, listings, samplesOfEach } from '../listings.ts'

/** A page of long objects is made while it is sent, and is the same as if they were read one by one. */

let world: World
let samplesOf: ReturnType<typeof samplesOfEach>
beforeAll(async () => {
  world = await openWorld({ ...appAndWorkshop, overHttp: true })
  samplesOf = samplesOfEach(world)
})
afterAll(() => world.close())

/** Longer than rows that are read together, and together longer than what is sent at once. */
const [rows, chars] = [16, 50_000]

const paddable = listings.filter(({ specimen: { resource } }) => isTable(resource) && !resource.shownAs)

describe.each(representativesOf(paddable, listTraits))('$id', (listing: Listing) => {
  const { resource } = listing.specimen

  test('shows long objects in parts', async () => {
    const samples = samplesOf(listing)
    const path = await samples.path(listing.path)
    await fill(world, samples, listing, path, rows)
    const query = `${path}?page[limit]=100`
    const short = await world.admin.get(query)
    // Every second row, so that short and long ones take turns.
    const ids = short.body.data.map(({ id }: { id: string }) => id).filter((_: string, i: number) => i % 2)
    await world.sql(
      `UPDATE ${resource.table} SET doc = (left(doc::text, -1) || CASE WHEN doc::text = '{}' THEN '' ELSE ',' END ||
         '"pad":"' || repeat('é', $2) || '"}')::json
       WHERE store_id = $1 AND ${resource.key ? resource.key.field : 'id'}::text = ANY($3)`,
      [world.storeId, chars, ids],
    )
    const long = await world.admin.get(query)
    expect(long.status).toBe(200)
    const withoutPad = long.body.data.map(({ pad: _, ...one }: Record<string, unknown>) => one)
    expect(withoutPad.length).toBe(short.body.data.length)
    expect(withoutPad.map(({ id }: { id: string }) => id)).toEqual(
      short.body.data.map(({ id }: { id: string }) => id),
    )
    const singles: unknown[] = []
    for (let i = 0; i < long.body.data.length; i++)
      singles.push((await world.admin.get(`${path}?page[limit]=1&page[offset]=${i}`)).body.data[0])
    expect(long.body.data).toEqual(singles)
    if (JSON.stringify(long.body).length > 600_000) expect(long.headers.get('content-length')).toBeNull()
  })
})
