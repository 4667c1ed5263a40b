import type { Page, Route } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { guest, order as orderWith, wrap } from '../builders/orders/buying.ts'
import { act, orderOf, paid, takeManualPayments } from '../builders/payments/paying.ts'
import { isLong } from '../support/long.ts'
import type { Any } from '../support/requests.ts'
import { expectNoBarriers, hasChromium, look, openForTests, titled } from './browser.ts'
import { signInAsNew } from './colleague-tab.ts'

const journeyMs = 180_000

describe.runIf(hasChromium)(titled('the screen of an order'), () => {
  const opened = openForTests(({ admin }) => takeManualPayments(admin))

  const transactions = async (id: string): Promise<Any[]> =>
    (await opened.world.admin.get(`/v2/orders/${id}/transactions`)).body.data
  const authorized = async (amount: number) => {
    const { id } = await orderOf(opened.world.admin, amount)
    return { id, payment: await paid(opened.world.admin, id, { method: 'authorize' }) }
  }
  /** Presses a button as somebody without a mouse does. */
  const press = async (page: Page, name: string) => {
    const button = page.getByRole('button', { name, exact: true })
    // The server is asked what it would do, before anybody can press it.
    await expect.poll(() => button.isEnabled(), { timeout: 12_000 }).toBe(true)
    await button.focus()
    await page.keyboard.press('Enter')
  }
  const dialog = () => opened.tab.page.getByRole('dialog')
  const sent = (text: string) => opened.tab.page.getByRole('status').filter({ hasText: text }).waitFor()

  test(
    'Support captures, refunds a part, ships and cancels by keyboard, and is told why when nothing can be done',
    async () => {
      const { page } = opened.tab
      const { id } = await authorized(5000)
      await orderOf(opened.world.admin, 100)
      const email = await signInAsNew(opened.tab, opened.world, 'Support', `/v2/orders/${id}`)
      await page.getByRole('heading', { name: 'Timeline' }).waitFor()
      await page.getByRole('link', { name: /other orders? of this email address/ }).waitFor()
      await page.getByText('Nothing can be refunded yet: the money has not been received.').waitFor()
      await expectNoBarriers(opened.tab, 'an order')
      // The server says why before anybody presses.
      await press(page, 'Mark as shipped')
      await dialog().getByRole('alert').waitFor()
      await expect
        .poll(() => dialog().getByRole('button', { name: 'Mark as shipped' }).isDisabled())
        .toBe(true)
      await page.keyboard.press('Escape')
      await press(page, 'Capture')
      await dialog().getByText('Authorize', { exact: true }).waitFor()
      await expectNoBarriers(opened.tab, 'a capture')
      await press(page, 'Capture 50.00 USD')
      await sent('50.00 USD have been captured.')
      await press(page, 'Refund')
      await dialog().getByLabel('All that is left: 50.00 USD').focus()
      await page.keyboard.press('ArrowDown')
      await dialog().getByLabel('Amount').fill('70')
      await dialog().getByText('At most 50.00 USD.').waitFor()
      await expect
        .poll(() => dialog().getByRole('button', { name: 'Refund', exact: true }).isDisabled())
        .toBe(true)
      await dialog().getByLabel('Amount').fill('12.50')
      await dialog().getByText('No money moves').waitFor()
      await expectNoBarriers(opened.tab, 'a refund')
      await press(page, 'Refund 12.50 USD')
      await sent('12.50 USD have been refunded.')
      await press(page, 'Mark as shipped')
      await dialog().getByRole('cell', { name: 'Fulfilled', exact: true }).waitFor()
      await dialog().getByRole('button', { name: 'Mark as shipped' }).focus()
      await page.keyboard.press('Enter')
      await sent('The order is marked as shipped.')
      await page.getByText('An order that is shipped cannot be cancelled.').waitFor()
      const [payment] = await transactions(id)
      expect([payment.transaction_type, payment.refunded_amount]).toEqual(['capture', 1250])
      const timeline = page.getByRole('region', { name: 'Timeline' }).getByRole('listitem')
      for (const text of ['marked it as shipped', 'refunded 12.50 USD', 'captured 50.00 USD'])
        await timeline.filter({ hasText: email }).filter({ hasText: text }).waitFor()
      await timeline
        .filter({ hasText: 'refunded' })
        .getByText(/^\d+ values?$/)
        .first()
        .click()
      await timeline.getByRole('cell', { name: '12.50 USD', exact: true }).waitFor()
    },
    journeyMs,
  )

  test(
    'the lines name each discount, the steps add up to the total, and a refund of lines adds up an amount',
    async () => {
      const { page } = opened.tab
      const { admin } = opened.world
      const { id } = await orderWith(
        admin,
        wrap({ name: 'Mug', sku: 'MUG', quantity: 3, price: { amount: 1250 } }),
        wrap({ name: 'Tray', sku: 'TRAY' }),
      )
      await paid(admin, id)
      // Of the same buyer.
      await orderOf(admin, 100)
      await look(opened.tab, 'dark', 390)
      await signInAsNew(opened.tab, opened.world, 'Support', `/v2/orders/${id}`)
      await page.getByText('Why this total?').first().click()
      const steps = page.getByRole('table', { name: 'Why this total?' })
      expect(await steps.getByRole('cell').allInnerTexts()).toEqual(['47.50 USD', '47.50 USD'])
      await page.getByRole('button', { name: 'Refund' }).click()
      await dialog().getByLabel('Some of the lines').check()
      await dialog().getByLabel(/Mug/).fill('2')
      await dialog().getByRole('button', { name: 'Refund 25.00 USD' }).waitFor()
      await expectNoBarriers(opened.tab, 'a refund of lines')
      await dialog().getByRole('button', { name: 'Refund 25.00 USD' }).click()
      await sent('25.00 USD have been refunded.')
      expect((await transactions(id))[0].refunded_amount).toBe(2500)
      await page.getByRole('link', { name: /other orders? of this email/ }).click()
      await page.getByRole('heading', { name: 'Orders', exact: true }).waitFor()
      await page.getByText(guest.name).first().waitFor()
    },
    journeyMs,
  )

  test('a role that may only read sees no buttons, and is told why', async () => {
    const { page } = opened.tab
    const { id } = await authorized(2000)
    await signInAsNew(opened.tab, opened.world, 'Marketing/Sales', `/v2/orders/${id}`)
    await page.getByText('does not have the right to read changes').waitFor()
    await page.getByText('You may look at this, but not change it').first().waitFor()
    for (const name of ['Capture', 'Mark as shipped', 'Cancel the order', 'Take a payment'])
      expect(await page.getByRole('button', { name }).count()).toBe(0)
  })

  test('open payments are a list of work', async () => {
    const { page } = opened.tab
    const { id, payment } = await authorized(2000)
    const one = { type: 'open_payment', id: payment.id, order_id: id, gateway: 'stripe', currency: 'USD' }
    const data = [
      { ...one, reason: 'no_answer', request: 'refund', since: '2026-01-02T03:04:05Z', amount: 2000 },
    ]
    await page.route(`${opened.world.url}/v2/open-payments`, (route) => route.fulfill({ json: { data } }))
    await signInAsNew(opened.tab, opened.world, 'Support', '/v2/open-payments')
    await page.getByText('1 payment.').waitFor()
    await page.getByText('The gateway has not answered').waitFor()
    await expectNoBarriers(opened.tab, 'open payments')
    await page.getByRole('main').getByRole('link').first().click()
    await page.getByText('The outcome is not known:').waitFor()
  })

  /** What may become of a click, its request and the page. */
  const mishaps = ['reload', 'double click', 'lost answer', 'back', 'lost request'] as const
  type Mishap = (typeof mishaps)[number]

  async function round(verb: 'refund' | 'capture', mishap: Mishap, refund: Any, amount: number) {
    const { page } = opened.tab
    const [text, other] = [
      `${(amount / 100).toFixed(2)} USD`,
      verb === 'capture' && (await authorized(amount)),
    ]
    const at = other ? other.id : refund.relationships.order.data.id
    await page.goto(`${opened.world.url}/console/v2/orders/${at}`)
    const open = () =>
      page
        .getByRole('button', { name: verb === 'capture' ? 'Capture' : 'Refund', exact: true })
        .first()
        .click()
    await open()
    if (verb === 'refund') {
      await dialog().getByLabel('A part').check()
      await dialog()
        .getByLabel('Amount')
        .fill((amount / 100).toFixed(2))
    }
    const submit = dialog().getByRole('button', {
      name: `${verb === 'capture' ? 'Capture' : 'Refund'} ${text}`,
    })
    let arrived = () => {}
    const arriving = new Promise<void>((resolve) => {
      arrived = resolve
    })
    const isRead = mishap === 'lost request' ? async () => {} : (route: Route) => route.fetch()
    if (mishap !== 'double click')
      await page.route(`**/${verb}`, async (route) => {
        if (route.request().headers().prefer) return route.continue()
        await isRead(route)
        if (mishap.startsWith('lost')) await route.abort()
        arrived()
      })
    if (mishap === 'double click') await submit.dblclick()
    else {
      await submit.click()
      await arriving
      if (mishap === 'reload') await page.reload()
      if (mishap === 'back') {
        await page.goBack()
        await page.goForward()
      }
      // Only now: a request that is still held would go on.
      await page.unroute(`**/${verb}`)
      if (!mishap.startsWith('lost')) await page.getByRole('heading', { name: 'Timeline' }).waitFor()
      // A capture that was carried out cannot be captured again, so there is nothing to send.
      const isDone = verb === 'capture' && mishap !== 'lost request' && mishap !== 'lost answer'
      if (!isDone) {
        if (!mishap.startsWith('lost')) await open()
        await dialog().getByText('The outcome is not known.').waitFor()
        await dialog()
          .getByRole('button', {
            name: `Send the same again: ${verb === 'capture' ? 'Capture' : 'Refund'} ${text}`,
          })
          .click()
      }
    }
    if (mishap === 'double click' || mishap.startsWith('lost') || verb === 'refund')
      await sent(`${text} have been`)
    return other
  }

  test(
    'a double click, a reload, a way back and an answer that is lost have one effect each',
    async () => {
      const { id } = await orderOf(opened.world.admin, 9_000_000)
      const refund = await paid(opened.world.admin, id)
      await signInAsNew(opened.tab, opened.world, 'Support')
      let [seed, expected] = [1, 0]
      const rounds = isLong ? 1000 : mishaps.length
      for (let n = 0; n < rounds; n++) {
        seed = (seed * 48271) % 2147483647
        const verb = n % 2 ? 'capture' : 'refund'
        const mishap = mishaps[isLong ? seed % mishaps.length : n] ?? 'reload'
        const amount = 100 + (seed % 900)
        const other = await round(verb, mishap, refund, amount)
        if (verb === 'refund') expected += amount
        const where = `round ${n}, ${verb}, ${mishap}`
        const [payment] = await transactions(id)
        expect([where, payment.refunded_amount]).toEqual([where, expected])
        if (other) {
          const some = await transactions(other.id)
          expect([where, some.map((one) => [one.transaction_type, one.amount])]).toEqual([
            where,
            [['capture', amount]],
          ])
          const again = await act(opened.world.admin, some[0], 'capture')
          expect(again.status).toBe(422)
        }
      }
      // The requests that were lost on purpose.
      const { faults } = opened.tab
      expect(faults.filter((fault) => !fault.endsWith('net::ERR_FAILED'))).toEqual([])
      faults.length = 0
    },
    isLong ? 4 * 3600_000 : journeyMs,
  )
})
