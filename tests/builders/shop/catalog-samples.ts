import type { ModuleSamples } from '../../support/module-samples.ts'

export const catalogs: ModuleSamples = {
  // What a catalog is made of must be there.
  completions: {
    catalog: async (_client, samples) => {
      const hierarchy = samples.named('hierarchy')
      const { id } = await samples.shared(hierarchy, hierarchy.resource.path)
      return { hierarchy_ids: [id], pricebook_id: undefined, pricebook_ids: undefined }
    },
    // For nobody who does not say so: what they see who say nothing is another module's sample.
    'catalog-rule': async () => ({ pricebook_ids: undefined, channels: ['of samples'] }),
  },
  notInUpdates: ['catalog.hierarchy_ids', 'catalog.pricebook_ids', 'catalog-rule.pricebook_ids'],
}
