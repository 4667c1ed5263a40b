import type { ModuleSamples } from '../../support/module-samples.ts'

const days = '?start_date=2026-01-01&end_date=2026-02-01'
const period = `${days}&currency=USD`

export const metricsSamples: ModuleSamples = {
  queries: {
    'get-order-metrics-summary': period,
    'get-order-metrics-count': `${period}&interval=1d`,
    'get-order-metrics-value': `${period}&interval=1d`,
    'get-order-metrics-discount': `${period}&interval=1d`,
    'get-customer-metrics-count': `${days}&interval=1d`,
    'get-account-metrics-count': `${days}&interval=1d`,
  },
}
