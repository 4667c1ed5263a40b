import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openWorld, type World } from '../support/world.ts'
import { makeFlow } from './flows.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const customer = (more: object = {}) => ({
  data: { type: 'customer', name: 'Ada', email: `${crypto.randomUUID()}@example.com`, ...more },
})

describe('a flow named as a resource', () => {
  test('adds its fields to it', async () => {
    const { body: old } = await world.admin.post('/v2/customers', customer())
    const flow = await makeFlow(world.admin, 'customers', {
      shoe_size: { field_type: 'integer', required: true, default: 40 },
    })
    const path = `/v2/customers/${old.data.id}`
    const read = await world.admin.get(path)
    expect(read.body.data.shoe_size).toBe(null)
    const made = await world.admin.post('/v2/customers', customer())
    expect([made.status, made.body.data.shoe_size]).toEqual([201, 40])
    expect((await world.admin.get(`/v2/customers/${made.body.data.id}`)).body.data).toEqual(made.body.data)
    for (const wrong of ['abc', 43.5, null, true]) {
      const refused = await world.admin.post('/v2/customers', customer({ shoe_size: wrong }))
      expect([wrong, refused.status, refused.body.errors?.[0].source]).toEqual([wrong, 422, 'data.shoe_size'])
    }
    const changed = await world.admin.put(path, { data: { type: 'customer', shoe_size: 43 } })
    expect([changed.status, changed.body.data.shoe_size]).toEqual([200, 43])
    const list = await world.admin.get('/v2/customers?sort=created_at')
    expect(list.body.data.map((one: { shoe_size: number }) => one.shoe_size)).toEqual([43, 40])
    const entry = await world.admin.get(`/v2/flows/customers/entries/${old.data.id}`)
    expect(entry.body.data).toMatchObject({ id: old.data.id, type: 'entry', shoe_size: 43 })
    expect(entry.body.data.name).toBe(undefined)
    const put = await world.admin.put(`/v2/flows/customers/entries/${old.data.id}`, {
      data: { type: 'entry', shoe_size: 44, name: 'Not mine' },
    })
    expect([put.status, put.body.data.shoe_size]).toEqual([200, 44])
    expect((await world.admin.get(path)).body.data).toMatchObject({ name: 'Ada', shoe_size: 44 })
    await flow.change('shoe_size', { slug: 'size' })
    expect((await world.admin.get(path)).body.data).toMatchObject({ name: 'Ada', size: 44 })
    expect((await world.admin.get(path)).body.data).not.toHaveProperty('shoe_size')
    await flow.change('shoe_size', { enabled: false })
    expect((await world.admin.get(path)).body.data).not.toHaveProperty('size')
    await world.admin.put(path, { data: { type: 'customer', name: 'Bea', size: 'ignored' } })
    await flow.change('shoe_size', { enabled: true })
    expect((await world.admin.get(path)).body.data).toMatchObject({ name: 'Bea', size: 44 })
    await flow.drop('shoe_size')
    expect((await world.admin.get(path)).body.data).not.toHaveProperty('size')
  })
})
