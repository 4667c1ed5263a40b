import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { linksBeside } from '../../../server/kernel/shape/envelope.ts'
import { Samples, specimensWith } from '../../builders/samples.ts'
import { openWorld, type World } from '../../support/world.ts'
import { appAndWorkshop } from '../../workshop/index.ts'
import { listings, makeIn, nowhereOf, timesIn } from '../listings.ts'

let world: World
let samples: Samples
beforeAll(async () => {
  world = await openWorld(appAndWorkshop)
  samples = new Samples(world.admin, world.work)
})
afterAll(() => world.close())

describe.each(listings)('$id', (listing) => {
  test('has the whole envelope, even without records', async () => {
    const path = await samples.path(listing.path)
    const { status, body, headers } = await world.admin.get(path)
    expect(status, path).toBe(200)
    const total = body.data.length
    const { whole } = listing.specimen.resource
    const limit = whole ? 10_000 : 25
    expect(body.meta.page, 'meta.page').toEqual({ limit, offset: 0, current: 1, total: total ? 1 : 0 })
    expect(body.meta.results.total, 'the total').toBe(total)
    const onlyExisting = nowhereOf(listing) === undefined
    expect(Object.keys(body.links).sort(), 'the links of the only page').toEqual(
      onlyExisting ? ['current', 'first'] : ['current', 'first', 'last', 'next', 'prev'],
    )
    const { next, prev, ...here } = body.links
    if (!onlyExisting) expect([next, prev], 'its links next and prev').toEqual([null, null])
    // Links of published objects stay in the same release.
    const pin = listing.specimen.resource.editions ? 'release=[0-9a-f-]{36}&' : ''
    const firstPage = `\\?${pin}page%5Blimit%5D=25&page%5Boffset%5D=0`
    for (const [name, link] of Object.entries<string>(here)) {
      expect(link, `the link ${name}`).toMatch(new RegExp(`^${world.url}${path}${whole ? '' : firstPage}$`))
      expect((await world.admin.get(link)).body.data, `where the link ${name} leads`).toEqual(body.data)
    }
    const last = onlyExisting ? '' : `, <${here.last}>; rel="last"`
    expect(headers.get('link')).toBe(`<${here.first}>; rel="first"${last}`)
    expect(headers.get('content-type')).toMatch(/^application\/json/)
  })

  test('shows each record as its own address does', async () => {
    const path = await samples.path(listing.path)
    const objects = await makeIn(samples, listing, path)
    const { body } = await world.admin.get(`${path}?page[limit]=100`)
    const shown = body.data.find(({ id }: { id: string }) => id === objects.id)
    const { operations, resource, runTime } = listing.specimen
    const type = runTime ? objects.body.data.type : resource.type
    expect(shown, `${objects.path} in the list`).toMatchObject({ type, id: objects.id })
    if (!operations.get || listing.id !== operations.list?.id) return
    const one = await world.admin.get(objects.path)
    expect(one.status, objects.path).toBe(200)
    expect({ ...one.body.data, links: undefined }, 'alone, beside in the list').toEqual({
      ...shown,
      links: undefined,
    })
  })
})

const digits = { 0: '', 3: '\\.\\d{3}', 6: '\\.\\d{3}000' } as const

describe.each(specimensWith('get'))('$name', (specimen) => {
  test('has the form of its envelope, and its own link leads to it', async () => {
    const object = await samples.make(specimen)
    const { body } = await world.admin.get(object.path)
    const { envelope, type } = specimen.resource
    if (!specimen.runTime) expect(body.data.type).toBe(type)
    expect(body.data.id).toBe(object.id)
    if (envelope.times === 'none') {
      const { meta } = body.data
      expect([meta?.created_at, meta?.timestamps], 'times').toEqual([undefined, undefined])
    } else {
      const time = new RegExp(`^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d${digits[envelope.digits]}Z$`)
      const times = timesIn(specimen.resource, body.data)
      for (const name of ['created_at', 'updated_at']) expect(times[name], name).toMatch(time)
    }
    if (envelope.links === 'none') return
    if (envelope.links === 'own') {
      const declared = Object.keys(specimen.resource.links?.fields ?? {})
      return expect(declared, 'its own links').toEqual(expect.arrayContaining(Object.keys(body.data.links)))
    }
    const links = linksBeside(envelope) ? body.links : body.data.links
    const { href } = envelope
    const self = typeof href === 'string' ? links.self : `${href.after}${links.self}`
    expect(self.startsWith('http'), `whether the link ${self} is absolute`).toBe(href === 'absolute')
    expect((await world.admin.get(self)).body.data?.id, `where the link ${self} leads`).toBe(object.id)
  })
})
