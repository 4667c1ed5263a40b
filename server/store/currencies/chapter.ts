import { module } from '../../kernel/module.ts'
import { add } from '../../kernel/write/by-rules.ts'
import { currencies as currencyResource, dollar } from './currencies.ts'

export const currencyChapter = module({
  name: 'currencies',
  about: 'The currencies for prices, and the format of amounts.',
  resources: [currencyResource],
  firstDay: async (work) => void (await add(work, currencyResource, [], dollar)),
})
