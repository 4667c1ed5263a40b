import { object } from '../kernel/fields.ts'

/** What every list of this module says of its total. */
export const exactTotals = {
  fields: { results: object({ properties: { total_method: { const: 'exact' } } }, {}) },
  of: () => ({ results: { total_method: 'exact' } }),
}
