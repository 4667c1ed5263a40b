import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isLong } from '../support/long.ts'
import { openWorld, type World } from '../support/world.ts'
import { expectNoBarriers, hasChromium, openBrowser, openTab, signInAt, titled } from './browser.ts'

describe.runIf(hasChromium)(titled('what axe finds in lists and around them'), () => {
  let world: World
  let browser: Browser
  beforeAll(async () => {
    world = await openWorld({ overHttp: true })
    browser = await openBrowser()
    for (let n = 1; n <= 30; n++)
      await world.admin.post('/v2/accounts', {
        data: { type: 'account', name: `Shop ${n}`, legal_name: 'x' },
      })
  })
  afterAll(async () => {
    await world?.close()
  })

  const looks = [
    ['light', 1440],
    ['dark', 390],
    ['dark', 1440],
    ['light', 390],
  ] as const
  test.each(isLong ? looks : looks.slice(0, 2))('is nothing in %s, at %i px', async (colorScheme, width) => {
    const tab = await openTab(browser, world, { colorScheme, viewport: { width, height: 844 } })
    const { page } = tab
    const button = (name: string) => page.getByRole('button', { name }).click()
    const dialog = page.getByRole('dialog')
    const close = async () => {
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
    }
    await signInAt(tab, world, '/v2/accounts')
    await page.getByRole('rowheader').first().waitFor()
    await page
      .getByLabel(/^Select Shop/)
      .first()
      .check()
    await world.admin.post('/v2/accounts', { data: { type: 'account', name: 'New', legal_name: 'x' } })
    await page.getByText('1 object has changed').waitFor()
    await expectNoBarriers(tab, 'a list with a selection and a dot')
    await button('Columns')
    await dialog.getByText('Roomy').waitFor()
    await expectNoBarriers(tab, 'the columns')
    await close()
    await button('Export')
    await dialog.getByRole('button', { name: 'Export' }).click()
    await dialog.getByText('The file is complete').waitFor()
    await expectNoBarriers(tab, 'an export')
    await close()
    await button('Delete them')
    await dialog.getByText('Account: 1').waitFor()
    await expectNoBarriers(tab, 'a delete of many')
    await close()
    await button('Settings of the console')
    await page.getByLabel('Language').waitFor()
    await expectNoBarriers(tab, 'the settings')
    await close()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('Shop 1')
    await page
      .getByRole('option', { name: /^Shop 1\d account$/ })
      .first()
      .waitFor()
    await expectNoBarriers(tab, 'the finder')
    await page.getByRole('option').first().click()
    await page.getByRole('tab', { name: 'History' }).click()
    await page.getByText('created it').waitFor()
    await expectNoBarriers(tab, 'a history')
    await page.keyboard.press('Shift+?')
    await dialog.getByText('Go to Orders').waitFor()
    await expectNoBarriers(tab, 'the keys')
    await page.context().close()
    expect(tab.faults).toEqual([])
  })
})
