import { describe, expect, test } from 'vitest'
import { ApiProblem, faultsIn } from '../../console/src/api/problem.ts'
import { holderIn, otherIssuer, relinkBody, stopOf } from '../../console/src/screens/identity/identities.ts'
import { oidcLink, oidcProfile, realmsOf, user } from '../builders/people/realms.ts'
import { idOf } from '../support/requests.ts'
import { expectNoBarriers, hasChromium, look, openForTests, titled } from './browser.ts'
import { signInAsNew } from './colleague-tab.ts'

const journeyMs = 180_000
const issuer = 'https://id.example.com'

describe.runIf(hasChromium)(titled('the screen of sign-ins'), () => {
  let realm = ''
  let profile = ''
  const opened = openForTests(async ({ admin }) => {
    realm = `/v2/authentication-realms/${(await realmsOf(admin)).accounts}`
    profile = await idOf(admin.post(`${realm}/oidc-profiles`, oidcProfile()))
  })
  const person = async (name: string, subject?: string) => {
    const { admin } = opened.world
    const id = await idOf(admin.post(`${realm}/user-authentication-info`, user({ name })))
    const path = `${realm}/user-authentication-info/${id}`
    const links = `${path}/user-authentication-oidc-profile-info`
    const link = subject && (await idOf(admin.post(links, oidcLink({ oidc_profile_id: profile, subject }))))
    return { path, links, link: `${links}/${link}` }
  }
  const dialog = () => opened.tab.page.getByRole('dialog')
  const submit = (name: string) => dialog().getByRole('button', { name, exact: true })
  /** Types a name, and confirms as somebody without a mouse does. */
  const confirm = async (name: string, button: string) => {
    const typed = dialog().getByLabel(`Type ${name} to confirm`)
    await typed.fill(name.slice(1))
    expect(await submit(button).isDisabled()).toBe(true)
    await typed.fill(name)
    await expect.poll(() => submit(button).isEnabled(), { timeout: 12_000 }).toBe(true)
    await typed.press('Enter')
  }

  test(
    'Support moves an identity from another person, sees what it costs both, and who did it',
    async () => {
      const { page } = opened.tab
      const { admin } = opened.world
      const ada = await person('Ada Marsh', 'ada')
      const bob = await person('Bob Stone', 'bob')
      const email = await signInAsNew(opened.tab, opened.world, 'Support', ada.path)
      await page.getByText('Whoever is this subject at this issuer signs in as Ada Marsh.').waitFor()
      await page.getByText('linked it').waitFor()
      await expectNoBarriers(opened.tab, 'the sign-ins of a user')
      await page.getByRole('button', { name: 'Relink' }).press('Enter')
      await dialog().getByText('This is what the link has already.').waitFor()
      await dialog().getByLabel('Subject').fill('bob')
      await dialog().getByText('Bob Stone has this identity already.').waitFor()
      expect(await dialog().getByRole('link', { name: 'Open Bob Stone' }).getAttribute('href')).toContain(
        bob.path,
      )
      expect(await submit('Relink').isDisabled()).toBe(true)
      await dialog().getByLabel('Move it here: take it from Bob Stone first').press('Space')
      await dialog().getByText('Bob Stone loses this sign-in.').waitFor()
      await dialog().getByText('They keep no other identity and no password in this realm.').waitFor()
      await expectNoBarriers(opened.tab, 'the move of an identity')
      // The second step fails once. The first is done by then, and says so.
      await page.route(`**${ada.link}`, (route) =>
        route.request().method() === 'PUT' && !route.request().headers().prefer
          ? route.fulfill({ status: 422, json: { errors: [{ title: 'Not now' }] } })
          : route.continue(),
      )
      await confirm('Bob Stone', 'Move and relink')
      await dialog().getByText('Bob Stone no longer has the identity.').waitFor()
      await dialog().getByText('Not now').waitFor()
      await page.unroute(`**${ada.link}`)
      await submit('Relink').click()
      await page.getByText('Ada Marsh is relinked, and signed out everywhere.').waitFor()
      expect((await admin.get(bob.links)).body.data).toEqual([])
      expect((await admin.get(ada.link)).body.data).toMatchObject({ subject: 'bob', issuer })
      const change = page.getByRole('listitem').filter({ hasText: email }).filter({ hasText: 'relinked it' })
      expect((await change.getByRole('cell').allInnerTexts()).slice(0, 2)).toEqual(['ada', 'bob'])
    },
    journeyMs,
  )

  test(
    'a relink warns of another issuer, keeps what is typed when somebody else was first, and says who cannot sign in',
    async () => {
      const { page } = opened.tab
      const { admin } = opened.world
      const eve = await person('Eve Brook', 'eve')
      await person('Nobody Linked')
      await look(opened.tab, 'dark', 390)
      await signInAsNew(opened.tab, opened.world, 'Support', eve.path)
      await page.getByRole('button', { name: 'Relink' }).click()
      await dialog().getByLabel('Subject').fill('eve-2')
      await dialog().getByLabel('Issuer').fill('https://other.example.com')
      await dialog().getByText('With another issuer nobody can sign in by this link.').waitFor()
      await dialog()
        .getByRole('button', { name: `Take ${issuer}` })
        .click()
      await dialog().getByText('Nobody else has this identity at Directory.').waitFor()
      await dialog().getByText('Whoever signs in as eve is no longer Eve Brook.').waitFor()
      await expectNoBarriers(opened.tab, 'a relink')
      await admin.put(eve.link, oidcLink({ subject: 'eve-1' }))
      await confirm('Eve Brook', 'Relink')
      await dialog().getByText('Somebody has changed this sign-in').waitFor()
      await dialog().getByText('Whoever signs in as eve-1 is no longer Eve Brook.').waitFor()
      await dialog().getByLabel('Type Eve Brook to confirm').press('Enter')
      await page.getByText('Eve Brook is relinked').waitFor()
      expect((await admin.get(eve.link)).body.data.subject).toBe('eve-2')
      await admin.put(eve.link, oidcLink({ issuer: 'https://old.example.com' }))
      await page.goto(`${opened.world.url}/console${eve.link}`)
      await page.getByText('Nobody can sign in by it: the provider of this profile calls itself').waitFor()
      expect(await page.getByRole('button', { name: 'Edit' }).count()).toBe(0)
      await page.goto(`${opened.world.url}/console${realm}`)
      await page.getByRole('listitem').filter({ hasText: 'without one' }).getByRole('link').click()
      await page.getByRole('link', { name: 'Nobody Linked' }).click()
      await page.getByText('Nobody Linked cannot sign in').waitFor()
      await page.getByText('of this realm with the same email address').waitFor()
      await expectNoBarriers(opened.tab, 'a user who cannot sign in')
      await page.getByRole('link', { name: /^\d+ other users?$/ }).click()
      await page.getByRole('link', { name: 'Eve Brook' }).waitFor()
    },
    journeyMs,
  )

  test('a role that may only read has no button, and is told why', async () => {
    const { page } = opened.tab
    const { path } = await person('Cleo Reed', 'cleo')
    await signInAsNew(opened.tab, opened.world, 'Marketing/Sales', path)
    await page.getByText('signs in as Cleo Reed.').waitFor()
    await page.getByRole('article').getByText('You may look at this, but not change it').waitFor()
    for (const [role, name] of [['button', 'Relink'] as const, ['link', 'Link an identity'] as const])
      expect(await page.getByRole(role, { name }).count()).toBe(0)
  })

  test('the assignments of roles name the colleague and the role, and lead to both', async () => {
    const { page } = opened.tab
    const email = await signInAsNew(
      opened.tab,
      opened.world,
      'Store Admin',
      '/v2/permissions/role-assignments',
    )
    await page.getByRole('link', { name: 'Store Admin' }).waitFor()
    const { body } = await opened.world.admin.get('/v2/permissions/role-assignments')
    const [id] = body.data.map((one: { id: string }) => one.id)
    await page.goto(`${opened.world.url}/console/v2/permissions/role-assignments/${id}?form=edit`)
    await page.getByRole('combobox', { name: 'Role' }).fill('support')
    await page.getByRole('option', { name: 'Support' }).waitFor()
    await page.goto(`${opened.world.url}/console/v2/permissions/role-assignments/${id}`)
    await page.getByRole('main').getByRole('link', { name: 'Ada Marsh' }).first().click()
    await page.getByText(email).first().waitFor()
  })
})

