import { module } from '../kernel/module.ts'
import type { Work } from '../kernel/work/context.ts'
import { renewMember } from '../kernel/work/sealed-members.ts'
import { add } from '../kernel/write/by-rules.ts'
import { gatewayKind, gatewaySlugs } from './gateway-kinds.ts'
import { gateways } from './gateways.ts'
import { updateGateway } from './update-gateway.ts'

export { type GatewaySlug, gatewaySlugs } from './gateway-kinds.ts'
export { gateways }

export const gatewayChapter = module({
  name: 'gateways',
  about: 'The payment gateways of the store, and their settings.',
  resources: [gateways],
  actions: [updateGateway],
  firstDay: addGateways,
  renewSeals: renewMember({
    table: 'gateways',
    member: 'sealed_secrets',
    name: 'slug',
    describe: (slug, storeId) => `the secrets of the gateway ${slug} of the store ${storeId}`,
  }),
})

async function addGateways(work: Work): Promise<void> {
  for (const slug of gatewaySlugs) {
    const { name, optional } = gatewayKind(slug)
    await add(work, gateways, [], { slug, name, ...(optional.includes('test') && { test: false }) })
  }
}
