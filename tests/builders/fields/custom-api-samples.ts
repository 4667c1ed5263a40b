import type { ModuleSamples } from '../../support/module-samples.ts'
import { makeSampleApi, sampleEntries, typeOfEntries } from './sample-api.ts'

const ownType: NonNullable<ModuleSamples['completions']>[string] = async (client, _samples, collection) => ({
  type: await typeOfEntries(client, collection),
})

export const extensions: ModuleSamples = {
  runTime: sampleEntries,
  parameters: { extensions: makeSampleApi },
  completions: { 'custom-entry': ownType, 'custom-entry-in-settings': ownType },
}
