import type { Guard } from './guard.ts'

/** What guards carts. */
export const guardsOfCarts: readonly Guard[] = [
  {
    name: 'lock of the cart',
    cuts: [
      {
        file: 'server/kernel/write/claim-key.ts',
        text: ' FOR NO KEY UPDATE`',
        without: '`',
      },
    ],
    tests: {
      'tests/races/carts.test.ts': [
        'two adds of one product count all pieces',
        'an item that is removed does not come back with a quantity',
        'two quantities of two items both count',
        'a cart that is emptied keeps no item of before',
        'an item is added to a cart that is deleted before, or goes with it',
        'a merge and an add both count',
        'two merges into one cart both count',
        'two codes that are entered both stay',
        'a cart has at most 100 items, however many arrive',
        'two tax items both count',
        'two shipping groups of a cart both stay',
        'two customers are both associated with a cart',
      ],
    },
  },
  {
    name: 'lock of the key of a new cart',
    cuts: [
      {
        file: 'server/kernel/write/claim-key.ts',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: it is in the file.
        text: '${advisoryLockSql(bind(lockOf(of, key)))}',
        without: 'NULL',
      },
      {
        file: 'server/kernel/write/claim-key.ts',
        text: 'await work.store.advisoryLock(lockOf(of, key))',
        without: '',
      },
    ],
    tests: {
      'tests/races/carts.test.ts': [
        'two first adds make one cart with both items',
        'a cart has items of one currency, whichever comes first',
      ],
    },
  },
  {
    name: 'unique id of carts',
    cuts: [{ sql: 'ALTER TABLE carts DROP CONSTRAINT carts_reference_key' }],
    tests: { 'tests/races/carts.test.ts': ['two carts cannot have one id'] },
  },
  {
    name: 'lock of the owners of a cart',
    cuts: [
      {
        file: 'server/carts/contents/owners.ts',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: it is in the file.
        text: 'for (const id of [...customers, ...accounts].sort()) await store.advisoryLock(`carts of ${id}`)',
        without: '',
      },
    ],
    tests: { 'tests/races/carts.test.ts': ['of the last two carts of a customer, one stays'] },
  },
  {
    name: 'lock of expired rows',
    cuts: [
      {
        file: 'server/kernel/write/forget-expired.ts',
        text: ' FOR UPDATE SKIP LOCKED',
        without: '',
      },
    ],
    tests: {
      'tests/races/carts.test.ts': ['a cart that a shopper uses before it expires is not deleted as expired'],
    },
  },
]
