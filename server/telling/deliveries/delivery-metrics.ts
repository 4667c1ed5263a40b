import type { DatabaseFigure } from '../../kernel/metrics/database-figures.ts'
import { counter } from '../../kernel/metrics/metrics.ts'
import type { DeliveryAttempt } from './record-attempts.ts'

const deliveries = counter(
  'sutler_deliveries_total',
  'Attempts to send an event: succeeded, retry, dead (no more attempts) or dropped (nothing was sent).',
  ['outcome'],
)

export const countDelivery = ({ state }: Pick<DeliveryAttempt, 'state'>): void =>
  deliveries.inc({ outcome: state === 'waiting' ? 'retry' : state })

/** What waits is counted up to this number. */
const countedMax = 100_000

const waiting = (more: string) =>
  `SELECT 1 FROM integration_jobs WHERE state = 'waiting' ${more} LIMIT ${countedMax}`

/** Of all stores. `due` may be sent now, `later` is a retry, `behind` waits for an earlier event of its object. */
export const deliveryFigures: readonly DatabaseFigure[] = [
  {
    name: 'sutler_deliveries_waiting',
    about: `Events that wait to be sent, up to ${countedMax} of each state.`,
    label: 'state',
    sql: `SELECT 'due', count(*) FROM (${waiting('AND due_at <= now()')}) due
      UNION ALL SELECT 'later', count(*) FROM (${waiting('AND due_at > now()')}) later
      UNION ALL SELECT 'behind', count(*) FROM (${waiting('AND due_at IS NULL')}) behind`,
  },
  {
    name: 'sutler_delivery_lag_seconds',
    about: 'How long the oldest event that may be sent now has waited for it.',
    sql: `SELECT coalesce(extract(epoch FROM now() - min(due_at)), 0)
      FROM (SELECT due_at FROM integration_jobs
            WHERE state = 'waiting' AND due_at <= now() LIMIT ${countedMax}) due`,
  },
]
