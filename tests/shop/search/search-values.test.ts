import { expect, test } from 'vitest'
import { SearchValues } from '../../../server/shop/sources/search-values.ts'

test('a value that several products share is computed and taken once', () => {
  const values = new SearchValues()
  const first = values.of('tags', 'a-b')
  expect(values.of('tags', 'a-b')).toBe(first)
  expect(first).toMatchObject({ words: "'a' 'b' 'ab'", number: null })
  expect(first.wordIds).toHaveLength(3)
  expect(values.takeAdded()).toEqual([first])
  expect(values.of('tags', 'a-b')).toBe(first)
  expect(values.takeAdded()).toEqual([])
})

test('a text and a number that are written alike are two values with one id', () => {
  const values = new SearchValues()
  const text = values.of('size', '5')
  const number = values.of('size', '5', 5)
  expect([text.number, number.number]).toEqual([null, 5])
  expect(number.id).toBe(text.id)
  expect(values.takeAdded()).toEqual([text])
})

test('a value that comes again and again is taken once, among any number of others', () => {
  const values = new SearchValues()
  const shared = values.of('tags', 'new')
  for (let i = 0; i < 50_000; i++) {
    values.of('external_ref', `${i}`)
    if (i % 5000 === 0) expect(values.of('tags', 'new')).toBe(shared)
  }
  expect(values.takeAdded()).toHaveLength(50_001)
})
