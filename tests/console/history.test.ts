import { describe, expect, test } from 'vitest'
import { colleagueOf } from '../builders/people/colleagues.ts'
import { expectNoBarriers, hasChromium, openForTests, signInAt, titled } from './browser.ts'
import { signInAsNew } from './colleague-tab.ts'

describe.runIf(hasChromium)(titled('the history of an object in a browser'), () => {
  const opened = openForTests()

  test('it says who changed what and when, and leads to the person and the key', async () => {
    const { page } = opened.tab
    const create = { data: { type: 'account', name: 'Birch', legal_name: 'Birch Ltd' } }
    const path = `/v2/accounts/${(await opened.world.admin.post('/v2/accounts', create)).body.data.id}`
    const ada = await colleagueOf(opened.world, 'Support')
    await ada.client.put(path, { data: { type: 'account', legal_name: 'Birch & Sons Ltd' } })
    await signInAt(opened.tab, opened.world, path)
    await page.getByRole('tab', { name: 'History' }).click()
    const [last, first] = [
      page.getByRole('listitem').filter({ hasText: 'changed it' }),
      page.getByRole('listitem').filter({ hasText: 'created it' }),
    ]
    const row = last.getByRole('row').filter({ hasText: 'Legal name' })
    await row.waitFor()
    expect(await row.getByRole('cell').allInnerTexts()).toEqual(['Birch Ltd', 'Birch & Sons Ltd'])
    // What has not changed is not there.
    expect(await last.getByRole('row').count()).toBe(2)
    expect(await last.innerText()).toContain(`${ada.email}, colleague`)
    expect(
      Math.abs(Date.parse((await last.getByRole('time').getAttribute('datetime')) ?? '') - Date.now()),
    ).toBeLessThan(600_000)
    await first.getByText(/^\d+ values$/).click()
    await first.getByRole('cell', { name: 'Birch Ltd', exact: true }).waitFor()
    await expectNoBarriers(opened.tab, 'a history')
    await first.getByRole('link').click()
    await page.waitForURL(/application-keys\/[0-9a-f-]{36}$/)
    await page.goBack()
    await page.getByRole('tab', { name: 'History' }).click()
    await last.getByRole('link').click()
    await page.waitForURL(new RegExp(`user-authentication-info/${ada.userId}$`))
    await page.getByText(ada.email).first().waitFor()
  })

  test('what has the same id is named by its kind', async () => {
    const attributes = { name: 'A bench', sku: 'BENCH', commodity_type: 'physical', status: 'live' }
    const { data } = (
      await opened.world.admin.post('/pcm/products', { data: { type: 'product', attributes } })
    ).body
    await opened.world.admin.post(`/v2/inventories/${data.id}`, { data: { type: 'stock', available: 5 } })
    const { page } = opened.tab
    await signInAt(opened.tab, opened.world, `/pcm/products/${data.id}`)
    await page.getByRole('tab', { name: 'History' }).click()
    const created = page.getByRole('listitem').filter({ hasText: 'created it' })
    await created.first().waitFor()
    const texts = await created.allInnerTexts()
    expect(texts.map((text) => text.includes('created it (Stock level)'))).toEqual([true, false])
    // Its stock is changed by a kind and an amount.
    await signInAt(opened.tab, opened.world, `/v2/inventories/${data.id}`)
    await page.getByLabel('Kind').selectOption('Take away')
    await page.getByLabel('Amount').fill('2')
    await expectNoBarriers(opened.tab, 'a stock level')
    await page.getByRole('button', { name: 'Change the stock' }).dblclick()
    await page.getByText('The stock has been changed.').waitFor()
    const { body } = await opened.world.admin.get(`/v2/inventories/${data.id}`)
    expect(body.data.attributes?.available ?? body.data.available).toBe(3)
  })

  test('older entries come on demand', async () => {
    const { page } = opened.tab
    const create = { data: { type: 'account', name: 'Elm', legal_name: 'Elm 0' } }
    const path = `/v2/accounts/${(await opened.world.admin.post('/v2/accounts', create)).body.data.id}`
    for (let n = 1; n <= 26; n++)
      await opened.world.admin.put(path, { data: { type: 'account', legal_name: `Elm ${n}` } })
    await signInAt(opened.tab, opened.world, path)
    await page.getByRole('tab', { name: 'History' }).click()
    const entries = page.getByRole('listitem').filter({ hasText: /(changed|created) it/ })
    await expect.poll(() => entries.count()).toBe(25)
    await page.getByRole('button', { name: 'Show older ones' }).click()
    await expect.poll(() => entries.count()).toBe(27)
    expect(await page.getByRole('button', { name: 'Show older ones' }).count()).toBe(0)
  })

  test('who may not see the audit is told the missing right, and who can give it', async () => {
    const { page } = opened.tab
    const create = { data: { type: 'account', name: 'Oak', legal_name: 'Oak Ltd' } }
    const { id } = (await opened.world.admin.post('/v2/accounts', create)).body.data
    await signInAsNew(opened.tab, opened.world, 'Marketing/Sales', `/v2/accounts/${id}`)
    await page.getByRole('tab', { name: 'History' }).click()
    await page
      .getByText('Your role, Marketing/Sales, does not have the right to read changes. A Store Admin can')
      .waitFor()
  })
})
