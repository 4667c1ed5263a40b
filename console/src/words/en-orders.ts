import { counted } from './en-numbers.ts'

/** The texts of the screens of orders, in English. */
export const orders = {
  tab: 'Order',
  head: {
    customer: 'Customer',
    payment: 'Payment',
    shipping: 'Shipping',
    status: 'Status',
    total: 'Total',
    owing: 'are still owed',
    placed: 'Placed',
    others: (n: number) => `${counted(n, 'other order', 'other orders')} of this email address`,
  },
  open: {
    about: 'Money that somebody has to look at, the oldest first. What is settled leaves the list by itself.',
    none: 'No payment waits for you',
    noneAbout: 'Every gateway has answered, and all money is where it belongs.',
    count: (n: number) => counted(n, 'payment', 'payments'),
    since: 'Since',
    todo: 'What to do',
    cart: (id: string) => `Cart ${id}`,
    gateway: 'Gateway',
    excess: 'To return',
    reasons: {
      no_answer: {
        what: 'The gateway has not answered, so nobody knows yet what it did.',
        todo: 'Usually nothing: the server asks until there is an answer. If it lasts, check the key of the gateway, and look at the gateway for the id of the order.',
      },
      order_cancelled: {
        what: 'Money came for an order that was cancelled meanwhile.',
        todo: 'Refund it, or cancel the authorization.',
      },
      no_stock: {
        what: 'Money came for what is sold out.',
        todo: 'Add stock and confirm the payment again, or refund it.',
      },
      ended: {
        what: 'The gateway has money for a payment that has failed or was cancelled.',
        todo: 'Refund it at the gateway, then confirm the payment here.',
      },
      no_order: {
        what: 'A shopper has paid for a cart, and no order was made of it.',
        todo: 'Check the cart out and confirm the order, or refund it at the gateway.',
      },
      refund_failed: {
        what: 'A refund came back, because the bank did not take it.',
        todo: 'Refund it again. If the card takes no refund, return the money elsewhere, then mark all of the payment as refunded.',
      },
      overpaid: {
        what: 'The gateway has received more than the order owed.',
        todo: 'Return the excess at the gateway, then confirm the payment here. Refunds are refused until then.',
      },
    } satisfies Readonly<Record<string, { what: string; todo: string }>> as Readonly<
      Record<string, { readonly what: string; readonly todo: string } | undefined>
    >,
  },
}
