import { body } from '../../support/requests.ts'

let counter = 0

/** A customer that none is like: another email address each time. */
export function customer(fields: object = {}) {
  counter += 1
  return body('customer', { name: 'Ada Marsh', email: `ada-${counter}@example.com`, ...fields })
}

export const customers = '/v2/customers'
export const tokens = `${customers}/tokens`
