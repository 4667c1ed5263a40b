import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Node, takeApart } from '../../console/build/document.ts'
import { nameOf } from '../../console/src/fields/names.ts'
import { cardColumns, usualColumns } from '../../console/src/lists/columns.ts'
import { choiceLabel, fieldLabel, labelOf } from '../../console/src/words/labels.ts'

const document: Node = JSON.parse(readFileSync(join(import.meta.dirname, '../../docs/openapi.json'), 'utf8'))
const { index, fields } = takeApart(document)

/** Everything that the console calls by a name of the API. */
const labels = new Set(
  [...fields.values()]
    .flatMap(({ shown, create, update, actions = [], relationships = [] }) => [
      ...[...shown, ...(create?.fields ?? []), ...(update?.fields ?? [])]
        .filter(({ path }) => path !== '')
        .map(({ path, refers }) => fieldLabel(path, refers !== undefined)),
      ...[...actions, ...relationships].map(({ title }) => title),
    ])
    .concat(index.map(({ title }) => title)),
)

test('no label of the console has a word that only programmers write, and each begins with a capital', () => {
  expect(labels.size).toBeGreaterThan(300)
  const wrong = [...labels].filter(
    (label) =>
      /\b(id|ids|sku|skus|api|apis|oidc|url|uri|uris|pim|pricebooks?|upc|ean|mpn|ttl|infos?|secs|ref)\b/i.test(
        label.replaceAll(/\b(IDs?|SKUs?|APIs?|OIDC|URL|URIs?|UPC or EAN)\b/g, ''),
      ) ||
      /[_.]/.test(label) ||
      !/^[A-Z(]/.test(label),
  )
  expect(wrong).toEqual([])
})

test.each([
  ['pricebooks', 'Price books'],
  ['pim-jobs', 'Product jobs'],
  ['upc_ean', 'UPC or EAN'],
  ['created_at', 'Created at'],
  ['custom-api-role-policies', 'Custom API role policies'],
])('%s is called %s', (name, label) => {
  expect(labelOf(name)).toBe(label)
})

test.each([
  ['relationships.main_image.data.id', 'Main image'],
  ['attributes.hierarchy_ids', 'Hierarchies'],
  ['parent_id', 'Parent'],
])('the reference %s is called %s', (path, label) => {
  expect(fieldLabel(path, true)).toBe(label)
})

test('what is no word stays as it is', () => {
  expect(['in_progress', 'FR', 'de-CH', '4.5'].map(choiceLabel)).toEqual([
    'In progress',
    'FR',
    'de-CH',
    '4.5',
  ])
})

test('lists that are open at the same time have different names', () => {
  const titles = index.filter(({ path }) => !path.includes('{')).map(({ title }) => title)
  expect(titles.filter((title, i) => titles.indexOf(title) !== i)).toEqual([])
})

test.each([
  ['orders', 'total'],
  ['carts', 'total'],
])('the card of one of the %s on a narrow screen has its %s', (list, label) => {
  const shown = fields.get(list)?.shown ?? []
  const card = cardColumns(usualColumns(shown), shown)
  expect([...card].map((path) => fieldLabel(path).toLowerCase()).some((text) => text.endsWith(label))).toBe(
    true,
  )
  expect(card.size).toBeLessThanOrEqual(4)
})

test('a list has each value once, where two forms of its objects have it in two places', () => {
  const names = usualColumns(fields.get('stocks')?.shown ?? []).map((path) => fieldLabel(path))
  expect(names.filter((name) => name === 'Available')).toHaveLength(1)
  expect(new Set(names).size).toBe(names.length)
})

test('a child of a product is called by its options too, unless these have changed its name', () => {
  const shown = fields.get('products')?.shown ?? []
  const child = (name: string) => ({
    ...{ id: '1', attributes: { name } },
    meta: { child_variations: [{ option: { name: 'Oak' } }, { option: { name: 'S' } }] },
  })
  expect(nameOf(child('Sofa'), shown)).toBe('Sofa (Oak, S)')
  expect(nameOf(child('Sofa oak'), shown)).toBe('Sofa oak (S)')
  expect(nameOf(child('Sofa Oak S'), shown)).toBe('Sofa Oak S')
})

test('a list whose objects have no page calls one of them by what creates it', () => {
  const nounOf = (id: string) => index.find((one) => one.id === id)?.noun
  expect(nounOf('promotion-jobs')).toEqual(['promotion job', 'promotion jobs'])
  expect(nounOf('rule-promotion-jobs')).toEqual(['code job', 'code jobs'])
})
