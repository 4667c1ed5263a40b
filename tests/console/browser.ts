import { existsSync } from 'node:fs'
import axe, { type AxeResults } from 'axe-core'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { some } from '../support/long.ts'
import { openWorld, type World } from '../support/world.ts'

/** Where Debian has it. Other systems name theirs in SUTLER_CHROMIUM. */
const executablePath = process.env.SUTLER_CHROMIUM ?? '/usr/bin/chromium'

export const hasChromium = existsSync(executablePath)

/** A title for what needs a browser: where there is none, the reader of the result sees why it was skipped. */
export const titled = (title: string): string =>
  hasChromium ? title : `${title} (skipped: no Chromium here)`

/** A browser that calls nobody by itself. */
export const browserOptions = {
  executablePath,
  args: [
    ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
    ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
  ],
}

let opening: Promise<Browser> | undefined

/** The browser of this worker, which ends with it. Each of its tabs has a profile of its own. */
export function openBrowser(): Promise<Browser> {
  opening ??= chromium.launch(browserOptions)
  return opening
}

/** A tab, and what it did that it should not. */
export interface Tab {
  readonly page: Page
  /** Requests to other servers, breaches of the policy of the page, and errors of its scripts. */
  readonly faults: string[]
}

export async function openTab(
  browser: Browser,
  world: World,
  options: BrowserContextOptions = {},
): Promise<Tab> {
  const context = await browser.newContext({ ...usual, ...options })
  const page = await context.newPage()
  page.setDefaultTimeout(12_000)
  const faults: string[] = []
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(world.url) && !/^(data|blob):/.test(url)) faults.push(`request to ${url}`)
  })
  page.on('pageerror', (error) => faults.push(String(error.stack)))
  page.on('console', (message) => {
    // Chromium reports each refusal of the server too.
    if (message.type() === 'error' && !/status of 4\d\d/.test(message.text())) faults.push(message.text())
  })
  return { page, faults }
}

const usual = { colorScheme: 'light', viewport: { width: 1440, height: 900 } } as const

/**
 * The tab that tests use one after the other, also those of other files. A new one would load and compile the console
 * again, which costs three times as much as everything else that a sign-in does.
 */
let kept: { readonly tab: Tab; readonly url: string } | undefined

/** A tab that knows nothing of those who had it before. */
async function emptyTab(browser: Browser, world: World): Promise<Tab> {
  if (kept?.url === world.url && !kept.tab.page.isClosed()) {
    await forget(kept.tab, world)
    return kept.tab
  }
  await kept?.tab.page.context().close()
  const tab = await openTab(browser, world)
  kept = { tab, url: world.url }
  return tab
}

/** What the page does when it is left is its fault, too. */
async function leave({ page }: Tab, { url: origin }: World): Promise<void> {
  if (page.url().startsWith(origin)) await page.evaluate('sessionStorage.clear()')
  await page.goto('about:blank')
}

async function forget({ page, faults }: Tab, { url: origin }: World): Promise<void> {
  const context = page.context()
  for (const other of context.pages()) if (other !== page) await other.close()
  await context.unrouteAll()
  await page.unrouteAll()
  await context.clearCookies()
  const debug = await context.newCDPSession(page)
  await debug.send('Storage.clearDataForOrigin', { origin, storageTypes: 'local_storage,indexeddb' })
  await debug.detach()
  await page.emulateMedia({ colorScheme: usual.colorScheme })
  await page.setViewportSize(usual.viewport)
  faults.length = 0
}

/** Shows a tab in other colours and in another width. */
export async function look({ page }: Tab, colorScheme: 'light' | 'dark', width: number): Promise<void> {
  await page.emulateMedia({ colorScheme })
  await page.setViewportSize({ width, height: 844 })
}

const looks = [
  ['light', 1440],
  ['dark', 390],
] as const

/** How a flow is looked at: at a desk or on a phone, and in the long form in both ways. */
export const looksAt = (usualPlace: 'a desk' | 'a phone') =>
  some(1, usualPlace === 'a desk' ? looks : looks.toReversed())

interface TestBrowser {
  world: World
  browser: Browser
  /** Of the present test. */
  tab: Tab
}

/**
 * A server that `fill` has filled once, a browser beside it, and an empty tab for each test, which must be without
 * faults.
 */
export function openForTests(fill: (world: World) => Promise<void> = async () => {}): TestBrowser {
  const opened = {} as TestBrowser
  beforeAll(async () => {
    opened.world = await openWorld({ overHttp: true })
    opened.browser = await openBrowser()
    await fill(opened.world)
  })
  afterAll(async () => {
    await opened.world?.close()
  })
  beforeEach(async () => {
    opened.tab = await emptyTab(opened.browser, opened.world)
  })
  afterEach(async () => {
    const { page, faults } = opened.tab
    // A tab of the test's own ends with it.
    if (opened.tab === kept?.tab && !page.isClosed()) await leave(opened.tab, opened.world)
    else await page.context().close()
    expect(faults).toEqual([])
  })
  return opened
}

/** Signs in at an address of the console, which is then shown. */
export async function signInAt({ page }: Tab, world: World, path = ''): Promise<void> {
  await page.goto(`${world.url}/console${path}`)
  await page.getByRole('button', { name: 'Use an application key' }).click()
  await page.getByLabel('Client id').fill(world.key.id)
  await page.getByLabel('Client secret').fill(world.key.secret)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page
    .getByRole('navigation', { name: 'Screens' })
    .or(page.getByRole('navigation', { name: 'More' }))
    .first()
    .waitFor()
}

/** What axe finds, by rule. It runs by the browser's debugger, because the policy of the page forbids its script. */
export async function barriersIn({ page }: Tab): Promise<readonly string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(`(() => { ${axe.source} })()`)
  // Halfway to another colour a button has any contrast.
  await page.evaluate('Promise.allSettled(document.getAnimations().map(({ finished }) => finished))')
  const { violations }: AxeResults = await page.evaluate("axe.run({ resultTypes: ['violations'] })")
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`)
}

export async function expectNoBarriers(tab: Tab, where: string): Promise<void> {
  expect(await barriersIn(tab), `what axe finds in ${where}`).toEqual([])
}
