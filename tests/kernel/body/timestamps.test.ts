import { expect, test } from 'vitest'
import { checker } from '../../../server/kernel/body/checker.ts'

const check = checker({ type: 'string', format: 'date-time' }, 'data')

test.each([
  '2031-12-24T18:00:00Z',
  '2031-12-24t18:00:00.123456z',
  '2031-12-24T18:00:00-05:30',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999Z',
])('%s is a timestamp', (text) => expect(check(text)).toBeUndefined())

test.each([
  '2031-12-31T23:59:60Z',
  '2031-12-24T18:00:60Z',
  '2031-02-30T18:00:00Z',
  '2031-12-24T18:00:00',
  '9999-12-31T23:59:59-14:00',
  '2031-12-24',
])('%s is none', (text) => expect(() => check(text)).toThrow('data must be a timestamp (RFC 3339)'))
