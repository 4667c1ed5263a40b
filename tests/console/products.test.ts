import { describe, expect, test } from 'vitest'
import { instantOf } from '../../console/src/screens/products/instant.ts'
import { childAt, combinationsOf, countOf } from '../../console/src/screens/products/matrix.ts'
import {
  cellOf,
  changesOf,
  currenciesAfter,
  paste,
  plainAmount,
  rowOf,
} from '../../console/src/screens/products/prices.ts'
import { gatesIn, guest, headersOf, mendOf, outcomeOf } from '../../console/src/screens/products/shop.ts'
import { products as texts } from '../../console/src/words/en-products.ts'
import { checks } from '../../server/shop/storefront/visibility-verdicts.ts'
import { customers, tokens } from '../builders/people/customers.ts'
import { shopOf } from '../builders/shop/publishing.ts'
import { idOf } from '../support/requests.ts'
import { expectNoBarriers, hasChromium, look, openForTests, titled } from './browser.ts'
import { signInAsNew } from './colleague-tab.ts'

const journeyMs = 120_000

test('a time by the clocks of the store is an instant, also beside a change of the clocks', () => {
  expect(instantOf('2026-12-24T18:00', 'Europe/Berlin')).toBe('2026-12-24T17:00:00.000Z')
  expect(instantOf('2026-07-01T00:30', 'America/New_York')).toBe('2026-07-01T04:30:00.000Z')
  expect(instantOf('2026-03-29T03:30', 'Europe/Berlin')).toBe('2026-03-29T01:30:00.000Z')
  expect(instantOf('2026-03-29T01:30', 'Europe/Berlin')).toBe('2026-03-29T00:30:00.000Z')
  expect(instantOf('', 'UTC')).toBeUndefined()
  const shopper = {
    ...guest,
    kind: 'customer',
    token: 't',
    channel: ' web ',
    at: '2026-01-01T00:00',
  } as const
  expect(headersOf(shopper, 'UTC')).toEqual({
    'X-Moltin-Customer-Token': 't',
    'EP-Channel': 'web',
    'Sutler-At': '2026-01-01T00:00:00.000Z',
  })
  expect(headersOf({ ...guest, token: 'of another' }, 'UTC')).toEqual({})
})

test('each verdict of the server has a sentence, what waits does not stop, and what is in the way can be mended', () => {
  const gateOf = (verdict: string, passed = false) =>
    gatesIn({ checks: [{ check: 'status', verdict, passed, detail: 'Said.' }] })[0]
  // The server names rules and price books in these.
  const withNames = ['waits_for_pricebooks', 'pricebooks_ignored']
  // The gates before this one say what to do.
  const without = ['cannot_be_published']
  for (const [check, causes] of Object.entries(checks)) {
    expect(texts.shop.checks[check]).toBeDefined()
    for (const { verdict, effect } of causes) {
      const gate = gateOf(verdict, effect === 'passes')
      const state = { passes: 'open', later: 'later', hides: 'closed', prevents_purchase: 'closed' }[effect]
      expect([verdict, gate?.state]).toEqual([verdict, state])
      expect([verdict, texts.shop.verdicts[verdict] !== undefined]).toEqual([
        verdict,
        !withNames.includes(verdict),
      ])
      const isMended = gate && mendOf(gate, '/pcm/products/1', '2') !== undefined
      const needsMend = effect !== 'passes' && verdict !== 'not_in_release' && !without.includes(verdict)
      expect([verdict, isMended]).toEqual([verdict, needsMend])
    }
  }
})

