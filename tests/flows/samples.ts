import { entries } from '../../server/flows/entries.ts'
import { withAdded } from '../../server/kernel/added-fields.ts'
import { resource } from '../../server/kernel/resource.ts'
import type { ModuleSamples } from '../support/module-samples.ts'
import type { Samples } from '../support/samples.ts'

let counter = Math.floor(Math.random() * 1e9)

/** One of its own: an update of its field may make a value required, and it has few. */
const flowOf = async (samples: Samples) => (await samples.make(samples.named('flow'))).id

export const flows: ModuleSamples = {
  // As it is in a flow without fields.
  runTime: [resource({ ...withAdded(entries, undefined) })],
  completions: {
    flow: async () => {
      counter += 1
      return { slug: `samples-${counter}` }
    },
    'flow-field': async (_client, samples) => {
      counter += 1
      return {
        slug: `field-${counter}`,
        field_type: 'string',
        required: false,
        validation_rules: [],
        default: null,
        relationships: { flow: { data: { id: await flowOf(samples), type: 'flow' } } },
      }
    },
  },
  bodies: {
    'create-flow-entry-relationship': async () => ({ data: [] }),
    'update-flow-entry-relationship': async () => ({ data: [] }),
  },
}
