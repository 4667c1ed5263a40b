import fc from 'fast-check'
import { expect, test } from 'vitest'
import { headBytesMax, readDimensions } from '../../../server/store/files/read-dimensions.ts'
import { png } from '../../builders/store/uploads.ts'
import { tries } from '../../support/long.ts'

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')

/** A JPEG with something long before its size, as cameras make them. */
const jpeg = (before: number) => {
  const segments = []
  for (let left = before; left > 0; left -= 60_000) {
    const length = Buffer.alloc(2)
    length.writeUInt16BE(Math.min(left, 60_000) + 2)
    segments.push(hex('ffe2'), length, Buffer.alloc(Math.min(left, 60_000)))
  }
  return Buffer.concat([hex('ffd8'), ...segments, hex('ffc0 0011 08 0140 01f4 03 012200 021101 031101')])
}

test.each<[format: string, bytes: Buffer, width: number, height: number]>([
  ['PNG', png(640, 480), 640, 480],
  ['GIF', hex('474946383961 4001 f000'), 320, 240],
  ['JPEG', jpeg(14), 500, 320],
  ['JPEG behind a colour profile', jpeg(200_000), 500, 320],
  ['WebP', hex('52494646 1e000000 57454250 56503858 0a000000 00000000 1f0300 570200'), 800, 600],
])('dimensions are read from a %s', (_, bytes, width, height) => {
  expect(readDimensions(bytes)).toEqual({ width, height })
})

test('an image that is cut off before its dimensions has none', () => {
  const bytes = png(640, 480)
  for (let length = 0; length < 24; length++)
    expect(readDimensions(bytes.subarray(0, length))).toBeUndefined()
  expect(readDimensions(jpeg(300_000).subarray(0, headBytesMax))).toBeUndefined()
})

test('any bytes have a size or none, in little time', () => {
  const beginnings = [
    '',
    '474946383961',
    'ffd8ffe0',
    '89504e470d0a1a0a0000000d49484452',
    '52494646ffffffff5745425056503820',
  ]
  const jp2 = '0000000c6a5020200d0a870a'
  const bytes = fc
    .tuple(fc.constantFrom(...beginnings, jp2), fc.uint8Array({ maxLength: 300 }))
    .map(([beginning, rest]) => Buffer.concat([hex(beginning), rest]))
  fc.assert(
    fc.property(bytes, (head) => {
      const dimensions = readDimensions(head)
      if (dimensions) expect(Math.min(dimensions.width, dimensions.height)).toBeGreaterThan(0)
    }),
    { numRuns: tries(400, 2000) },
  )
})
