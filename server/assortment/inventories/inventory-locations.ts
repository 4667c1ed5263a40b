import { resource } from '../../kernel/declare/resource.ts'
import { longText } from '../../kernel/query/long-text.ts'
import { field, group, number, text } from '../../kernel/shape/fields.ts'
import { indexed, walks } from '../../kernel/shape/model.ts'
import { emptyLocation, lockStocksAt } from './end-levels.ts'
import { showLevels } from './move-stock.ts'
import { inventoryEnvelope } from './stock-envelope.ts'

const fields = {
  name: text({ required: true, min: 3, max: 1024, about: 'For people.', example: 'North warehouse' }),
  slug: text({
    required: true,
    min: 1,
    max: 128,
    about: 'The slug that stock and transactions refer to; unique in the store.',
    example: 'north-warehouse',
  }),
  external_ref: text({ nullable: true, min: 3, max: 1024, about: 'The id in another system.' }),
  description: text({ nullable: true, min: 3, max: 1024, about: 'For people.' }),
  address: field<readonly string[] | null | undefined>(
    { type: 'array', minItems: 1, maxItems: 8, items: { type: 'string', maxLength: 1024 } },
    { nullable: true, about: 'The lines of the address.', example: ['1 Quay Road', 'Norwich'] },
  ),
  geolocation: group(
    {
      lat: number({
        required: true,
        min: -90,
        max: 90,
        about: 'The latitude in degrees north.',
        example: 52.62,
      }),
      lon: number({
        required: true,
        min: -180,
        max: 180,
        about: 'The longitude in degrees east.',
        example: 1.29,
      }),
    },
    { nullable: true, about: 'The coordinates.' },
  ),
}

export const inventoryLocations = resource({
  type: 'inventory_location',
  noun: ['inventory-location', 'inventory-locations'],
  about: 'A place where stock is kept, such as a warehouse or a shop.',
  path: '/v2/inventories/locations',
  table: 'inventory_locations',
  fields,
  filter: {
    ...walks,
    slug: indexed('eq'),
    name: longText('name'),
    external_ref: longText('external_ref', 'eq'),
  },
  sort: ['created_at', 'id', 'updated_at'],
  most: { n: 10_000, detail: (n) => `A store can have at most ${n} locations.` },
  area: 'inventories',
  visible: 'all',
  envelope: inventoryEnvelope,
  // Responses leave out emptied fields, because the public contract has no null here.
  beforeWrite: async (_work, { values }) => {
    values.external_ref ??= undefined
    values.description ??= undefined
    values.address ??= undefined
    values.geolocation ??= undefined
  },
  afterWrite: async (work, { id, doc }, before) => {
    if (before && before.doc.slug !== doc.slug) await showLevels(work, await lockStocksAt(work, id))
  },
  beforeDelete: async (work, { id, doc: { slug } }) => {
    await work.store.lockExclusive(inventoryLocations, id)
    await emptyLocation(work, { id, slug })
  },
  constraints: {
    inventory_locations_slug_key: {
      code: 'invalid_field',
      detail: 'A location with this slug already exists.',
      source: 'data.attributes.slug',
    },
  },
})
