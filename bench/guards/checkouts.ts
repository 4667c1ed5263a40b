import type { Cut, Guard } from './guard.ts'

const cartLock: Cut = {
  file: 'server/kernel/write/claim-key.ts',
  text: ' FOR NO KEY UPDATE`',
  without: '`',
}

/** What guards checkouts. */
export const guardsOfCheckouts: readonly Guard[] = [
  {
    name: 'lock of the cart at its checkout',
    cuts: [cartLock],
    tests: {
      'tests/races/checkouts.test.ts': [
        'a checkout that is sent twice makes one order',
        'checkouts of two tabs make one order',
        'an item that is added during a checkout stays in the cart',
        'an item that is removed during a checkout does not come back',
        'a quantity that changes during a checkout stays in the cart',
        'a shipping group is in the cart or in its order',
        'a cart that is deleted during its checkout leaves the order or nothing',
      ],
      'tests/races/codes.test.ts': ['an order that is placed twice uses its code once'],
    },
  },
  {
    name: 'lock of the cart, and version of a cart in one order',
    cuts: [cartLock, { sql: 'ALTER TABLE orders DROP CONSTRAINT orders_cart_key' }],
    tests: {
      'tests/races/checkouts.test.ts': [
        'a checkout that is sent twice makes one order',
        'checkouts of two tabs make one order',
      ],
    },
  },
  {
    name: 'lock of the Idempotency-Key and its one answer, lock of the cart, version of a cart in one order',
    cuts: [
      cartLock,
      { sql: 'ALTER TABLE orders DROP CONSTRAINT orders_cart_key' },
      {
        file: 'server/kernel/request/idempotency.ts',
        text: "if (lock?.[0] !== 't') throw stillRunning()",
        without: 'void lock',
      },
      {
        file: 'server/kernel/request/idempotency.ts',
        text: 'if (!stored.length) throw stillRunning()',
        without: 'void stored',
      },
    ],
    tests: {
      'tests/races/checkouts.test.ts': [
        'a checkout with a key makes one order, and a repetition gets its response',
      ],
    },
  },
  {
    name: 'prices, read after the lock of the cart',
    cuts: [
      cartLock,
      {
        file: 'server/orders/checkout/place-order.ts',
        text: 'const priced = await priceOrder(ctx, cart, buyer, orderId)',
        without: `const priced = await priceOrder(ctx, cart, buyer, orderId)
  await ctx.store.lock({ table: 'carts' }, cart.id)`,
      },
    ],
    tests: {
      'tests/races/checkouts.test.ts': [
        'a checkout that has waited has the prices that are published meanwhile',
        'a checkout that has waited has no discount of a promotion that is disabled meanwhile',
      ],
    },
  },
  {
    name: 'currency, stored with the cart',
    cuts: [
      {
        file: 'server/carts/pricing/cart-shop.ts',
        text: '(currencies.find(({ code }) => code === own) ?? priced?.currency)',
        without: '(currencies.find(({ code }) => code === own) ?? currencies[0] ?? priced?.currency)',
      },
    ],
    tests: {
      'tests/races/checkouts.test.ts': ['an order keeps the currency of its cart when that is disabled'],
    },
  },
  {
    name: 'lock of the buyer',
    cuts: [
      {
        file: 'server/orders/buyer/buyer.ts',
        text: 'for (const one of await ctx.store.lockShared({ table }, id)) locked.add(one)',
        without: 'locked.add(table && id)',
      },
    ],
    tests: {
      'tests/races/checkouts.test.ts': ['an erasure of a customer leaves their name in no order'],
    },
  },
]
