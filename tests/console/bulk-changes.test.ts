import type { Request, Route } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { takeApart } from '../../console/build/document.ts'
import { canChangeMany } from '../../console/src/screens/bulk-changes/changeable.ts'
import { factorOf } from '../../console/src/screens/bulk-changes/factor.ts'
import { sutlerApi } from '../../server/api-document.ts'
import { app } from '../../server/app.ts'
import { ChangeableLists } from '../../server/bulk-changes/targets.ts'
import { type Any, times } from '../support/requests.ts'
import { expectNoBarriers, hasChromium, look, openForTests, titled } from './browser.ts'
import { signInAsNew } from './colleague-tab.ts'

test('exactly the lists whose objects the server changes at once say so', () => {
  const targets = new ChangeableLists(() => app)
  const isTarget = (path: string) => {
    try {
      targets.at(path)
      return true
    } catch {
      return false
    }
  }
  const { index } = takeApart(JSON.parse(JSON.stringify(sutlerApi(app))))
  const path = (template: string) => template.replace(/\{\w+\}/g, crypto.randomUUID())
  const changeable = index.filter(canChangeMany).map(({ id }) => id)
  // A list that shows only what is above it leads to the list where objects are changed.
  const expected = index.filter((one) => one.update && one.item && one.item !== one.path)
  expect(changeable).toEqual(expected.filter((one) => isTarget(path(one.path))).map(({ id }) => id))
  expect(changeable).toContain('prices')
})

test('percentages and factors are read to a millionth', () => {
  const percentages = [
    ['10', 1.1],
    ['-12.5', 0.875],
    ['+0.0001', 1.000001],
    ['-100', 0],
    ['ten', undefined],
    ['1e3', undefined],
    ['', undefined],
  ] as const
  for (const [text, factor] of percentages) expect([text, factorOf(text, true)]).toEqual([text, factor])
  expect(factorOf(' 1.1 ', false)).toBe(1.1)
})

