import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

/**
 * What compressing a page costs and saves: processor time and size, for each coding and quality. Pages of objects that
 * look like products: random ids, and a description of 25 words out of 22.
 */
const words =
  'cotton shirt blue shoe leather summer winter long short sleeve with collar and pocket made of light heavy fabric for men women'.split(
    ' ',
  )
const { BROTLI_PARAM_QUALITY: quality, BROTLI_PARAM_LGWIN: windowBits } = constants

const ways = {
  ...byQuality('gzip', [1, 4, 6], (level) => (bytes) => gzipSync(bytes, { level })),
  ...byQuality(
    'br',
    [1, 4, 5],
    (n) => (bytes) => brotliCompressSync(bytes, { params: { [quality]: n, [windowBits]: 18 } }),
  ),
}

function byQuality(
  name: string,
  levels: readonly number[],
  way: (level: number) => (bytes: Buffer) => Buffer,
) {
  return Object.fromEntries(levels.map((level) => [`${name} ${level}`, way(level)]))
}

const wordAt = (n: number) => words[n % words.length] as string

const product = (n: number) => ({
  id: crypto.randomUUID(),
  type: 'product',
  attributes: {
    name: `${wordAt(n)} ${wordAt(n * 7)}`,
    ...{ slug: `p-${n}`, sku: `SKU${n}`, status: 'live', commodity_type: 'physical' },
    description: Array.from({ length: 25 }, () => wordAt(Math.floor(Math.random() * 1000))).join(' '),
    created_at: new Date(1.7e12 + n * 12_345_678).toISOString(),
  },
  relationships: { main_image: { data: { id: crypto.randomUUID(), type: 'main_image' } } },
  links: { self: `https://shop.example.com/pcm/products/${crypto.randomUUID()}` },
})

console.log('| bytes | way | of the size | µs of processor time |\n|--:|---|--:|--:|')
for (const count of [4, 25, 100, 1000]) {
  const page = Buffer.from(JSON.stringify({ data: Array.from({ length: count }, (_, n) => product(n)) }))
  const rounds = Math.max(10, Math.floor(4_000_000 / page.length))
  for (const [name, way] of Object.entries(ways)) {
    const packed = way(page)
    const before = process.cpuUsage()
    for (let n = 0; n < rounds; n++) way(page)
    const { user, system } = process.cpuUsage(before)
    console.log(
      `| ${page.length} | ${name} | ${(packed.length / page.length).toFixed(2)} | ${Math.round((user + system) / rounds)} |`,
    )
  }
}
