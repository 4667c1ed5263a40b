import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

test('an error names a member as the client sent it', async () => {
  const { admin } = world
  const { body } = await admin.post('/pcm/hierarchies', {
    data: { type: 'hierarchy', attributes: { name: 'Shop' } },
  })
  const nodes = `/pcm/hierarchies/${body.data.id}/nodes`
  const node = { type: 'node', attributes: { name: 'Bread' } }
  const response = await admin.post(nodes, { data: node })
  const { status, body: refused } = await admin.put(`${nodes}/${response.body.data.id}`, {
    data: { ...node, id: response.body.data.id, relationships: { parent: { data: { type: 'node' } } } },
  })
  expect(status).toBe(400)
  expect(JSON.stringify(refused)).not.toContain('sent_')
  expect(refused.errors[0].source).toMatch(/^data\.relationships\.parent/)
})
