import { afterAll, beforeAll, expect, test } from 'vitest'
import { resource } from '../../../server/kernel/declare/resource.ts'
import { Problem } from '../../../server/kernel/errors.ts'
import { integer, text } from '../../../server/kernel/shape/fields.ts'
import { changeThing, lockThing } from '../../../server/kernel/thing/change-thing.ts'
import type { Work } from '../../../server/kernel/work/context.ts'
import { change } from '../../../server/kernel/write/by-rules.ts'
import { openWorld, type World } from '../../support/world.ts'

/** A jar: the smallest thing. It holds marbles, and shows how many. */

interface Marbles {
  readonly colours: readonly string[]
}

const jars = resource({
  type: 'jar',
  noun: ['jar', 'jars'],
  about: 'A jar of marbles.',
  path: '/v2/jars',
  table: 'jars',
  fields: {
    id: text({ immutable: true, max: 255, pattern: /^[a-z-]+$/ }),
    name: text({ default: 'Jar' }),
    count: integer({ hidden: true, readOnly: true }),
  },
  area: 'jars',
  envelope: { times: 'meta', digits: 3, fields: 'top', links: 'own', href: 'absolute' },
  key: { field: 'id', where: (name, bind) => `doc->>'id' = ${bind(name)}` },
  unborn: true,
  expires: 'expires_at',
  inside: { shows: ({ colours }: Marbles) => ({ count: colours.length }) },
  beforeWrite: (_work, draft) => {
    draft.inside ??= draft.before?.inside ?? { colours: [] }
  },
})

const sql = `CREATE TABLE jars (
    store_id uuid NOT NULL, id uuid NOT NULL, version integer NOT NULL DEFAULT 0,
    created_at timestamptz(3) NOT NULL, updated_at timestamptz(3) NOT NULL, doc json NOT NULL, hidden json, inside json,
    expires_at timestamp NOT NULL DEFAULT 'infinity', PRIMARY KEY (store_id, id));
  CREATE UNIQUE INDEX jars_id_key ON jars (store_id, (doc->>'id'));
  CALL track('jars', $$'jar'$$, hidden => 'r.hidden')`

let world: World
beforeAll(async () => {
  world = await openWorld({ sql })
})
afterAll(() => world.close())

const put = (work: Work, name: string, colour: string) =>
  changeThing(work, jars, name, ({ inside }) => ({
    inside: { colours: [...(inside?.colours ?? []), colour] },
  }))
const putAlone = (name: string, colour: string) =>
  world.work.transaction((inside) => put(inside, name, colour))
const inside = (name: string) =>
  world.work.transaction(async (work) => (await lockThing(work, jars, name))?.inside)
const eventsOf = async (name: string) =>
  (await world.feed(`SELECT event, hidden FROM changes WHERE source = 'jars' AND doc->>'id' = $1`, [name]))
    .rows

test('the first deed creates a thing in one write, and the feed has what it shows', async () => {
  const { before, after } = await putAlone('first', 'red')
  expect([before.inside, after.inside, after.version]).toEqual([undefined, { colours: ['red'] }, 0])
  await putAlone('first', 'blue')
  expect(await inside('first')).toEqual({ colours: ['red', 'blue'] })
  expect(await eventsOf('first')).toEqual([
    { event: 'created', hidden: { count: 1 } },
    { event: 'updated', hidden: { count: 2 } },
  ])
})

test('each of twenty deeds at once sees what the others have done', async () => {
  await Promise.all(Array.from({ length: 20 }, (_, i) => putAlone('busy', String(i))))
  const { colours = [] } = (await inside('busy')) ?? {}
  expect(colours.toSorted()).toEqual(Array.from({ length: 20 }, (_, i) => String(i)).sort())
  expect((await eventsOf('busy')).map(({ event }) => event).slice(0, 2)).toEqual(['created', 'updated'])
})

test('a refused deed stores nothing', async () => {
  const refuse = world.work.transaction((work) =>
    changeThing(work, jars, 'refused', () => {
      throw new Problem('unprocessable', 'The jar is full.')
    }),
  )
  await expect(refuse).rejects.toThrow('The jar is full.')
  expect(await inside('refused')).toBeUndefined()
})

test('a dry run of a deed says what it would do, and undoes it', async () => {
  await putAlone('dry', 'red')
  const { after } = await world.work.transaction((work) =>
    work.rehearse((inside) => put(inside, 'dry', 'blue')),
  )
  expect(after.inside).toEqual({ colours: ['red', 'blue'] })
  expect(await inside('dry')).toEqual({ colours: ['red'] })
})

test('a deed without an outcome, or with the same one, writes nothing', async () => {
  const { after } = await putAlone('same', 'red')
  const outcomes = [undefined, {}, { inside: { colours: ['red'] } }, { values: { name: 'Jar' } }]
  for (const outcome of outcomes)
    await world.work.transaction((work) => changeThing(work, jars, 'same', () => outcome))
  expect(await eventsOf('same')).toHaveLength(1)
  const named = await world.work.transaction((work) => change(work, jars, [], after.id, { name: 'Big' }))
  expect([named.doc.name, await inside('same')]).toEqual(['Big', { colours: ['red'] }])
})

test('a thing that has expired is replaced by the next deed, and one of before is read from its hidden values', async () => {
  await putAlone('gone', 'red')
  await world.sql(`UPDATE jars SET expires_at = '2001-01-01' WHERE doc->>'id' = 'gone'`)
  expect(await inside('gone')).toBeUndefined()
  expect((await putAlone('gone', 'blue')).after.inside).toEqual({ colours: ['blue'] })
  await world.sql(`UPDATE jars SET inside = NULL, hidden = '{"colours":["old"]}' WHERE doc->>'id' = 'gone'`)
  expect((await putAlone('gone', 'new')).after.inside).toEqual({ colours: ['old', 'new'] })
})

test('a name that cannot be a key has no thing', async () => {
  await expect(putAlone('NOT A KEY', 'red')).rejects.toMatchObject({ code: 'not_found' })
})
