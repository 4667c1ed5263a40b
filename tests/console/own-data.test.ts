import { describe, expect, test } from 'vitest'
import { makeApi } from '../builders/fields/custom-apis.ts'
import { makeFlow } from '../builders/fields/flows.ts'
import { expectNoBarriers, hasChromium, look, looksAt, openForTests, signInAt, titled } from './browser.ts'
import { signInAsNew } from './colleague-tab.ts'

describe.runIf(hasChromium)(titled('what a store adds to the API, in the console'), () => {
  let wishlists: Awaited<ReturnType<typeof makeApi>>
  const opened = openForTests(async ({ admin }) => {
    wishlists = await makeApi(
      admin,
      {
        title: ['string', { max_length: 20, allow_null_values: false }],
        occasion_count: ['integer', { min_value: 1, max_value: 9 }],
        is_public: ['boolean'],
        skus: ['list', { allowed_type: 'string' }],
        rest: ['any'],
        hue: ['string', {}, { name: 'Favourite colour', description: 'Of who it is for.' }],
      },
      { name: 'Wish lists', slug: 'wishlists', api_type: 'wishlist_ext' },
    )
    await makeFlow(admin, 'customers', {
      shoe_size: { field_type: 'integer', description: 'In Europe.', required: true },
      hat: { field_type: 'integer', name: 'Size of hats' },
    })
    await makeFlow(admin, 'opening-hours', { day: { field_type: 'string', required: true } })
  })

  const rail = () => opened.tab.page.getByRole('navigation', { name: 'Screens' })

  test.each(looksAt('a phone'))(
    'entries of a custom API are listed, created, changed and deleted as any object, in %s at %i px',
    async (colorScheme, width) => {
      await look(opened.tab, colorScheme, width)
      const { page } = opened.tab
      const { body } = await wishlists.create({ title: `For ${width}`, skus: ['MUG', 'HAT'] })
      await signInAt(opened.tab, opened.world)
      if (width > 1000) await rail().getByRole('link', { name: 'Wish lists' }).click()
      else await page.getByRole('main').getByRole('link', { name: 'Wish lists' }).click()
      await page.getByRole('heading', { name: 'Wish lists', level: 1 }).waitFor()
      await page.getByRole('rowheader', { name: `For ${width}` }).waitFor()
      await expectNoBarriers(opened.tab, 'a list of entries')
      await page.getByRole('button', { name: 'New' }).click()
      await page.getByLabel('Occasion count').fill('12')
      await page.getByLabel('Occasion count').blur()
      await page.getByText('At most 9.').waitFor()
      await page.getByLabel('Occasion count').fill('3')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('A value is required.').waitFor()
      await page.getByLabel('Title required').fill('a title that is too long')
      await page.getByLabel('Title required').blur()
      await page.getByText('At most 20 characters.').waitFor()
      await page.getByLabel('Title required').fill(`New ${width}`)
      await page.getByLabel('Is public').selectOption('true')
      await page.getByLabel('Skus').fill('CUP\nPEN')
      // A field has the name that people gave it, and its description.
      await page.getByText('Of who it is for.').waitFor()
      await page.getByLabel('Favourite colour').fill('green')
      await expectNoBarriers(opened.tab, 'the form of an entry')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('heading', { name: `New ${width}` }).waitFor()
      await page.getByRole('term').filter({ hasText: 'Favourite colour' }).waitFor()
      const path = `${wishlists.entries}/${page.url().split('/').at(-1)}`
      const made = (await opened.world.admin.get(path)).body.data
      expect([made.occasion_count, made.is_public, made.skus]).toEqual([3, true, ['CUP', 'PEN']])
      // What somebody else changes meanwhile stays.
      await page.getByRole('button', { name: 'Edit' }).click()
      await page.getByLabel('Occasion count').fill('4')
      await opened.world.admin.put(path, { data: { type: 'wishlist_ext', is_public: false } })
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('tab', { name: 'Fields' }).waitFor()
      const changed = (await opened.world.admin.get(path)).body.data
      expect([changed.occasion_count, changed.is_public]).toEqual([4, false])
      await page.getByRole('button', { name: 'Delete' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
      await page.getByRole('rowheader', { name: `For ${width}` }).waitFor()
      expect((await opened.world.admin.get(path)).status).toBe(404)
      await opened.world.admin.delete(`${wishlists.entries}/${body.data.id}`)
    },
  )

  test('an entry is found by a filter of its own fields, and a draft of one is offered again', async () => {
    const { page } = opened.tab
    for (const [title, occasion_count] of [
      ['Few', 1],
      ['Many', 8],
    ] as const)
      await wishlists.create({ title, occasion_count })
    await signInAt(opened.tab, opened.world, wishlists.entries)
    await page.getByText('2 entries').waitFor()
    await page.getByRole('button', { name: 'Add a filter' }).click()
    await page.getByRole('dialog').getByLabel('Field').selectOption('occasion_count')
    await page.getByRole('dialog').getByLabel('Operator').selectOption('gt')
    await page.getByRole('dialog').getByLabel('Value').fill('5')
    await page.getByRole('dialog').getByRole('button', { name: 'Add' }).click()
    await page.getByText('1 entry', { exact: true }).waitFor()
    await page.getByRole('rowheader', { name: 'Many' }).waitFor()
    await page.getByRole('button', { name: 'New' }).click()
    await page.getByLabel('Title required').fill('Half a title')
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'New' }).click()
    await page.getByRole('button', { name: 'Restore it' }).click()
    expect(await page.getByLabel('Title required').inputValue()).toBe('Half a title')
  })

  test('fields of flows are in the form and on the page of the objects that they extend', async () => {
    const { page } = opened.tab
    await signInAt(opened.tab, opened.world, '/v2/customers?form=new')
    await page.getByText('In Europe.').waitFor()
    await page.getByLabel('Name required').fill('Ida Fern')
    await page.getByLabel('Email required').fill('ida@example.com')
    await page.getByLabel('Shoe size').fill('a few')
    await page.getByLabel('Shoe size').blur()
    await page.getByText('A number is required.').waitFor()
    await page.getByLabel('Shoe size').fill('39')
    await page.getByLabel('Size of hats').fill('57')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Ida Fern' }).waitFor()
    for (const hasText of ['Shoe size', 'Size of hats'])
      await page.getByRole('term').filter({ hasText }).waitFor()
    const { body } = await opened.world.admin.get('/v2/customers?filter=eq(name,Ida Fern)')
    expect(body.data[0].shoe_size).toBe(39)
  })

  test('a flow of its own has a list, and what somebody defines is in the rail at once', async () => {
    const { page } = opened.tab
    await signInAt(opened.tab, opened.world)
    await rail().getByRole('link', { name: 'opening-hours' }).click()
    await page.getByText('There is nothing here yet').waitFor()
    await page.getByRole('button', { name: 'New' }).click()
    await page.getByLabel('Day required').fill('Monday')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Monday').first().waitFor()
    await rail().getByRole('link', { name: 'Custom APIs', exact: true }).click()
    await page.getByRole('button', { name: 'New' }).click()
    await page.getByLabel('Name required').fill('Gift registries')
    await page.getByLabel('Slug required').fill('gift-registries')
    await page.getByLabel('Api type required').fill('gift_registry_ext')
    await page.getByRole('button', { name: 'Save' }).click()
    await rail().getByRole('link', { name: 'Gift registries' }).click()
    await page.getByText('There is nothing here yet').waitFor()
  })

  test('who may not see them has no links to them, and the console does not ask in vain', async () => {
    const { page } = opened.tab
    const refused: string[] = []
    page.on('response', (response) => {
      if (response.status() === 403 && response.url().includes('specifications')) refused.push(response.url())
    })
    await signInAsNew(opened.tab, opened.world, 'Basic')
    await page.getByRole('heading', { name: 'All resources' }).waitFor()
    await page.waitForLoadState('networkidle')
    expect(refused).toEqual([])
    expect(await page.getByRole('link', { name: 'Wish lists' }).count()).toBe(0)
  })
})
