import { choice, group } from '../kernel/shape/fields.ts'

/** The members of `meta.results` of every list of this module: totals are exact. */
export const exactTotals = {
  fields: { results: group({ total_method: choice(['exact'], {}) }, {}) },
  of: () => ({ results: { total_method: 'exact' as const } }),
}
