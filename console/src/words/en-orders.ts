import { counted, number } from './en-numbers.ts'

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
    reference: 'External reference',
    others: (n: number) => `${counted(n, 'other order', 'other orders')} of this email address`,
  },
  lines: {
    title: 'Lines',
    times: (n: number) => `${number.format(n)} ×`,
    tax: 'Tax',
    why: 'Why this total?',
    whyAbout:
      'The amounts are those of the checkout. Prices, promotions and taxes that changed since have no part in them.',
  },
  steps: {
    lines: 'Prices of the lines',
    shipping: 'Shipping',
    discount: 'Discount',
    otherDiscounts: 'Other discounts',
    shippingDiscount: 'Discount on shipping',
    tax: 'Tax',
    includedTax: 'Tax (in the prices)',
    outerTax: 'Tax that is not in the prices',
    other: 'Other amounts that the order was entered with',
    total: 'Total',
  },
  shipping: {
    title: 'Shipping',
    to: 'Ship to',
    billing: 'Bill to',
    groups: 'Shipping groups',
    group: 'shipping group',
    oneGroup: 'Shipping group',
    tracking: 'Tracking',
  },
  deeds: {
    pay: 'Take a payment',
    ship: {
      title: 'Mark as shipped',
      about: 'The whole order is shipped. Its stock, which was allocated, is gone.',
      done: 'The order is marked as shipped.',
    },
    cancel: {
      title: 'Cancel the order',
      about:
        'Its allocated stock is available again. Nothing is refunded: what was paid can be refunded afterwards.',
      done: 'The order is cancelled.',
    },
    stops: {
      cancelled: 'The order is cancelled: it can be neither paid nor shipped.',
      shipped: 'The order is shipped already.',
      shippedNotCancelled: 'An order that is shipped cannot be cancelled. Refund its payments instead.',
    },
  },
  payments: {
    title: 'Payments',
    none: 'Nobody has paid anything yet.',
    refunded: 'Of it refunded',
    failedRefund: 'Refunds that came back',
    failure: (reason: string) => `Why it failed: ${reason}`,
    unknown: 'The outcome is not known',
    notReceived: 'Nothing can be refunded yet: the money has not been received.',
    states: {
      'purchase complete': 'Paid',
      'capture complete': 'Captured',
      'authorize complete': 'Authorized, not captured',
      'refund complete': 'Refunded',
      'purchase pending': 'Waiting for the gateway or the shopper',
      'authorize pending': 'Waiting for the gateway or the shopper',
      'purchase-setup pending': 'The shopper has not chosen how to pay',
      'authorize-setup pending': 'The shopper has not chosen how to pay',
      'purchase failed': 'Failed',
      'authorize failed': 'Failed',
      'purchase cancelled': 'Cancelled',
      'authorize cancelled': 'Cancelled',
    } satisfies Readonly<Record<string, string>> as Readonly<Record<string, string | undefined>>,
    stops: {
      refunded: 'All of it is refunded already.',
      failed: 'The payment has failed: there is no money to refund.',
      cancelled: 'The payment was cancelled: there is no money to refund.',
      nothing: 'Nothing can be done with this payment now.',
    },
  },
  verbs: {
    confirm: {
      title: 'Ask the gateway',
      submit: (_amount: string) => 'Ask the gateway',
      about: (_amount: string) => 'Asks the gateway how the payment stands, and records what it says.',
      done: (_amount: string) => 'The gateway has said how the payment stands.',
    },
    capture: {
      title: 'Capture',
      submit: (amount: string) => `Capture ${amount}`,
      about: (amount: string) => `Captures ${amount}: a capture is always of the whole payment.`,
      done: (amount: string) => `${amount} have been captured.`,
    },
    refund: {
      title: 'Refund',
      submit: (amount: string) => `Refund ${amount}`,
      about: (amount: string) => `Of a payment of ${amount}.`,
      done: (amount: string) => `${amount} have been refunded.`,
    },
    cancel: {
      title: 'Cancel the payment',
      submit: (amount: string) => `Cancel the payment of ${amount}`,
      about: (amount: string) => `${amount} are no longer held. They cannot be captured afterwards.`,
      done: (amount: string) => `The payment of ${amount} is cancelled.`,
    },
  },
  refund: {
    howMuch: 'How much?',
    before: (refunded: string, amount: string) => `${refunded} of ${amount} are refunded already.`,
    extents: {
      all: (rest: string) => `All that is left: ${rest}`,
      part: (_rest: string) => 'A part',
      lines: (_rest: string) => 'Some of the lines',
      elsewhere: (rest: string) =>
        `Nothing: ${rest} were returned elsewhere, and are only marked as refunded`,
    },
    amount: 'Amount',
    atMost: (amount: string) => `At most ${amount}.`,
    atLeast: (amount: string) => `At least ${amount}.`,
    linesAbout:
      'This adds up an amount: each unit has its part of the discounts and taxes of its line. The order does not record which lines were returned.',
    unitsOf: (n: number) => `of ${number.format(n)}`,
  },
  sends: {
    manual: {
      confirm: 'No gateway is asked: this payment was taken by hand.',
      capture: 'No money moves: this payment was taken by hand. The store records that you have received it.',
      refund:
        'No money moves: this payment was taken by hand. Return the money yourself; the store records it.',
      cancel: 'No money moves: this payment was taken by hand. The store records that it is cancelled.',
    },
    gateway: {
      confirm: (gateway: string, _amount: string) => `${gateway} is asked. No money moves by that.`,
      capture: (gateway: string, amount: string) =>
        `${gateway} is told to capture ${amount} of the card of the shopper.`,
      refund: (gateway: string, amount: string) =>
        `${gateway} is told to return ${amount} to the card that the shopper has paid with.`,
      cancel: (gateway: string, amount: string) => `${gateway} is told to let go of ${amount}.`,
    },
    elsewhere: 'The gateway is told nothing, and no money moves.',
    order: {
      ship: 'Webhooks that observe orders are sent: order.updated and order.fulfilled.',
      cancel: 'Webhooks that observe orders are sent: order.updated and order.cancelled.',
    },
  },
  deed: {
    changes: 'What this changes',
    unknown: 'The outcome is not known.',
    sentAt: 'It was sent:',
    unknownAbout:
      'No answer has come, so the server may have done it or not. The same request again does it once: if it was done, the server repeats its answer. While a gateway does not answer, the server goes on asking it by itself.',
    again: (submit: string) => `Send the same again: ${submit}`,
    drop: 'Forget it',
    unfinished: (title: string) =>
      `“${title}” was sent from here, and no answer has come. Open it again to find out what became of it.`,
  },
  timeline: {
    title: 'Timeline',
    ofOrder: 'Order',
    ofPayment: 'Payment',
    said: {
      placed: 'placed the order',
      paid: 'took a payment of',
      pending: 'began a payment of',
      authorized: 'authorized',
      captured: 'captured',
      refunded: 'refunded',
      refundFailed: 'got a refund back:',
      paymentFailed: 'recorded that a payment failed:',
      paymentCancelled: 'cancelled a payment of',
      shipped: 'marked it as shipped',
      cancelled: 'cancelled the order',
      changed: 'changed it',
      payment: 'payment is now',
    },
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
