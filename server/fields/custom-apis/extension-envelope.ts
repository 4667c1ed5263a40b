import type { Envelope } from '../../kernel/shape/envelope.ts'
import { choice, group } from '../../kernel/shape/fields.ts'

/**
 * The envelope of custom APIs, their fields and entries. Clients append the links to a base address that ends in the
 * version.
 */
export const extensionEnvelope: Envelope = {
  times: 'meta.timestamps',
  digits: 3,
  fields: 'top',
  links: 'inside',
  href: { after: '/v2' },
}

/** The members of `meta.results` of every list of this module: totals are exact. */
export const exactTotals = {
  fields: { results: group({ total_method: choice(['exact'], {}) }, {}) },
  of: () => ({ results: { total_method: 'exact' as const } }),
}
