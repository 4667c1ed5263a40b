import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, type World } from '../support/world.ts'
import { makeFlow } from './flows.ts'

const path = '/v2/settings/specifications/openapi'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

test('of a store that adds nothing it is that of the server', async () => {
  const { status, body } = await world.admin.get(path)
  expect([status, body]).toEqual([200, (await world.nobody.get('/openapi.json')).body])
  expect(body.components.schemas.Product.properties.attributes.properties.extensions).toMatchObject({
    additionalProperties: { type: 'object' },
    readOnly: true,
  })
})

test('it has the fields that flows add, and those of templates', async () => {
  const { admin } = world
  const flow = await makeFlow(admin, 'customers', {
    shoe_size: { field_type: 'integer', description: 'In Europe.', default: 40 },
    gone: { field_type: 'string', enabled: false },
  })
  await makeFlow(admin, 'products', { season: { field_type: 'string', required: true } })
  await makeFlow(admin, 'products(book)', {
    isbn: { field_type: 'string' },
    old: { field_type: 'date', enabled: false },
  })
  const { body } = await admin.get(path)
  const { valid, errors } = await new Validator().validate(structuredClone(body))
  expect([valid, errors]).toEqual([true, undefined])
  const { Customer, NewCustomer, CustomerChanges, Product, NewProduct } = body.components.schemas
  const shoeSize = expect.objectContaining({ type: ['integer', 'null'], description: 'In Europe.' })
  for (const { properties } of [Customer, NewCustomer, CustomerChanges]) {
    expect(properties.shoe_size).toEqual(shoeSize)
    expect(properties).not.toHaveProperty('gone')
  }
  expect(NewProduct.properties.attributes.required).toContain('season')
  expect(NewProduct.properties.attributes.properties).not.toHaveProperty('extensions')
  const { extensions } = Product.properties.attributes.properties
  expect(extensions.properties['products(book)'].properties).toEqual({
    isbn: expect.objectContaining({ type: ['string', 'null'] }),
  })
  await flow.change('shoe_size', { slug: 'size' })
  expect((await admin.get(path)).body.components.schemas.Customer.properties).toHaveProperty('size')
  // Of no other store.
  const { body: general } = await world.nobody.get('/openapi.json')
  expect(general.components.schemas.Customer.properties).not.toHaveProperty('size')
})
