import { module } from '../../kernel/module.ts'
import { mergeOrderSums } from './merge-order-sums.ts'
import { getOrderSummary, orderTimeSeries } from './order-metrics.ts'

export const metrics = module({
  name: 'metrics',
  about: 'How many orders there were, and what they come to.',
  actions: [getOrderSummary, ...orderTimeSeries],
  chores: [mergeOrderSums],
})
