import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { EncodingFault, readText } from '../../../server/store/imports/read-text.ts'
import { anyCharacter } from '../../support/any-texts.ts'
import { tries } from '../../support/long.ts'

/** What is read of bytes that arrive in pieces, and the byte that cannot be read. */
async function read(
  bytes: Buffer,
  ...cuts: readonly number[]
): Promise<[text: string, byte?: number | undefined]> {
  const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b)
  async function* chunks() {
    for (const [i, end] of at.slice(1).entries()) yield bytes.subarray(at[i], end)
  }
  let text = ''
  try {
    for await (const part of readText(chunks())) text += part
    return [text]
  } catch (error) {
    if (!(error instanceof EncodingFault)) throw error
    return [text, error.byte]
  }
}

// A file begins with the name of a column.
const text = fc
  .string({ unit: anyCharacter, maxLength: 20 })
  .filter((one) => one.isWellFormed())
  .map((one) => `name${one}`)
const cuts = fc.array(fc.nat(), { maxLength: 6 })
const utf16 = (one: string) => Buffer.from(one, 'utf16le')

describe('the text of a file', () => {
  test.each<[string, (one: string) => Buffer]>([
    ['UTF-8', (one) => Buffer.from(one)],
    ['UTF-8 with a byte order mark', (one) => Buffer.from(`\ufeff${one}`)],
    ['UTF-16LE', utf16],
    ['UTF-16LE with a byte order mark', (one) => utf16(`\ufeff${one}`)],
    ['UTF-16BE', (one) => utf16(one).swap16()],
    ['UTF-16BE with a byte order mark', (one) => utf16(`\ufeff${one}`).swap16()],
  ])('is read from %s, in any pieces', async (_, bytesOf) => {
    await fc.assert(
      fc.asyncProperty(text, cuts, async (one, at) => {
        expect(await read(bytesOf(one), ...at)).toEqual([one])
      }),
      { numRuns: tries(50, 200) },
    )
  })

  test('keeps a byte order mark that is not at its beginning, and its own replacement characters', async () => {
    expect(await read(Buffer.from('a\ufeff\ufffdb'), 1, 2, 3, 4, 5, 6)).toEqual(['a\ufeff\ufffdb'])
    expect(await read(Buffer.alloc(0))).toEqual([''])
    expect(await read(Buffer.from('a'))).toEqual(['a'])
  })

  test('ends before the first byte that is not UTF-8', async () => {
    const broken = fc.constantFrom(
      [0xf6],
      [0xc3],
      [0xe2, 0x82],
      [0xf0, 0x9f, 0x98],
      [0x80],
      [0xc0, 0xaf],
      [0xed, 0xa0],
    )
    await fc.assert(
      fc.asyncProperty(text, broken, fc.constantFrom('', 'e', '\n'), cuts, async (one, bytes, after, at) => {
        const file = Buffer.concat([Buffer.from(`${one}\ufffd`), Buffer.from(bytes), Buffer.from(after)])
        expect(await read(file, ...at)).toEqual([`${one}\ufffd`, bytes[0]])
      }),
      { numRuns: tries(75, 300) },
    )
  })

  test('of UTF-16 ends before half a character', async () => {
    expect(await read(Buffer.concat([utf16('\ufeffname'), Buffer.from('x')]), 3, 4, 5)).toEqual([
      'name',
      0x78,
    ])
  })
})
