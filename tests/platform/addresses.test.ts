import { expect, test } from 'vitest'
import { isIn, isPublic, rangesOf } from '../../server/platform/sockets/addresses.ts'

test.each([
  '8.8.8.8',
  '172.15.255.255',
  '172.32.0.0',
  '192.0.1.0',
  '223.255.255.255',
  '2606:4700::1111',
  '2001:4860:4860::8888',
  '64:ff9b::8.8.8.8',
])('%s is public', (address) => {
  expect(isPublic(address)).toBe(true)
})

test.each([
  '0.0.0.0',
  '10.0.0.1',
  '100.64.0.1',
  '127.0.0.1',
  '127.255.255.254',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '192.0.0.8',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:10.0.0.1',
  '::127.0.0.1',
  'fe80::1',
  'fe80::1%eth0',
  'fc00::1',
  'fd12:3456::1',
  'ff02::1',
  '2001:db8::1',
  '2002:7f00:1::',
  '64:ff9b::127.0.0.1',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b:1::1',
  'localhost',
  '',
])('%j is not public', (address) => {
  expect(isPublic(address)).toBe(false)
})

test.each([
  ['loopback', '127.0.0.1', true],
  ['loopback', '::1', true],
  ['loopback', '::ffff:127.0.0.1', true],
  ['loopback', '10.0.0.1', false],
  ['10.1.0.0/16, 192.0.2.7', '10.1.255.255', true],
  ['10.1.0.0/16,192.0.2.7', '10.2.0.0', false],
  ['10.1.0.0/16,192.0.2.7', '192.0.2.7', true],
  ['10.1.0.0/16,192.0.2.7', '192.0.2.8', false],
  ['uniquelocal', 'fd00::1', true],
  ['fd00::/64', 'fd00:0:0:1::', false],
  ['0.0.0.0/0', '127.0.0.1', true],
  ['0.0.0.0/0', '::1', false],
])('whether the ranges %s contain %s: %j', (list, address, within) => {
  expect(isIn(rangesOf(list), address)).toBe(within)
})

test.each([
  '',
  ',',
  'true',
  '10',
  '10.0.0',
  '10.0.0.0/33',
  '::/129',
  '10.0.0.0/',
  '1.2.3.4/-1',
  'fe80::1%eth0',
  'a:b',
])('%j is not a list of ranges', (list) => {
  expect(rangesOf(list)).toBeUndefined()
})
