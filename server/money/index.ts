import { module } from '../kernel/module.ts'

export { AmountTooLarge, divide, multiply, round, sum, toAmount } from './amounts.ts'
export { apportion, cutTo } from './apportion.ts'
export { addRatios, decimal, type Exact, percent, type Ratio, ratio, toRatio } from './ratio.ts'

export const moneyChapter = module({
  name: 'money',
  about: 'Takes percentages of amounts, and divides amounts, exactly.',
})
