import type { Merchant } from './merchant.ts'

/** The receivers do not exist: names below `.invalid` never do. So there are deliveries that fail. */
const receivers = [
  ['Warehouse', 'https://warehouse.invalid/orders', ['order.paid', 'order.cancelled'], true],
  ['Newsletter', 'https://newsletter.invalid/hooks', ['customer.created', 'customer.updated'], true],
  ['Accounting', 'https://books.invalid/events', ['order.paid', 'order.refunded'], false],
] as const

export async function addIntegrations(merchant: Merchant): Promise<void> {
  for (const [name, url, observes, enabled] of receivers) {
    await merchant.create('/v2/integrations', `integration ${name}`, {
      ...{ type: 'integration', name, enabled, integration_type: 'webhook', observes },
      ...{ description: 'Its receiver does not exist: see how deliveries fail.', configuration: { url } },
    })
  }
}
