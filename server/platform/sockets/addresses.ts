import { BlockList, isIP } from 'node:net'

/** Fastify's names of ranges, for every setting that takes ranges. */
const named = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
} as const

type AddressName = keyof typeof named
const names = Object.keys(named) as AddressName[]

/** The addresses, ranges and names in a comma-separated list; undefined if one is invalid. */
export function rangesOf(list: string): BlockList | undefined {
  const ranges = list
    .split(',')
    .map((one) => one.trim())
    .flatMap((one) => (names.includes(one as AddressName) ? named[one as AddressName] : [one]))
  return ranges.every((range) => /^[0-9a-f.:]+(\/\d{1,3})?$/i.test(range)) ? listOf(ranges) : undefined
}

function listOf(ranges: readonly string[]): BlockList | undefined {
  const list = new BlockList()
  for (const range of ranges) {
    const [address = '', prefix] = range.split('/')
    const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1
    const length = prefix === undefined ? bits : Number(prefix)
    if (bits < 0 || length > bits) return undefined
    list.addSubnet(address, length, bits === 32 ? 'ipv4' : 'ipv6')
  }
  return list
}

export const isIn = (ranges: BlockList | undefined, address: string): boolean =>
  isIP(address) !== 0 && (ranges?.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6') ?? false)

const loopback = listOf(named.loopback)
export const isLoopback = (address: string): boolean => isIn(loopback, address)

/** The name that an operator can write for the range of an address. */
export const rangeNameOf = (address: string): string =>
  names.find((name) => isIn(listOf(named[name]), address)) ?? address

/** IPv4 addresses that are not public: the IANA special-purpose registry, multicast, and reserved ranges. */
const special4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
]
// The addresses by which IPv6-only networks reach IPv4.
const nat64 = '64:ff9b::'
const global6 = listOf(['2000::/3', `${nat64}/96`])
const special = listOf([
  ...special4,
  ...special4.map((range) => {
    const [address, prefix] = range.split('/')
    return `${nat64}${address}/${96 + Number(prefix)}`
  }),
  // Protocols, documentation, 6to4.
  '2001::/23',
  '2001:db8::/32',
  '3fff::/20',
  '2002::/16',
])

/** Whether an address is on the public internet, and not in a private or special range. */
export const isPublic = (address: string): boolean =>
  (isIP(address) === 4 || isIn(global6, address)) && !isIn(special, address)
