import { hash } from '@node-rs/argon2'
import { expect, test } from 'vitest'
import { networkOf } from '../../../server/kernel/attempts/attempts.ts'
import { dummyHash } from '../../../server/people/passwords/sign-in-with-password.ts'

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:DB8:1:2::9', '2001:db8:1:2'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['::1', '0:0:0:0'],
  ['::', '0:0:0:0'],
  // As some proxies write who the client is.
  ['192.0.2.7:51234', '192.0.2.7'],
  ['[::ffff:192.0.2.7]:51234', '192.0.2.7'],
  ['[2001:db8:1:2::9]:51234', '2001:db8:1:2'],
  ['[2001:db8:1:2::9]', '2001:db8:1:2'],
  ['unknown', 'unknown'],
])('%s is counted as %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})

test('the hash for an unknown user costs as much as one of a known user', async () => {
  const cost = (hashed: string) => hashed.split('$').slice(0, 4)
  expect(cost(dummyHash)).toEqual(cost(await hash('a password')))
})
