import { type GatewaySlug, gateways } from '../gateways/index.ts'
import { Problem } from '../kernel/errors.ts'
import { findByName } from '../kernel/query/find.ts'
import type { Work } from '../kernel/work/context.ts'
import type { Gateway, PaymentMethod } from '../payments/index.ts'
import { manualGateway } from './manual-gateway.ts'

/** The gateways that payments can use. The others only keep their settings. */
const implementations: Partial<Record<GatewaySlug, Gateway>> = { manual: manualGateway }

/** The gateway of a payment that exists. */
export const gatewayOf = (slug: GatewaySlug): Gateway => implementations[slug] ?? refuseGateway(slug)

function refuseGateway(slug: GatewaySlug): never {
  const usable = Object.keys(implementations).join(', ')
  const detail = `Payments with ${slug} are not implemented. Use one of these gateways: ${usable}.`
  throw new Problem('unprocessable', detail, { source: 'data.gateway' })
}

/** The gateway for a new payment. Refuses one that the merchant has not enabled, and methods that it does not have. */
export async function gatewayForPayment(
  work: Work,
  slug: GatewaySlug,
  method: PaymentMethod,
): Promise<Gateway> {
  const gateway = gatewayOf(slug)
  const { doc } = await findByName(work, gateways, slug)
  if (!doc.enabled) {
    const detail = `The gateway ${slug} is disabled. A merchant enables it with PUT /v2/gateways/${slug}.`
    throw new Problem('unprocessable', detail, { source: 'data.gateway' })
  }
  if (!gateway.methods.includes(method)) {
    const detail = `data.method must be one of these with the gateway ${slug}: ${gateway.methods.join(', ')}.`
    throw new Problem('unprocessable', detail, { source: 'data.method' })
  }
  return gateway
}
