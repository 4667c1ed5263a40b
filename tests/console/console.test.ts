import { describe, expect, test } from 'vitest'
import { colleaguePassword } from '../builders/people/colleagues.ts'
import { some } from '../support/long.ts'
import { body } from '../support/requests.ts'
import { expectNoBarriers, hasChromium, look, openForTests, signInAt, titled } from './browser.ts'

const accounts = 60

describe.runIf(hasChromium)(titled('the console in a browser'), () => {
  const opened = openForTests(async (world) => {
    for (let n = 1; n <= accounts; n++)
      await world.admin.post('/v2/accounts', {
        data: { type: 'account', name: `Shop ${String(n).padStart(2, '0')}`, legal_name: `Shop ${n} Ltd` },
      })
  })

  const names = () => opened.tab.page.getByRole('rowheader').allInnerTexts()

  test('a wrong key is refused, and a right one opens the address that was called', async () => {
    const { page } = opened.tab
    await page.goto(`${opened.world.url}/console/v2/accounts`)
    await page.getByRole('button', { name: 'Use an application key' }).click()
    await page.getByLabel('Client id').fill(opened.world.key.id)
    await page.getByLabel('Client secret').fill('wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').getByText('check the client id and the secret').waitFor()
    await page.getByLabel('Client secret').fill(opened.world.key.secret)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText(`${accounts} accounts`).waitFor()
    await page.getByText('the audit will show the key').waitFor()
    expect(await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })')).toBe('{}')
  })

  test('a list has its exact total, any page, an order and a filter, all in its address', async () => {
    const { page } = opened.tab
    await signInAt(opened.tab, opened.world, '/v2/accounts?sort=name')
    await page.getByText(`${accounts} accounts`).waitFor()
    expect((await names())[0]).toBe('Shop 01')
    await page.getByLabel('Go to page').fill('3')
    await page.keyboard.press('Enter')
    await page.getByText('Page 3 of 3', { exact: true }).waitFor()
    await expect.poll(names).toEqual(Array.from({ length: 10 }, (_, i) => `Shop ${51 + i}`))
    expect(page.url()).toContain('page=3')
    await page.getByRole('button', { name: 'Name' }).click()
    await expect.poll(async () => (await names())[0]).toBe('Shop 60')
    await page.getByRole('button', { name: 'Add a filter' }).click()
    await page.getByRole('dialog').getByLabel('Operator').selectOption('like')
    await page.getByRole('dialog').getByLabel('Value').fill('*p 5*')
    await page.getByRole('dialog').getByRole('button', { name: 'Add' }).click()
    await page.getByText('10 accounts').waitFor()
    await page.getByRole('button', { name: 'Remove like(name,*p 5*)' }).click()
    await page.getByText(`${accounts} accounts`).waitFor()
    await page.goBack()
    await page.getByText('10 accounts').waitFor()
    await page
      .getByRole('searchbox')
      .or(page.getByRole('search').getByRole('textbox'))
      .fill('eq(name,Nobody)')
    await page.keyboard.press('Enter')
    await page.getByText('Nothing matches the filter').waitFor()
  })

  test('what is selected stays selected on other pages', async () => {
    const { page } = opened.tab
    await signInAt(opened.tab, opened.world, '/v2/accounts?sort=name')
    await page.getByLabel('Select Shop 02').check()
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByLabel('Select Shop 30').check()
    await page.getByText('2 selected, 1 not on this page').waitFor()
    await page.getByRole('button', { name: 'Show them' }).click()
    await expect.poll(names).toEqual(['Shop 02', 'Shop 30'])
  })

  test('an object is created, changed and deleted', async () => {
    const { page } = opened.tab
    const parent = { type: 'account', name: 'Short Lived', legal_name: 'x' }
    const { body: made } = await opened.world.admin.post('/v2/accounts', { data: parent })
    await signInAt(opened.tab, opened.world, '/v2/accounts')
    await page.getByRole('button', { name: 'New account' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('A value is required.').waitFor()
    await page.getByLabel('Name required').fill('Cedar Optics')
    await page.getByRole('combobox', { name: 'Parent' }).fill('Short Lived')
    await page.getByRole('option', { name: 'Short Lived' }).click()
    await opened.world.admin.delete(`/v2/accounts/${made.data.id}`)
    await page.getByRole('button', { name: 'Save' }).click()
    // The server says what is wrong, and it is shown at the field.
    await expect
      .poll(() => page.getByRole('combobox', { name: 'Parent' }).getAttribute('aria-invalid'))
      .toBe('true')
    await page.getByRole('button', { name: /^Remove / }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Cedar Optics' }).waitFor()
    const id = page.url().split('/').at(-1) ?? ''
    const before = await opened.world.admin.get(`/v2/accounts/${id}`)
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Legal name').fill('Cedar Optics Ltd')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Cedar Optics Ltd').waitFor()
    const after = await opened.world.admin.get(`/v2/accounts/${id}`)
    expect({ ...after.body.data, meta: {} }).toEqual({
      ...{ ...before.body.data, meta: {} },
      legal_name: 'Cedar Optics Ltd',
    })
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText(`${accounts} accounts`).waitFor()
    expect((await opened.world.admin.get(`/v2/accounts/${id}`)).status).toBe(404)
  })

  test('changes of two people to other fields are merged, and to the same field are shown', async () => {
    const { page } = opened.tab
    const { body } = await opened.world.admin.post('/v2/accounts', {
      data: { type: 'account', name: 'Birch', legal_name: 'Birch Ltd' },
    })
    const path = `/v2/accounts/${body.data.id}`
    const change = (values: object) => opened.world.admin.put(path, { data: { type: 'account', ...values } })
    await signInAt(opened.tab, opened.world, `${path}?form=edit`)
    await page.getByLabel('Name', { exact: true }).fill('Birch & Sons')
    await change({ external_ref: 'ERP-1' })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Birch & Sons' }).waitFor()
    const merged = (await opened.world.admin.get(path)).body.data
    expect([merged.name, merged.external_ref]).toEqual(['Birch & Sons', 'ERP-1'])

    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Legal name').fill('Mine Ltd')
    await page.getByLabel('Registration id').fill('77')
    await change({ legal_name: 'Theirs Ltd' })
    await page.getByRole('button', { name: 'Save' }).click()
    const dialog = page.getByRole('dialog', { name: 'Somebody has changed this too' })
    await dialog.getByText('Birch Ltd').waitFor()
    await expectNoBarriers(opened.tab, 'the conflict')
    await dialog.getByLabel('Theirs Ltd').check()
    await dialog.getByRole('button', { name: 'Save with these values' }).click()
    await page.getByRole('tab', { name: 'Fields' }).waitFor()
    const { legal_name, registration_id } = (await opened.world.admin.get(path)).body.data
    expect([legal_name, registration_id]).toEqual(['Theirs Ltd', '77'])
    await opened.world.admin.delete(path)
  })

  test('what is typed stays while a session ends, and is saved after the next sign-in', async () => {
    const { page } = opened.tab
    await signInAt(opened.tab, opened.world, '/v2/accounts?form=new')
    await page.getByLabel('Name required').fill('Elm Pharmacy')
    let isRefused = true
    await page.route(/\/v2\/accounts$|access_token$/, (route) =>
      isRefused ? route.fulfill({ status: 401, json: { errors: [] } }) : route.continue(),
    )
    await page.getByRole('button', { name: 'Save' }).click()
    const dialog = page.getByRole('dialog', { name: 'Sign in' })
    await dialog.getByLabel('Client secret').fill(opened.world.key.secret)
    await expectNoBarriers(opened.tab, 'the sign-in over a form')
    isRefused = false
    await dialog.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Elm Pharmacy' }).waitFor()
    await opened.world.admin.delete(`/v2/accounts/${page.url().split('/').at(-1)}`)
  })

  test('a colleague sets a password by the link, stays signed in after a reload, and signs out', async () => {
    const { page } = opened.tab
    const email = 'mira.voss@example.com'
    const invitation = body('colleague_invitation', { name: 'Mira Voss', email, role: 'support' })
    const { data } = (await opened.world.admin.post('/v2/colleague-invitations', invitation)).body
    await page.goto(opened.world.url + new URL(data.link).pathname + new URL(data.link).hash)
    await page.getByLabel('New password').fill('short')
    await page.getByRole('button', { name: 'Set it and sign in' }).click()
    await page.getByRole('alert').waitFor()
    await expectNoBarriers(opened.tab, 'the welcome')
    await page.getByLabel('New password').fill(colleaguePassword)
    await page.getByRole('button', { name: 'Set it and sign in' }).click()
    await page.getByText(`${email} (Support)`).waitFor()
    expect(page.url()).not.toContain('#')
    await page.reload()
    await page.getByText(`${email} (Support)`).waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Email address').fill(email)
    await page.getByLabel('Password').fill('not this one')
    await page.getByRole('button', { name: 'Sign in' }).click()
    // This server has several stores.
    await page.getByLabel('Store').fill(opened.world.storeId)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('The email address or the password is not right').waitFor()
    await page.getByLabel('Password').fill(colleaguePassword)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText(`${email} (Support)`).waitFor()
  })

  test('Ctrl-K finds a screen by its name, with the keyboard alone', async () => {
    const { page } = opened.tab
    await signInAt(opened.tab, opened.world)
    await page.keyboard.press('Control+k')
    await page.keyboard.type('price b')
    await expectNoBarriers(opened.tab, 'the finder')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('pricebooks')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Price books' }).waitFor()
  })

  test.each(
    some(2, [
      ['light', 1440],
      ['dark', 390],
      ['dark', 1440],
      ['light', 390],
    ] as const),
  )('axe finds no barrier in %s, at %i px', async (colorScheme, width) => {
    await look(opened.tab, colorScheme, width)
    const { page } = opened.tab
    await page.goto(`${opened.world.url}/console`)
    await page.getByLabel('Email address').waitFor()
    await expectNoBarriers(opened.tab, 'the sign-in')
    await signInAt(opened.tab, opened.world, '/v2/accounts')
    await page.getByText(`${accounts} accounts`).waitFor()
    await expectNoBarriers(opened.tab, 'a list')
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('dialog').waitFor()
    await expectNoBarriers(opened.tab, 'the choice of columns')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Add a filter' }).click()
    await page.getByRole('dialog', { name: 'Add a filter' }).waitFor()
    await expectNoBarriers(opened.tab, 'the window of a filter')
    await page.keyboard.press('Escape')
    await page.getByRole('rowheader').first().getByRole('link').click()
    await page.getByRole('tab', { name: 'As JSON' }).click()
    await expectNoBarriers(opened.tab, 'an object')
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').waitFor()
    await expectNoBarriers(opened.tab, 'the window of a delete')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('button', { name: 'Save' }).waitFor()
    await expectNoBarriers(opened.tab, 'a form')
  })
})