describe.skipIf(!hasChromium)(titled('in a browser'), () => {
  let list = ''
  let ids: readonly string[] = []
  const opened = openForTests(async ({ admin }) => {
    const attributes = { name: 'Retail' }
    const book = await admin.post('/pcm/pricebooks', { data: { type: 'pricebook', attributes } })
    list = `/pcm/pricebooks/${book.body.data.id}/prices`
    const prices = await Promise.all(
      times(5, (n) => {
        const code = n === 3 ? 'EUR' : 'USD'
        const currencies = { [code]: { amount: 1000 + n, includes_tax: false } }
        return admin.post(list, {
          data: { type: 'product-price', attributes: { sku: `rye-${n}`, currencies } },
        })
      }),
    )
    ids = prices.map(({ body }) => body.data.id)
  })
  const amounts = async () => {
    const { body } = await opened.world.admin.get(list)
    const amountIn = ({ currencies }: Any) => (currencies.USD ?? currencies.EUR).amount
    return Object.fromEntries(body.data.map(({ attributes }: Any) => [attributes.sku, amountIn(attributes)]))
  }

  test('prices of a filter rise by 10 percent, and go back but for one that was changed since', async () => {
    const { page } = opened.tab
    await signInAsNew(
      opened.tab,
      opened.world,
      'Store Admin',
      `${list}?filter=in(sku,rye-0,rye-1,rye-2,rye-3)`,
    )
    await page.getByRole('button', { name: 'Change many' }).click()
    const window = page.getByRole('dialog')
    await window.getByText('All 4 that match the filter').waitFor()
    await window.getByLabel('Add a field').selectOption('attributes.currencies')
    await window.getByLabel('Currency').selectOption('USD')
    await window.getByLabel('Percent, such as 10 or -5').fill('10')
    await window.getByLabel('Round to a multiple of').fill('0.05')
    // Why a price would be refused stands before anybody presses.
    await window.getByText('3 would change').waitFor()
    await window.getByText('1 would be refused').waitFor()
    await window.getByText('It has no whole number at attributes.currencies.USD.amount.').waitFor()
    await window.getByText('11.00 USD').first().waitFor()
    await expectNoBarriers(opened.tab, 'the window that changes many')
    await look(opened.tab, 'dark', 390)
    await window.getByRole('button', { name: 'Change 4 objects' }).dblclick()

    await page.getByText('It has ended.').waitFor()
    await page.getByRole('heading', { name: '1 object was refused' }).waitFor()
    await page.getByText('multiplied by 1.1 (+10 %)').waitFor()
    await expectNoBarriers(opened.tab, 'the page of a bulk change')
    expect(await amounts()).toEqual({
      'rye-0': 1100,
      'rye-1': 1100,
      'rye-2': 1100,
      'rye-3': 1003,
      'rye-4': 1004,
    })
    const { body } = await opened.world.admin.get('/v2/bulk-changes')
    expect(body.data.length).toBe(1)

    // The history of each object leads to what else has changed, and to the way back.
    await page.goto(`${opened.world.url}/console${list}/${ids[0]}?tab=history`)
    await page.getByRole('link', { name: 'with a bulk change' }).click()
    await page.getByText('It has ended.').waitFor()

    const mine = { USD: { amount: 5, includes_tax: false } }
    const update = { type: 'product-price', id: ids[1], attributes: { currencies: mine } }
    expect((await opened.world.admin.put(`${list}/${ids[1]}`, { data: update })).status).toBe(200)
    await page.getByRole('button', { name: 'Put it back' }).click()
    await window.getByText('1 would be refused, because somebody has changed it since').waitFor()
    await expectNoBarriers(opened.tab, 'the window that puts back')
    await look(opened.tab, 'light', 1440)
    await window.getByRole('button', { name: 'Put back 3 objects' }).click()
    await page.getByText('It puts back').waitFor()
    await page.getByText('It has ended.').waitFor()
    await page.getByRole('heading', { name: '1 object was refused' }).waitFor()
    expect(await amounts()).toEqual({
      'rye-0': 1000,
      'rye-1': 5,
      'rye-2': 1002,
      'rye-3': 1003,
      'rye-4': 1004,
    })
  }, 180_000)

  test('what is selected gets a value and is doubled, once, also if the answer is lost', async () => {
    const { page, faults } = opened.tab
    const { admin, url } = opened.world
    await signInAsNew(opened.tab, opened.world, 'Store Admin', list)
    await page.getByRole('checkbox', { name: 'Select rye-0' }).check()
    await page.getByRole('button', { name: 'Change many' }).click()
    const window = page.getByRole('dialog')
    await window.getByText('The 1 selected').waitFor()
    await window.getByLabel('Add a field').selectOption('attributes.external_ref')
    await window.getByRole('textbox', { name: 'External reference' }).fill('spring')
    await window.getByLabel('Add a field').selectOption('attributes.currencies')
    await window.getByLabel('Currencies: How').selectOption('Multiply by')
    await window.getByLabel('Currency').selectOption('USD')
    await window.getByLabel('Factor, such as 1.1').fill('2')
    const before = (await admin.get('/v2/bulk-changes')).body.data.length
    let isLost = false
    const lose = async (route: Route, request: Request) => {
      if (isLost || request.headers().prefer === 'dry-run') return route.continue()
      isLost = true
      await route.fetch()
      await route.abort()
    }
    await page.route(`${url}/v2/bulk-changes`, lose)
    await window.getByRole('button', { name: 'Change 1 object' }).click()
    await window.getByText('no answer has come').waitFor()
    await window.getByRole('button', { name: 'Send the same again' }).click()
    await page.getByText('External reference: set to').waitFor()
    await page.getByText('It has ended.').waitFor()
    const { body } = await admin.get(`${list}?filter=eq(external_ref,spring)`)
    expect(body.data.map(({ attributes }: Any) => attributes.sku)).toEqual(['rye-0'])
    expect(await amounts()).toMatchObject({ 'rye-0': 2000, 'rye-2': 1002 })
    expect((await admin.get('/v2/bulk-changes')).body.data.length).toBe(before + 1)
    expect(faults.filter((fault) => !fault.endsWith('net::ERR_FAILED'))).toEqual([])
    faults.length = 0
  }, 60_000)

  test('a role that may not change prices has no button for it, and reads why', async () => {
    const { page } = opened.tab
    await signInAsNew(opened.tab, opened.world, 'Support', list)
    await page.getByRole('checkbox', { name: 'Select rye-0' }).check()
    await page.getByText('You may look at this, but not change it').waitFor()
    expect(await page.getByRole('button', { name: 'Change many' }).count()).toBe(0)
  }, 60_000)
})
