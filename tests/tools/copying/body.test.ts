import { expect, test } from 'vitest'
import { customers } from '../../../server/people/customers/customers.ts'
import { valuesOf } from '../../../tools/copying/body.ts'

test('what a response shows in place of a password is no value of a copy', () => {
  const shown = { id: 'c', type: 'customer', name: 'Ada', email: 'ada@example.com' }
  const [some, other] = [true, false].map((password) => valuesOf(customers, { ...shown, password }))
  expect(some).toEqual({ name: 'Ada', email: 'ada@example.com' })
  expect(some).toEqual(other)
})
