import type { Work } from '../../kernel/work/context.ts'
import { accessOf } from '../gateways/gateway-access.ts'
import type { GatewaySlug } from '../gateways/gateway-kinds.ts'
import type { Gateway, Outcome, Receipt } from '../rules/gateway.ts'
import { openGateway } from './find-gateway.ts'

/** When a payment that waits for the shopper is given up. */
interface Patience {
  /** A shopper can try another card in a payment form. Any other payment has failed with its decline. */
  readonly isForm: boolean
  readonly ageMs: number
}

/** A shopper who has to act at a screen, and has not for so long, has left. */
const abandonedAfterMs = 86_400_000

/**
 * How a payment stands. One that has failed is cancelled, so that nobody can pay it later. A shopper who pays at this
 * moment comes first: the gateway then says that the payment is paid.
 */
export async function readPayment(
  gateway: Gateway,
  receipt: Receipt,
  { isForm, ageMs }: Patience,
): Promise<Outcome> {
  const now = await gateway.read(receipt)
  if (now.reports.length || !gateway.cancel) return now
  const cancel = (key: string) => ({ key: `${key}:${receipt.reference}` })
  if (now.failure && !isForm) return gateway.cancel(receipt, cancel('declined'))
  if (!now.waitsForShopper || ageMs < abandonedAfterMs) return now
  return gateway.cancel(receipt, cancel('abandoned'), 'abandoned')
}

/** How a payment stands at its gateway. With patience, as `readPayment`. */
export async function readAtGateway(
  work: Work,
  gateway: GatewaySlug,
  receipt: Receipt,
  patience?: Patience,
): Promise<Outcome> {
  const opened = openGateway(await accessOf(work, gateway), work.instance.services)
  return patience ? readPayment(opened, receipt, patience) : opened.read(receipt)
}