test('cells that say what the server has are no changes, and an amount keeps what belongs to it', () => {
  const tiers = { ten: { minimum_quantity: 10, amount: 900 } }
  const attributes = { currencies: { USD: { amount: 1000, includes_tax: true, tiers } } }
  const row = rowOf(
    { id: 'b', attributes: { name: 'Retail' } },
    { path: '/p', etag: '"1"', item: { attributes } },
  )
  const wholes = {
    write: String,
    read: (text: string) => (/^-?\d+$/.test(text) ? Number(text) : undefined),
  }
  const change = (edits: object) =>
    changesOf(
      [row],
      ['USD', 'EUR', 'JPY'],
      Object.fromEntries(
        Object.entries(edits).map(([currency, text]) => [cellOf('b', currency), String(text)]),
      ),
      wholes,
    )
  expect(change({ USD: '1000', EUR: ' ' })).toEqual([])
  const [changed] = change({ USD: '1250', EUR: '1100', JPY: '1400' })
  expect(changed && currenciesAfter(changed)).toEqual({
    USD: { amount: 1250, includes_tax: true, tiers },
    EUR: { amount: 1100, includes_tax: true },
    JPY: { amount: 1400, includes_tax: true },
  })
  const [gone] = change({ USD: '' })
  expect(gone && currenciesAfter(gone)).toEqual({})
  for (const text of ['1,50', '-1', 'x'])
    expect([text, change({ USD: text })[0]?.cells[0]?.after]).toEqual([text, undefined])
})

test('a parent is not bought itself, and what is not visible is not seen', () => {
  const outcomes = [
    outcomeOf({ visible: true, purchasable: true, verdict: 'buyable' }),
    outcomeOf({ visible: true, purchasable: false, verdict: 'base_product' }),
    outcomeOf({ visible: true, purchasable: false, verdict: 'out_of_stock' }),
    outcomeOf({ visible: false, purchasable: false, verdict: 'draft' }),
  ]
  expect(outcomes).toEqual(['buys', 'buysChild', 'sees', 'hidden'])
})

test('a combination of options has the child at the end of its way through the matrix', () => {
  const product = {
    meta: { variation_matrix: { red: { s: 'child-1', m: 'child-2' }, blue: { s: 'child-3' } } },
  }
  expect(childAt(product, ['m', 'red'])).toBe('child-2')
  for (const ids of [['blue', 'm'], ['red'], ['red', 's', 'cotton'], []])
    expect(childAt(product, ids)).toBeUndefined()
  const named = (...ids: string[]) => ({ name: '', options: ids.map((id) => ({ id, name: id })) })
  const two = [named('red', 'blue'), named('s', 'm', 'l')]
  expect(combinationsOf(two, 4).map((some) => some.map(({ id }) => id).join(' '))).toEqual([
    ...['red s', 'red m', 'red l', 'blue s'],
  ])
  expect([countOf(two), countOf([]), combinationsOf([], 9).length]).toEqual([6, 1, 1])
})

test('the cells of a spreadsheet go to the right and downwards, and no comma becomes a thousand by mistake', () => {
  const grid = [
    ['a', 'b'],
    ['c', 'd'],
  ]
  expect(paste(grid, '$1,234.50\t2 EUR\r\n3\t4\r\n5', { row: 0, column: 1 }, ',')).toEqual({
    edits: { b: '1234.50', d: '3' },
    outside: 3,
  })
  expect(['1,50', '1,234', '12,34,567', '1,234,567.8', '€ 7'].map((one) => plainAmount(one, ','))).toEqual([
    ...['1,50', '1234', '12,34,567', '1234567.8', '7'],
  ])
})

