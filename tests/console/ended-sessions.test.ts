import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { type RunningServer, start } from '../../server/main.ts'
import {
  addColleague,
  assignment,
  colleaguePassword,
  roleId,
  signInAs,
} from '../builders/people/colleagues.ts'
import { realmsOf } from '../builders/people/realms.ts'
import { callbackPath } from '../builders/people/sign-in.ts'
import { isLong } from '../support/long.ts'
import { type OidcProvider, startProvider } from '../support/oidc-provider.ts'
import { body, idOf } from '../support/requests.ts'
import { openWorld, testConfig, type World } from '../support/world.ts'
import { expectNoBarriers, hasChromium, openBrowser, openTab, type Tab, titled } from './browser.ts'

/** Two processes on one database: what ends a session is done at one of them, and the browser is at the other. */
describe.runIf(hasChromium)(titled('a session that ends on the server, in a browser'), () => {
  let world: World
  let elsewhere: RunningServer
  let browser: Browser
  let provider: OidcProvider
  let profile: string
  let realm: string
  let tab: Tab
  let page: Page
  beforeAll(async () => {
    world = await openWorld({ overHttp: true, alone: true })
    elsewhere = await start(testConfig(inject('postgres'), world.database))
    browser = await openBrowser()
    await addColleague(world.admin, 'Store Admin')
    const { merchants } = await realmsOf(world.admin)
    realm = `/v2/authentication-realms/${merchants}`
    provider = await startProvider({
      ada: { email: 'ada@example.com', email_verified: true, name: 'Ada' },
      eve: { email: 'eve@example.com', email_verified: true, name: 'Eve' },
    })
    const client = { client_id: 'shop', client_secret: 'the provider knows it' }
    profile = await idOf(
      world.admin.post(
        `${realm}/oidc-profiles`,
        body('oidc-profile', { ...client, name: 'Directory', discovery_url: provider.discoveryUrl }),
      ),
    )
    await provider.register({
      ...{ clientId: 'shop', clientSecret: 'the provider knows it' },
      redirectUris: [elsewhere.url + callbackPath(world, merchants, profile)],
    })
    provider.signInAs('ada')
  })
  afterAll(async () => {
    await provider?.close()
    await elsewhere?.stop()
    await world?.close()
  })
  beforeEach(async () => {
    tab = await openTab(browser, { ...world, url: elsewhere.url })
    page = tab.page
  })
  afterEach(async () => {
    await page.context().close()
    expect(tab.faults.filter((fault) => !fault.includes(provider.url))).toEqual([])
  })

  const dialog = () => page.getByRole('dialog', { name: 'Sign in' })
  const typed = 'Hazel & Daughters'

  /** A colleague who has typed into a form and not saved it. */
  async function typing(role = 'Support') {
    const colleague = await addColleague(world.admin, role)
    await page.goto(`${elsewhere.url}/console/v2/accounts?form=new`)
    await fillIn(page, colleague.email)
    await type()
    return colleague
  }

  /** Until the server has checked what was typed, so that nothing else asks for a token. */
  async function type() {
    await page.getByLabel('Name').first().fill(typed)
    const isChecked = page.waitForResponse((one) => one.request().headers().prefer === 'dry-run')
    await page.getByLabel('Legal name').fill('Hazel Limited')
    await isChecked
  }

  async function fillIn(where: Page, email: string, password = colleaguePassword) {
    await where.getByLabel('Store').fill(world.storeId)
    await where.getByLabel('Email address').fill(email)
    await where.getByLabel('Password').fill(password)
    await where.getByRole('button', { name: 'Sign in' }).click()
    await where.getByText(`${email} (`).waitFor()
  }

  const sessionsOf = async (userId: string): Promise<{ id: string }[]> =>
    (await world.admin.get(`/v2/colleague-sessions?filter=eq(user_id,${userId})`)).body.data

  /** Saves, is asked to sign in, and reads that nothing is lost. */
  async function expectQuestion() {
    await page.getByRole('button', { name: 'Save' }).click()
    await dialog().waitFor()
    expect(
      await page
        .locator('form input')
        .evaluateAll((all) => all.map((one) => (one as unknown as { value: string }).value)),
    ).toContain(typed)
  }

  async function answerAndExpectSaved(password = colleaguePassword) {
    await dialog().getByLabel('Password').fill(password)
    await dialog().getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: typed }).waitFor()
    const { body: found } = await world.admin.get(`/v2/accounts/${page.url().split('/').at(-1)}`)
    expect([found.data.name, found.data.legal_name]).toEqual([typed, 'Hazel Limited'])
  }

  test('another colleague ends it: a second later the form asks, and the save goes on after the answer', async () => {
    const { userId } = await typing()
    const [session] = await sessionsOf(userId)
    expect((await world.admin.delete(`/v2/colleague-sessions/${session?.id}`)).status).toBe(204)
    await page.waitForTimeout(1000)
    await expectQuestion()
    await expectNoBarriers(tab, 'the sign-in over a form of a colleague')
    await answerAndExpectSaved()
  })

  test.runIf(isLong)('the password is changed elsewhere: only the new one is good for it', async () => {
    const { email } = await typing()
    const client = world.clientWith((await signInAs(world, email)).body.data.token)
    const next = 'four other unrelated words'
    const change = { current_password: colleaguePassword, password: next }
    expect((await client.put('/v2/permissions/own/password', body('own_password', change))).status).toBe(201)
    await page.waitForTimeout(1000)
    await expectQuestion()
    await dialog().getByLabel('Password').fill(colleaguePassword)
    await dialog().getByRole('button', { name: 'Sign in' }).click()
    await dialog().getByText('The email address or the password is not right').waitFor()
    await answerAndExpectSaved(next)
  })

  test.runIf(isLong)(
    'the role is taken away: nobody gets in, the text stays, and it is saved when the role is back',
    async () => {
      const { assignmentId, userId } = await typing()
      await world.admin.delete(`/v2/permissions/role-assignments/${assignmentId}`)
      await page.waitForTimeout(1000)
      await expectQuestion()
      await dialog().getByLabel('Password').fill(colleaguePassword)
      await dialog().getByRole('button', { name: 'Sign in' }).click()
      await dialog().getByText('You have no role in this store').waitFor()
      const support = await roleId(world.admin, 'Support')
      await world.admin.post('/v2/permissions/role-assignments', assignment(userId, support))
      await answerAndExpectSaved()
    },
  )

  test.runIf(isLong)(
    'a window that is closed meanwhile: the text is offered again after the next sign-in',
    async () => {
      const { userId, email } = await typing()
      const [session] = await sessionsOf(userId)
      await world.admin.delete(`/v2/colleague-sessions/${session?.id}`)
      await page.waitForTimeout(1000)
      await expectQuestion()
      await page.reload()
      await fillIn(page, email)
      await page.getByRole('button', { name: 'Restore it' }).click()
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('heading', { name: typed }).waitFor()
    },
  )

  test('somebody else cannot go on with the screen, neither in the window nor by another tab', async () => {
    const { userId, email } = await typing()
    const other = await addColleague(world.admin, 'Store Admin')
    const second = await page.context().newPage()
    await second.goto(`${elsewhere.url}/console`)
    await second.getByText(`${email} (`).waitFor()
    // Another person signs in in the same browser, whose cookie is now theirs.
    await second.getByRole('button', { name: 'Sign out' }).click()
    await fillIn(second, other.email)
    expect(await sessionsOf(userId)).toEqual([])
    await page.waitForTimeout(1000)
    await expectQuestion()
    await dialog().getByLabel('Email address').fill(other.email)
    await dialog().getByLabel('Password').fill(colleaguePassword)
    await dialog().getByRole('button', { name: 'Sign in' }).click()
    await dialog().getByText(`This screen belongs to ${email}`).waitFor()
    await dialog().getByLabel('Email address').fill(email)
    await answerAndExpectSaved()
    const { body: audit } = await world.admin.get(`/v2/audit?filter=eq(id,${page.url().split('/').at(-1)})`)
    expect(audit.data[0].initiator['access-token-email']).toBe(email)
  })

  test.runIf(isLong)(
    'a sign-in in another tab of the same person answers the question of this one',
    async () => {
      const { userId, email } = await typing()
      const [session] = await sessionsOf(userId)
      await world.admin.delete(`/v2/colleague-sessions/${session?.id}`)
      await page.waitForTimeout(1000)
      await expectQuestion()
      const second = await page.context().newPage()
      await second.goto(`${elsewhere.url}/console`)
      await fillIn(second, email)
      await page.getByRole('heading', { name: typed }).waitFor()
    },
  )

  /** A colleague who signs in with the provider. */
  async function addLinked(subject: string): Promise<string> {
    const email = `${subject}@example.com`
    const userId = await idOf(
      world.admin.post(
        `${realm}/user-authentication-info`,
        body('user_authentication_info', { name: subject, email }),
      ),
    )
    await world.admin.post(
      `${realm}/user-authentication-info/${userId}/user-authentication-oidc-profile-info`,
      body('user_authentication_oidc_profile_info', { oidc_profile_id: profile, subject }),
    )
    const support = await roleId(world.admin, 'Support')
    await world.admin.post('/v2/permissions/role-assignments', assignment(userId, support))
    return userId
  }

  test('with a provider, its window opens over the form, which goes on when the person is back', async () => {
    const userId = await addLinked('ada')
    await addLinked('eve')
    await page.goto(`${elsewhere.url}/console/v2/accounts?form=new`)
    await page.getByLabel('Store').fill(world.storeId)
    await page.getByLabel('Email address').click()
    await page.getByRole('button', { name: 'Continue with Directory' }).click()
    await page.getByText('ada@example.com (Support)').waitFor()
    await type()
    const [session] = await sessionsOf(userId)
    await world.admin.delete(`/v2/colleague-sessions/${session?.id}`)
    await page.waitForTimeout(1000)
    await expectQuestion()
    const openWindow = async () => {
      // Nobody is signed in at the provider.
      await page.context().clearCookies()
      const popup = page.context().waitForEvent('page')
      await dialog().getByRole('button', { name: 'Continue with Directory' }).click()
      return popup
    }
    // Somebody else is at the provider: their window says whose screen it is, and the form stays.
    provider.signInAs('eve')
    const other = await openWindow()
    await other.getByRole('heading', { name: 'You are signed in as eve@example.com' }).waitFor()
    await other.getByText('The screen behind this window belongs to ada@example.com').waitFor()
    await other.close()
    expect(await dialog().count()).toBe(1)
    provider.signInAs('ada')
    await openWindow()
    await page.getByRole('heading', { name: typed }).waitFor()
  })
})
