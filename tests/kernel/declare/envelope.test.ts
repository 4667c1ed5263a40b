import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Resource, resource } from '../../../server/kernel/declare/resource.ts'
import { module } from '../../../server/kernel/module.ts'
import { type Envelope, linksBeside } from '../../../server/kernel/shape/envelope.ts'
import { field, text } from '../../../server/kernel/shape/fields.ts'
import { keys } from '../../../server/people/index.ts'
import { coverPairs } from '../../support/cover-pairs.ts'
import { takesAll } from '../../support/long.ts'
import { openWorld, type World } from '../../support/world.ts'
import {
  area,
  type Document,
  expectDocumented,
  expectOpenApi,
  now,
  seconds,
  storedRow,
  table,
} from './envelopes.ts'

/** What the public contract asks for somewhere, whether a resource of today is of that kind or not. */

/** All there are, each on its own path. */
const every = (['top', 'attributes'] as const).flatMap((fields) =>
  (['meta', 'meta.timestamps', 'fields', 'none'] as const).flatMap((times) =>
    ([0, 3, 6] as const).flatMap((digits) =>
      (['beside', 'single', 'inside', 'none'] as const).map((links, i) => {
        const href = i === 0 ? ('absolute' as const) : { after: '/v2' }
        const name = [fields, times.replace('.', '-'), digits, links].join('-')
        const envelope: Envelope = { times, digits, fields, links, href }
        const traits = { fields, times, digits: String(digits), links }
        return { name, envelope, traits, specimen: specimenOf(name, envelope) }
      }),
    ),
  ),
)

/** Each option with each other, or in the long form with all others. */
const specimens = takesAll ? every : coverPairs(every, ({ traits }) => traits)

function specimenOf(name: string, envelope: Envelope): Resource {
  return resource({
    type: 'specimen',
    noun: [`specimen-${name}`, `specimens-${name}`],
    about: 'One of each envelope.',
    path: `/v2/specimens-${name}`,
    table: `specimens_${envelope.fields}`,
    fields: { name: text({ about: 'Any.' }), relationships: field({ type: 'object' }, { readOnly: true }) },
    area,
    envelope,
    meta: {
      fields: {
        owner: text({ about: 'Whose it is.' }),
        ends_at: text({ format: 'date-time', nullable: true, about: 'When it ends.' }),
      },
      of: ({ createdAt }) => ({ owner: 'store', ends_at: createdAt }),
    },
    also: {
      fields: { at: text({ format: 'uri', about: 'Where it is shown.' }) },
      of: ({ id }, { baseUrl }) => ({ at: `${baseUrl}/shown/${id}` }),
    },
    beforeWrite: (_ctx, { values }) => {
      values.relationships = { parts: { data: [] } }
    },
  })
}

let world: World
let document: Document
beforeAll(async () => {
  world = await openWorld({
    clock: { now: () => new Date(now) },
    modules: [
      keys,
      module({
        name: 'specimens',
        about: 'Of every envelope.',
        resources: specimens.map(({ specimen }) => specimen),
      }),
    ],
    sql: [table('specimens_top', `'specimen'`), table('specimens_attributes', `'specimen'`)].join('\n'),
  })
  document = (await world.nobody.get('/openapi.json')).body
})
afterAll(() => world.close())

describe.each(specimens)('$name', ({ name, envelope, specimen }) => {
  const time = { 0: seconds, 3: now, 6: '2040-01-31T09:30:00.678000Z' }[envelope.digits]
  const times = { created_at: time, updated_at: time }

  test('places everything as declared, in answers, in lists and in the API document', async () => {
    const fields = { name: 'One', ...(envelope.times === 'fields' && times) }
    const meta = {
      meta: { ...times, ends_at: time, owner: 'store' },
      'meta.timestamps': { timestamps: { ...times, ends_at: time }, owner: 'store' },
      fields: { ends_at: time, owner: 'store' },
      none: { ends_at: time, owner: 'store' },
    }[envelope.times]
    const sent = envelope.fields === 'top' ? { name: 'One' } : { attributes: { name: 'One' } }
    const reply = await world.admin.post(specimen.path, { data: { type: 'specimen', ...sent } })
    const { id } = reply.body.data
    const object = {
      type: 'specimen',
      id,
      ...(envelope.fields === 'top' ? fields : { attributes: fields }),
      relationships: { parts: { data: [] } },
      at: `${world.url}/shown/${id}`,
      meta,
    }
    const self = envelope.href === 'absolute' ? world.url + specimen.path : specimen.path.replace('/v2', '')
    const links = { links: { self: `${self}/${id}` } }
    const [beside, inside] = [linksBeside(envelope) && links, envelope.links === 'inside' && links]
    const single = { data: { ...object, ...inside }, ...beside }
    expect([reply.status, reply.body]).toEqual([201, single])
    expect((await world.admin.get(`${specimen.path}/${id}`)).body).toEqual(single)
    const inList = { ...object, ...(['beside', 'inside'].includes(envelope.links) && links) }
    const list = await world.admin.get(specimen.path)
    expect(list.body.data.find((one: { id: string }) => one.id === id)).toEqual(inList)
    expectDocumented(
      document,
      `Specimen-${name}`.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()),
      inList,
    )
    const doc = JSON.parse((await storedRow(world, specimen, id)).doc)
    expect(doc).toEqual({ ...sent, relationships: { parts: { data: [] } } })
  })
})

test('the API document of all envelopes is OpenAPI 3.1', () => expectOpenApi(document))