test('a link works if its profile has its issuer, with or without a slash, and it has a subject', () => {
  const at = { meta: { issuer } }
  expect(stopOf({ subject: 'ada', issuer: `${issuer}/` }, at)).toBeUndefined()
  expect(stopOf({ issuer }, at)).toBe('noSubject')
  expect(stopOf({ subject: 'ada', issuer: 'https://old.example.com' }, at)).toBe('otherIssuer')
  expect(otherIssuer(at, 'https://old.example.com')).toBe(issuer)
  // Until the profile is known, nothing is said.
  expect(stopOf({ subject: 'ada', issuer }, undefined)).toBeUndefined()
})

test('a relink sends what changes, and nothing if nothing does', () => {
  const link = { subject: 'ada', issuer }
  expect(relinkBody(link, { subject: ' ada ', issuer })).toBeUndefined()
  expect(relinkBody(link, { subject: 'bob', issuer })).toEqual({
    data: { type: 'user_authentication_oidc_profile_info', subject: 'bob' },
  })
})

test('the holder is who the refusal names, if it names one', () => {
  const type = 'user_authentication_oidc_profile_info'
  const refusal = (meta: object) => new ApiProblem(409, faultsIn({ errors: [{ title: 'Taken', meta }] }))
  const ids = { realm_id: 'r', user_authentication_info_id: 'u' }
  const userPath = '/v2/authentication-realms/r/user-authentication-info/u'
  expect(holderIn(refusal({ holder: { type, id: 'l' }, ...ids }))).toEqual({
    userPath,
    linkPath: `${userPath}/user-authentication-oidc-profile-info/l`,
  })
  expect(holderIn(refusal({ holder: { type: 'product', id: 'l' }, ...ids }))).toBeUndefined()
  expect(holderIn(new ApiProblem(409, []))).toBeUndefined()
})
