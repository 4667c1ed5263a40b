import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { type RunningServer, start } from '../../server/main.ts'
import { Random } from '../../tools/demo/random.ts'
import { addColleague, colleaguePassword } from '../builders/people/colleagues.ts'
import { tries } from '../support/long.ts'
import { openWorld, testConfig, type World } from '../support/world.ts'
import { hasChromium, openBrowser, openTab, type Tab, titled } from './browser.ts'

const kinds = ['the tab', 'the server', 'the session', 'the network'] as const
const rounds = Array.from({ length: tries(1, 12) }, (_, i) => i)
const labels = ['Name required', 'Legal name', 'External reference'] as const
const letters = [...'abcdefghijKLMNOP-0123456789ÄßЖ&']

/** The page is at a server of its own, which can be stopped. */
describe.runIf(hasChromium)(titled('what somebody types into the console outlives'), () => {
  let world: World
  let server: RunningServer
  let browser: Browser
  let tab: Tab
  let page: Page
  let email: string
  let userId: string
  beforeAll(async () => {
    world = await openWorld({ overHttp: true, alone: true })
    server = await start(testConfig(inject('postgres'), world.database))
    browser = await openBrowser()
    await addColleague(world.admin, 'Store Admin')
  })
  afterAll(async () => {
    await server?.stop()
    await world?.close()
  })
  beforeEach(async () => {
    ;({ email, userId } = await addColleague(world.admin, 'Support'))
    tab = await openTab(browser, { ...world, url: server.url })
    page = tab.page
    await page.goto(`${server.url}/console/v2/accounts?form=new`)
    await page.getByLabel('Store').fill(world.storeId)
    await page.getByLabel('Email address').fill(email)
    await page.getByLabel('Password').fill(colleaguePassword)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByLabel('Name required').waitFor()
  })
  afterEach(async () => {
    await page.context().close()
    expect(tab.faults.filter((fault) => !/ERR_(CONNECTION|INTERNET|EMPTY|SOCKET)/.test(fault))).toEqual([])
  })

  interface Typing {
    readonly label: (typeof labels)[number]
    readonly text: string
  }

  /** Types letter by letter, as a person who sees nothing of what happens behind the form. */
  async function type(some: readonly Typing[]): Promise<void> {
    for (const { label, text } of some) {
      await page.getByLabel(label, { exact: true }).focus()
      await page.keyboard.press('End')
      for (const letter of text) await page.keyboard.type(letter)
    }
  }

  /** What somebody types before a moment, and after it. */
  function typingOf(random: Random): readonly [before: readonly Typing[], after: readonly Typing[]] {
    const all = labels.map((label) => {
      const length = random.integer(3, 14)
      const text = Array.from({ length }, () => random.pick(letters)).join('')
      return { label, text: `x${text}x` }
    })
    const moment = random.integer(
      1,
      all.reduce((sum, { text }) => sum + text.length, 0),
    )
    let left = moment
    const cut = all.map(({ label, text }) => {
      const at = Math.min(left, text.length)
      left -= at
      return [
        { label, text: text.slice(0, at) },
        { label, text: text.slice(at) },
      ] as const
    })
    const some = (part: 0 | 1) => cut.map((one) => one[part]).filter(({ text }) => text)
    return [some(0), some(1)]
  }

  const textIn = (label: string) => page.getByLabel(label, { exact: true }).inputValue()
  const save = () => page.getByRole('button', { name: 'Save' }).click()

  async function expectSaved(...parts: readonly (readonly Typing[])[]): Promise<void> {
    const textOf = (label: string) =>
      parts
        .flat()
        .filter((one) => one.label === label)
        .map(({ text }) => text)
        .join('')
    const [name = '', legal, ref] = labels.map(textOf)
    await page.getByRole('heading', { name, exact: true }).waitFor()
    const { body } = await world.admin.get(`/v2/accounts?filter=${encodeURIComponent(`eq(name,"${name}")`)}`)
    expect(body.data).toMatchObject([
      { name, ...(legal && { legal_name: legal }), ...(ref && { external_ref: ref }) },
    ])
  }

  const endings: Readonly<Record<(typeof kinds)[number], (random: Random) => Promise<void>>> = {
    async 'the tab'(random) {
      const [before, after] = typingOf(random)
      await type(before)
      const crashed = page.waitForEvent('crash')
      const debug = await page.context().newCDPSession(page)
      debug.send('Page.crash').catch(() => {})
      await crashed
      const { faults } = tab
      tab = { page: await page.context().newPage(), faults }
      await page.close()
      page = tab.page
      page.setDefaultTimeout(12_000)
      await page.goto(`${server.url}/console/v2/accounts?form=new`)
      await page.getByRole('button', { name: 'Restore it' }).click()
      for (const { label, text } of before) expect(await textIn(label)).toBe(text)
      await type(after)
      await save()
      await expectSaved(before, after)
    },

    async 'the server'(random) {
      const [before, after] = typingOf(random)
      await type(before)
      const port = new URL(server.url).port
      await server.stop()
      await type(after)
      if (random.chance(0.5)) {
        await save()
        await page.getByText('The server does not respond').waitFor()
      }
      server = await start(testConfig(inject('postgres'), world.database, { PORT: port }))
      await save()
      await expectSaved(before, after)
    },

    async 'the session'(random) {
      const [before, after] = typingOf(random)
      await type(before)
      const { body } = await world.admin.get(`/v2/colleague-sessions?filter=eq(user_id,${userId})`)
      for (const { id } of body.data) await world.admin.delete(`/v2/colleague-sessions/${id}`)
      // The other process hears of it within a second.
      await sleep(1000)
      const window = page.getByRole('dialog', { name: 'Sign in' })
      const isSaving = !(await window.isVisible())
      if (isSaving) await save()
      await window.getByLabel('Password').fill(colleaguePassword)
      await window.getByRole('button', { name: 'Sign in' }).click()
      // A save goes on by itself.
      if (isSaving) return expectSaved(before)
      await window.waitFor({ state: 'detached' })
      await type(after)
      await save()
      await expectSaved(before, after)
    },

    async 'the network'(random) {
      const [before, after] = typingOf(random)
      await type(before)
      await page.context().setOffline(true)
      await type(after)
      if (random.chance(0.5)) {
        await save()
        await page.getByText('The server does not respond').waitFor()
      } else await sleep(random.integer(0, 1200))
      await page.context().setOffline(false)
      await save()
      await expectSaved(before, after)
    },
  }

  test.each(kinds.flatMap((kind) => rounds.map((round) => [kind, round] as const)))(
    'an end of %s at any moment, round %i',
    (kind, round) => endings[kind](new Random(`${kind} ${round}`)),
  )
})
