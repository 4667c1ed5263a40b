import type { Guard } from './guard.ts'

/** What guards payments and states of orders. */
export const guardsOfPayments: readonly Guard[] = [
  {
    name: 'lock of the order',
    cuts: [
      {
        file: 'server/kernel/thing/change-thing.ts',
        text: 'work.store.lockWhole(of, ids.filter(isId))',
        without:
          'Promise.all(ids.map((id) => work.store.findWhole(of, id))).then((all) => all.flatMap((one) => one ?? []))',
      },
    ],
    tests: {
      'tests/payments/transactions/racing-payments.test.ts': [
        'of two payments of the whole balance, one is taken',
        'parallel parts never exceed the total',
        'parallel refunds never exceed the payment',
        'of two captures, one is taken',
        'an order is paid or cancelled first, and never both lost',
      ],
      'tests/races/payments.test.ts': [
        'two captures of one order both count',
        'refunds of two payments of an order make it refunded',
        'an order that is cancelled stays so when its authorization is captured',
        'an order of nothing is paid once',
      ],
      'tests/races/stripe.test.ts': [
        'two payments with Stripe charge an order once',
        'two confirms of a payment take the stock of its order once',
      ],
    },
  },
  {
    name: 'rule of refunds',
    cuts: [
      {
        file: 'server/payments/rules/requests.ts',
        text: "if (!isPaid(transaction) || transaction.type === 'refund') return refuse('not-refundable')",
        without: '',
      },
      {
        file: 'server/payments/rules/requests.ts',
        text: "if (!order.isCancelled && payment !== 'paid') return refuse('order-not-refundable')",
        without: 'void payment',
      },
    ],
    tests: {
      'tests/races/payments.test.ts': ['a refund gives back what a capture has received, or nothing'],
    },
  },
  {
    name: 'locks of the order, and version of the row',
    cuts: [
      {
        file: 'server/kernel/thing/change-thing.ts',
        text: 'work.store.lockWhole(of, ids.filter(isId))',
        without:
          'Promise.all(ids.map((id) => work.store.findWhole(of, id))).then((all) => all.flatMap((one) => one ?? []))',
      },
      {
        file: 'server/kernel/thing/change-thing.ts',
        text: '(await work.store.lockWhole(of, [id]))[0]',
        without: 'await work.store.findWhole(of, id)',
      },
      {
        file: 'server/kernel/storage/row-statements.ts',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: it is in the file.
        text: 'WHERE ${at} AND version = $${after + 3} AND',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: it is in the file.
        without: 'WHERE ${at} AND $${after + 3}::int IS NOT NULL AND',
      },
    ],
    tests: {
      'tests/races/payments.test.ts': [
        'a payment and a number of the order both stay',
        'an order is fulfilled or cancelled',
        'an order that is refunded is not fulfilled as a paid one',
        'a name that is removed from an order does not come back with an address',
        'a name that is removed from an order does not come back with a refund',
      ],
    },
  },
  {
    name: 'lock of an order that is updated, before its stock moves',
    cuts: [
      {
        file: 'server/kernel/thing/change-thing.ts',
        text: '(await work.store.lockWhole(of, [id]))[0]',
        without: 'await work.store.findWhole(of, id)',
      },
    ],
    tests: {
      'tests/races/payments.test.ts': [
        'two cancellations give the stock of an order back once',
        'a cancellation gives stock back once, whatever else changes in the order',
        'two fulfilments ship the stock of an order once',
        'a refund and a cancellation give back money and stock once',
      ],
    },
  },
  {
    name: 'gateway, read after the lock of the order',
    cuts: [
      {
        file: 'server/payments/payment-calls/prepare-payment.ts',
        text: `changePaymentsBy(work, orderId, {
    read: () => Promise.all([settingsOf(work, body.gateway), portionsOfOrder(work, orderId)]),
    deed: (locked, [settings, portions]) =>
      prepare(work, { ...locked, portions }, settings, body, isPendingRead),
  })`,
        without: `settingsOf(work, body.gateway).then((settings) =>
    changePaymentsBy(work, orderId, {
      read: () => portionsOfOrder(work, orderId),
      deed: (locked, portions) => prepare(work, { ...locked, portions }, settings, body, isPendingRead),
    }),
  )`,
      },
    ],
    tests: {
      'tests/races/payments.test.ts': [
        'a payment that has waited does not use a gateway that is disabled meanwhile',
      ],
    },
  },
  {
    name: 'lock of the order of a group',
    cuts: [
      {
        file: 'server/kernel/thing/change-thing.ts',
        text: '(await work.store.lockWhole(of, [id]))[0]',
        without: 'await work.store.findWhole(of, id)',
      },
    ],
    tests: { 'tests/races/payments.test.ts': ['two shipping groups of an order both stay'] },
  },
  {
    name: 'lease of the Idempotency-Key, and its one answer',
    cuts: [
      {
        file: 'server/kernel/request/idempotency.ts',
        text: 'if (earlier?.isLeased) throw stillRunning()',
        without: 'void earlier',
      },
      {
        file: 'server/kernel/request/idempotency.ts',
        text: 'if (!stored.length) throw stillRunning()',
        without: 'void stored',
      },
    ],
    tests: { 'tests/races/payments.test.ts': ['a payment that is sent again with its key is taken once'] },
  },
  {
    name: 'order that a cart has become since its intent was asked for',
    cuts: [
      {
        file: 'server/payments/cart-payments/intent-call.ts',
        text: 'const orderId = await findOrderSince(work, request)',
        without: 'const orderId = [await findOrderSince(work, request)].at(1)',
      },
    ],
    tests: {
      'tests/races/cart-payments.test.ts': ['an intent that is created during a checkout pays nothing'],
    },
  },
]
