import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright-core'
import { takeApart } from '../console/build/document.ts'

/**
 * `node bench/console-pictures.ts <folder> [pattern]`: starts a demo shop of the size s, and takes a picture of every
 * screen of the console whose name matches, at two widths, light and dark, for somebody to look at. Sheets have many
 * screens on each.
 */
const [folder = 'pictures', pattern = ''] = process.argv.slice(2)
const root = resolve(import.meta.dirname, '..')
const sutler = join(root, 'command/sutler.ts')
const widths = [1440, 390] as const
const schemes = ['light', 'dark'] as const
const height = 900
const wanted = new RegExp(pattern)

interface Screen {
  readonly name: string
  readonly path: string
  /** What is done on the screen first. */
  prepare?(page: Page): Promise<unknown>
}

const data = mkdtempSync(join(tmpdir(), 'sutler-pictures-'))
const port = await freePort()
const url = `http://localhost:${port}`
const env = { ...process.env, SUTLER_DATA_DIR: data, PORT: String(port), LOG_LEVEL: 'error' }
const server = spawn(process.execPath, [sutler, 'start', '--demo', '--size', 's'], { env, stdio: 'ignore' })
const browser = await chromium.launch({
  executablePath: process.env.SUTLER_CHROMIUM ?? '/usr/bin/chromium',
  args: ['--headless', '--no-sandbox', '--disable-gpu'],
})
try {
  mkdirSync(folder, { recursive: true })
  await ready()
  const page = await signedIn(browser)
  const names: string[] = []
  for (const screen of [...ownScreens(), ...(await screensOfResources(page))]) {
    if (!wanted.test(screen.name)) continue
    try {
      await take(page, screen)
      names.push(screen.name)
    } catch (error) {
      process.stdout.write(`${screen.name}: ${String(error).split('\n')[0]}\n`)
    }
  }
  for (const width of widths) for (const scheme of schemes) await sheets(browser, names, width, scheme)
  process.stdout.write(`${names.length} screens in ${folder}\n`)
} finally {
  await browser.close()
  server.kill('SIGTERM')
  await new Promise((done) => server.once('exit', done))
  rmSync(data, { recursive: true, force: true })
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0)
  await new Promise((done) => probe.once('listening', done))
  const address = probe.address()
  await new Promise((done) => probe.close(done))
  return typeof address === 'object' && address ? address.port : 0
}

async function ready(): Promise<void> {
  for (let i = 0; i < 600; i++) {
    if (
      await fetch(`${url}/console`).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return
    await sleep(500)
  }
  throw new Error('the server is not ready')
}

/** As the Store Admin of the demo shop. */
async function signedIn(browser: Browser): Promise<Page> {
  const said = execFileSync(process.execPath, [sutler, 'colleague', 'link', 'ada.winter@example.com'], {
    env,
  })
  const page = await (await browser.newContext({ viewport: { width: widths[0], height } })).newPage()
  await page.goto(`${url}/console`)
  await take(page, { name: '00-sign-in', path: '' })
  await page.goto(/http\S+/.exec(String(said))?.[0] ?? '')
  await page.getByLabel('New password').fill('eleven horses by the river')
  await page.getByRole('button', { name: 'Set it and sign in' }).click()
  await page.getByText('(Store Admin)').waitFor()
  return page
}

/** The screens and windows that no resource has. */
function ownScreens(): readonly Screen[] {
  const press = (name: string) => (page: Page) => page.getByRole('button', { name }).first().click()
  return [
    { name: '01-home', path: '' },
    { name: '02-finder', path: '', prepare: (page) => page.keyboard.press('Control+k') },
    { name: '03-keys', path: '', prepare: (page) => page.keyboard.press('Shift+?') },
    { name: '04-settings', path: '', prepare: press('Settings of the console') },
    { name: '05-export', path: '/v2/orders', prepare: press('Export') },
    { name: '06-filter', path: '/v2/orders', prepare: press('Add a filter') },
    { name: '07-columns', path: '/v2/orders', prepare: press('Columns') },
    { name: '08-no-match', path: '/v2/accounts?filter=eq(name,nobody)' },
    { name: '09-gone', path: '/v2/accounts/00000000-0000-4000-8000-000000000000' },
    { name: '10-drafts', path: '/drafts' },
    { name: '11-open-payments', path: '/v2/open-payments' },
  ]
}

/** The list of each resource, its first object with its history, and its forms. */
async function screensOfResources(page: Page): Promise<readonly Screen[]> {
  const document = JSON.parse(readFileSync(join(root, 'docs/openapi.json'), 'utf8'))
  const screens: Screen[] = []
  for (const { id, path, item, create, update } of takeApart(document).index) {
    if (path.includes('{')) continue
    screens.push({ name: `${id}`, path })
    if (create) screens.push({ name: `${id}-new`, path: `${path}?form=new` })
    if (path === item) screens.push({ name: `${id}-edit`, path: `${path}?form=edit` })
    if (path === item || !item || !wanted.test(`${id}-one`)) continue
    await page.goto(`${url}/console${path}`)
    const link = page.getByRole('rowheader').getByRole('link').first()
    await link
      .or(page.getByText('There is nothing here yet'))
      .first()
      .waitFor({ timeout: 15_000 })
      .catch(() => {})
    const one = (await link.count()) ? ((await link.getAttribute('href')) ?? '').replace('/console', '') : ''
    if (!one) continue
    screens.push({ name: `${id}-one`, path: one })
    if (update) screens.push({ name: `${id}-edit`, path: `${one}?form=edit` })
    if (id === 'products') screens.push({ name: `${id}-prices`, path: `${one}?tab=prices` })
    if (id === 'orders' || id === 'products')
      screens.push({
        name: `${id}-history`,
        path: one,
        prepare: (page) => page.getByRole('tab', { name: 'History' }).click(),
      })
  }
  return screens
}

async function take(page: Page, { name, path, prepare }: Screen): Promise<void> {
  await page.setViewportSize({ width: widths[0], height })
  await page.goto(`${url}/console${path}`)
  await page.getByRole('heading', { level: 1 }).first().waitFor({ timeout: 20_000 })
  // A list waits at the feed, so the network is never idle.
  await page.waitForLoadState('networkidle', { timeout: 2500 }).catch(() => {})
  await prepare?.(page)
  for (const width of widths) {
    await page.setViewportSize({ width, height })
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`) })
    }
  }
}

/** Pictures beside each other, with their names. */
async function sheets(browser: Browser, names: readonly string[], width: number, scheme: string) {
  const [columns, rows, scale] = width > 1000 ? [3, 3, 640] : [6, 2, 300]
  const page = await browser.newPage({ viewport: { width: columns * (scale + 8), height: 1300 } })
  for (let from = 0; from < names.length; from += columns * rows) {
    const figures = names.slice(from, from + columns * rows).map((name) => {
      const src = pathToFileURL(resolve(folder, `${name}-${width}-${scheme}.png`))
      return `<figure style="margin:4px;display:inline-block;width:${scale}px;font:14px sans-serif"><figcaption>${name}</figcaption><img width="${scale}" src="${src}"></figure>`
    })
    const at = resolve(
      folder,
      `sheet-${width}-${scheme}-${String(from / (columns * rows) + 1).padStart(2, '0')}`,
    )
    writeFileSync(`${at}.html`, `<body style="margin:0;line-height:1">${figures.join('')}`)
    await page.goto(String(pathToFileURL(`${at}.html`)))
    await page.screenshot({ path: `${at}.png`, fullPage: true })
    rmSync(`${at}.html`)
  }
  await page.close()
}
