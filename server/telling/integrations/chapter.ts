import { module } from '../../kernel/module.ts'
import { renewMember } from '../../kernel/work/sealed-members.ts'
import { deleteIntegration } from './delete-integration.ts'
import { integrations } from './integrations.ts'

export const integrationChapter = module({
  name: 'integrations',
  about: 'Webhooks and queues that receive events of the store.',
  resources: [integrations],
  actions: [deleteIntegration],
  renewSeals: renewMember({
    table: 'integrations',
    member: 'sealed_secrets',
    name: 'name',
    describe: (name, storeId) => `the secrets of the integration ${name} of the store ${storeId}`,
  }),
})
