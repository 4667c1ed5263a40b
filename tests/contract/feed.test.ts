import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { isShown } from '../../server/kernel/fields.ts'
import { type Kind, kindsWith, Samples } from '../support/samples.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
let samples: Samples
let actor: string
beforeAll(async () => {
  world = await openWorld()
  samples = new Samples(world.admin)
  const { rows } = await world.sql('SELECT id FROM application_keys WHERE store_id = $1', [world.storeId])
  actor = rows[0].id
})
afterAll(() => world.close())

/** The changes of one object since the last look. */
async function changesOf(id: string) {
  const { rows } = await world.sql('SELECT * FROM changes WHERE id = $1 ORDER BY xid, seq', [id])
  return rows
}

const hiddenOf = ({ resource }: Kind) =>
  Object.entries(resource.fields).filter(([, { options }]) => !isShown(options))

describe.each(kindsWith('create', 'get').map((kind) => ({ ...kind, kind })))(
  '$name',
  ({ kind, operations }) => {
    let since: number
    beforeEach(() => {
      since = 0
    })
    const next = async (id: string) => {
      const fresh = (await changesOf(id)).slice(since)
      since += fresh.length
      return fresh
    }

    test('leaves one change for each write, with its author, and no secret', async () => {
      const collection = await samples.path(kind.resource.path)
      const made = await world.admin.post(collection, await samples.body(kind, collection, true))
      expect(made.status).toBe(201)
      const { id, type } = made.body.data
      const key = (await samples.make(kind, collection)).key.length === 36 ? id : id
      const path = `${collection}/${key}`
      const expectOne = async (kindOfChange: string, requestId: string | null) => {
        const fresh = await next(id)
        expect(fresh.map((change) => change.kind)).toEqual([kindOfChange])
        expect(fresh[0]).toMatchObject({ store_id: world.storeId, type, actor, request_id: requestId })
        return fresh[0].doc
      }
      const created = await expectOne('created', made.headers.get('x-request-id'))
      for (const [name] of hiddenOf(kind)) expect(Object.keys(created)).not.toContain(name)

      if (operations.update) {
        const current = await world.admin.get(path)
        const changed = await world.admin.put(path, current.body)
        expect(changed.status).toBe(200)
        await expectOne('updated', changed.headers.get('x-request-id'))
        const refused = await world.admin.put(path, current.body, { 'if-match': '"stale"' })
        expect(refused.status).toBe(412)
        expect(await next(id)).toEqual([])
      }
      if (operations.delete) {
        const gone = await world.admin.delete(path)
        expect(gone.status).toBe(204)
        expect(await expectOne('deleted', gone.headers.get('x-request-id'))).toBeNull()
      }
    })

    test('leaves none for a write that is refused', async () => {
      const collection = await samples.path(kind.resource.path)
      const { rows: before } = await world.sql('SELECT count(*)::int AS n FROM changes')
      await world.admin.post(collection, { data: { type: 'no_such_type' } })
      await world.nobody.post(collection, {})
      const { rows: after } = await world.sql('SELECT count(*)::int AS n FROM changes')
      expect(after).toEqual(before)
    })
  },
)
