import { expect, test } from 'vitest'
import { parseQuery } from '../../../server/shop/matching/searched-words.ts'
import { highlightProduct } from '../../../server/shop/search/highlights.ts'
import { toHits } from '../../../server/shop/search/run-search.ts'

const description = 'Made of what there is, to be worn in Wi-Fi when there is nothing else to wear. '.repeat(
  30,
)
const products = Array.from({ length: 50 }, (_, i) => ({ id: String(i), attributes: { description } }))

test('highlighting hits lets other requests run', async () => {
  const words = parseQuery('made')
  let turns = 0
  let isDone = false
  const others = () => {
    turns++
    if (!isDone) setImmediate(others)
  }
  setImmediate(others)
  const hits = await toHits(products, words, new Set())
  isDone = true
  expect(turns).toBeGreaterThanOrEqual(products.length)
  expect(hits).toEqual(
    products.map((document) => ({ document, ...highlightProduct(document.attributes, words, new Set()) })),
  )
})

test('a word of a text is compared with all query words at once', () => {
  let read = 0
  const counted = parseQuery('made of what there is to be worn in wifi').map((word) => ({
    ...word,
    get word() {
      read++
      return word.word
    },
  }))
  const { highlights } = highlightProduct({ description }, counted, new Set(['description']))
  expect(highlights[0]?.matched_tokens).toContain('Wi-Fi')
  // However long the text is.
  expect(read).toBeLessThan(10 * counted.length)
})
