import fc from 'fast-check'
import { expect, test } from 'vitest'
import { languageOf, requestedLanguages, textsIn } from '../../../server/shop/view/languages.ts'

test.each([
  [undefined, undefined, []],
  ['de', 'fr', ['de', 'fr']],
  [' ', 'fr-CH, fr;q=0.9, en;q=0.8, de;q=0.7, *;q=0.5', ['fr-CH', 'fr', 'en', 'de']],
  [undefined, 'en;q=0.1, de;q=0, it;Q=0.2,,;q=1', ['it', 'en']],
  [undefined, 'en;q=nonsense, fr', ['fr']],
])('the languages of the headers %j and %j', (own, accepted, languages) => {
  expect(requestedLanguages(own, accepted)).toEqual(languages)
})

test('any header is accepted', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 30 }), (header) => {
      for (const tag of requestedLanguages(undefined, header)) expect(tag).toMatch(/^[\w-]+$/)
    }),
  )
})

test('the first language with texts is chosen: exactly, or by its first part', () => {
  const tag = fc.constantFrom('fr', 'fr-FR', 'fr-CA', 'de', 'DE-at', 'it', '__proto__')
  fc.assert(
    fc.property(fc.array(tag), fc.uniqueArray(tag), (requested, available) => {
      const locales = Object.fromEntries(available.map((one) => [one, { name: one }]))
      let expected: string | undefined
      for (const one of requested) {
        for (const candidate of [one, one.split('-')[0] as string]) {
          expected ??= Object.keys(locales).find((key) => key.toLowerCase() === candidate.toLowerCase())
        }
      }
      expect(languageOf(requested, locales)).toBe(expected)
    }),
  )
})

test('untranslated texts stay in the original language', () => {
  expect(textsIn('fr', { fr: { name: 'Pain', description: null, sku: 'x' } })).toEqual({ name: 'Pain' })
  expect(textsIn(undefined, { fr: { name: 'Pain' } })).toEqual({})
  expect(textsIn('de', undefined)).toEqual({})
  expect(textsIn('constructor', {})).toEqual({})
})
