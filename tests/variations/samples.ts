import { type ModifierType, modifierTypes, partsOf } from '../../server/variations/modifier-types.ts'
import type { ModuleSamples } from '../support/module-samples.ts'

/** Where in the types the last one was taken, so that those who make modifiers at the same time make others. */
let place = 0

/** Those that take any word: where several are made of one type at once, each is right but for that. */
const types = modifierTypes.filter((type) => {
  const { field, operation } = partsOf(type)
  const isWord = !['commodity_type', 'status', 'custom_inputs', 'build_rules', 'locales'].includes(field)
  return isWord && ['append', 'prepend', 'equals'].includes(operation)
})

export const variationSamples: ModuleSamples = {
  completions: {
    // An option has one of each type.
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
  notMadeUp: ['product-variation-modifier.type', 'product-variation-modifier.value'],
}
