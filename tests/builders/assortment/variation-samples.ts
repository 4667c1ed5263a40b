import {
  type ModifierType,
  modifierTypes,
  partsOf,
} from '../../../server/assortment/variations/modifier-types.ts'
import type { Client } from '../../support/client.ts'
import type { ModuleSamples, SharedSamples } from '../../support/module-samples.ts'
import { until } from '../../support/until.ts'

/** The position of the last type, so that concurrent tests make modifiers of different types. */
let place = 0

/** The types that accept any word, so that concurrent modifiers conflict only by their type. */
const types = modifierTypes.filter((type) => {
  const { field, operation } = partsOf(type)
  const isWord = !['commodity_type', 'status', 'custom_inputs', 'build_rules', 'locales'].includes(field)
  return isWord && ['append', 'prepend', 'equals'].includes(operation)
})

/** A child of the product in the path: adds an option and builds the product. */
async function anotherChild(client: Client, _samples: SharedSamples, collection: string) {
  const parent = collection.split('/').slice(0, 4).join('/')
  const links = `${parent}/relationships/variations`
  const post = async (path: string, type: string) => {
    const attributes = { name: crypto.randomUUID() }
    return (await client.post(path, { data: { type, attributes } })).body.data
  }
  const linked = (await client.get(links)).body.data[0]
  const { id } = linked ?? (await post('/pcm/variations', 'product-variation'))
  await post(`/pcm/variations/${id}/options`, 'product-variation-option')
  await client.put(links, { data: [{ type: 'product-variation', id }] })
  const children = async () => (await client.get(`${collection}?page[limit]=1`)).body
  const before = (await children()).meta.results.total
  await client.post(`${parent}/build`, {})
  return until(async () => {
    const { data, meta } = await children()
    return meta.results.total === before + 1 ? data[0] : undefined
  })
}

export const variationSamples: ModuleSamples = {
  makers: { 'child-product': anotherChild },
  completions: {
    // An option has at most one modifier of each type.
    'product-variation-modifier': async (client, _samples, collection) => {
      const { data } = (await client.get(`${collection}?page[limit]=100`)).body
      const taken = data.map(({ attributes }: { attributes: { type: string } }) => attributes.type)
      for (let tried = 0; tried < types.length; tried++) {
        place += 1
        const type = types[place % types.length] as ModifierType
        if (!taken.includes(type)) return { type, value: 'one' }
      }
      const [{ id, attributes }] = data
      await client.delete(`${collection}/${id}`)
      return { type: attributes.type, value: 'one' }
    },
  },
  notInUpdates: ['product-variation-modifier.type', 'product-variation-modifier.value'],
}
