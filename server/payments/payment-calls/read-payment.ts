import type { Work } from '../../kernel/work/context.ts'
import { accessOf } from '../gateways/chapter.ts'
import type { GatewaySlug } from '../gateways/gateway-kinds.ts'
import type { Gateway, Outcome, Receipt } from '../rules/gateway.ts'
import { openGateway } from './find-gateway.ts'

/** When a payment that waits for the shopper is given up. */
interface Patience {
  /** A shopper can try another card in a payment form. Any other payment has failed with its decline. */
  readonly isForm: boolean
  /** Whether the shopper should have completed it long ago. */
  readonly isAbandoned: boolean
}

/**
 * How a payment stands. One that has failed is cancelled, so that nobody can pay it later. A shopper who pays at this
 * moment comes first: the gateway then says that the payment is paid.
 */
export async function readPayment(
  gateway: Gateway,
  receipt: Receipt,
  { isForm, isAbandoned }: Patience,
): Promise<Outcome> {
  const now = await gateway.read(receipt)
  if (now.reports.length || !gateway.cancel) return now
  const cancel = (key: string) => ({ key: `${key}:${receipt.reference}` })
  if (now.failure && !isForm) return gateway.cancel(receipt, cancel('declined'))
  if (now.waitsForShopper && isAbandoned) return gateway.cancel(receipt, cancel('abandoned'), 'abandoned')
  return now
}

/** A shopper who has to act at a screen, and has not for so long, has left. */
const abandonedAfterMs = 86_400_000

/** How a payment stands at its gateway. */
export async function readAtGateway(work: Work, gateway: GatewaySlug, receipt: Receipt): Promise<Outcome> {
  const access = await accessOf(work, gateway)
  return openGateway(access, work.instance.services).read(receipt)
}

/** As `readAtGateway`; cancels a payment that has failed, or that its shopper has abandoned. */
export async function readOrEnd(
  work: Work,
  gateway: GatewaySlug,
  receipt: Receipt,
  { ageMs, isForm }: { readonly ageMs: number; readonly isForm: boolean },
): Promise<Outcome> {
  const access = await accessOf(work, gateway)
  const isAbandoned = ageMs >= abandonedAfterMs
  return readPayment(openGateway(access, work.instance.services), receipt, { isForm, isAbandoned })
}