describe.runIf(hasChromium)(titled('the screens of a product'), () => {
  const opened = openForTests()

  test(
    'a merchant learns why a product is not in the shop, mends it, and sees what others see and when',
    async () => {
      const { page } = opened.tab
      const { admin } = opened.world
      const shop = shopOf(opened.world)
      const hierarchy = await shop.hierarchy()
      const node = await shop.node(hierarchy)
      const attributes = { name: 'Kettle', sku: 'KETTLE', slug: 'kettle', status: 'draft' }
      const product = await shop.product(attributes)
      const book = await shop.send(
        'POST',
        '/pcm/pricebooks',
        { type: 'pricebook', attributes: { name: 'Retail' } },
        201,
      )
      const catalog = await shop.catalog([hierarchy], { name: 'Bakery', pricebook_id: book.id })
      const path = `/pcm/products/${product}`
      const gate = (name: string) =>
        page.getByRole('listitem').filter({ has: page.getByRole('heading', { name }) })
      const seen = (title: string) => page.getByRole('heading', { name: title }).waitFor()
      const again = () => page.getByRole('button', { name: 'Look again' }).press('Enter')

      await signInAsNew(opened.tab, opened.world, 'Store Admin', path)
      await seen('A guest does not see this product.')
      await gate('Status').getByText('The product is a draft.').waitFor()
      await gate('Release').getByText('The catalog has not been published').waitFor()
      await expectNoBarriers(opened.tab, 'a product that nobody sees')
      // By keyboard: the link leads to the form, and the form back.
      await gate('Status').getByRole('link', { name: 'Change the product' }).press('Enter')
      await page.getByLabel('Status').selectOption('live')
      await page.getByRole('button', { name: 'Save' }).press('Enter')
      await gate('Status').getByText('The product is live.').waitFor()

      await shop.put(hierarchy, node, product)
      await shop.publish(catalog)
      await again()
      await seen('A guest sees this product, but cannot buy it.')
      await gate('Price').getByText('KETTLE').waitFor()
      expect(await gate('Price').getByRole('link').getAttribute('href')).toContain('tab=prices')

      const price = { sku: 'KETTLE', currencies: { USD: { amount: 4500, includes_tax: false } } }
      await shop.send(
        'POST',
        `/pcm/pricebooks/${book.id}/prices`,
        { type: 'product-price', attributes: price },
        201,
      )
      await shop.publish(catalog)
      await again()
      await seen('A guest sees this product and can buy it.')
      await page.getByText('45.00 USD').waitFor()
      await page.getByRole('link', { name: 'Retail' }).waitFor()

      // For another shopper, and at another time.
      const person = {
        type: 'customer',
        name: 'Ada',
        email: 'few@example.com',
        password: 'eleven horses by the river',
      }
      const id = await idOf(admin.post(customers, { data: person }))
      const other = await shop.catalog([], { name: 'For few' })
      await shop.publish(other)
      const rule = { name: 'Few', catalog_id: other, customer_ids: [id] }
      await shop.send('POST', '/catalogs/rules', { type: 'catalog_rule', attributes: rule }, 201)
      const signedIn = await admin.post(tokens, {
        data: { type: 'token', email: person.email, password: person.password },
      })
      await look(opened.tab, 'dark', 390)
      await page.getByLabel('Who looks').selectOption('customer')
      await page.getByLabel('Token of this shopper').fill('not a token')
      await page.getByLabel('Token of this shopper').press('Enter')
      await page.getByText('Unable to validate the customer token.').waitFor()
      await page.getByLabel('Token of this shopper').fill(signedIn.body.data.token)
      await page.getByLabel('Token of this shopper').press('Enter')
      await seen('A customer does not see this product.')
      await page.getByText('Why does this shopper see this catalog?').press('Enter')
      await page
        .getByRole('listitem')
        .filter({ hasText: 'chosen, because most of its criteria are met.' })
        .waitFor()
      await expectNoBarriers(opened.tab, 'what a customer sees')
      await page.getByLabel('Who looks').selectOption('guest')
      await seen('A guest sees this product and can buy it.')
      await page.getByLabel(/^At/).fill('2020-01-01T00:00')
      await page.getByLabel(/^At/).press('Enter')
      await seen('A guest does not see this product.')
    },
    journeyMs,
  )

  test('who may not change a thing is told so, in place of the link that mends it', async () => {
    const { page } = opened.tab
    const shop = shopOf(opened.world)
    const product = await shop.product({ status: 'draft' })
    await shop.catalog([])
    await signInAsNew(opened.tab, opened.world, 'Support', `/pcm/products/${product}`)
    await page.getByText('does not have the right to update products').waitFor()
    await page.getByRole('tab', { name: 'Variations' }).click()
    await page.getByText('The product has no variations').waitFor()
    expect(await page.getByRole('link', { name: 'Change the product' }).count()).toBe(0)
  })

  test(
    'prices of all books are typed and pasted, only what changed is saved, and a refusal stands where it belongs',
    async () => {
      const { page } = opened.tab
      const shop = shopOf(opened.world)
      await shop.send(
        'POST',
        '/v2/currencies',
        {
          ...{ type: 'currency', code: 'EUR', format: '{price} €', decimal_places: 2, exchange_rate: 1 },
          ...{ enabled: true, default: false, decimal_point: '.', thousand_separator: ',' },
        },
        201,
      )
      const product = await shop.product({ sku: 'TRAY', slug: 'tray' })
      const tiers = { ten: { minimum_quantity: 10, amount: 900 } }
      const sales = { Spring: { currencies: { USD: { amount: 800 } } } }
      const make = async (name: string, amount?: number): Promise<string> => {
        const { id } = await shop.send(
          'POST',
          '/pcm/pricebooks',
          { type: 'pricebook', attributes: { name } },
          201,
        )
        const currencies = { USD: { amount, tiers } }
        const data = { type: 'product-price', attributes: { sku: 'TRAY', currencies, sales } }
        if (amount) await shop.send('POST', `/pcm/pricebooks/${id}/prices`, data, 201)
        return id
      }
      const [shops, trade, outlet] = [
        await make('Shops', 1000),
        await make('Trade'),
        await make('Outlet', 700),
      ]
      const priceIn = async (book: string) => (await shop.get(`/pcm/pricebooks/${book}/prices`)).data[0]
      const cell = (book: string, currency: string) =>
        page.getByRole('textbox', { name: `${book}, ${currency}` })
      const said = (text: string) => page.getByRole('status').filter({ hasText: text }).waitFor()
      const before = await priceIn(outlet)

      await signInAsNew(opened.tab, opened.world, 'Marketing/Sales', `/pcm/products/${product}?tab=prices`)
      await cell('Shops', 'USD').fill('1,5')
      await page.getByText('This is no amount in USD.').first().waitFor()
      expect(await page.getByRole('button', { name: 'Save 1 amount' }).isDisabled()).toBe(true)
      // The newest book is the first.
      await cell('Trade', 'USD').focus()
      const text = JSON.stringify('8.50\t7.90\n12.00\t11.00\t10.00\n')
      await page.evaluate(`{
        const clipboardData = new DataTransfer()
        clipboardData.setData('text/plain', ${text})
        const paste = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true })
        document.activeElement.dispatchEvent(paste)
      }`)
      await said('4 amounts pasted. 1 value does not fit into the table.')
      await page.getByText('from 10: 9.00 USD').first().waitFor()
      await page.getByText('Sale Spring: 8.00 USD').first().waitFor()
      await expectNoBarriers(opened.tab, 'changed prices')
      await page.reload()
      // Meanwhile somebody else changes one of them.
      await page.getByRole('button', { name: 'Save 4 amounts' }).waitFor()
      const { id } = await priceIn(shops)
      const other = { currencies: { USD: { amount: 1111, tiers } } }
      await shop.send(
        'PUT',
        `/pcm/pricebooks/${shops}/prices/${id}`,
        { type: 'product-price', id, attributes: other },
        200,
      )
      await page.getByRole('button', { name: 'Save 4 amounts' }).press('Enter')
      await said('2 amounts have been saved.')
      await page.getByText('Somebody has changed this price meanwhile.').waitFor()
      expect((await priceIn(shops)).attributes.currencies.USD.amount).toBe(1111)
      await page.getByText('11.11 USD').waitFor()
      await page.getByRole('button', { name: 'Save 2 amounts' }).press('Enter')
      await said('2 amounts have been saved.')
      expect((await priceIn(trade)).attributes.currencies).toMatchObject({
        USD: { amount: 850 },
        EUR: { amount: 790 },
      })
      expect((await priceIn(shops)).attributes).toMatchObject({
        currencies: { USD: { amount: 1200, tiers }, EUR: { amount: 1100 } },
        sales,
      })
      expect(await priceIn(outlet)).toEqual(before)
      // By keyboard to the cell above; an empty one ends the price.
      await look(opened.tab, 'dark', 390)
      await cell('Trade', 'EUR').press('ArrowUp')
      await page.keyboard.press('Enter')
      await page.keyboard.press('Control+A')
      await page.keyboard.press('Delete')
      await cell('Trade', 'USD').fill('')
      await page.getByText('Trade has no price left').waitFor()
      await expectNoBarriers(opened.tab, 'a price that ends')
      await page.getByRole('button', { name: 'Save 2 amounts' }).press('Enter')
      await said('2 amounts have been saved.')
      expect(await priceIn(trade)).toBeUndefined()
    },
    journeyMs,
  )
})
