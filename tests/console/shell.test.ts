import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { expectNoBarriers, hasChromium, openForTests, openTab, signInAt, titled } from './browser.ts'
import { signInAsNew } from './colleague-tab.ts'

describe.runIf(hasChromium)(titled('the shell of the console in a browser'), () => {
  let accountId: string
  const opened = openForTests(async (world) => {
    for (const name of ['Larch Bakery', 'Maple Bikes'])
      accountId = (
        await world.admin.post('/v2/accounts', { data: { type: 'account', name, legal_name: name } })
      ).body.data.id
    await world.admin.post('/v2/customers', {
      data: { type: 'customer', name: 'Lou Larch', email: 'lou@example.com' },
    })
    await world.admin.post('/pcm/products', {
      data: {
        type: 'product',
        attributes: {
          name: 'A chair',
          sku: 'LARCH-7',
          slug: 'chair',
          status: 'live',
          commodity_type: 'physical',
        },
      },
    })
  })

  const options = () => opened.tab.page.getByRole('option').allInnerTexts()
  const heading = (name: string) => opened.tab.page.getByRole('heading', { name, exact: true })

  test('the finder finds objects by name, SKU, email address and id, actions and screens, by keys alone', async () => {
    const { page } = opened.tab
    await signInAt(opened.tab, opened.world, '/v2/accounts')
    await heading('Accounts').waitFor()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('larch')
    for (const found of ['A chair product', 'Lou Larch customer', 'Larch Bakery account'])
      await page.getByRole('option', { name: found }).waitFor()
    await expectNoBarriers(opened.tab, 'the finder with objects')
    await page.getByRole('combobox', { name: 'Find' }).fill(accountId)
    await page.getByRole('option', { name: 'Maple Bikes account' }).waitFor()
    await page.keyboard.press('Enter')
    await heading('Maple Bikes').waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Find' }).fill('lou@ex')
    await page.getByRole('option', { name: 'Lou Larch customer' }).click()
    await heading('Lou Larch').waitFor()
    // An action of the present screen.
    await page.keyboard.press('Control+k')
    await page.keyboard.type('edit')
    await expect.poll(async () => (await options())[0]).toBe('Edit\ne')
    await page.keyboard.press('Enter')
    await heading('Edit Lou Larch').waitFor()
  })

  test('the finder asks a bounded number of lists, and not at each key', async () => {
    const { page } = opened.tab
    await signInAt(opened.tab, opened.world)
    const asked: string[] = []
    page.on('request', (request) => {
      if (/page%5Blimit%5D=4/.test(request.url())) asked.push(request.url())
    })
    await page.keyboard.press('Control+k')
    await page.keyboard.type('larch bakery')
    await page.getByRole('option', { name: 'Larch Bakery account' }).waitFor()
    expect(asked.length).toBeGreaterThan(5)
    expect(asked.length).toBeLessThanOrEqual(24)
  })

  test('keys go to screens, through rows, to the filter, into a form and out of it; ? shows them', async () => {
    const { page } = opened.tab
    await signInAt(opened.tab, opened.world)
    // Keys lead where the rail does, and it has its links when the rights are known.
    await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Accounts' }).waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('a')
    await heading('Accounts').waitFor()
    await page.getByRole('rowheader', { name: 'Larch Bakery' }).waitFor()
    await page.keyboard.press('?')
    const dialog = page.getByRole('dialog', { name: 'Keys' })
    await dialog.getByText('Write a filter').waitFor()
    await expectNoBarriers(opened.tab, 'the keys')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    // The newest is the first.
    for (const key of ['j', 'j', 'x']) await page.keyboard.press(key)
    await page.getByText('1 selected').waitFor()
    expect(await page.getByLabel('Select Larch Bakery').isChecked()).toBe(true)
    await page.keyboard.press('k')
    await page.keyboard.press('Enter')
    await heading('Maple Bikes').waitFor()
    await page.keyboard.press('e')
    await heading('Edit Maple Bikes').waitFor()
    await page.getByLabel('Legal name').fill('e g a: keys are letters here')
    await page.getByLabel('Legal name').blur()
    await page.keyboard.press('s')
    await heading('Maple Bikes').waitFor()
    const { body } = await opened.world.admin.get(`/v2/accounts/${accountId}`)
    expect(body.data.legal_name).toBe('e g a: keys are letters here')
    await page.goBack()
    await page.keyboard.press('g')
    await page.keyboard.press('a')
    await page.getByRole('rowheader', { name: 'Larch Bakery' }).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('eq(name,Larch Bakery)')
    await page.keyboard.press('Enter')
    await page.getByText('1 account', { exact: true }).waitFor()
  })

  test('times are shown in the zone of the store, or else in that of the browser, and the screen says which', async () => {
    await opened.tab.page.context().close()
    opened.tab = await openTab(opened.browser, opened.world, { timezoneId: 'Asia/Tokyo' })
    const { page } = opened.tab
    const { created_at } = (await opened.world.admin.get(`/v2/accounts/${accountId}`)).body.data.meta
      .timestamps
    const inZone = (timeZone: string) =>
      new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short', timeZone })
        .format(new Date(created_at))
        // Browsers write other spaces.
        .replaceAll(/\s/g, ' ')
    const shown = async () =>
      (await page.locator(`time[datetime="${created_at}"]`).first().innerText()).replaceAll(/\s/g, ' ')
    await signInAt(opened.tab, opened.world, `/v2/accounts/${accountId}`)
    await page.getByText('Times are those of this browser, in Asia/Tokyo').waitFor()
    expect(await shown()).toBe(inZone('Asia/Tokyo'))
    await opened.world.admin.put('/v2/settings', {
      data: { type: 'settings', time_zone: 'America/Sao_Paulo', name: 'Casa Verde' },
    })
    await page.reload()
    await signInAt(opened.tab, opened.world, `/v2/accounts/${accountId}`)
    await page.getByText('Times are those of the store, in America/Sao_Paulo.').waitFor()
    await page.getByRole('link', { name: 'Casa Verde' }).waitFor()
    await expect.poll(shown).toBe(inZone('America/Sao_Paulo'))
    await opened.world.admin.delete('/v2/settings')
  })

  test('the rail and the buttons are those that a role allows, and what is missing is said', async () => {
    const { page } = opened.tab
    await signInAsNew(opened.tab, opened.world, 'Promotions Manager', '/v2/accounts')
    await page.getByRole('rowheader', { name: 'Larch Bakery' }).waitFor()
    const rail = page.getByRole('navigation', { name: 'Screens' })
    await rail.getByRole('link', { name: 'Promotions', exact: true }).waitFor()
    // Secrets are for developers.
    for (const name of ['Application keys', 'Gateways', 'Integrations', 'Role assignments'])
      expect([name, await rail.getByRole('link', { name }).count()]).toEqual([name, 0])
    expect(await page.getByRole('button', { name: 'New account' }).count()).toBe(0)
    await page.getByText('not change it: your role, Promotions Manager, does not have the right').waitFor()
    await expectNoBarriers(opened.tab, 'a list that can only be read')
    await page.getByRole('link', { name: 'Larch Bakery' }).click()
    await heading('Larch Bakery').waitFor()
    for (const name of ['Edit', 'Delete'])
      expect([name, await page.getByRole('button', { name }).count()]).toEqual([name, 0])
    await rail.getByRole('link', { name: 'Promotions', exact: true }).click()
    await page.getByRole('button', { name: 'New promotion' }).waitFor()
    await page.getByRole('link', { name: 'All resources' }).click()
    await page.getByRole('link', { name: 'Hierarchies' }).first().waitFor()
    expect(await page.getByRole('main').getByRole('link', { name: 'Application keys' }).count()).toBe(0)
    // An address that somebody has sent.
    await page.goto(`${opened.world.url}/console/v2/application-keys`)
    await page.getByText('You may not see this list').waitFor()
    await page.getByText('These roles have it: IT/Developer').waitFor()
  })

  test('the rail marks one screen, also where the path of another begins alike', async () => {
    const { page } = opened.tab
    await signInAt(opened.tab, opened.world, '/v2/settings/extensions/custom-apis')
    const marked = page.getByRole('navigation', { name: 'Screens' }).locator('[aria-current=page]')
    await page.getByRole('heading', { name: 'Custom APIs', level: 1 }).waitFor()
    expect(await marked.allInnerTexts()).toEqual(['Custom APIs'])
    await page.getByRole('link', { name: 'Settings', exact: true }).click()
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
    expect(await marked.allInnerTexts()).toEqual(['Settings'])
  })

  test('what is not there has a page that says so, for everyone', async () => {
    const { page } = opened.tab
    await signInAt(opened.tab, opened.world, `/v2/accounts/${randomUUID()}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await expectNoBarriers(opened.tab, 'an object that is not there')
  })

  test.each([1440, 390])(
    'from right to left, at %i px, all texts are of the test language, with no barrier',
    async (width) => {
      const { page } = opened.tab
      await page.setViewportSize({ width, height: 844 })
      await signInAt(opened.tab, opened.world, '/v2/accounts')
      await page.getByText('2 accounts').waitFor()
      await page.getByRole('button', { name: 'Settings of the console' }).click()
      await page.getByLabel('Language').selectOption('Test language (right to left)')
      await expect.poll(() => page.locator('html').getAttribute('dir')).toBe('rtl')
      await page.getByRole('rowheader', { name: 'Larch Bakery' }).waitFor()
      // What the console itself says has no Latin letters left.
      const said = await page.locator('header button, header + p, nav button, main button').allInnerTexts()
      expect(
        said.filter((text) => /[a-z]{3}/i.test(text.replaceAll(/Ctrl|[⁨][^⁩]*[⁩]/g, '')) && !isOfApi(text)),
      ).toEqual([])
      await expectNoBarriers(opened.tab, 'a list from right to left')
      const { scrollWidth, clientWidth } = (await page.evaluate(
        '(({ scrollWidth, clientWidth }) => ({ scrollWidth, clientWidth }))(document.documentElement)',
      )) as { scrollWidth: number; clientWidth: number }
      expect(scrollWidth).toBeLessThanOrEqual(clientWidth)
      await page.getByRole('link', { name: 'Larch Bakery' }).click()
      await heading('Larch Bakery').waitFor()
      await expectNoBarriers(opened.tab, 'an object from right to left')
      await page.reload()
      await expect.poll(() => page.locator('html').getAttribute('dir')).toBe('rtl')
    },
  )
})

/** The names of fields come from the API document, which is in English. */
const isOfApi = (text: string) =>
  /^(Name|Created at|Updated at|Legal name|Parent|External reference|Registration ID|ID)\b/.test(text)
