import { singleton } from '../kernel/declare/singleton.ts'
import { integer } from '../kernel/shape/fields.ts'

export const daysDefault = 365

/** How long the store keeps changes and reads. */
export const logsTtl = singleton({
  name: 'logs-ttl',
  type: 'time_to_live',
  about: 'How long the store keeps personal data logs, and the changes that webhooks report.',
  path: '/v2/settings/logs-ttl',
  area: 'personal-data',
  operations: ['get', 'update'],
  fields: {
    days: integer({
      default: daysDefault,
      min: 1,
      max: 365,
      about: 'The number of days to keep them. Older entries are deleted once a day.',
      example: 30,
    }),
  },
  show: (_ctx, { days }) => ({ data: { type: 'time_to_live', days } }),
})
