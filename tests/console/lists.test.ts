import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { World } from '../support/world.ts'
import { expectNoBarriers, hasChromium, openForTests, signInAt, titled } from './browser.ts'

const accounts = 30

describe.runIf(hasChromium)(titled('lists of the console in a browser'), () => {
  const add = async (name: string, more = {}) =>
    (
      await opened.world.admin.post('/v2/accounts', {
        data: { type: 'account', name, legal_name: 'x', ...more },
      })
    ).body.data.id as string
  const opened = openForTests(async () => {
    for (let n = 1; n <= accounts; n++) await add(`Shop ${String(n).padStart(2, '0')}`)
  })

  const total = () => opened.tab.page.getByText(/^[\d,]+ accounts?$/).innerText()
  const heads = () => opened.tab.page.getByRole('columnheader').allInnerTexts()

  test('an export has exactly what is shown, in its order, and says that it is complete', async () => {
    const { page } = opened.tab
    await signInAt(opened.tab, opened.world, '/v2/accounts?sort=-name&filter=like(name,*hop 1*)')
    await page.getByText('10 accounts', { exact: true }).waitFor()
    for (const [label, extension] of [
      ['CSV, for spreadsheets', 'csv'],
      ['NDJSON, for programs', 'ndjson'],
    ] as const) {
      await page.getByRole('button', { name: 'Export' }).click()
      const dialog = page.getByRole('dialog', { name: 'Export' })
      await dialog.getByText('its order: 10 objects').waitFor()
      await dialog.getByLabel(label).check()
      const downloading = page.waitForEvent('download')
      await dialog.getByRole('button', { name: 'Export' }).click()
      const download = await downloading
      expect(download.suggestedFilename()).toBe(`accounts.${extension}`)
      const text = readFileSync(await download.path(), 'utf8')
      expect([...text.matchAll(/Shop \d\d/g)].map(String)).toEqual(
        Array.from({ length: 10 }, (_, i) => `Shop ${19 - i}`),
      )
      await dialog.getByText('The file is complete: 10 objects.').waitFor()
      await expectNoBarriers(opened.tab, 'the export')
      await dialog.getByRole('button', { name: 'Close' }).click()
    }
  })

  test('an export that breaks off says so, and goes on after the last object that came', async () => {
    const { page } = opened.tab
    await signInAt(opened.tab, opened.world, '/v2/accounts?sort=id')
    const whole = await fetch(`${opened.world.url}/v2/accounts?sort=id`, {
      headers: { accept: 'text/csv', authorization: `Bearer ${await tokenOf(opened.world)}` },
    }).then((response) => response.text())
    let isBroken = true
    const asked: string[] = []
    await page.route(/\/v2\/accounts\?sort=id(&filter=|$)/, async (route) => {
      asked.push(new URL(route.request().url()).searchParams.get('filter') ?? '')
      if (!isBroken) return route.continue()
      const headers = { 'sutler-total-count': String(accounts) }
      // The middle of a line: what came of it does not count.
      await route.fulfill({ status: 200, contentType: 'text/csv', headers, body: whole.slice(0, 1500) })
    })
    await page.getByRole('button', { name: 'Export' }).click()
    const dialog = page.getByRole('dialog', { name: 'Export' })
    await dialog.getByRole('button', { name: 'Export' }).click()
    await dialog.getByText(/The export broke off after \d+ of 30 objects/).waitFor()
    isBroken = false
    const downloading = page.waitForEvent('download')
    await dialog.getByRole('button', { name: 'Go on from there' }).click()
    expect(readFileSync(await (await downloading).path(), 'utf8')).toBe(whole)
    expect(asked).toEqual(['', expect.stringMatching(/^gt\(id,[0-9a-f-]{36}\)$/)])
  })

  test('a list says what has changed since it was read, and shows it when it is asked to', async () => {
    const { page } = opened.tab
    const lists: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('/v2/accounts?')) lists.push(request.url())
    })
    const waiting = page.waitForRequest(/\/v2\/changes\?.*wait=/)
    await signInAt(opened.tab, opened.world, '/v2/accounts?sort=name')
    await page.getByRole('rowheader', { name: 'Shop 01' }).waitFor()
    await waiting
    const before = lists.length
    await opened.world.admin.post('/v2/customers', {
      data: { type: 'customer', name: 'C', email: 'c@example.com' },
    })
    const id = await add('A new one')
    await page.getByRole('button', { name: '1 object has changed. Show' }).waitFor()
    await expectNoBarriers(opened.tab, 'the dot of a list')
    expect(await page.getByRole('rowheader', { name: 'A new one' }).count()).toBe(0)
    // The feed said so: the list was not read again.
    expect(lists.length).toBe(before)
    await page.getByRole('button', { name: '1 object has changed. Show' }).click()
    await page.getByRole('rowheader', { name: 'A new one' }).waitFor()
    await page.getByRole('button', { name: /changed/ }).waitFor({ state: 'detached' })
    await opened.world.admin.delete(`/v2/accounts/${id}`)
    await page.getByRole('button', { name: '1 object has changed. Show' }).waitFor()
  })

  test('all that match are selected, checked by a dry run, and deleted, with the errors of each', async () => {
    const { page } = opened.tab
    const parent = await add('Doomed parent')
    await add('Kept child', { parent_id: parent })
    const ids = []
    for (let n = 1; n <= 27; n++) ids.push(await add(`Doomed ${n}`))
    await opened.world.admin.post(`/v2/accounts/${ids[0]}/addresses`, {
      data: {
        ...{ type: 'address', name: 'a', first_name: 'a', last_name: 'b', line_1: 'c' },
        ...{ county: 'd', postcode: 'e', country: 'GB' },
      },
    })
    await signInAt(opened.tab, opened.world, '/v2/accounts?filter=like(name,Doomed*)&sort=name')
    await page.getByText('28 accounts').waitFor()
    await page.getByLabel('Select all rows of this page').check()
    await page.getByRole('button', { name: 'Select all 28 that match' }).click()
    await page.getByText('28 selected, 3 not on this page').waitFor()
    await page.getByRole('button', { name: 'Delete them' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete 28 objects?' })
    await dialog.getByText('Account: 27').waitFor()
    await dialog.getByText('Address: 1').or(dialog.getByText('Account address: 1')).waitFor()
    await dialog.getByText('1 object cannot be deleted:').waitFor()
    await dialog.getByText(`${parent}: `).waitFor()
    await expectNoBarriers(opened.tab, 'the delete of many')
    expect(
      await (await opened.world.admin.get('/v2/accounts?filter=like(name,Doomed*)')).body.meta.results.total,
    ).toBe(28)
    await dialog.getByRole('button', { name: 'Delete them' }).click()
    await dialog.getByText('27 objects have been deleted.').waitFor()
    await dialog.getByRole('button', { name: 'Close' }).click()
    await page.getByText('1 account', { exact: true }).waitFor()
    expect(await total()).toBe('1 account')
    await page.getByText('1 selected', { exact: true }).waitFor()
  })

  test('a delete of many can be stopped, and takes a typed number where it takes along many', async () => {
    const { page } = opened.tab
    for (let n = 1; n <= 102; n++) await add(`Many ${n}`)
    await signInAt(opened.tab, opened.world, '/v2/accounts?filter=like(name,Many*)')
    await page.getByText('102 accounts').waitFor()
    await page.getByLabel('Select all rows of this page').check()
    await page.getByRole('button', { name: 'Select all 102 that match' }).click()
    await page.getByRole('button', { name: 'Delete them' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete 102 objects?' })
    await dialog.getByText('Account: 102').waitFor()
    const button = dialog.getByRole('button', { name: 'Delete them' })
    expect(await button.isDisabled()).toBe(true)
    // Each answer takes a while, so that there is time to stop.
    await page.route(/\/v2\/accounts\/[0-9a-f-]{36}$/, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 100))
      await route.continue()
    })
    await dialog.getByLabel('Type 102 to confirm').fill('102')
    await button.click()
    await dialog.getByText(/^Deleted [1-9]\d* of 102/).waitFor()
    await dialog.getByRole('button', { name: 'Stop' }).click()
    await dialog.getByText('It was stopped: the others are still there.').waitFor()
    const text = await dialog.getByText('have been deleted').innerText()
    const { total } = (await opened.world.admin.get('/v2/accounts?filter=like(name,Many*)')).body.meta.results
    expect(total).toBeGreaterThan(0)
    expect(text).toBe(`${102 - total} objects have been deleted.`)
  })

  test('a list of which the API skips only some rows says so, and leads no further', async () => {
    const { page } = opened.tab
    await page.route(/\/v2\/files\?/, (route) =>
      route.fulfill({
        json: {
          data: [{ type: 'file', id: 'a', file_name: 'a.png' }],
          meta: { results: { total: 1_000_000 }, page: { limit: 25 } },
        },
      }),
    )
    await signInAt(opened.tab, opened.world, '/v2/files')
    await page.getByText('1,000,000 files').waitFor()
    await page.getByText('Pages of this list end at 401.').waitFor()
    await page.getByLabel('Go to page').fill('9000')
    await page.keyboard.press('Enter')
    await page.getByText('Page 401 of 40,000', { exact: true }).waitFor()
    expect(await page.getByRole('button', { name: 'Next' }).isDisabled()).toBe(true)
  })

  test('columns are chosen and ordered, and rows made dense; both are kept for the next time', async () => {
    const { page } = opened.tab
    await signInAt(opened.tab, opened.world, '/v2/accounts')
    await page.getByRole('rowheader').first().waitFor()
    const usual = await heads()
    await page.getByRole('button', { name: 'Columns' }).click()
    const dialog = page.getByRole('dialog', { name: 'Columns' })
    await dialog.getByLabel('Legal name', { exact: true }).uncheck()
    await dialog.getByLabel('ID', { exact: true }).check()
    for (let i = 1; i < usual.length; i++)
      await dialog
        .getByRole('button', { name: 'Move ID to the front' })
        .click({ trial: false })
        .catch(() => {})
    await dialog.getByLabel('Dense').check()
    await expectNoBarriers(opened.tab, 'the choice of columns')
    await page.keyboard.press('Escape')
    const chosen = await heads()
    expect(chosen[0]).toMatch(/^ID/)
    expect(chosen.join()).not.toContain('Legal name')
    await page.evaluate('history.pushState({}, "", "/console/")')
    await signInAt(opened.tab, opened.world, '/v2/accounts')
    await page.getByRole('rowheader').first().waitFor()
    expect(await heads()).toEqual(chosen)
    expect(await page.getByRole('table').getAttribute('data-density')).toBe('dense')
    await page.getByRole('button', { name: 'Columns' }).click()
    await dialog.getByRole('button', { name: 'Usual columns' }).click()
    expect(await heads()).toEqual(usual)
  })
})

async function tokenOf({ url, key }: World): Promise<string> {
  const response = await fetch(`${url}/oauth/access_token`, {
    method: 'POST',
    body: new URLSearchParams({
      ...{ grant_type: 'client_credentials', client_id: key.id, client_secret: key.secret },
    }),
  })
  return ((await response.json()) as { access_token: string }).access_token
}
