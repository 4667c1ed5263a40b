import { expect, test } from 'vitest'
import { searchable } from '../../../server/shop/sources/searchable.ts'

const attributes = { name: 'Red shirt', sku: 'RS-1', description: 'A shirt', base_product: false }

const of = (more: object = {}) =>
  searchable({
    doc: { attributes: { ...attributes, ...more }, meta: { product_types: ['standard'] }, relationships: {} },
    hidden: { listed: true, categories: { lvl0: ['Shop'], lvl1: ['Shop > A', 'Shop > B'] } },
  })

test('words have the weight of their text, and codes are one word', () => {
  expect(of().words).toBe("'red':1A 'shirt':1A,4D 'rs':2B '1':2B 'rs1':2B 'a':4D")
  expect(of({ manufacturer_part_num: 'M/7' }).codes).toEqual(['rs1', 'm7'])
})

test('words of all languages are searched', () => {
  const locales = { fr: { name: 'Chemise rouge', description: null }, de: { description: 'Ein Hemd' } }
  const { words } = searchable({
    doc: { attributes, meta: { product_types: ['standard'] }, relationships: {} },
    hidden: { listed: true, categories: {}, locales },
  })
  expect(words).toBe(
    "'red':1A 'shirt':1A,4D 'chemise':1A 'rouge':1A 'rs':2B '1':2B 'rs1':2B 'a':4D 'ein':4D 'hemd':4D",
  )
})

test('a vector has room for long texts in many languages', () => {
  const text = Array.from({ length: 4000 }, (_, i) => `${i}語`).join(' ')
  const locales = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`l${i}`, { description: text }]))
  const { words } = searchable({
    doc: { attributes: { ...attributes, description: text }, meta: { product_types: [] }, relationships: {} },
    hidden: { listed: true, categories: {}, locales },
  })
  expect(Buffer.byteLength(words)).toBeLessThan(500_000)
})

test('values are listed once each, with their path', () => {
  const extensions = { 'products(size)': { width: 20, used: true, none: null } }
  const pairs = of({ tags: ['a', 'b', 'a'], extensions }).values.map(({ field, value }) => [field, value])
  expect(pairs).toEqual([
    ['tags', 'a'],
    ['tags', 'b'],
    ['categories.lvl0', 'Shop'],
    ['categories.lvl1', 'Shop > A'],
    ['categories.lvl1', 'Shop > B'],
    ['meta.product_types', 'standard'],
    ['base_product', 'false'],
    ['extensions.products(size).width', '20'],
    ['extensions.products(size).used', 'true'],
  ])
})

test('values that are too long or too many are left out', () => {
  const few = of().values.length
  expect(of({ shopper_attributes: { a: 'x'.repeat(256), ['b'.repeat(240)]: 'x' } }).values).toHaveLength(few)
  expect(of({ shopper_attributes: { a: 'x'.repeat(255) } }).values).toHaveLength(few + 1)
  expect(of({ tags: Array.from({ length: 900 }, (_, i) => `t${i}`) }).values).toHaveLength(500)
})
