import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Node, takeApart } from '../../console/build/document.ts'
import { makeCatalog, makeHierarchy } from '../builders/shop/catalogs.ts'
import { some } from '../support/long.ts'
import { until } from '../support/until.ts'
import { openWorld, type World } from '../support/world.ts'
import { hasChromium, openBrowser, openTab, signInAt, type Tab, titled } from './browser.ts'

const document: Node = JSON.parse(readFileSync(join(import.meta.dirname, '../../docs/openapi.json'), 'utf8'))
const screens = takeApart(document).index.filter(({ path }) => !path.includes('{'))
/** What has one object only opens at that. */
const single = new Set(screens.filter(({ path, item }) => path === item).map(({ title }) => title))

describe.runIf(hasChromium)(titled('every list in a browser'), () => {
  let world: World
  let browser: Browser
  let tab: Tab
  beforeAll(async () => {
    world = await openWorld({ overHttp: true })
    // Without it shoppers have no lists.
    const hierarchy_ids = [await makeHierarchy(world.admin)]
    const releases = `/catalogs/${await makeCatalog(world.admin, { hierarchy_ids })}/releases`
    await world.admin.post(releases)
    await until(async () => {
      const { data } = (await world.admin.get(releases)).body
      return data[0]?.meta.release_status === 'PUBLISHED' || undefined
    })
    browser = await openBrowser()
    tab = await openTab(browser, world)
    await signInAt(tab, world)
  })
  afterAll(async () => {
    await tab?.page.context().close()
    await world?.close()
  })
  afterEach(() => expect(tab.faults).toEqual([]))

  test.each(
    some(
      8,
      screens.map(({ title }) => title),
    ),
  )('%s opens from the page of all resources', async (title) => {
    const { page } = tab
    await page.getByRole('link', { name: 'All resources' }).first().click()
    await page.getByRole('main').getByRole('link', { name: title, exact: true }).click()
    await page.getByRole('heading', { name: title, exact: true, level: 1 }).waitFor()
    if (single.has(title)) return page.getByRole('main').getByRole('term').first().waitFor()
    // Its rows, or that there are none.
    await page.getByRole('table').or(page.getByText('There is nothing here yet')).first().waitFor()
  })
})
