import { choice, group } from '../kernel/shape/fields.ts'

/** What every list of this module says of its total. */
export const exactTotals = {
  fields: { results: group({ total_method: choice(['exact'], {}) }, {}) },
  of: () => ({ results: { total_method: 'exact' as const } }),
}
