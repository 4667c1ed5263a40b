import { type ModifierType, modifierTypes, partsOf } from '../../server/variations/modifier-types.ts'
import type { ModuleSamples } from '../support/module-samples.ts'

/** Where in the types the last one was taken, so that those who make modifiers at the same time make others. */
let place = 0

/** What a modifier of the type may look like. */
function valuesOf(type: ModifierType): object {
  const { field, operation } = partsOf(type)
  if (operation === 'builder') return { seek: '{COLOUR}', set: 'red' }
  if (operation === 'refer') return { reference_name: 'Large ones' }
  const values: Readonly<Record<string, string>> = {
    commodity_type: 'digital',
    status: 'live',
    custom_inputs: '{"front":{"name":"Front"}}',
    build_rules: '{"default":"exclude"}',
    locales: '{"fr-FR":{"name":"Un"}}',
  }
  return { value: values[field] ?? 'one' }
}

export const variationSamples: ModuleSamples = {
  completions: {
    // An option has one of each type.
    'product-variation-modifier': async (client, _samples, collection) => {
      const { data } = (await client.get(`${collection}?page[limit]=100`)).body
      const taken = data.map(({ attributes }: { attributes: { type: string } }) => attributes.type)
      for (let tried = 0; tried < modifierTypes.length; tried++) {
        place += 1
        const type = modifierTypes[place % modifierTypes.length] as ModifierType
        if (!taken.includes(type)) return { type, ...valuesOf(type) }
      }
      const [{ id, attributes }] = data
      await client.delete(`${collection}/${id}`)
      return { type: attributes.type, ...valuesOf(attributes.type) }
    },
  },
  notMadeUp: ['product-variation-modifier.type', 'product-variation-modifier.value'],
}
