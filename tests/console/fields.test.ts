import { describe, expect, test } from 'vitest'
import { expectNoBarriers, hasChromium, look, looksAt, openForTests, signInAt, titled } from './browser.ts'

describe.runIf(hasChromium)(titled('fields of the forms of the console'), () => {
  const opened = openForTests(async (world) => {
    for (const name of ['Ash Books', 'Ash Tools', 'Beech Foods'])
      await world.admin.post('/v2/accounts', { data: { type: 'account', name, legal_name: `${name} Ltd` } })
    for (const [code, decimal_places] of [
      ['JPY', 0],
      ['KWD', 3],
    ] as const)
      await world.admin.post('/v2/currencies', {
        data: {
          ...{ type: 'currency', code, exchange_rate: 1, format: '{price}', decimal_point: '.' },
          ...{ thousand_separator: ',', decimal_places, default: false, enabled: true },
        },
      })
  })

  const open = async (colorScheme: 'light' | 'dark', width: number) => {
    await look(opened.tab, colorScheme, width)
    return opened.tab.page
  }

  test('an object is chosen by searching its list, and is shown by its name with a link', async () => {
    const { page } = opened.tab
    await signInAt(opened.tab, opened.world, '/v2/accounts?form=new')
    await page.getByLabel('Name required').fill('Ash Group')
    await page.getByRole('combobox', { name: 'Parent' }).fill('tool')
    await page.getByRole('option', { name: 'Ash Tools' }).waitFor()
    expect(await page.getByRole('option').count()).toBe(1)
    await expectNoBarriers(opened.tab, 'a picker')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Ash Tools' }).waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Ash Group' }).waitFor()
    const parent = page.getByRole('link', { name: 'Ash Tools' })
    await parent.waitFor()
    const { data } = (await opened.world.admin.get(`/v2/accounts/${page.url().split('/').at(-1)}`)).body
    expect(await parent.getAttribute('href')).toBe(`/console/v2/accounts/${data.parent_id}`)
  })

  test.each(looksAt('a phone'))(
    'several are chosen in %s at %i px, by id too, and one is taken out again',
    async (scheme, width) => {
      const { data } = (await opened.world.admin.get('/v2/accounts?filter=eq(name,Beech Foods)')).body
      const page = await open(scheme, width)
      await signInAt(opened.tab, opened.world, '/catalogs/rules?form=new')
      const field = page.getByRole('combobox', { name: 'Accounts', exact: true })
      await field.fill('ash')
      await page.getByRole('option', { name: 'Ash Books' }).click()
      await field.fill('ash')
      await page.getByRole('option', { name: 'Ash Tools' }).click()
      await field.fill(data[0].id)
      await page.getByRole('option', { name: 'Beech Foods' }).waitFor()
      await expectNoBarriers(opened.tab, 'a picker of several')
      await page.getByRole('option', { name: 'Beech Foods' }).click()
      const chosen = page.getByRole('listitem').filter({ has: page.getByRole('button', { name: /^Remove/ }) })
      await expect
        .poll(() => chosen.getByRole('link').allInnerTexts())
        .toEqual(['Ash Books', 'Ash Tools', 'Beech Foods'])
      await chosen.nth(1).getByRole('button').click()
      await expect.poll(() => chosen.getByRole('link').allInnerTexts()).toEqual(['Ash Books', 'Beech Foods'])
    },
  )

  test.each(looksAt('a desk'))(
    'amounts are typed in the main unit of each currency, in %s at %i px',
    async (scheme, width) => {
      const book = (
        await opened.world.admin.post('/pcm/pricebooks', {
          data: { type: 'pricebook', attributes: { name: scheme } },
        })
      ).body.data.id
      const page = await open(scheme, width)
      await signInAt(opened.tab, opened.world, `/pcm/pricebooks/${book}/prices?form=new`)
      await page.getByLabel('Sku required').fill('MUG')
      for (const code of ['USD', 'JPY', 'KWD']) await page.getByLabel('Add a currency').selectOption(code)
      await page.getByLabel('Amount in USD').fill('0.005')
      await page.getByLabel('Amount in JPY').fill('1250')
      await page.getByLabel('Amount in KWD').fill('1.25')
      await page.getByLabel('Sku required').focus()
      await page.getByText('no more digits after the point').waitFor()
      // No float has these digits.
      await page.getByLabel('Amount in USD').fill('9007199254.07')
      await page.getByLabel('Sku required').focus()
      expect(await page.getByLabel('Amount in KWD').inputValue()).toBe('1.250')
      await expectNoBarriers(opened.tab, 'amounts')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('1.250 KWD').waitFor()
      await page.getByText('9,007,199,254.07 USD').waitFor()
      await page.getByText('1,250 JPY').waitFor()
      const { data } = (await opened.world.admin.get(`/pcm/pricebooks/${book}/prices`)).body
      expect(data[0].attributes.currencies).toEqual({
        USD: { amount: 900_719_925_407, includes_tax: false },
        JPY: { amount: 1250, includes_tax: false },
        KWD: { amount: 1250, includes_tax: false },
      })
    },
  )
})
