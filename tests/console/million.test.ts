import { createReadStream } from 'node:fs'
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { isLong } from '../support/long.ts'
import { openWorld, type World } from '../support/world.ts'
import { hasChromium, openBrowser, openTab, signInAt, type Tab, titled } from './browser.ts'

/** In the long form a million. */
const rows = isLong ? 1_000_000 : 20_000
const perPage = 100
/** Where the jump leads. */
const target = isLong ? 9000 : 190

const number = (n: number) => n.toLocaleString('en')
async function linesIn(path: string): Promise<number> {
  let lines = 0
  for await (const chunk of createReadStream(path, 'latin1')) lines += chunk.split('\n').length - 1
  return lines
}

const name = (n: number) => `Shop ${String(n).padStart(7, '0')}`

describe.runIf(hasChromium)(titled(`a list of ${number(rows)} rows in a browser`), () => {
  let world: World
  let browser: Browser
  let tab: Tab
  beforeAll(async () => {
    world = await openWorld({ alone: true })
    browser = await openBrowser()
    // In parts: the triggers of one statement hold all of its rows in memory.
    for (let from = 1; from <= rows; from += 20_000)
      await world.sql(
        `INSERT INTO accounts (store_id, id, created_at, updated_at, doc)
         SELECT $1, gen_random_uuid(), now(), now(),
           json_build_object('name', 'Shop ' || lpad(n::text, 7, '0'), 'legal_name', 'Shop ' || n || ' Ltd')
         FROM generate_series($2::int, $2 + 19999) n`,
        [world.storeId, from],
      )
    await world.sql('ANALYZE accounts')
    tab = await openTab(browser, world)
  }, 1_200_000)
  afterAll(async () => {
    await tab?.page.context().close()
    await world?.close()
  })
  afterEach(() => expect(tab.faults).toEqual([]))

  /** How long what a person waits for takes. The long form prints it. */
  const times: string[] = []
  async function timed<T>(what: string, wait: () => Promise<T>): Promise<T> {
    const start = performance.now()
    const result = await wait()
    times.push(`${what}: ${Math.round(performance.now() - start)} ms`)
    return result
  }
  afterAll(() => {
    if (isLong) process.stdout.write(`${times.join('\n')}\n`)
  })

  const names = () => tab.page.getByRole('rowheader').allInnerTexts()
  const page = (n: number) => Array.from({ length: perPage }, (_, i) => name((n - 1) * perPage + i + 1))

  test('it says the exact total, and any page of it is a jump away', async () => {
    await signInAt(tab, world, `/v2/accounts?sort=name&limit=${perPage}`)
    await tab.page.getByText(`${number(rows)} accounts`, { exact: true }).waitFor()
    expect(await names()).toEqual(page(1))
    const goTo = async (n: number) => {
      await tab.page.getByLabel('Go to page').fill(String(n))
      await timed(`page ${number(n)}`, async () => {
        await tab.page.keyboard.press('Enter')
        await tab.page.getByText(`Page ${number(n)} of ${number(rows / perPage)}`, { exact: true }).waitFor()
        await tab.page.getByRole('rowheader', { name: name(n * perPage), exact: true }).waitFor()
      })
      expect(await names()).toEqual(page(n))
    }
    await goTo(target)
    // The end, its last row, and what is beyond it.
    await goTo(rows / perPage)
    expect(await tab.page.getByRole('button', { name: 'Next' }).isDisabled()).toBe(true)
    await goTo(2)
    await tab.page.goBack()
    await expect.poll(names).toEqual(page(rows / perPage))
  })

  test('a filter of it says how many match, and all of it is shown again without the filter', async () => {
    const filter = tab.page.getByRole('search').getByRole('textbox')
    await filter.fill(`like(name,Shop 00${isLong ? '99' : '0'}*)`)
    await tab.page.keyboard.press('Enter')
    const matches = () =>
      tab.page.getByText(isLong ? '1,000 accounts' : '9,999 accounts', { exact: true }).waitFor()
    await timed('a filter', matches)
    await filter.fill('')
    await tab.page.keyboard.press('Enter')
    await tab.page.getByText(`${number(rows)} accounts`, { exact: true }).waitFor()
  })

  test('an export of it is complete', async () => {
    await tab.page.getByRole('button', { name: 'Export', exact: true }).click()
    const dialog = tab.page.getByRole('dialog')
    const downloading = tab.page.waitForEvent('download', { timeout: 600_000 })
    await dialog.getByRole('button', { name: 'Export', exact: true }).click()
    const download = await timed('an export', () => downloading)
    await dialog.getByText(`The file is complete: ${number(rows)} objects.`).waitFor()
    // Its header is one more.
    expect(await linesIn(await download.path())).toBe(rows + 1)
  }, 660_000)
})
