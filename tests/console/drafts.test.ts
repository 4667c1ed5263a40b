import { describe, expect, test } from 'vitest'
import { expectNoBarriers, hasChromium, look, looksAt, openForTests, signInAt, titled } from './browser.ts'

describe.runIf(hasChromium)(titled('drafts in the console'), () => {
  const opened = openForTests()
  const newAccount = async (name: string) =>
    (await opened.world.admin.post('/v2/accounts', { data: { type: 'account', name, legal_name: name } }))
      .body.data.id as string

  test.each(looksAt('a desk'))(
    'the rail, the row and one list of all say that something was typed and not saved, in %s at %i px',
    async (colorScheme, width) => {
      await look(opened.tab, colorScheme, width)
      const { page } = opened.tab
      const isWide = width > 1000
      const rail = page.getByRole('navigation', { name: 'Screens' })
      const id = await newAccount(`Yew ${width}`)
      await signInAt(opened.tab, opened.world, `/v2/accounts/${id}?form=edit`)
      await page.getByLabel('Legal name').fill('Yew & Sons')
      if (isWide) await rail.getByRole('link', { name: 'Accounts Draft kept' }).waitFor()
      await page.getByRole('button', { name: 'Cancel' }).click()
      await page.getByRole('navigation', { name: 'Accounts' }).getByRole('link').click()
      const row = page.getByRole('row').filter({ hasText: `Yew ${width}` })
      await row.getByText('Draft kept').waitFor()
      await expectNoBarriers(opened.tab, 'a list with a draft')
      await page.getByRole('button', { name: 'New' }).click()
      await page.getByLabel('Name required').fill('Half a name')
      if (isWide) await rail.getByRole('link', { name: 'Drafts: 2' }).click()
      else {
        await page.getByRole('link', { name: 'More' }).click()
        await page.getByRole('main').getByRole('link', { name: 'Drafts: 2' }).click()
      }
      await page.getByRole('heading', { name: 'Drafts' }).waitFor()
      await expectNoBarriers(opened.tab, 'the drafts')
      await page.getByRole('row').filter({ hasText: 'Legal name' }).getByRole('link').click()
      await page.getByRole('button', { name: 'Restore it' }).click()
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Yew & Sons').waitFor()
      await page.goto(`${opened.world.url}/console/drafts`)
      await signInAt(opened.tab, opened.world, '/drafts')
      await page.getByRole('button', { name: 'Discard New account' }).click()
      await page.getByText('There are no drafts').waitFor()
      expect(await page.getByText('Draft kept').count()).toBe(0)
      expect((await opened.world.admin.get('/v2/accounts?filter=eq(name,Half a name)')).body.data).toEqual([])
    },
  )

  test('a draft of an action leads to the object that it is about', async () => {
    const { page } = opened.tab
    await signInAt(opened.tab, opened.world, '/pcm/products')
    await page.getByRole('button', { name: 'Attach nodes' }).click()
    await page.getByRole('dialog').getByLabel('Filter required').fill('eq(sku,X)')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Drafts: 1' }).click()
    await page.getByRole('link', { name: 'Attach nodes, at Products' }).click()
    await page.getByRole('heading', { name: 'Products', level: 1 }).waitFor()
    await page.getByRole('button', { name: 'Attach nodes' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Restore it' }).click()
    expect(await page.getByRole('dialog').getByLabel('Filter required').inputValue()).toBe('eq(sku,X)')
  })
})
