import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { firstLink, openOneTimePasswordEvent } from '../../server/people/index.ts'
import { addColleague, assignment, colleaguePassword, roleId } from '../builders/people/colleagues.ts'
import { realmsOf } from '../builders/people/realms.ts'
import { callbackPath } from '../builders/people/sign-in.ts'
import { type OidcProvider, startProvider } from '../support/oidc-provider.ts'
import { body, idOf } from '../support/requests.ts'
import { until } from '../support/until.ts'
import { expectNoBarriers, hasChromium, openForTests, titled } from './browser.ts'

describe.runIf(hasChromium)(titled('the ways into the console in a browser'), () => {
  let provider: OidcProvider
  let realm: string
  const email = 'ada@example.com'
  const opened = openForTests(async (world) => {
    await addColleague(world.admin, 'Store Admin')
    realm = `/v2/authentication-realms/${(await realmsOf(world.admin)).merchants}`
    provider = await startProvider({
      ada: { email, email_verified: true, name: 'Ada Marsh' },
      eve: { email: 'eve@example.com', email_verified: true, name: 'Eve Roe' },
    })
    const client = { client_id: 'shop', client_secret: 'the provider knows it' }
    const profile = await idOf(
      world.admin.post(
        `${realm}/oidc-profiles`,
        body('oidc-profile', { ...client, name: 'Directory', discovery_url: provider.discoveryUrl }),
      ),
    )
    const callback = callbackPath(world, (await realmsOf(world.admin)).merchants, profile)
    await provider.register({
      ...{ clientId: 'shop', clientSecret: 'the provider knows it' },
      redirectUris: [world.url + callback],
    })
    const userId = await idOf(
      world.admin.post(
        `${realm}/user-authentication-info`,
        body('user_authentication_info', { name: 'Ada Marsh', email }),
      ),
    )
    await world.admin.post(
      `${realm}/user-authentication-info/${userId}/user-authentication-oidc-profile-info`,
      body('user_authentication_oidc_profile_info', { oidc_profile_id: profile, subject: 'ada' }),
    )
    await world.admin.post(
      '/v2/permissions/role-assignments',
      assignment(userId, await roleId(world.admin, 'Support')),
    )
    const { body: profiles } = await world.admin.get(`${realm}/password-profiles`)
    await world.admin.put(
      `${realm}/password-profiles/${profiles.data[0].id}`,
      body('password_profile', { enable_one_time_password_token: true }),
    )
  })
  beforeEach(() => provider.signInAs('ada'))
  afterAll(() => provider?.close())

  /** The provider is another server, and the only one. */
  const forgetProvider = () => {
    const { faults } = opened.tab
    faults.splice(0, faults.length, ...faults.filter((fault) => !fault.includes(provider.url)))
  }

  const openSignIn = async (path = '') => {
    const { page } = opened.tab
    await page.goto(`${opened.world.url}/console${path}`)
    await page.getByLabel('Store').fill(opened.world.storeId)
    await page.getByLabel('Email address').click()
    await page.getByRole('button', { name: 'Continue with Directory' }).waitFor()
    return page
  }

  test('a colleague signs in with a provider, and is on the screen where they were, without a secret in it', async () => {
    const page = await openSignIn('/v2/accounts?sort=name')
    await expectNoBarriers(opened.tab, 'the sign-in with a provider')
    await page.getByRole('button', { name: 'Continue with Directory' }).click()
    await page.getByText(`${email} (Support)`).waitFor()
    await page.getByRole('heading', { name: 'Accounts' }).waitFor()
    expect(page.url()).toBe(`${opened.world.url}/console/v2/accounts?sort=name`)
    const kept = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')
    expect(kept).not.toMatch(/eyJ|verifier|code/)
    await page.reload()
    await page.getByText(`${email} (Support)`).waitFor()
    forgetProvider()
  })

  test('who declines, or has no role, reads why, and may try again', async () => {
    provider.signInAs(undefined)
    let page = await openSignIn('/v2/accounts')
    await page.getByRole('button', { name: 'Continue with Directory' }).click()
    await page.getByText('The provider has not signed you in').waitFor()
    expect(page.url()).toBe(`${opened.world.url}/console/v2/accounts`)
    await expectNoBarriers(opened.tab, 'a sign-in that was declined')
    provider.signInAs('eve')
    page = await openSignIn()
    await page.getByRole('button', { name: 'Continue with Directory' }).click()
    await page.getByText('You have no role in this store. Ask a Store Admin to give you one.').waitFor()
    forgetProvider()
  })

  test('a link that somebody sends signs nobody in, says nothing that is in it, and leads nowhere else', async () => {
    const { page } = opened.tab
    const forged = new URLSearchParams({
      ...{ code: 'stolen', state: 'made-up', error: 'access_denied' },
      ...{
        error_description: 'Call 555-0100 and tell them your password',
        screen: 'https://evil.example.com',
      },
    })
    await page.goto(`${opened.world.url}/console/signed-in?${forged}`)
    await page.getByText('This sign-in did not begin in this tab').waitFor()
    expect(await page.getByText('555-0100').count()).toBe(0)
    expect(page.url()).toBe(`${opened.world.url}/console`)
  })

  test('a code by mail signs a colleague in', async () => {
    const other = await addColleague(opened.world.admin, 'Support')
    const page = await openSignIn()
    await page.getByRole('button', { name: 'Send me a code by mail' }).click()
    await page.getByLabel('Email address').fill(other.email)
    await page.getByRole('button', { name: 'Send the code' }).click()
    await page.getByText(`If ${other.email} may sign in here, a code is on its way`).waitFor()
    await expectNoBarriers(opened.tab, 'the form for a code')
    const sent = await until(async () => {
      const { rows } = await opened.world.feed(
        `SELECT doc FROM changes WHERE store_id = $1 AND type = 'one-time-password-token-request'`,
        [opened.world.storeId],
      )
      return rows[0]
    })
    const { sealKeys } = opened.world.server.instance
    await page.getByLabel('Code').fill('wrong1')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('The code is not right').waitFor()
    await page
      .getByLabel('Code')
      .fill(String(openOneTimePasswordEvent(sealKeys, sent.doc).one_time_password_token))
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText(`${other.email} (Support)`).waitFor()
  })

  const signIn = async (name: string, password = colleaguePassword) => {
    const page = await openSignIn('/v2/accounts')
    await page.getByLabel('Email address').fill(name)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText(`${name} (`).waitFor()
    return page
  }

  test('a colleague changes their own password, reads what is wrong, and goes on', async () => {
    const { email: own } = await addColleague(opened.world.admin, 'Support')
    const page = await signIn(own)
    await page.getByRole('button', { name: 'Settings of the console' }).click()
    await page.getByRole('button', { name: 'Change your password' }).click()
    const dialog = page.getByRole('dialog', { name: 'Change your password' })
    await dialog.getByLabel('Current password').fill('not this one')
    await dialog.getByLabel('New password').fill('four other unrelated words')
    await dialog.getByRole('button', { name: 'Change it' }).click()
    await dialog.getByText('is not your current password').waitFor()
    await expectNoBarriers(opened.tab, 'the change of a password')
    await dialog.getByLabel('Current password').fill(colleaguePassword)
    await dialog.getByRole('button', { name: 'Change it' }).click()
    await dialog.getByText('Your password has been changed').waitFor()
    await dialog.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Orders' }).click()
    await page.getByRole('heading', { name: 'Orders' }).waitFor()
    await page.reload()
    await page.getByText(`${own} (Support)`).waitFor()
  })

  test('the first colleague of a store says who they are, and becomes its Store Admin', async () => {
    const { page } = opened.tab
    const { body: stores } = await opened.world.other.get('/v2/stores')
    const link = firstLink(opened.world.server.instance, stores.data[0].id, opened.world.url)
    await page.goto(link)
    await page.getByText('You are the first colleague').waitFor()
    await expectNoBarriers(opened.tab, 'the welcome of the first colleague')
    await page.getByLabel('Name').fill('Mira Voss')
    await page.getByLabel('Email address').fill('mira@example.com')
    await page.getByLabel('New password').fill(colleaguePassword)
    await page.getByRole('button', { name: 'Set it and sign in' }).click()
    await page.getByText('mira@example.com (Store Admin)').waitFor()
    expect(page.url()).not.toContain('#')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Email address').waitFor()
    await page.goto('about:blank')
    await page.goto(link)
    await page.getByLabel('Name').fill('Eve Roe')
    await page.getByLabel('Email address').fill('eve@example.com')
    await page.getByLabel('New password').fill(colleaguePassword)
    await page.getByRole('button', { name: 'Set it and sign in' }).click()
    await page.getByText('or the store has a colleague already').waitFor()
  })

  test('a Store Admin invites a colleague; the link is shown once, and works once', async () => {
    const { email: boss } = await addColleague(opened.world.admin, 'Store Admin')
    const page = await signIn(boss)
    await page.goto(`${opened.world.url}/console/v2/colleague-invitations?form=new`)
    await page.getByLabel('Name').fill('Bob Fen')
    await page.getByLabel('Email').fill('bob.fen@example.com')
    await page.getByLabel('Role').selectOption('support')
    await page.getByRole('button', { name: 'Save' }).click()
    const dialog = page.getByRole('dialog', { name: 'Copy it now' })
    const link = await dialog.getByRole('region', { name: 'The link for your colleague' }).innerText()
    await expectNoBarriers(opened.tab, 'a link that is shown once')
    await page.keyboard.press('Escape')
    await dialog.getByRole('button', { name: 'I have stored it' }).click()
    await page.getByRole('heading', { name: /invitation|bob/i }).waitFor()
    expect(await page.content()).not.toContain(link.split('.').at(-1))
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Email address').waitFor()
    const accept = async () => {
      await page.goto('about:blank')
      await page.goto(link)
      await page.getByLabel('New password').fill(colleaguePassword)
      await page.getByRole('button', { name: 'Set it and sign in' }).click()
    }
    await accept()
    await page.getByText('bob.fen@example.com (Support)').waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Email address').waitFor()
    await accept()
    await page.getByText('The link is not valid').waitFor()
  })
})
