import type { Report } from '../../orders/index.ts'
import type { Gateway, Outcome } from '../rules/gateway.ts'

const says = async (...reports: readonly Report[]): Promise<Outcome> => ({ reports, reference: 'manual' })

/** The merchant moves the money without Sutler, and all calls succeed: they record what the merchant has done. */
export const manualGateway: Gateway = {
  methods: ['purchase', 'authorize'],
  purchase: () => says({ is: 'paid' }),
  authorize: () => says({ is: 'authorized' }),
  capture: () => says({ is: 'paid' }),
  refund: (_receipt, amount) => says({ is: 'refunded', amount }),
  read: () => says(),
}
