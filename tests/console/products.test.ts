import { describe, expect, test } from 'vitest'
import { instantOf } from '../../console/src/screens/products/instant.ts'
import { gatesIn, guest, headersOf, mendOf } from '../../console/src/screens/products/shop.ts'
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
      const person = { type: 'customer', name: 'Ada', email: 'few@example.com', password: 'eleven horses by the river' }
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
    expect(await page.getByRole('link', { name: 'Change the product' }).count()).toBe(0)
  })
})
