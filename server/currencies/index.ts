import { module } from '../kernel/declare/module.ts'
import { add } from '../kernel/request/operations.ts'
import { currencies as currencyResource, dollar } from './currencies.ts'

export { type Money, money, moneyFields, type Notation } from './money.ts'
export { currencyResource as currencies }

export const currencyChapter = module({
  name: 'currencies',
  about: 'What prices may be in, and how amounts are written.',
  resources: [currencyResource],
  firstDay: async (work) => void (await add(work, currencyResource, [], dollar)),
})
