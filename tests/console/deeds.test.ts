import { describe, expect, test } from 'vitest'
import { expectNoBarriers, hasChromium, look, looksAt, openForTests, signInAt, titled } from './browser.ts'

describe.runIf(hasChromium)(titled('what the console does with objects'), () => {
  const opened = openForTests()

  const create = async (path: string, data: object): Promise<string> => {
    const { status, body } = await opened.world.admin.post(path, { data })
    expect([path, status < 300, body]).toEqual([path, true, body])
    return body.data.id
  }
  const openAs = async (colorScheme: 'light' | 'dark', width: number) => {
    await look(opened.tab, colorScheme, width)
    return opened.tab.page
  }

  test('a delete shows what it takes along, and asks for the name if that is much', async () => {
    const { page } = opened.tab
    const id = await create('/pcm/pricebooks', { type: 'pricebook', attributes: { name: 'Retail' } })
    const price = (sku: string) => ({
      ...{ type: 'product-price', attributes: { sku, currencies: { USD: { amount: 100 } } } },
    })
    for (let n = 0; n < 101; n++) await create(`/pcm/pricebooks/${id}/prices`, price(`SKU-${n}`))
    await signInAt(opened.tab, opened.world, `/pcm/pricebooks/${id}`)
    await page.getByRole('button', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Product price: 101').waitFor()
    await expectNoBarriers(opened.tab, 'a delete')
    const remove = dialog.getByRole('button', { name: 'Delete' })
    expect(await remove.isDisabled()).toBe(true)
    await dialog.getByLabel('Type Retail to confirm').fill('Retail')
    await remove.click()
    await page.getByRole('heading', { name: 'Price books' }).waitFor()
    expect((await opened.world.admin.get(`/pcm/pricebooks/${id}`)).status).toBe(404)
  })

  test('a delete that the server would refuse says why before', async () => {
    const { page } = opened.tab
    const [currency] = (await opened.world.admin.get('/v2/currencies')).body.data
    await signInAt(opened.tab, opened.world, `/v2/currencies/${currency.id}`)
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('alert').waitFor()
    expect(await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true)
  })

  test.each(looksAt('a desk'))(
    'an order is paid and refunded by the operations of the document, in %s at %i px',
    async (scheme, width) => {
      await opened.world.admin.put('/v2/gateways/manual', { data: { type: 'gateway', enabled: true } })
      const order = await create('/v2/orders', {
        ...{ type: 'order', customer: { name: 'Ada Byron', email: 'ada@example.com' } },
        billing_address: {
          ...{ first_name: 'Ada', last_name: 'Byron', line_1: '1 Quay Road', postcode: 'NR1' },
          ...{ country: 'GB', region: 'Norfolk', city: 'Norwich' },
        },
        meta: { display_price: { with_tax: { amount: 1250, currency: 'USD' } } },
      })
      const page = await openAs(scheme, width)
      await signInAt(opened.tab, opened.world, `/v2/orders/${order}`)
      await page.getByText('12.50 USD').first().waitFor()
      await page.getByRole('button', { name: 'Take a payment' }).click()
      const dialog = page.getByRole('dialog', { name: 'Pay order' })
      await dialog.getByLabel('Gateway').selectOption('manual')
      await dialog.getByLabel('Method', { exact: false }).first().selectOption('purchase')
      await dialog.getByLabel('Amount').fill('12.50')
      await expectNoBarriers(opened.tab, 'an action')
      await dialog.getByRole('button', { name: 'Pay order' }).click()
      await dialog.getByText('Done.').waitFor()
      await expectNoBarriers(opened.tab, 'the answer of an action')
      await dialog.getByRole('button', { name: 'Close' }).click()
      const [payment] = (await opened.world.admin.get(`/v2/orders/${order}/transactions`)).body.data
      expect([payment.amount, payment.status]).toEqual([1250, 'complete'])
      await signInAt(opened.tab, opened.world, `/v2/orders/${order}/transactions/${payment.id}`)
      await page.getByRole('button', { name: 'Refund transaction' }).click()
      const refund = page.getByRole('dialog', { name: 'Refund transaction' })
      await refund.getByLabel('Amount').fill('20.00')
      // The server says so before anybody presses the button.
      await expect.poll(() => refund.getByLabel('Amount').getAttribute('aria-invalid')).toBe('true')
      await refund.getByLabel('Amount').fill('2.50')
      await refund.getByRole('button', { name: 'Refund transaction' }).dblclick()
      await refund.getByText('Done.').waitFor()
      const { data } = (await opened.world.admin.get(`/v2/orders/${order}/transactions/${payment.id}`)).body
      expect(data.refunded_amount).toBe(250)
    },
  )

  test('what belongs to a product is added and taken away by search', async () => {
    const { page } = opened.tab
    const product = await create('/pcm/products', {
      type: 'product',
      attributes: { name: 'Mug', sku: 'MUG', slug: 'mug', commodity_type: 'physical', status: 'live' },
    })
    for (const slug of ['products(care)', 'products(size)'])
      await create('/v2/flows', { type: 'flow', name: slug, slug, description: slug, enabled: true })
    await signInAt(opened.tab, opened.world, `/pcm/products/${product}`)
    const dialog = page.getByRole('dialog', { name: 'Templates' })
    const templates = async () =>
      (await opened.world.admin.get(`/pcm/products/${product}/relationships/templates`)).body.data.length
    await page.getByRole('button', { name: 'Templates' }).click()
    for (const slug of ['care', 'size']) {
      await dialog.getByRole('combobox').fill(slug)
      await dialog
        .getByRole('option', { name: `products(${slug})` })
        .first()
        .click()
    }
    await expectNoBarriers(opened.tab, 'a relationship')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'hidden' })
    expect(await templates()).toBe(2)
    await page.getByRole('button', { name: 'Templates' }).click()
    await dialog
      .getByRole('button', { name: /^Remove / })
      .first()
      .click()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'hidden' })
    expect(await templates()).toBe(1)
  })

  test.each(looksAt('a phone'))(
    'the settings of the store are changed, in %s at %i px',
    async (scheme, width) => {
      const page = await openAs(scheme, width)
      await signInAt(opened.tab, opened.world, '/v2/settings/cart')
      await page.getByRole('heading', { name: 'Cart settings' }).waitFor()
      await expectNoBarriers(opened.tab, 'settings')
      await page.getByRole('button', { name: 'Edit' }).click()
      await page.getByLabel('Cart expiry days').fill('0')
      await expect.poll(() => page.getByLabel('Cart expiry days').getAttribute('aria-invalid')).toBe('true')
      await page.getByLabel('Cart expiry days').fill(String(width % 300))
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('tab', { name: 'Fields' }).waitFor()
      expect((await opened.world.admin.get('/v2/settings/cart')).body.data.cart_expiry_days).toBe(width % 300)
    },
  )
})
