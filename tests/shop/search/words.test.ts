import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseQuery } from '../../../server/shop/matching/searched-words.ts'
import { editDistance, isTypo } from '../../../server/shop/search/find-typos.ts'
import { highlightProduct, highlightText } from '../../../server/shop/search/highlights.ts'
import { codeOf, termsOf, wordsOf } from '../../../server/shop/sources/words.ts'

test('words are compared without case and accents', () => {
  expect(wordsOf('Crème-brûlée, ﬁne ÀÉÎ  ½x')).toEqual(['creme', 'brulee', 'fine', 'aei', '1', '2x'])
  expect(wordsOf('हिन्दी 日本')).toEqual(['हिन्दी', '日本'])
  expect(codeOf('AB-12/c')).toBe('ab12c')
})

test('the words of any text are words, and splitting them again changes nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) =>
      wordsOf(text).every((word) => {
        const isWord = word.isWellFormed() && !/['\s\0]/.test(word) && word.length <= 64
        return isWord && wordsOf(word).join() === word
      }),
    ),
  )
})

test('a text in ASCII has the words that it has beside a word in other letters', () => {
  const unit = fc.constantFrom(...`aB19 -._'/&+,"\\\n`, 'x'.repeat(40))
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 30 }), (text) => {
      expect([...termsOf(text), 'ж']).toEqual(termsOf(`${text} ж`))
      expect(`${codeOf(text)}ж`.slice(0, 64)).toBe(codeOf(`${text} ж`))
    }),
  )
})

/** By trying every way to mend one after the other. */
function slowly(one: string, other: string): number {
  if (!one || !other) return one.length + other.length
  const ways = [
    slowly(one.slice(1), other) + 1,
    slowly(one, other.slice(1)) + 1,
    slowly(one.slice(1), other.slice(1)) + (one[0] === other[0] ? 0 : 1),
  ]
  const swapped = one.length > 1 && other.length > 1 && one[0] === other[1] && one[1] === other[0]
  return Math.min(...ways, ...(swapped ? [slowly(one.slice(2), other.slice(2)) + 1] : []))
}

test('typos are counted: letters left out, added, wrong or swapped', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 5 })
  fc.assert(
    fc.property(word, word, (one, other) => {
      expect(editDistance([...one], [...other])).toBe(slowly(one, other))
    }),
  )
  expect([isTypo('shrit', 'shirt'), isTypo('hat', 'hot'), isTypo('shirt', 'shirt')]).toEqual([
    true,
    false,
    false,
  ])
  expect([isTypo('trousres', 'trousers'), isTypo('shrt', 'shirts')]).toEqual([true, false])
})

const marked = (q: string, text: string) => highlightText(text, parseQuery(q))?.snippet

test('matches are marked in the original text', () => {
  expect(marked('creme sh', 'A Crème shirt, not a dish')).toBe(
    'A <mark>Crème</mark> <mark>shirt</mark>, not a dish',
  )
  expect(marked('red', 'Blue')).toBeUndefined()
  const long = Array.from({ length: 50 }, (_, i) => `word${i}`).join(' ')
  expect(marked('word20', long)).toBe(
    'word16 word17 word18 word19 <mark>word20</mark> word21 word22 word23 word24',
  )
})

test('highlights are shown twice: nested like the document, and as a list', () => {
  const marks = highlightProduct({ name: 'Red shirt', sku: 'R' }, parseQuery('shirt'), new Set(['name']))
  const highlight = {
    matched_tokens: ['shirt'],
    snippet: 'Red <mark>shirt</mark>',
    value: 'Red <mark>shirt</mark>',
  }
  expect(marks).toEqual({
    highlight: { attributes: { name: highlight } },
    highlights: [{ field: 'attributes.name', ...highlight }],
  })
})
