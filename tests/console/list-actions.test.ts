import { describe, expect, test } from 'vitest'
import { expectNoBarriers, hasChromium, look, looksAt, openForTests, signInAt, titled } from './browser.ts'
import { signInAsNew } from './colleague-tab.ts'

describe.runIf(hasChromium)(titled('actions of whole lists in the console'), () => {
  const opened = openForTests()
  const product = async (name: string) => {
    const sku = name.toUpperCase()
    const attributes = { name, sku, slug: name, commodity_type: 'physical', status: 'live' }
    const { body } = await opened.world.admin.post('/pcm/products', { data: { type: 'product', attributes } })
    return body.data.id as string
  }

  test.each(looksAt('a phone'))(
    'products are imported from a file: the job is followed, and its errors are a table, in %s at %i px',
    async (colorScheme, width) => {
      await look(opened.tab, colorScheme, width)
      const { page } = opened.tab
      await signInAt(opened.tab, opened.world, '/pcm/products')
      await page.getByRole('button', { name: 'Import products' }).click()
      const dialog = page.getByRole('dialog', { name: 'Import products' })
      await dialog.getByRole('button', { name: 'Import products' }).click()
      await dialog.getByText('A value is required.').waitFor()
      const rows = [`Oak ${width},physical,OAK-${width},live`, 'Elm,unheard-of,ELM,live']
      await dialog.getByLabel('File required').setInputFiles({
        ...{ name: 'products.csv', mimeType: 'text/csv' },
        buffer: Buffer.from(`name,commodity_type,sku,status\n${rows.join('\n')}\n`),
      })
      await expectNoBarriers(opened.tab, 'the form of an import')
      await dialog.getByRole('button', { name: 'Import products' }).click()
      await dialog.getByText(/^The job has (succeeded|failed)\./).waitFor()
      const errors = dialog.getByRole('table', { name: '1 error' })
      await errors.getByRole('rowheader', { name: /^row \d/ }).waitFor()
      await expectNoBarriers(opened.tab, 'the errors of an import')
      await dialog.getByRole('button', { name: 'Close' }).click()
      // The list behind the window has been read again.
      await page.getByRole('rowheader', { name: `Oak ${width}` }).waitFor()
    },
  )

  test('an export has what the filter of the list matches, and leads to its file and its job', async () => {
    const { page } = opened.tab
    await product('ash')
    await product('beech')
    await signInAt(opened.tab, opened.world, '/pcm/products?filter=eq(sku,ASH)')
    await page.getByRole('button', { name: 'Export products' }).click()
    const dialog = page.getByRole('dialog', { name: 'Export products' })
    await dialog.getByText('what the filter of the list matches: eq(sku,ASH)').waitFor()
    await dialog.getByRole('button', { name: 'Export products' }).click()
    await dialog.getByText('The job has succeeded.').waitFor()
    const href = await dialog.getByRole('link', { name: 'File 1' }).getAttribute('href')
    const csv = await (await fetch(href ?? '')).text()
    expect([csv.includes('ASH'), csv.includes('BEECH')]).toEqual([true, false])
    await dialog.getByRole('link', { name: 'Show the job' }).click()
    await page.waitForURL(/\/pcm\/jobs\/[0-9a-f-]{36}$/)
    // The page of a job says how far it is, as the window does.
    await page.getByRole('tabpanel').getByText('The job has succeeded.').waitFor()
  })

  test('a job that takes long says how fast it is, and how long it still takes', async () => {
    const { page } = opened.tab
    await signInAt(opened.tab, opened.world, '/pcm/products')
    let polls = 0
    await page.route(/\/pcm\/jobs\//, async (route) => {
      const response = await route.fetch()
      const { data } = await response.json()
      polls += 1
      const progress = { done: 1000 * polls, of: 400_000 }
      const job = { ...data, attributes: { ...data.attributes, status: 'started' } }
      await route.fulfill({ response, json: { data: { ...job, meta: { ...data.meta, progress } } } })
    })
    await page.getByRole('button', { name: 'Export products' }).click()
    const dialog = page.getByRole('dialog', { name: 'Export products' })
    await dialog.getByRole('button', { name: 'Export products' }).click()
    // It is asked for each second.
    const pace = await dialog.getByText(/^[\d.,]+ a second, about \d+ minutes left$/).innerText()
    const [perSecond = 0] = (pace.replaceAll(',', '').match(/[\d.]+/) ?? []).map(Number)
    expect(perSecond).toBeGreaterThan(100)
    expect(perSecond).toBeLessThan(1100)
    await page.unrouteAll()
  })

  test('products are attached to nodes by a filter, and the refusal of a wrong one is at its field', async () => {
    const { page } = opened.tab
    const id = await product('cherry')
    const create = async (path: string, type: string) =>
      (await opened.world.admin.post(path, { data: { type, attributes: { name: `A ${type}` } } })).body.data
        .id
    const hierarchy = await create('/pcm/hierarchies', 'hierarchy')
    const node = await create(`/pcm/hierarchies/${hierarchy}/nodes`, 'node')
    await signInAt(opened.tab, opened.world, '/pcm/products')
    await page.getByRole('button', { name: 'Attach nodes' }).click()
    const dialog = page.getByRole('dialog', { name: 'Attach nodes' })
    await dialog.getByLabel('Filter required').fill('eq(colour,red)')
    await dialog.getByRole('combobox', { name: 'Nodes' }).fill(node)
    await dialog.getByRole('option', { name: 'A node' }).click()
    await expect.poll(() => dialog.getByLabel('Filter required').getAttribute('aria-invalid')).toBe('true')
    await dialog.getByLabel('Filter required').fill('eq(sku,CHERRY)')
    await dialog.getByRole('button', { name: 'Attach nodes' }).click()
    await dialog.getByText('"nodes_attached": 1').waitFor()
    const { body } = await opened.world.admin.get(`/pcm/hierarchies/${hierarchy}/nodes/${node}/products`)
    expect(body.data.map((one: { id: string }) => one.id)).toEqual([id])
  })

  test('stock is entered for a product that is chosen by its name', async () => {
    const { page } = opened.tab
    const id = await product('walnut')
    await signInAt(opened.tab, opened.world, '/v2/inventories')
    await page.getByRole('button', { name: 'Create stock of product' }).click()
    const dialog = page.getByRole('dialog', { name: 'Create stock of product' })
    await dialog.getByRole('combobox', { name: 'Product required' }).fill('walnut')
    await dialog.getByRole('option', { name: 'walnut' }).click()
    await dialog.getByLabel('Available', { exact: true }).fill('12')
    await dialog.getByRole('button', { name: 'Create stock of product' }).click()
    await dialog.getByText('Done.').waitFor()
    expect((await opened.world.admin.get(`/v2/inventories/${id}`)).body.data.available).toBe(12)
  })

  test('who may not write products has none of their actions', async () => {
    const { page } = opened.tab
    await signInAsNew(opened.tab, opened.world, 'Support', '/pcm/products')
    await page.getByRole('heading', { name: 'Products', level: 1 }).waitFor()
    await page.getByText('not change it: your role, Support, does not have the right').waitFor()
    expect(await page.getByRole('button', { name: 'Import products' }).count()).toBe(0)
  })
})
