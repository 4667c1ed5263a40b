import { expect, test } from 'vitest'
import { sutlerApi } from '../../../server/api-document.ts'
import { action } from '../../../server/kernel/declare/action.ts'
import { module } from '../../../server/kernel/module.ts'
import { named, objectOf } from '../../../server/kernel/openapi/named-schemas.ts'
import { json } from '../../../server/kernel/shape/answer.ts'
import { shown } from '../../../server/kernel/shape/shown.ts'
import { gadgets } from '../../workshop/gadgets.ts'

const part = named('ShelfPart', shown.text)
const shelf = named('Shelf', shown.group({ parts: shown.list(part), gadget: objectOf(() => gadgets) }))

const shelves = [
  action({
    name: 'get-shelf',
    route: 'GET /v2/shelves/:id',
    about: 'Reads a shelf.',
    area: 'gadgets',
    status: 200,
    shows: { data: shelf, beside: { included: shown.list(part) } },
    run: async () => json(200, {}),
  }),
  action({
    name: 'list-shelves',
    route: 'GET /v2/shelves',
    about: 'Lists shelves.',
    area: 'gadgets',
    status: 200,
    shows: { page: true, data: shelf },
    run: async () => json(200, {}),
  }),
]

const documentOf = (...actions: typeof shelves) =>
  // biome-ignore lint/suspicious/noExplicitAny: a document is looked into.
  sutlerApi([module({ name: 'shelves', about: 'Shelves.', actions, resources: [gadgets] })]) as any

test('a schema that several answers share is one component', () => {
  const { paths, components } = documentOf(...shelves)
  const schemaOf = (path: string) => paths[path].get.responses[200].content['application/json'].schema
  const shelfRef = { $ref: '#/components/schemas/Shelf' }
  const partRef = { $ref: '#/components/schemas/ShelfPart' }
  expect(schemaOf('/v2/shelves/{id}').properties).toEqual({
    data: shelfRef,
    included: { type: 'array', items: partRef },
  })
  expect(schemaOf('/v2/shelves').properties.data).toEqual({ type: 'array', items: shelfRef })
  expect(components.schemas).toMatchObject({
    ShelfPart: { type: 'string' },
    Shelf: {
      properties: {
        parts: { items: partRef },
        gadget: { $ref: '#/components/schemas/Gadget' },
      },
    },
  })
})

test('two schemas of one name are refused', () => {
  const other = action({
    ...(shelves[0] as (typeof shelves)[number]),
    name: 'get-other-shelf',
    route: 'GET /v2/other-shelves/:id',
    shows: { data: named('Shelf', shown.object) },
  })
  expect(() => documentOf(...shelves, other)).toThrow('Two schemas of the API document have the name Shelf')
})

test('a component that no operation uses is left out', () => {
  const used = JSON.stringify(documentOf(...shelves).paths)
  expect(used).toContain('#/components/schemas/GadgetChanges')
  const { schemas } = sutlerApi().components as { schemas: object }
  // There is no create of a job: a client starts one by other calls.
  expect(schemas).toHaveProperty('PimJob')
  expect(schemas).not.toHaveProperty('NewPimJob')
})
