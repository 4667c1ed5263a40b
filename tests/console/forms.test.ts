import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { colleaguePassword } from '../builders/people/colleagues.ts'
import { body } from '../support/requests.ts'
import { browserOptions, expectNoBarriers, hasChromium, openForTests, signInAt, titled } from './browser.ts'

/** Kills the browser of a profile as the system would: nothing in it is told. */
function kill(profile: string): void {
  const own = readdirSync('/proc').filter(
    (pid) => /^\d+$/.test(pid) && commandOf(pid).includes(`=${profile}`),
  )
  expect(own.length).toBeGreaterThan(0)
  for (const pid of own) process.kill(Number(pid), 'SIGKILL')
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

/** What the browser keeps of what was typed, as JSON. */
const drafts = (page: Page): Promise<string> =>
  page.evaluate(`new Promise((resolve) => {
    const opened = indexedDB.open('sutler')
    opened.onsuccess = () => {
      const all = opened.result.transaction('drafts').objectStore('drafts').getAll()
      all.onsuccess = () => { opened.result.close(); resolve(JSON.stringify(all.result.map(({ texts }) => texts))) }
    }
  })`)

describe.runIf(hasChromium)(titled('the forms of the console'), () => {
  const opened = openForTests()

  const newAccount = async (name: string): Promise<string> => {
    const { data } = (
      await opened.world.admin.post('/v2/accounts', {
        data: { type: 'account', name, legal_name: `${name} Ltd` },
      })
    ).body
    return `/v2/accounts/${data.id}`
  }
  const faultAt = (page: Page, label: string) =>
    expect.poll(() => page.getByLabel(label).getAttribute('aria-invalid'))

  test('what the server would refuse is shown while somebody types, and the answer to older text is dropped', async () => {
    const { page } = opened.tab
    const path = await newAccount('Maple')
    await signInAt(opened.tab, opened.world, `${path}?form=edit`)
    const rehearsals: string[] = []
    let isLate = false
    await page.route(new RegExp(path), async (route, request) => {
      if (request.headers().prefer === 'dry-run') rehearsals.push(request.postData() ?? '')
      if (!request.postData()?.includes('"one"')) return route.continue()
      // The answer about the first text is late.
      await new Promise((resolve) => setTimeout(resolve, 1500))
      const errors = [{ status: '422', title: 'Late', source: 'data.external_ref' }]
      await route.fulfill({ status: 422, json: { errors } }).catch(() => {})
      isLate = true
    })
    // Only the server knows that an account is not its own parent.
    await page.getByRole('combobox', { name: 'Parent' }).fill(path.split('/').at(-1) ?? '')
    await page.getByRole('option', { name: 'Maple' }).click()
    await faultAt(page, 'Parent').toBe('true')
    await expectNoBarriers(opened.tab, 'a refused value')
    // A field that nobody has touched is not refused yet.
    expect(await page.getByLabel('Legal name').getAttribute('aria-invalid')).toBe('false')
    await page.getByRole('button', { name: /^Remove / }).click()
    await faultAt(page, 'Parent').toBe('false')
    await page.getByLabel('External ref').fill('one')
    await expect.poll(() => rehearsals.at(-1)).toContain('one')
    await page.getByLabel('External ref').fill('two')
    await expect.poll(() => rehearsals.at(-1)).toContain('two')
    await expect.poll(() => isLate, { timeout: 5000 }).toBe(true)
    await faultAt(page, 'External ref').toBe('false')
    expect((await opened.world.admin.get(path)).body.data.external_ref ?? null).toBeNull()
    // The typing is one question, not one for each letter.
    const before = rehearsals.length
    await page.getByLabel('Registration id').pressSequentially('12345678', { delay: 20 })
    await expect.poll(() => rehearsals.at(-1)).toContain('12345678')
    expect(rehearsals.length - before).toBeLessThanOrEqual(3)
  })

  test('who saves the same object meanwhile is named at once, and in the conflict', async () => {
    const { page } = opened.tab
    const path = await newAccount('Rowan')
    const invitation = { name: 'Ada Byron', email: 'ada@example.com', role: 'store-admin' }
    const { data } = (
      await opened.world.admin.post('/v2/colleague-invitations', body('colleague_invitation', invitation))
    ).body
    const [store, secret] = new URL(data.link).hash.slice(1).split('.')
    const { token } = (
      await opened.world.nobody.post(
        '/v2/colleague-tokens',
        body('colleague_token', {
          ...{ authentication_mechanism: 'invitation', store, invitation: secret },
          password: colleaguePassword,
        }),
      )
    ).body.data
    const ada = opened.world.clientWith(token)
    await signInAt(opened.tab, opened.world, `${path}?form=edit`)
    await page.getByLabel('Legal name').fill('Mine Ltd')
    expect((await ada.put(path, { data: { type: 'account', legal_name: 'Theirs Ltd' } })).status).toBe(200)
    await page.getByLabel('Registration id').fill('77')
    await page.getByText(/^Ada Byron saved this at/).waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page
      .getByRole('dialog')
      .getByText(/^Ada Byron saved it at/)
      .waitFor()
  })

  test('what was typed is offered after the tab was closed, and is gone once it is saved', async () => {
    const { page } = opened.tab
    await signInAt(opened.tab, opened.world, '/v2/accounts?form=new')
    await page.getByLabel('Name required').fill('Alder')
    await page.getByLabel('Legal name').fill('Alder Ltd')
    // The last key may be a moment ago.
    await page.close({ runBeforeUnload: false })
    const again = await opened.tab.page.context().newPage()
    opened.tab = { page: again, faults: opened.tab.faults }
    await signInAt(opened.tab, opened.world, '/v2/accounts?form=new')
    await again.getByText('You typed something here and did not save it').waitFor()
    await expectNoBarriers(opened.tab, 'a draft')
    await again.getByRole('button', { name: 'Restore it' }).click()
    expect(await again.getByLabel('Name required').inputValue()).toBe('Alder')
    await again.getByRole('button', { name: 'Save' }).click()
    await again.getByRole('heading', { name: 'Alder' }).waitFor()
    await signInAt(opened.tab, opened.world, '/v2/accounts?form=new')
    await again.getByLabel('Name required').waitFor()
    await again.getByLabel('Legal name').fill('x')
    expect(await again.getByText('You typed something here').count()).toBe(0)
  })

  test('what was typed survives a browser that is killed, and changes of others since are a conflict', async () => {
    const path = await newAccount('Hazel')
    const profile = mkdtempSync(join(tmpdir(), 'sutler-profile-'))
    const open = async () => {
      const context = await chromium.launchPersistentContext(profile, browserOptions)
      const page = context.pages()[0] ?? (await context.newPage())
      page.setDefaultTimeout(12_000)
      await signInAt({ page, faults: [] }, opened.world, `${path}?form=edit`)
      return { context, page }
    }
    const first = await open()
    await first.page.getByLabel('Legal name').fill('Hazel & Sons Ltd')
    const registration = first.page.getByLabel('Registration id')
    await registration.pressSequentially('12')
    await expect.poll(() => drafts(first.page)).toContain('"registration_id":"12"')
    // The opened.browser is killed while it writes this key, which may be lost. No other may.
    await registration.press('3')
    kill(profile)
    await first.context.close().catch(() => {})
    await opened.world.admin.put(path, { data: { type: 'account', external_ref: 'ERP-2' } })
    const { context, page } = await open()
    await page.getByRole('button', { name: 'Restore it' }).click()
    const restored = await page.getByLabel('Registration id').inputValue()
    expect(['12', '123']).toContain(restored)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('tab', { name: 'Fields' }).waitFor()
    const { legal_name, registration_id, external_ref } = (await opened.world.admin.get(path)).body.data
    expect([legal_name, registration_id, external_ref]).toEqual(['Hazel & Sons Ltd', restored, 'ERP-2'])
    await context.close()
    rmSync(profile, { recursive: true, force: true })
  })

  test('a network that is away keeps what was typed, and saving again makes one object', async () => {
    const { page } = opened.tab
    await signInAt(opened.tab, opened.world, '/v2/accounts?form=new')
    await page.getByLabel('Name required').fill('Willow')
    await page.getByLabel('Legal name').fill('Willow Ltd')
    let isLost = true
    await page.route(/\/v2\/accounts$/, async (route, request) => {
      if (!isLost || request.method() !== 'POST' || request.headers().prefer) return route.continue()
      // The server has done it, and its answer is lost.
      await route.fetch()
      await route.abort('connectionreset')
    })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The server does not respond').waitFor()
    expect(await page.getByLabel('Name required').inputValue()).toBe('Willow')
    isLost = false
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Willow' }).waitFor()
    const { meta } = (await opened.world.admin.get('/v2/accounts?filter=eq(name,Willow)')).body
    expect(meta.results.total).toBe(1)
    opened.tab.faults.splice(
      0,
      opened.tab.faults.length,
      ...opened.tab.faults.filter((fault) => !fault.includes('ERR_CONNECTION')),
    )
  })

  test('a secret is not kept', async () => {
    const { page } = opened.tab
    await signInAt(opened.tab, opened.world, '/v2/customers?form=new')
    await page.getByLabel('Name required').fill('Rosa Lind')
    await page.getByLabel('Password', { exact: true }).fill('eleven horses by the river')
    await expect.poll(() => drafts(page)).toBe('[{"name":"Rosa Lind"}]')
  })
})
