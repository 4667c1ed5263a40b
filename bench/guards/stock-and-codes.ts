import type { Cut, Guard } from './guard.ts'

const lockOfAllocation: Cut = {
  file: 'server/assortment/inventories/allocate.ts',
  text: 'const counted = await store.lock(stocks, ...unique(portions.map(({ productId }) => productId)))',
  without:
    'store.lock; const counted = new Set((await store.run("SELECT id FROM stocks WHERE store_id = $1")).map(([id]) => id as string))',
}

const lockOfMove: Cut = {
  file: 'server/assortment/inventories/move-stock.ts',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the source.
  text: "${lockSql(stocks, '$2')}",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the source.
  without: 'SELECT id FROM stocks WHERE store_id = $1 AND id = ANY($2::uuid[]) AND ${lockSql.length > 0}',
}

const lockOfTransaction: Cut = {
  file: 'server/assortment/inventories/create-stock-transaction.ts',
  text: "if (!(await ctx.store.lock(stocks, id)).size) throw notFound('stock', id)",
  without: 'void notFound',
}

/** What guards stock and codes. */
export const guardsOfStockAndCodes: readonly Guard[] = [
  {
    name: 'lock of the stock, condition of the statement, and CHECK',
    cuts: [
      lockOfAllocation,
      lockOfMove,
      lockOfTransaction,
      {
        file: 'server/assortment/inventories/move-stock.ts',
        text: 'AND l.available + g.available >= 0 AND l.allocated + g.allocated >= 0',
        without: '',
      },
      { sql: 'ALTER TABLE stock_levels DROP CONSTRAINT stock_levels_check' },
    ],
    tests: {
      'tests/races/levels.test.ts': [
        'two orders do not get the last unit',
        'the last unit is sold or taken out of stock',
        'stock is not set to less than is sold',
      ],
      'tests/races/crowds.test.ts': ['of many shoppers, one gets the last unit'],
      'tests/assortment/inventories/stock-races.test.ts': ['each of the last ten is allocated to one buyer'],
    },
  },
  {
    name: 'lock of the stock',
    cuts: [lockOfAllocation, lockOfMove, lockOfTransaction],
    tests: {
      'tests/races/levels.test.ts': [
        'a total that is set is the total then',
        'an order is paid while its product ceases to be counted',
      ],
    },
  },
  {
    name: 'primary key of stock',
    cuts: [{ sql: 'ALTER TABLE stocks DROP CONSTRAINT stocks_pkey CASCADE' }],
    tests: { 'tests/races/levels.test.ts': ['one product is counted once'] },
  },
  {
    name: 'condition of the statement that counts, and CHECK',
    cuts: [
      {
        file: 'server/promotions/uses/spend-codes.ts',
        text: 'AND c.used + spend.uses <= c.max_uses RETURNING',
        without: 'RETURNING',
      },
      { sql: 'ALTER TABLE rule_promotion_codes DROP CONSTRAINT rule_promotion_codes_check' },
      { sql: 'ALTER TABLE standard_promotion_codes DROP CONSTRAINT standard_promotion_codes_check' },
    ],
    tests: {
      'tests/races/codes.test.ts': ['two orders do not spend the last use of a code'],
      'tests/races/crowds.test.ts': ['of many shoppers, one gets the last use of a code'],
      'tests/promotions/codes/spend-codes.test.ts': ['50 orders at once spend a code of ten uses ten times'],
    },
  },
  {
    name: 'unique slot of each use',
    cuts: [{ sql: 'DROP INDEX rule_promotion_usages_slot_key' }],
    tests: {
      'tests/races/codes.test.ts': ['a shopper does not use a code twice that is for one order of each'],
      'tests/promotions/codes/spend-codes.test.ts': ['each of 20 shoppers spends a code twice'],
    },
  },
  {
    name: 'codes that were not found count as unspent',
    cuts: [
      {
        file: 'server/promotions/uses/spend-codes.ts',
        text: 'return [...unknown, ...unspent]',
        without: 'return unspent',
      },
    ],
    tests: { 'tests/races/codes.test.ts': ['a code that is deleted before it is spent discounts nothing'] },
  },
  {
    name: 'lock of the promotion and of the code',
    cuts: [
      {
        file: 'server/promotions/uses/spend-codes.ts',
        text: 'await store.lockShared(promotions, ...uses.map(({ promotionId }) => promotionId))',
        without: 'void promotions',
      },
      {
        file: 'server/promotions/uses/spend-codes.ts',
        text: 'const rows = await store.readAndLock(',
        without: 'const rows = await store.run(',
      },
    ],
    tests: {
      'tests/races/codes.test.ts': [
        'a promotion is deleted before an order that spends its code, or after it',
      ],
    },
  },
  {
    name: 'savepoint of the dry run',
    cuts: [
      {
        file: 'server/kernel/storage/store.ts',
        text: 'return undoAlways(this.#connection, work)',
        without: 'void undoAlways; return work()',
      },
    ],
    tests: { 'tests/races/codes.test.ts': ['a dry run of a checkout takes no use from an order'] },
  },
  {
    name: 'unique code of what is held',
    cuts: [{ sql: 'DROP INDEX standard_promotion_codes_held_key' }],
    tests: { 'tests/races/codes.test.ts': ['a code belongs to one promotion'] },
  },
  {
    name: 'unique code of a promotion',
    cuts: [{ sql: 'ALTER TABLE rule_promotion_codes DROP CONSTRAINT rule_promotion_codes_code_key' }],
    tests: { 'tests/races/codes.test.ts': ['a promotion has a code once'] },
  },
]
