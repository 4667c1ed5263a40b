import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { body } from '../support/requests.ts'
import { expectNoBarriers, hasChromium, look, looksAt, openForTests, openTab, titled } from './browser.ts'
import { signInAsNew } from './colleague-tab.ts'

/** A whole walk takes a while on a machine that has more to do. */
const journeyMs = 180_000

describe.runIf(hasChromium)(titled('a merchant who has never seen the API'), () => {
  /** A shop with a hierarchy, a price book, a catalog, sizes and an order. */
  const opened = openForTests(async ({ admin }) => {
    const create = async (path: string, type: string, values: object) =>
      (await admin.post(path, body(type, values))).body.data.id as string
    const hierarchy = await create('/pcm/hierarchies', 'hierarchy', { attributes: { name: 'Departments' } })
    await create(`/pcm/hierarchies/${hierarchy}/nodes`, 'node', { attributes: { name: 'Clothing' } })
    const pricebook = await create('/pcm/pricebooks', 'pricebook', { attributes: { name: 'Retail' } })
    await create('/pcm/catalogs', 'catalog', {
      attributes: { name: 'Shop', hierarchy_ids: [hierarchy], pricebook_id: pricebook },
    })
    const size = await create('/pcm/variations', 'product-variation', { attributes: { name: 'Size' } })
    for (const name of ['S', 'M', 'L']) {
      const attributes = { name, description: `Size ${name}` }
      const option = await create(`/pcm/variations/${size}/options`, 'product-variation-option', {
        attributes,
      })
      // Children are told apart by what the option adds.
      for (const [type, value] of [
        ['name_append', ` ${name}`],
        ['sku_append', `-${name}`],
        ['slug_append', `-${name.toLowerCase()}`],
      ])
        await create(`/pcm/variations/${size}/options/${option}/modifiers`, 'product-variation-modifier', {
          attributes: { type, value },
        })
    }
    for (const [name, email] of [
      ['Ada Byron', 'ada@example.com'],
      ['Ben Stone', 'ben@example.com'],
    ])
      await create('/v2/orders', 'order', {
        order_number: email === 'ada@example.com' ? '5001' : '5002',
        customer: { name, email },
        billing_address: {
          ...{ first_name: name, last_name: 'B', line_1: '1 Quay Road', postcode: 'NR1' },
          ...{ country: 'GB', region: 'Norfolk', city: 'Norwich' },
        },
        meta: { display_price: { with_tax: { amount: 1250, currency: 'USD' } } },
      })
  })

  /** Opens a list by the rail, or on a narrow screen by the page of all of them. */
  async function goTo(page: Page, name: string): Promise<void> {
    const rail = page.getByRole('navigation', { name: 'Screens' })
    if (await rail.isVisible()) return rail.getByRole('link', { name, exact: true }).click()
    await page.getByRole('navigation', { name: 'More' }).getByRole('link', { name: 'More' }).click()
    await page.getByRole('main').getByRole('link', { name, exact: true }).click()
  }

  const panel = (page: Page, name: string) => page.getByRole('region', { name, exact: true }).first()

  async function createProduct(page: Page, sku: string): Promise<void> {
    const dialog = page.getByRole('dialog')
    await goTo(page, 'Products')
    await page.getByRole('button', { name: 'New product' }).click()
    await page.getByLabel('Name required').fill('Linen shirt')
    await page.getByLabel('Commodity type required').selectOption('Physical')
    await page.getByLabel('SKU', { exact: true }).fill(sku)
    await page.getByLabel('Slug').fill(sku.toLowerCase())
    await page.getByLabel('Status').selectOption('Live')
    await page.getByLabel('Tags').fill('summer\nlinen')
    await page.getByText(/^More fields: .*Variations/).click()
    const attributes = page.getByRole('group', { name: 'Shopper attributes' })
    await attributes.getByRole('button', { name: 'Add' }).click()
    await attributes.getByLabel('Name').fill('Care')
    await attributes.getByLabel('Value').fill('Wash at 30 degrees')
    // What is typed and not chosen is not lost, and is no choice.
    const variations = page.getByRole('combobox', { name: 'Variations', exact: true })
    await variations.fill('siz')
    await page.getByRole('option', { name: /^Size/ }).waitFor()
    await page.getByLabel('Slug').focus()
    await page.getByText('Choose one of the list.').waitFor()
    expect(await variations.inputValue()).toBe('siz')
    await expectNoBarriers(opened.tab, 'the form of a product')
    await variations.click()
    await page.getByRole('option', { name: /^Size/ }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Linen shirt', exact: true }).waitFor()
    await page.getByRole('tab', { name: 'Fields' }).click()
    await page.getByText('summer').waitFor()
    await page.getByText('Wash at 30 degrees').waitFor()
    // The sizes of the store are three, and the shirt has two of them.
    await page.getByRole('button', { name: 'Build children' }).click()
    await dialog.getByText('This makes 3 children.').waitFor()
    await dialog.getByLabel('L', { exact: true }).uncheck()
    await dialog.getByText('This makes 2 children.').waitFor()
    await expectNoBarriers(opened.tab, 'the options of a product')
    await dialog.getByRole('button', { name: 'Build children' }).click()
    await dialog.getByText('The job has succeeded.').waitFor()
    await expectNoBarriers(opened.tab, 'a job')
    await dialog.getByRole('button', { name: 'Close' }).click()
    const children = panel(page, 'Children of this product').getByRole('rowheader')
    for (const name of ['Linen shirt S', 'Linen shirt M']) await children.filter({ hasText: name }).waitFor()
    expect(await children.count()).toBe(2)
    // The matrix says why the third is not there.
    await page.getByRole('tab', { name: 'Variations' }).click()
    await page.getByText('2 of 3 combinations built.').waitFor()
    await page.getByRole('cell', { name: 'left out by the build rules' }).waitFor()
    await expectNoBarriers(opened.tab, 'the matrix of a product')
    await page.getByRole('tab', { name: 'Fields' }).click()
  }

  async function sellProduct(page: Page, sku: string): Promise<void> {
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'New price' }).click()
    await dialog.getByLabel('In which price book?').click()
    await dialog.getByRole('option', { name: 'Retail' }).click()
    expect(await page.getByLabel('SKU required').first().inputValue()).toBe(sku)
    await page.getByLabel('Add a currency').selectOption('USD')
    await page.getByLabel('Amount in USD').fill('12.50')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('tab', { name: 'Fields' }).click()
    await panel(page, 'Prices of this product').getByText('12.50 USD').waitFor()
    await page.getByRole('button', { name: 'Add to a node' }).click()
    await dialog.getByLabel('Which node?').fill('clothing')
    await dialog.getByRole('option', { name: 'Clothing' }).click()
    await dialog.getByRole('button', { name: 'Add to a node' }).click()
    await panel(page, 'Nodes of this product').getByRole('link', { name: 'Clothing' }).waitFor()
    await expectNoBarriers(opened.tab, 'a product with what belongs to it')
    await panel(page, 'Nodes of this product').getByRole('link', { name: 'Departments' }).click()
    await panel(page, 'Catalogs of this hierarchy').getByRole('link', { name: 'Shop' }).click()
    await page.getByRole('button', { name: 'Publish catalog' }).click()
    await dialog.getByRole('button', { name: 'Publish catalog' }).click()
    await dialog.getByText('The job has succeeded.').waitFor()
    await dialog.getByRole('button', { name: 'Close' }).click()
    await panel(page, 'Releases of this catalog').getByText('Published').first().waitFor()
  }

  test.each(looksAt('a desk'))(
    'creates a product with two sizes, gives it a price and publishes it, in %s at %i px',
    async (colorScheme, width) => {
      await look(opened.tab, colorScheme, width)
      const { page } = opened.tab
      const { admin, shopper } = opened.world
      const sku = `LINEN-${width}`
      await signInAsNew(opened.tab, opened.world, 'Store Admin')
      await createProduct(page, sku)
      await sellProduct(page, sku)
      const { data } = (await shopper.get(`/catalog/products?filter=eq(sku,${sku})`)).body
      expect(data[0].meta.display_price.without_tax.amount).toBe(1250)
      const [product] = (await admin.get(`/pcm/products?filter=eq(sku,${sku})`)).body.data
      expect(product.attributes.tags).toEqual(['summer', 'linen'])
      expect(product.attributes.shopper_attributes).toEqual({ Care: 'Wash at 30 degrees' })
    },
    journeyMs,
  )

  test(
    'finds an order by email and sees who changed it, and a second colleague is told of a change in time',
    async () => {
      const { page } = opened.tab
      const first = await signInAsNew(opened.tab, opened.world, 'Store Admin')
      await goTo(page, 'Orders')
      await page.getByRole('columnheader', { name: 'Customer email' }).waitFor()
      await page.getByRole('textbox', { name: 'Filter' }).fill('ada@example')
      await page.keyboard.press('Enter')
      await page.getByText('1 order', { exact: true }).waitFor()
      const row = page.getByRole('row').filter({ hasText: 'ada@example.com' })
      for (const text of ['Ada Byron', '12.50 USD']) await row.getByText(text).waitFor()
      // A card of a narrow screen has what the order comes to, too.
      const size = page.viewportSize() ?? { width: 1440, height: 900 }
      await page.setViewportSize({ width: 390, height: 844 })
      await row.getByText('12.50 USD').waitFor()
      await page.setViewportSize(size)
      await row.getByRole('rowheader').getByRole('link').click()
      await page.getByRole('heading', { name: 'Order 5001' }).waitFor()
      const order = page.url()
      const second = await openTab(opened.browser, opened.world)
      const theirs = await signInAsNew(
        second,
        opened.world,
        'Store Admin',
        new URL(order).pathname.replace('/console', ''),
      )
      await second.page.getByRole('button', { name: 'Edit' }).click()
      await second.page.getByLabel('External reference').waitFor()
      await page.getByRole('button', { name: 'Edit' }).click()
      await page.getByLabel('External reference').fill('ERP-1')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('ERP-1').waitFor()
      // The second has typed nothing yet, and is told who it was.
      await second.page.getByText(/saved this at .*while you change it/).waitFor()
      await expectNoBarriers(second, 'a form that is told of a change')
      await second.page.getByLabel('External reference').fill('ERP-2')
      await second.page.getByRole('button', { name: 'Save' }).click()
      const dialog = second.page.getByRole('dialog', { name: 'Somebody has changed this too' })
      await dialog.getByText('ERP-1').waitFor()
      await dialog.getByRole('button', { name: 'Save with these values' }).click()
      await second.page.getByText('ERP-2').waitFor()
      // The first looks at it, and sees that it has changed, and then by whom.
      await page.getByRole('button', { name: 'Somebody has changed this. Show' }).click()
      await page.getByText('ERP-2').first().waitFor()
      await page.getByRole('tab', { name: 'History' }).click()
      const entries = page.getByRole('tabpanel').getByRole('listitem').filter({ hasText: 'changed it' })
      await entries.nth(1).waitFor()
      expect(await entries.count()).toBe(2)
      expect(await entries.first().innerText()).toContain(theirs)
      expect(await entries.nth(1).innerText()).toContain(first)
      await second.page.context().close()
      expect(second.faults).toEqual([])
    },
    journeyMs,
  )
})
